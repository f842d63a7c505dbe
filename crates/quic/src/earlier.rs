//! The connection before one that is resumed: this file, as that of the ends, is a part of the modules
//! of quinn and of noq.

use std::time::Duration;

use windtunnel_stack::{Datagram, Ecn, Event, Path, Stack, StreamStack};

use super::end::End;

/// More datagrams than any handshake takes.
const MOST_DATAGRAMS: usize = 100;

/// Has a client connect to a server in no time, so that it has what it needs to resume the connection.
///
/// # Errors
/// Why that does not succeed.
pub(super) fn connect(client: &mut End, server: &mut End, path: Path) -> Result<(), String> {
    let Path { own, peer } = path;
    let mut sent = 0;
    loop {
        let forth = exchange(client, server, path);
        let back = exchange(server, client, Path { own: peer, peer: own });
        sent += forth + back;
        if forth + back == 0 || sent > MOST_DATAGRAMS {
            break;
        }
    }
    let mut events = std::iter::from_fn(|| client.next_event());
    if events.any(|it| it == Event::Connected) {
        Ok(())
    } else {
        Err("the earlier connection that it resumes could not be established".to_owned())
    }
}

/// Hands all that one end sends to the other; returns how many datagrams.
fn exchange(from: &mut End, to: &mut End, path: Path) -> usize {
    let (mut buffer, mut sent) = (Vec::new(), 0);
    while let Some(departure) = from.send(Duration::ZERO, &mut buffer) {
        for bytes in buffer.chunks(departure.segment.max(1)) {
            let (from, ecn) = (path.own, Ecn::NotCapable);
            to.receive(Duration::ZERO, &[Datagram { from, to: path.peer, ecn, bytes }]);
            sent += 1;
        }
        buffer.clear();
    }
    sent
}
