//! Sockets as faces need them: non-blocking, with large buffers, bound where the user says.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use mio::net::{TcpListener, TcpStream, UdpSocket};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

/// What the kernel is asked to keep of what has come and was not read yet, in bytes: some
/// milliseconds of a fast link.
const BUFFER: usize = 4 << 20;
/// How long a connection may take to be established.
const CONNECTING: Duration = Duration::from_secs(5);
/// How many connections may wait to be accepted.
const BACKLOG: i32 = 64;

/// A UDP socket bound there.
pub(super) fn udp(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    // The kernel gives as much as it allows.
    socket.set_recv_buffer_size(BUFFER)?;
    socket.set_send_buffer_size(BUFFER)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SockAddr::from(address))?;
    Ok(UdpSocket::from_std(socket.into()))
}

/// A TCP socket that listens there.
pub(super) fn listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&SockAddr::from(address))?;
    socket.listen(BACKLOG)?;
    Ok(TcpListener::from_std(socket.into()))
}

/// A TCP connection, from a local address if one is given.
pub(super) fn connection(bind: Option<SocketAddr>, remote: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(remote), Type::STREAM, Some(Protocol::TCP))?;
    if let Some(address) = bind {
        socket.bind(&SockAddr::from(address))?;
    }
    socket.connect_timeout(&SockAddr::from(remote), CONNECTING)?;
    socket.set_tcp_nodelay(true)?;
    socket.set_nonblocking(true)?;
    Ok(TcpStream::from_std(socket.into()))
}
