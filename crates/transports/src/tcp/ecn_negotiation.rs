//! How both ends agree on ECN while they open a connection: RFC 3168, section 6.1.1,
//! and accurate ECN's RFC 9768, section 3.1. DCTCP and SCE open it as RFC 3168 does.

use windtunnel_packets::Ecn;
use windtunnel_packets::tcp::Flags;

use super::settings::EcnMode;

/// After this many timeouts a SYN, or the answer to it, does not ask for ECN any more: the
/// path may drop what it does not know (RFC 9768, section 3.1.4; RFC 3168, section
/// 6.1.1.1).
const TIMEOUTS: u8 = 2;

/// A SYN that asks for ECN (RFC 3168).
const SETUP: Flags = Flags::CWR.with(Flags::ECE);
/// A SYN that asks for accurate ECN, or for RFC 3168's ECN of a server without it.
const ACCURATE_SETUP: Flags = SETUP.with(Flags::AE);

/// What one end knows of the agreement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Negotiation {
    /// What it would do with ECN.
    wish: EcnMode,
    /// What it reports of the data that it receives.
    pub(super) receiving: EcnMode,
    /// What it does with data that it sends.
    pub(super) sending: EcnMode,
    /// The ECN field that the peer's SYN, or its answer, came with.
    peer_field: Ecn,
    /// Accurate ECN: whether its own SYN, or its answer, came marked, says the peer.
    pub(super) came_marked: bool,
    /// How often its own SYN, or its answer, was not answered in time.
    timeouts: u8,
}

impl EcnMode {
    /// Whether packets are counted with the field ACE.
    #[inline]
    pub(super) fn is_accurate(self) -> bool {
        matches!(self, Self::Accurate | Self::Scalable)
    }

    /// Whether the sender learns how much was marked.
    pub(super) fn counts_marks(self) -> bool {
        matches!(self, Self::Dctcp | Self::Accurate | Self::Scalable)
    }

    /// The ECN field of data.
    #[inline]
    pub(super) fn field(self) -> Ecn {
        match self {
            Self::Off => Ecn::NotCapable,
            Self::Classic | Self::SomeCongestion | Self::Dctcp | Self::Accurate => Ecn::Capable,
            Self::Scalable => Ecn::Scalable,
        }
    }
}

impl Negotiation {
    pub(super) const fn new(wish: EcnMode) -> Self {
        let (receiving, sending) = (EcnMode::Off, EcnMode::Off);
        Self {
            wish,
            receiving,
            sending,
            peer_field: Ecn::NotCapable,
            came_marked: false,
            timeouts: 0,
        }
    }

    /// The SYN, or the answer, was not answered in time.
    pub(super) fn on_timeout(&mut self) {
        self.timeouts = self.timeouts.saturating_add(1);
        if self.timeouts >= TIMEOUTS {
            self.sending = EcnMode::Off;
        }
    }

    /// The flags of a client's SYN.
    pub(super) fn request(&self) -> Flags {
        match self.wish {
            _ if self.timeouts >= TIMEOUTS => Flags::default(),
            EcnMode::Off => Flags::default(),
            EcnMode::Classic | EcnMode::Dctcp | EcnMode::SomeCongestion => SETUP,
            EcnMode::Accurate | EcnMode::Scalable => ACCURATE_SETUP,
        }
    }

    /// A server receives a SYN (RFC 9768, table 2).
    pub(super) fn on_request(&mut self, flags: Flags, field: Ecn) {
        let wish = self.wish;
        let agreed = match flags.ace() {
            0 => EcnMode::Off,
            ace if wish.is_accurate() && ace == SETUP.ace() => EcnMode::Classic,
            // Section 3.1.3: what has no meaning yet asks for accurate ECN too.
            _ if wish.is_accurate() || flags.has(SETUP) => wish,
            _ => EcnMode::Off,
        };
        (self.receiving, self.sending, self.peer_field) = (agreed, agreed, field);
    }

    /// A server receives a SYN again. After one that does not ask, no packet is
    /// ECN-capable (RFC 9768, section 3.1.5).
    pub(super) fn on_repeated_request(&mut self, flags: Flags) {
        if flags.ace() == 0 {
            self.sending = EcnMode::Off;
        }
    }

    /// The flags of a server's answer.
    pub(super) fn answer(&self) -> Flags {
        match self.sending {
            EcnMode::Off => Flags::default(),
            EcnMode::Classic | EcnMode::Dctcp | EcnMode::SomeCongestion => Flags::ECE,
            EcnMode::Accurate | EcnMode::Scalable => self.peer_field_report(),
        }
    }

    /// A client receives the answer (RFC 9768, table 2).
    pub(super) fn on_answer(&mut self, flags: Flags, field: Ecn) {
        let wish = self.wish;
        self.receiving = match flags.ace() {
            // The last are those of the SYN, reflected.
            0b000 | 0b111 => EcnMode::Off,
            0b001 if wish.is_accurate() => EcnMode::Classic,
            _ if wish.is_accurate() => wish,
            _ if flags.has(Flags::ECE) && !flags.has(Flags::CWR) => wish,
            _ => EcnMode::Off,
        };
        // After a SYN that did not ask, no packet is ECN-capable (section 3.1.5).
        self.sending = if self.timeouts < TIMEOUTS { self.receiving } else { EcnMode::Off };
        self.peer_field = field;
        self.came_marked = flags.ace() == handshake_encoding(Ecn::Congestion).ace();
    }

    /// A client receives the answer again. After one that does not agree, no packet is
    /// ECN-capable (RFC 9768, section 3.1.5).
    pub(super) fn on_repeated_answer(&mut self, flags: Flags, field: Ecn) {
        self.peer_field = field;
        if flags.ace() == 0 {
            self.sending = EcnMode::Off;
        }
    }

    /// A server receives an acknowledgement without data that ends the handshake: if
    /// there is nothing in ACE, the path clears it (RFC 9768, table 3).
    pub(super) fn on_end(&mut self, flags: Flags) {
        if self.receiving.is_accurate() && flags.ace() == 0 {
            self.sending = EcnMode::Off;
        }
        self.came_marked = flags.ace() == handshake_encoding(Ecn::Congestion).ace();
    }

    /// The report of the ECN field that the peer's SYN, or its answer, came with.
    pub(super) fn peer_field_report(&self) -> Flags {
        handshake_encoding(self.peer_field)
    }
}

/// How the ECN field that a SYN, or its answer, came with is reported in ACE (RFC 9768,
/// tables 2 and 3).
fn handshake_encoding(field: Ecn) -> Flags {
    Flags::default().with_ace(match field {
        Ecn::NotCapable => 0b010,
        Ecn::Scalable => 0b011,
        Ecn::Capable => 0b100,
        Ecn::Congestion => 0b110,
    })
}
