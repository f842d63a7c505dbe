//! What tquic calls when something happens.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::rc::Rc;

use tquic::error::ConnectionError;
use tquic::{Connection, PacketInfo, PacketSendHandler, Result, TransportHandler};

/// What it has said, and what is not taken of it yet.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Which connection of the endpoint there is.
    pub(crate) connection: Option<u64>,
    /// Streams that are over in both directions.
    pub(crate) closed: Vec<u64>,
    /// Why the connection is over.
    pub(crate) failure: Option<String>,
    /// Datagrams that leave now.
    pub(crate) leaving: VecDeque<(Vec<u8>, SocketAddr)>,
}

/// Notes what happens. Data are asked for when tquic has returned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handler(pub(crate) Rc<RefCell<Told>>);

impl TransportHandler for Handler {
    fn on_conn_created(&mut self, connection: &mut Connection) {
        self.0.borrow_mut().connection = connection.index();
    }

    fn on_conn_established(&mut self, _connection: &mut Connection) {}

    fn on_conn_closed(&mut self, connection: &mut Connection) {
        let mut told = self.0.borrow_mut();
        told.connection = None;
        told.failure = failure(connection).or_else(|| Some("the connection is closed".to_owned()));
    }

    fn on_stream_created(&mut self, _connection: &mut Connection, _stream: u64) {}

    fn on_stream_readable(&mut self, _connection: &mut Connection, _stream: u64) {}

    fn on_stream_writable(&mut self, _connection: &mut Connection, _stream: u64) {}

    fn on_stream_closed(&mut self, _connection: &mut Connection, stream: u64) {
        self.0.borrow_mut().closed.push(stream);
    }

    fn on_new_token(&mut self, _connection: &mut Connection, _token: Vec<u8>) {}
}

impl PacketSendHandler for Handler {
    fn on_packets_send(&self, packets: &[(Vec<u8>, PacketInfo)]) -> Result<usize> {
        let leaving = packets.iter().map(|(bytes, information)| (bytes.clone(), information.dst));
        self.0.borrow_mut().leaving.extend(leaving);
        Ok(packets.len())
    }
}

/// Why a connection is over; none if nobody has closed it.
pub(crate) fn failure(connection: &Connection) -> Option<String> {
    let said = |who: &str, error: &ConnectionError| {
        let (code, reason) = (error.error_code, String::from_utf8_lossy(&error.reason));
        format!("{who} closed the connection with error {code:#x}: {reason}")
    };
    let own = connection.local_error().map(|it| said("tquic", it));
    own.or_else(|| connection.peer_error().map(|it| said("the peer", it)))
}
