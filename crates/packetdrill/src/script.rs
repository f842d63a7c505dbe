//! What a script says.

/// A script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// What it says of the whole.
    pub options: ScriptOptions,
    /// What happens, in this order.
    pub events: Vec<Event>,
}

/// What a script says of the whole, in lines such as `--tolerance_usecs=10000`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptOptions {
    /// How far from its time an event may be, in nanoseconds; default: 4 ms.
    pub tolerance: i64,
    /// Whether connections are over IPv6.
    pub ipv6: bool,
    /// The largest packet, in bytes.
    pub mtu: u16,
    /// How long a tick of the host's timestamps is, in microseconds; none if their values are
    /// not to be compared.
    pub timestamp_tick: Option<u32>,
}

impl Default for ScriptOptions {
    fn default() -> Self {
        Self { tolerance: 4_000_000, ipv6: false, mtu: 1500, timestamp_tick: None }
    }
}

/// Something that happens, or is to happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its line in the script, counted from 1.
    pub line: usize,
    /// Its first line as the script has it.
    pub text: String,
    /// When it is.
    pub when: When,
    /// What it is.
    pub action: Action,
}

/// When an event is. Times are in nanoseconds, from the script's start, or with `+` from the
/// event before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At any time from the event before on: `*`.
    Any,
    /// From `first` to `last`, which is the same for a single time.
    Between {
        /// Whether both are from the event before.
        is_relative: bool,
        /// The earliest time.
        first: i64,
        /// The latest time.
        last: i64,
        /// When a call returns that blocks, on the same scale.
        returns: Option<i64>,
    },
}

/// What an event is.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The peer sends a segment.
    Receive(Segment),
    /// The host must send a segment.
    Send(Segment),
    /// A router reports that it dropped a packet that was too large.
    TooBig(TooBig),
    /// The application calls the system.
    Call(Call),
    /// A command for the shell: it is not run, but those that set what the kernel's TCP does
    /// set what ours does.
    Command(String),
    /// Code in Python about the kernel's `tcp_info` at that time.
    Code(String),
    /// What packetdrill knows and cannot be played here.
    Unsupported(&'static str),
}

/// A segment. Its numbers count from the SYN of its sender, which has the number 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// The ECN field of its packet, if the script has one.
    pub ecn: Option<Ecn>,
    /// Its flags.
    pub flags: SegmentFlags,
    /// Accurate ECN's field ACE, if it is written as a number.
    pub ace: Option<u8>,
    /// The number of its first byte; none if any will do.
    pub sequence: Option<u32>,
    /// The length of its data in bytes.
    pub length: u32,
    /// What it acknowledges.
    pub acknowledgement: Option<u32>,
    /// The window, as it is in the header.
    pub window: Option<u16>,
    /// The urgent pointer.
    pub urgent: u16,
    /// Its options; none if any will do.
    pub options: Option<Vec<TcpOption>>,
}

/// The report of a router that dropped a packet of the host's because it was too large: ICMP's
/// "fragmentation needed", or that of IPv6, "packet too big".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooBig {
    /// The number of the first byte of the segment that was dropped.
    pub sequence: u32,
    /// The length of its data in bytes.
    pub length: u32,
    /// The largest packet that the router passes on, in bytes.
    pub mtu: u16,
}

/// An ECN field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecn {
    /// `noecn`.
    NotCapable,
    /// `ect0`.
    Ect0,
    /// `ect1`.
    Ect1,
    /// `ect01`: one of these two.
    Ect01,
    /// `ce`.
    Congestion,
}

/// The flags of a segment: the nine bits on the wire, FIN the lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentFlags(pub u16);

impl SegmentFlags {
    /// No more data.
    pub const FIN: Self = Self(1);
    /// The first segment.
    pub const SYN: Self = Self(1 << 1);
    /// The connection is reset.
    pub const RST: Self = Self(1 << 2);
    /// The data should be passed on at once.
    pub const PSH: Self = Self(1 << 3);
    /// The acknowledgement counts.
    pub const ACK: Self = Self(1 << 4);
    /// The urgent pointer counts.
    pub const URG: Self = Self(1 << 5);
    /// The field ACE: AE, CWR and ECE.
    pub const ACE: Self = Self(0b111 << 6);
    /// Their letters, the highest bit first, and in packetdrill's order.
    pub const LETTERS: [(char, Self); 9] = [
        ('S', Self::SYN),
        ('F', Self::FIN),
        ('R', Self::RST),
        ('P', Self::PSH),
        ('U', Self::URG),
        ('E', Self(1 << 6)),
        ('W', Self(1 << 7)),
        ('A', Self(1 << 8)),
        ('.', Self::ACK),
    ];

    /// Whether one of these is set.
    #[must_use]
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 != 0
    }

    /// These without others.
    #[must_use]
    pub const fn without(self, flags: Self) -> Self {
        Self(self.0 & !flags.0)
    }

    /// The field ACE.
    #[must_use]
    pub const fn ace(self) -> u8 {
        (self.0 >> 6) as u8 & 0b111
    }

    /// These with that field ACE.
    #[must_use]
    pub const fn with_ace(self, ace: u8) -> Self {
        Self(self.without(Self::ACE).0 | (ace as u16 & 0b111) << 6)
    }
}

/// An option of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    /// No operation.
    Nop,
    /// The end of the options.
    End,
    /// The maximum segment size in bytes.
    MaximumSegment(u16),
    /// By how many bits windows are scaled down.
    WindowScale(u8),
    /// SACK is permitted.
    SackPermitted,
    /// SACK blocks: from each first number up to the second.
    Sack(Vec<[u32; 2]>),
    /// Timestamps: the sender's clock, and the one that it echoes.
    Timestamps {
        /// TSval.
        value: u32,
        /// TSecr.
        echo: u32,
    },
    /// Accurate ECN's counters of bytes (RFC 9768, section 3.2.3), in their order.
    ByteCounters(Vec<(ByteCounter, u32)>),
    /// Another, by its name or number.
    Other(String),
}

impl TcpOption {
    /// Whether it is one that this TCP does not have.
    pub(crate) fn is_other(&self) -> bool {
        matches!(self, Self::Other(_))
    }
}

/// What a counter of accurate ECN counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteCounter {
    /// `e0b`: bytes with ECT(0).
    Ect0,
    /// `ceb`: bytes with CE.
    Congestion,
    /// `e1b`: bytes with ECT(1).
    Ect1,
}

/// A system call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// What it returns, if the script says so.
    pub result: Option<i64>,
    /// The name of the error that it returns.
    pub error: Option<String>,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// `...`: what does not matter.
    Omitted,
    /// A number.
    Number(i64),
    /// Names of constants, joined by `|`.
    Names(Vec<String>),
    /// A text.
    Text(String),
    /// Several, in brackets or braces, or as arguments of a name.
    Several(Vec<Argument>),
    /// A field of a structure and its value.
    Field(Box<Argument>, Box<Argument>),
}

impl Argument {
    /// Whether that name is in it.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Omitted | Self::Number(_) | Self::Text(_) => false,
            Self::Names(names) => names.iter().any(|it| it == name),
            Self::Several(parts) => parts.iter().any(|it| it.has(name)),
            Self::Field(field, value) => field.has(name) || value.has(name),
        }
    }

    /// The first number in it.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(it) => Some(*it),
            Self::Several(parts) => parts.iter().find_map(Self::number),
            Self::Field(_, value) => value.number(),
            Self::Omitted | Self::Names(_) | Self::Text(_) => None,
        }
    }

    /// The number that a field of that name has in it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<i64> {
        match self {
            Self::Field(field, value) if field.has(name) => value.number(),
            Self::Field(_, value) => value.field(name),
            Self::Several(parts) => parts.iter().find_map(|it| it.field(name)),
            Self::Omitted | Self::Number(_) | Self::Names(_) | Self::Text(_) => None,
        }
    }
}
