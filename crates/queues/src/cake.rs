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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_engine::{Duration, Random, Rate, Time};
use windtunnel_packets::{Dscp, FlowKey};
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::units::{Bytes, Measured, bytes, milliseconds};

use crate::backlog::{Backlog, QueueLimit};
use crate::codel;
use crate::description::{Configured, QueueDescription};
use crate::fq_codel::{FqCoDel, FqCoDelSettings, flows, quantum};
use crate::keys::{Keys, mark, packets};
use crate::queue::{Admission, Queue, Waiting};
use crate::token_bucket::{TokenBucket, TokenBucketSettings};
use crate::verdict::{CongestionAction, Verdict};

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
#[derive(Clone, Debug)]
struct Tin {
    /// Full when it is below its threshold.
    clock: TokenBucket,
    queues: FqCoDel,
}

/// The tins behind their shaper.
#[derive(Clone, Debug)]
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
    type Keys = CakeKeys;
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

/// CAKE (Høiland-Jørgensen, Täht and Morton 2018): a shaper without bursts, tins by the classes of
/// packets, and in each a queue for each flow with controlled delay. Without fairness among hosts,
/// BLUE and filtering of acknowledgements. Not on a shared medium.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CakeKeys {
    /// How much may wait in all queues together.
    #[serde(default = "packets::<10_240>")]
    limit: Measured<QueueLimit>,
    /// How fast packets leave, with all headers: less than the narrowest link behind it, so that
    /// packets wait here and nowhere else.
    rate: Measured<Rate>,
    /// Into which tins packets are put.
    #[serde(default)]
    tins: Tins,
    /// Whether to drop, or to mark ECN-capable packets.
    #[serde(default = "mark")]
    action: CongestionAction,
    /// The sojourn time to stay below.
    #[serde(default = "milliseconds::<5>")]
    target: Located<Measured<Duration>>,
    /// How long the sojourn time may be above the target.
    #[serde(default = "milliseconds::<100>")]
    interval: Located<Measured<Duration>>,
    /// How many queues flows are hashed to in each tin.
    #[serde(default = "number::<1024>")]
    flows: Located<u16>,
    /// How many bytes a queue may send in one turn.
    #[serde(default = "bytes::<1514>")]
    quantum: Located<Measured<Bytes>>,
}

/// Into which tins packets are put.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "CakeTins")]
enum Tins {
    /// Voice (CS7, CS6, EF, VA) up to 1/4 of the rate goes first, then bulk (CS1, LE) up to 1/16,
    /// then best effort, which are all others.
    #[default]
    Diffserv3,
    /// One for all.
    Besteffort,
}

impl Keys for CakeKeys {
    type Settings = CakeSettings;

    fn limit(&self) -> QueueLimit {
        self.limit.0
    }

    fn settings(&self) -> Result<CakeSettings, Mistake> {
        let codel = codel::settings(self.action, &self.target, &self.interval, None)?;
        let (flows, quantum) = (flows(&self.flows)?, quantum(&self.quantum)?);
        Ok(CakeSettings {
            rate: self.rate.0,
            tins: self.tins == Tins::Diffserv3,
            queues: FqCoDelSettings { codel, flows, quantum },
        })
    }
}
