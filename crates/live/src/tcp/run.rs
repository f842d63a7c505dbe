//! A host that lives on a network, in real time and in one thread.

use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use windtunnel_engine::Time;

use crate::clock::Clock;
use crate::interface::TunInterface;
use windtunnel_tcp::TcpHost;

/// So many packets are received before timers and applications have their turn.
const BATCH: usize = 64;
/// The longest wait: an application that waits for something else than packets is called so often.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// What packets come from and go to.
pub trait Wire {
    /// Receives the next packet, and returns its length in bytes; none if none waits.
    ///
    /// # Errors
    /// If the network is gone.
    fn receive(&mut self, now: Time, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Sends a packet, or loses it.
    ///
    /// # Errors
    /// If the network is gone.
    fn send(&mut self, now: Time, packet: &[u8]) -> io::Result<()>;

    /// Waits until there is a packet, or so long.
    ///
    /// # Errors
    /// If the network is gone.
    fn wait(&mut self, longest: Duration) -> io::Result<()>;
}

impl Wire for &TunInterface {
    fn receive(&mut self, _: Time, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        TunInterface::receive(self, buffer)
    }

    fn send(&mut self, _: Time, packet: &[u8]) -> io::Result<()> {
        match TunInterface::send(self, packet) {
            // The kernel has no memory for it, or the interface is down: it is lost.
            Err(error) if is_loss(&error) => Ok(()),
            other => other,
        }
    }

    fn wait(&mut self, longest: Duration) -> io::Result<()> {
        let mut readable = [PollFd::new(self.as_fd(), PollFlags::POLLIN)];
        match ppoll(&mut readable, Some(TimeSpec::from_duration(longest)), None) {
            Ok(_) | Err(nix::Error::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn is_loss(error: &io::Error) -> bool {
    let errors = [nix::Error::ENOBUFS, nix::Error::EIO, nix::Error::ENOMEM, nix::Error::EAGAIN];
    errors.iter().any(|it| error.raw_os_error() == Some(*it as i32))
}

/// Lets a host live on a network until the application ends it. The application has its turn
/// after each batch of packets, and at least ten times a second; whether it did something is
/// what it returns with [`ControlFlow::Continue`]: then it soon has another turn.
///
/// # Errors
/// If the network is gone.
pub fn drive<T>(
    mut wire: impl Wire,
    host: &mut TcpHost,
    clock: &Clock,
    mut application: impl FnMut(&mut TcpHost, Time) -> ControlFlow<T, bool>,
) -> io::Result<T> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let mut received = 0;
        while received < BATCH
            && let Some(length) = wire.receive(clock.now(), &mut buffer)?
        {
            host.receive(clock.now(), &buffer[..length]);
            received += 1;
        }
        let now = clock.now();
        if host.next_wake().is_some_and(|it| it <= now) {
            host.wake(now);
        }
        let turn = application(host, now);
        while let Some(packet) = host.take_packet() {
            wire.send(now, &packet)?;
        }
        match turn {
            ControlFlow::Break(result) => return Ok(result),
            ControlFlow::Continue(is_busy) if is_busy || received == BATCH => {}
            ControlFlow::Continue(_) => {
                let next = host.next_wake().map_or(LONGEST_WAIT, |it| clock.until(it));
                wire.wait(next.min(LONGEST_WAIT))?;
            }
        }
    }
}
