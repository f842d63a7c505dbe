//! What a line of a script says: a packet, or what the application does.
//!
//! A packet is written as `flags sequence(length) ack number win window <options>`, of which
//! everything behind the length may be left out: of a packet that is expected, anything then
//! holds, except for options, of which `<>` says that there are none. Numbers count from those of
//! the two SYNs. Flags are S, F, R, P, U, E, W and a dot for ACK.

use etherparse::TcpOptionElement as Element;

/// A packet, as a script has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    pub(crate) flags: String,
    pub(crate) sequence: u32,
    pub(crate) length: u16,
    pub(crate) acknowledgement: Option<u32>,
    pub(crate) window: Option<u16>,
    pub(crate) options: Option<Vec<Choice>>,
}

/// An option.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    Segment(u16),
    Scale(u8),
    SackPermitted,
    Timestamps(u32, u32),
    Sack(Vec<(u32, u32)>),
}

fn number<T: std::str::FromStr>(text: Option<&str>) -> T {
    let text = text.expect("a number is missing");
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

impl Line {
    pub(crate) fn parse(text: &str) -> Self {
        let (fields, options) = match text.split_once('<') {
            Some((fields, options)) => (fields, Some(options.trim_end().trim_end_matches('>'))),
            None => (text, None),
        };
        let mut words = fields.split_whitespace();
        let flags = words.next().expect("flags").to_owned();
        let (sequence, length) = words.next().and_then(|it| it.split_once('(')).expect("a number");
        let mut line = Self {
            flags,
            sequence: number(Some(sequence)),
            length: number(Some(length.trim_end_matches(')'))),
            options: options.map(Choice::parse_all),
            ..Self::default()
        };
        while let Some(word) = words.next() {
            match word {
                "ack" => line.acknowledgement = Some(number(words.next())),
                "win" => line.window = Some(number(words.next())),
                other => panic!("`{other}` in `{text}`"),
            }
        }
        line
    }

    /// Whether a packet is what this says.
    pub(crate) fn is_met_by(&self, packet: &Self) -> bool {
        self.flags == packet.flags
            && (self.sequence, self.length) == (packet.sequence, packet.length)
            && self.acknowledgement.is_none_or(|it| packet.acknowledgement == Some(it))
            && self.window.is_none_or(|it| packet.window == Some(it))
            && self.options.as_ref().is_none_or(|it| packet.options.as_ref() == Some(it))
    }
}

impl Choice {
    fn parse_all(text: &str) -> Vec<Self> {
        text.split(',').map(str::trim).filter(|it| !it.is_empty()).map(Self::parse).collect()
    }

    fn parse(text: &str) -> Self {
        let mut words = text.split_whitespace();
        match words.next() {
            Some("mss") => Self::Segment(number(words.next())),
            Some("wscale") => Self::Scale(number(words.next())),
            Some("sackOK") => Self::SackPermitted,
            Some("TS") => Self::Timestamps(number(words.next()), number(words.next())),
            Some("sack") => Self::Sack(
                words
                    .map(|it| it.split_once(':').expect("from:to"))
                    .map(|(from, to)| (number(Some(from)), number(Some(to))))
                    .collect(),
            ),
            other => panic!("option `{other:?}`"),
        }
    }

    /// With numbers of SACK blocks and clocks moved by these.
    pub(crate) fn element(&self, blocks: u32, echo: u32) -> Element {
        match self {
            Self::Segment(it) => Element::MaximumSegmentSize(*it),
            Self::Scale(it) => Element::WindowScale(*it),
            Self::SackPermitted => Element::SelectiveAcknowledgementPermitted,
            Self::Timestamps(own, echoed) => Element::Timestamp(*own, echoed.wrapping_add(echo)),
            Self::Sack(it) => {
                let mut moved =
                    it.iter().map(|it| (it.0.wrapping_add(blocks), it.1.wrapping_add(blocks)));
                let first = moved.next().expect("a block");
                Element::SelectiveAcknowledgement(first, [moved.next(), moved.next(), moved.next()])
            }
        }
    }

    pub(crate) fn of(element: Element, blocks: u32, own: u32) -> Option<Self> {
        Some(match element {
            Element::Noop => return None,
            Element::MaximumSegmentSize(it) => Self::Segment(it),
            Element::WindowScale(it) => Self::Scale(it),
            Element::SelectiveAcknowledgementPermitted => Self::SackPermitted,
            Element::Timestamp(it, echoed) => Self::Timestamps(it.wrapping_sub(own), echoed),
            Element::SelectiveAcknowledgement(first, others) => {
                let all = std::iter::once(first).chain(others.into_iter().flatten());
                let moved = all.map(|it| (it.0.wrapping_sub(blocks), it.1.wrapping_sub(blocks)));
                Self::Sack(moved.collect())
            }
        })
    }
}
