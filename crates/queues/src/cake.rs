//! CAKE: a shaper, tins by the class of packets, and in each a queue for each flow with CoDel.
//!
//! Source: Høiland-Jørgensen, Täht and Morton, "Piece of CAKE: A Comprehensive Queue Management
//! Solution for Home Gateways", LANMAN 2018, section III; tc-cake(8), its mode `diffserv3`.
//!
//! - The shaper is in deficit mode: a packet may leave when the last one has left at `rate`;
//!   there are no bursts.
//! - Packets are put into tins by their class (DSCP): bulk, best effort, voice. Each tin has a
//!   share of the rate as its threshold, by the same clock as the shaper's. Of the tins below
//!   their thresholds the highest one has its turn; if there is none, the one that will be below
//!   it first.
//! - In a tin, flows have queues of their own and turns by bytes as in FQ-CoDel, and CoDel
//!   judges each. Where there is no room, packets of the queue with the most bytes are dropped.
//!
//! What is not here: fairness among hosts, BLUE against flows that do not respond, filtering of
//! acknowledgements, and hashing with several ways.

use windtunnel_engine::{Random, Rate, Time};
use windtunnel_packets::{Dscp, FlowKey};

use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::fq_codel::{FqCoDel, FqCoDelSettings};
use crate::queue::{Admission, Queue, Waiting};
use crate::token_bucket::{TokenBucket, TokenBucketSettings};
use crate::verdict::Verdict;

pub(super) const DESCRIPTION: QueueDescription = QueueDescription {
    name: "cake",
    meaning: "a shaper; tins by class (DSCP), in each FQ-CoDel",
    source: "Høiland-Jørgensen, Täht and Morton, LANMAN 2018; tc-cake(8)",
    shapes: true,
    is_random: true,
};

/// The tins by rising precedence, and what part of the rate each has as its threshold. Best
/// effort is the lowest: its threshold is the whole rate, so it would starve one below it.
const BEST_EFFORT: usize = 0;
const BULK: usize = 1;
const VOICE: usize = 2;
const PARTS: [u64; 3] = [1, 16, 4];

/// The settings of CAKE.
#[derive(Clone, Debug)]
pub struct CakeSettings {
    /// How fast it sends at the most.
    pub rate: Rate,
    /// Whether packets are put into tins by their classes; otherwise there is one tin.
    pub tins: bool,
    /// The queues in each tin.
    pub queues: FqCoDelSettings,
}

/// A tin.
#[derive(Debug)]
struct Tin {
    /// Full when it is below its threshold.
    clock: TokenBucket,
    queues: FqCoDel,
}

/// The tins behind their shaper.
#[derive(Debug)]
pub struct Cake {
    clock: TokenBucket,
    tins: Vec<Tin>,
}

/// A clock at that rate: a packet may leave when the bucket is full, whatever its size.
fn clock(rate: Rate) -> TokenBucket {
    TokenBucket::new(TokenBucketSettings { rate, burst: 0 })
}

/// A part of a rate.
fn part(rate: Rate, part: u64) -> Rate {
    Rate::from_bits_per_second(rate.bits_per_second() / part).unwrap_or(rate)
}

impl Cake {
    /// Empty queues; the random stream decides which flows collide.
    #[must_use]
    pub fn new(settings: &CakeSettings, random: &Random) -> Self {
        let CakeSettings { rate, tins, queues } = settings;
        let parts = if *tins { &PARTS[..] } else { &PARTS[..1] };
        let tin = |it: &u64| Tin {
            clock: clock(part(*rate, *it)),
            queues: FqCoDel::new(queues.clone(), random.clone()),
        };
        Self { clock: clock(*rate), tins: parts.iter().map(tin).collect() }
    }

    /// The tin of a class (tc-cake(8), `diffserv3`).
    fn tin_of(&self, dscp: Dscp) -> usize {
        match dscp {
            _ if self.tins.len() == 1 => BEST_EFFORT,
            Dscp::CS1 | Dscp::LE => BULK,
            Dscp::CS7 | Dscp::CS6 | Dscp::EF | Dscp::VA => VOICE,
            _ => BEST_EFFORT,
        }
    }

    /// The tin whose turn it is: the highest one below its threshold, or that which will be so
    /// first.
    fn turn(&mut self, now: Time) -> Option<&mut Tin> {
        let waiting = self.tins.iter_mut().rev().filter(|it| it.queues.backlog().packets > 0);
        waiting.min_by_key(|it| it.clock.full().max(now))
    }

    /// The tin with the most bytes.
    fn fattest(&mut self) -> Option<&mut Tin> {
        self.tins.iter_mut().max_by_key(|it| it.queues.backlog().bytes)
    }
}

impl Configured for Cake {
    type Settings = CakeSettings;

    fn marks(settings: &Self::Settings) -> bool {
        settings.queues.codel.marks()
    }

    fn start(settings: Self::Settings, random: Random) -> Self {
        Self::new(&settings, &random)
    }
}

impl Queue for Cake {
    fn push(&mut self, waiting: Waiting, flow: FlowKey) {
        let tin = self.tin_of(waiting.dscp);
        self.tins[tin].queues.push(waiting, flow);
    }

    fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
        if self.opens() > now {
            return None;
        }
        let tin = self.turn(now)?;
        let (head, verdict) = tin.queues.pop(now)?;
        if verdict != Verdict::Drop {
            tin.clock.take(now, head.size);
            self.clock.take(now, head.size);
        }
        Some((head, verdict))
    }

    fn backlog(&self) -> Backlog {
        let each = self.tins.iter().map(|it| it.queues.backlog());
        each.fold(Backlog::default(), |sum, it| Backlog {
            packets: sum.packets + it.packets,
            bytes: sum.bytes + it.bytes,
        })
    }

    /// Any, because others go for it.
    fn admission(&self, _limit: QueueLimit, _waiting: &Waiting) -> Admission {
        Admission::InPlaceOfOthers
    }

    fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
        while limit.is_exceeded_by(self.backlog()) {
            self.fattest().into_iter().for_each(|it| it.queues.shed_fattest(drop));
        }
    }

    fn opens(&self) -> Time {
        self.clock.full()
    }

    fn shaped_rate(&self) -> Option<Rate> {
        Some(self.clock.rate())
    }
}
