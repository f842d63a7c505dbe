//! How a controller describes itself: its name, its source, and the parameters
//! and readings that a scenario may set.

/// What a controller is and what can be set on it.
#[derive(Debug)]
pub struct Description {
    /// The name in scenario files, such as `ec-elastic`.
    pub name: &'static str,
    /// The name in text and pictures, such as `EC-Elastic`.
    pub title: &'static str,
    /// Paper or RFC that defines it.
    pub source: &'static str,
    /// How far the implementation was checked against that source.
    pub status: &'static str,
    /// What it needs beyond acknowledgements, round trips and congestion signals.
    pub needs: &'static [Need],
    /// What a scenario may set; at most [`Settings::MOST`](crate::Settings::MOST).
    pub parameters: &'static [Parameter],
}

impl Description {
    /// Whether the controller has this need.
    #[must_use]
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }
}

/// What a transport or a network must provide for a controller to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Packets are sent at the controller's pacing rate.
    Pacing,
    /// Delivery rate samples.
    DeliveryRate,
    /// Acknowledgements report how much of the data was marked, also if none was.
    MarksCounted,
    /// Packets are sent as ECT(1), which requests frequent marking (RFC 9331: L4S).
    ScalableMarking,
    /// Routers that set the milder mark, and a receiver that echoes it.
    SomeCongestion,
    /// Timestamps that give the one-way delay.
    OneWayDelay,
    /// A radio that reports its SINR to the sender.
    Sinr,
    /// What the other subflows of its multipath connection do; a flow on one path has
    /// none, and gets nothing.
    Siblings,
}

impl Need {
    /// All needs.
    pub const ALL: &'static [Self] = &[
        Self::Pacing,
        Self::DeliveryRate,
        Self::MarksCounted,
        Self::ScalableMarking,
        Self::SomeCongestion,
        Self::OneWayDelay,
        Self::Sinr,
        Self::Siblings,
    ];

    /// The name in listings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pacing => "pacing",
            Self::DeliveryRate => "delivery-rate",
            Self::MarksCounted => "marks-counted",
            Self::ScalableMarking => "l4s",
            Self::SomeCongestion => "some-congestion",
            Self::OneWayDelay => "one-way-delay",
            Self::Sinr => "sinr",
            Self::Siblings => "siblings",
        }
    }
}

/// One parameter or reading of a controller.
#[derive(Debug)]
pub struct Parameter {
    /// The key in scenario files, such as `beta`.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Its kind, default and limits.
    pub kind: Kind,
}

/// The kind of a parameter, with its default and what is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A dimensionless number within `minimum..=maximum`.
    Number {
        /// The value if the scenario sets none.
        default: f64,
        /// The minimum allowed.
        minimum: f64,
        /// The maximum allowed.
        maximum: f64,
    },
    /// One of several named readings; the first is the default. Each comes
    /// with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// On or off.
    Flag {
        /// The value if the scenario sets none.
        default: bool,
        /// What the controller needs in addition to [`Description::needs`] if the flag
        /// is set.
        needs: &'static [Need],
    },
}
