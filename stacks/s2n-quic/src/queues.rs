//! The queues by which s2n-quic reads and sends datagrams.

use std::collections::VecDeque;
use std::net::SocketAddr;

use s2n_quic_core::inet::ExplicitCongestionNotification as Codepoint;
use s2n_quic_core::inet::datagram::Header;
use s2n_quic_core::io::tx::{Error, Message, Outcome, PayloadBuffer};
use s2n_quic_core::io::{rx, tx};
use s2n_quic_core::path::{Handle, RemoteAddress};
use windtunnel_stack::{Datagram, Ecn};

/// The data of a packet of 1500 B with headers of IPv4 and UDP, which is the most by default.
pub(crate) const LARGEST_DATAGRAM: u16 = 1472;

/// Datagrams that have arrived and are read together.
#[derive(Debug)]
pub(crate) struct Arrivals<'a>(pub(crate) &'a [Datagram<'a>]);

impl rx::Queue for Arrivals<'_> {
    type Handle = RemoteAddress;

    fn for_each<F: FnMut(Header<RemoteAddress>, &mut [u8])>(&mut self, mut on_packet: F) {
        for datagram in std::mem::take(&mut self.0) {
            let path = RemoteAddress(datagram.from.into());
            let ecn = match datagram.ecn {
                Ecn::NotCapable => Codepoint::NotEct,
                Ecn::Capable0 => Codepoint::Ect0,
                Ecn::Capable1 => Codepoint::Ect1,
                Ecn::Congestion => Codepoint::Ce,
            };
            // They are decrypted in place.
            on_packet(Header { path, ecn }, &mut datagram.bytes.to_vec());
        }
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A datagram that leaves.
#[derive(Debug)]
pub(crate) struct Leaving {
    pub(crate) to: SocketAddr,
    pub(crate) ecn: Ecn,
    pub(crate) bytes: Vec<u8>,
}

/// Datagrams that leave at once. There is always room.
#[derive(Debug, Default)]
pub(crate) struct Departures(VecDeque<Leaving>);

impl Departures {
    /// The next one.
    pub(crate) fn take(&mut self) -> Option<Leaving> {
        self.0.pop_front()
    }
}

impl tx::Queue for Departures {
    type Handle = RemoteAddress;

    const SUPPORTS_ECN: bool = true;

    fn push<M: Message<Handle = RemoteAddress>>(
        &mut self,
        mut message: M,
    ) -> Result<Outcome, Error> {
        let to = SocketAddr::from(message.path_handle().remote_address());
        let ecn = match message.ecn() {
            Codepoint::NotEct => Ecn::NotCapable,
            Codepoint::Ect0 => Ecn::Capable0,
            Codepoint::Ect1 => Ecn::Capable1,
            Codepoint::Ce => Ecn::Congestion,
        };
        let mut bytes = vec![0; LARGEST_DATAGRAM.into()];
        let len = message.write_payload(PayloadBuffer::new(&mut bytes), 0)?;
        bytes.truncate(len);
        self.0.push_back(Leaving { to, ecn, bytes });
        Ok(Outcome { len, index: 0 })
    }

    fn capacity(&self) -> usize {
        usize::MAX
    }
}

/// A queue without room: s2n-quic then looks after its timers, and sends nothing.
#[derive(Debug)]
pub(crate) struct Full;

impl tx::Queue for Full {
    type Handle = RemoteAddress;

    fn push<M: Message<Handle = RemoteAddress>>(&mut self, _message: M) -> Result<Outcome, Error> {
        Err(Error::AtCapacity)
    }

    fn capacity(&self) -> usize {
        0
    }
}
