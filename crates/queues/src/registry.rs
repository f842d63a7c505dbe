//! What is made of the list of all queue disciplines.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::{Random, Rate, Time};
use windtunnel_packets::FlowKey;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::schema::short_forms;

use crate::arrival::{ArrivalDiscipline, Arriving};
use crate::backlog::{Backlog, QueueLimit};
use crate::description::{Configured, QueueDescription};
use crate::fifo::{self, DropTailKeys, Judged, Unjudged};
use crate::keys::Keys;
use crate::queue::{Admission, Queue, Waiting};
use crate::verdict::Verdict;

/// Makes [`QueueKeys`], [`Discipline`], [`AnyArrivalDiscipline`] and [`AnyQueue`], enums over all
/// disciplines: static dispatch in the hot loop, and one list for all uses of their names.
macro_rules! registry {
    (
        on_arrival { $($(#[$of_judge:meta])+ $arrival:ident :: $judge:ident,)+ }
        on_departure { $($(#[$of_head:meta])+ $departure:ident :: $head:ident,)+ }
        queues { $($(#[$of_queue:meta])+ $own:ident :: $queue:ident,)+ }
    ) => {
        /// A queue before a link. Its name alone is the kind with all its defaults.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename = "kind", rename_all = "kebab-case")]
        #[schemars(rename = "Queue", tag = "kind", transform = short_forms)]
        pub enum QueueKeys {
            /// First in, first out; drops packets when it is full.
            DropTail(DropTailKeys),
            $($(#[$of_judge])+ $judge(<crate::$arrival::$judge as Configured>::Keys),)+
            $($(#[$of_head])+ $head(<crate::$departure::$head as Configured>::Keys),)+
            $($(#[$of_queue])+ $queue(<crate::$own::$queue as Configured>::Keys),)+
        }

        impl QueueKeys {
            /// How much may wait in it.
            #[must_use]
            pub fn limit(&self) -> QueueLimit {
                match self {
                    Self::DropTail(it) => it.limit.0,
                    $(Self::$judge(it) => it.limit(),)+
                    $(Self::$head(it) => it.limit(),)+
                    $(Self::$queue(it) => it.limit(),)+
                }
            }

            /// Which packets it drops and marks.
            ///
            /// # Errors
            /// [`Mistake`] at a key whose value does not fit.
            pub fn discipline(&self) -> Result<Discipline, Mistake> {
                match self {
                    Self::DropTail(_) => Ok(Discipline::DropTail),
                    $(Self::$judge(it) => it.settings().map(Discipline::$judge),)+
                    $(Self::$head(it) => it.settings().map(Discipline::$head),)+
                    $(Self::$queue(it) => it.settings().map(Discipline::$queue),)+
                }
            }
        }

        /// A queue discipline with its settings.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "each variant is documented where its state is")]
        pub enum Discipline {
            /// Drops what finds no room, and nothing else.
            DropTail,
            $($judge(<crate::$arrival::$judge as Configured>::Settings),)+
            $($head(<crate::$departure::$head as Configured>::Settings),)+
            $($queue(<crate::$own::$queue as Configured>::Settings),)+
        }

        /// Every queue discipline.
        pub const DESCRIPTIONS: &[QueueDescription] = &[
            fifo::DESCRIPTION,
            $(crate::$arrival::DESCRIPTION,)+
            $(crate::$departure::DESCRIPTION,)+
            $(crate::$own::DESCRIPTION,)+
        ];

        impl Discipline {
            /// What it is.
            #[must_use]
            pub fn description(&self) -> QueueDescription {
                match self {
                    Self::DropTail => fifo::DESCRIPTION,
                    $(Self::$judge(_) => crate::$arrival::DESCRIPTION,)+
                    $(Self::$head(_) => crate::$departure::DESCRIPTION,)+
                    $(Self::$queue(_) => crate::$own::DESCRIPTION,)+
                }
            }

            /// Whether it ever marks a packet.
            #[must_use]
            pub fn marks(&self) -> bool {
                match self {
                    Self::DropTail => false,
                    $(Self::$judge(it) => crate::$arrival::$judge::marks(it),)+
                    $(Self::$head(it) => crate::$departure::$head::marks(it),)+
                    $(Self::$queue(it) => crate::$own::$queue::marks(it),)+
                }
            }

            /// The discipline on an empty queue, with its own random stream.
            #[must_use]
            pub fn start(&self, random: Random) -> ActiveDiscipline {
                let on_arrival = |judge| ActiveDiscipline::OnArrival(Some(judge));
                let on_departure = ActiveDiscipline::OnDeparture;
                match self.clone() {
                    Self::DropTail => ActiveDiscipline::OnArrival(None),
                    $(Self::$judge(it) => {
                        on_arrival(AnyArrivalDiscipline::$judge(Configured::start(it, random)))
                    })+
                    $(Self::$head(it) => {
                        on_departure(AnyQueue::$head(Configured::start(it, random)))
                    })+
                    $(Self::$queue(it) => {
                        on_departure(AnyQueue::$queue(Configured::start(it, random)))
                    })+
                }
            }
        }

        /// Any discipline that decides when a packet arrives.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "each variant is documented where its state is")]
        pub enum AnyArrivalDiscipline { $($judge(crate::$arrival::$judge),)+ }

        impl ArrivalDiscipline for AnyArrivalDiscipline {
            #[inline]
            fn judge(&mut self, now: Time, arriving: &Arriving) -> Verdict {
                match self { $(Self::$judge(it) => it.judge(now, arriving),)+ }
            }
        }

        /// Any queue that decides when packets leave.
        #[derive(Clone, Debug)]
        #[allow(missing_docs, reason = "each variant is documented where its state is")]
        pub enum AnyQueue {
            /// First in, first out, where nothing is decided when packets leave.
            DropTail(Judged<Unjudged>),
            $($head(Judged<crate::$departure::$head>),)+
            $($queue(crate::$own::$queue),)+
        }

        impl Queue for AnyQueue {
            fn push(&mut self, waiting: Waiting, flow: FlowKey) {
                match self {
                    Self::DropTail(it) => it.push(waiting, flow),
                    $(Self::$head(it) => it.push(waiting, flow),)+
                    $(Self::$queue(it) => it.push(waiting, flow),)+
                }
            }

            fn pop(&mut self, now: Time) -> Option<(Waiting, Verdict)> {
                match self {
                    Self::DropTail(it) => it.pop(now),
                    $(Self::$head(it) => it.pop(now),)+
                    $(Self::$queue(it) => it.pop(now),)+
                }
            }

            fn backlog(&self) -> Backlog {
                match self {
                    Self::DropTail(it) => it.backlog(),
                    $(Self::$head(it) => it.backlog(),)+
                    $(Self::$queue(it) => it.backlog(),)+
                }
            }

            fn admission(&self, limit: QueueLimit, waiting: &Waiting) -> Admission {
                match self {
                    Self::DropTail(it) => it.admission(limit, waiting),
                    $(Self::$head(it) => it.admission(limit, waiting),)+
                    $(Self::$queue(it) => it.admission(limit, waiting),)+
                }
            }

            fn shed(&mut self, limit: QueueLimit, drop: &mut dyn FnMut(Waiting)) {
                match self {
                    Self::DropTail(it) => it.shed(limit, drop),
                    $(Self::$head(it) => it.shed(limit, drop),)+
                    $(Self::$queue(it) => it.shed(limit, drop),)+
                }
            }

            fn opens(&self) -> Time {
                match self {
                    Self::DropTail(it) => it.opens(),
                    $(Self::$head(it) => it.opens(),)+
                    $(Self::$queue(it) => it.opens(),)+
                }
            }

            fn shaped_rate(&self) -> Option<Rate> {
                match self {
                    Self::DropTail(it) => it.shaped_rate(),
                    $(Self::$head(it) => it.shaped_rate(),)+
                    $(Self::$queue(it) => it.shaped_rate(),)+
                }
            }
        }
    };
}

disciplines!(registry);

/// A discipline with the state of one queue.
#[derive(Clone, Debug)]
pub enum ActiveDiscipline {
    /// Decides when a packet arrives; `None`: only the limit decides.
    OnArrival(Option<AnyArrivalDiscipline>),
    /// Decides when a packet leaves.
    OnDeparture(AnyQueue),
}

impl AnyQueue {
    /// First in, first out: for disciplines that decide everything when packets arrive, where
    /// packets wait until a shared medium is free for them.
    #[must_use]
    pub fn drop_tail() -> Self {
        Self::DropTail(Judged::new(Unjudged))
    }

    /// Takes in a packet if there is room; packets for which there is none, this one or
    /// others, go to `overflow`.
    pub fn offer(
        &mut self,
        limit: QueueLimit,
        waiting: Waiting,
        flow: FlowKey,
        mut overflow: impl FnMut(Waiting),
    ) {
        let admission = self.admission(limit, &waiting);
        if admission == Admission::Refused {
            return overflow(waiting);
        }
        self.push(waiting, flow);
        if admission == Admission::InPlaceOfOthers {
            self.shed(limit, &mut overflow);
        }
    }
}

impl Default for QueueKeys {
    fn default() -> Self {
        Self::DropTail(DropTailKeys::default())
    }
}

impl QueueKeys {
    /// Whether packets wait in it although the link is free.
    #[must_use]
    pub fn shapes(&self) -> bool {
        self.discipline().is_ok_and(|it| it.description().shapes)
    }
}
