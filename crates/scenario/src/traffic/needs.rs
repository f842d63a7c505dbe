//! What controllers need, and what transports give them.

use windtunnel_controllers::{Need, Settings};
use windtunnel_transports::tcp::{EcnMode, TcpSettings};
use windtunnel_world::PortId;

use crate::reading::error::Mistake;
use crate::traffic::controllers::{Controller, Controllers};

/// What a transport can give a controller.
#[derive(Clone, Copy)]
pub(crate) enum Carrier<'a> {
    /// An NDN consumer.
    Consumer,
    /// TCP with these settings, and what the network gives it.
    Tcp(&'a TcpSettings, Network),
    /// A receiver of TCP.
    Receiver,
}

/// What a network gives a flow.
#[derive(Clone, Copy)]
pub(crate) struct Network {
    /// Whether some router sends the milder mark.
    pub(crate) milder_marks: bool,
    /// The radio that the data crosses, if it is just one.
    pub(crate) radio: Option<PortId>,
    /// By how many bytes packets are smaller than full ones, because another network layer or
    /// tunnels add to them.
    pub(crate) overhead: u16,
}

/// Why a transport cannot give what a controller needs, and what would help; none
/// if it can.
fn refusal(need: Need, carrier: Carrier<'_>) -> Option<(&'static str, &'static str)> {
    use EcnMode::{Accurate, Dctcp, Scalable, SomeCongestion};
    match (need, carrier) {
        (Need::Pacing | Need::DeliveryRate | Need::MarksCounted, Carrier::Consumer)
        | (Need::Pacing | Need::DeliveryRate, Carrier::Tcp(..)) => None,
        (Need::OneWayDelay, Carrier::Receiver) => None,
        (_, Carrier::Receiver) => Some((
            "more than delays and losses",
            "write one such as \"ledbat\", \"ledbat-plus-plus\" or \"cubic\"",
        )),
        // Of a flow without siblings nothing is said.
        (Need::Siblings, _) => None,
        (Need::MarksCounted, Carrier::Tcp(it, _)) => {
            (!matches!(it.ecn, Dctcp | Accurate | Scalable)).then_some((
                "an echo that counts congestion marks",
                "write ecn = \"dctcp\" or \"accurate\", or leave it out",
            ))
        }
        (Need::ScalableMarking, Carrier::Tcp(it, _)) => (it.ecn != Scalable)
            .then_some(("L4S packets", "write ecn = \"scalable\", or leave it out")),
        (Need::SomeCongestion, Carrier::Tcp(it, _)) if it.ecn != SomeCongestion => {
            Some(("an echo of the milder mark of SCE", "write ecn = \"sce\", or leave it out"))
        }
        (Need::SomeCongestion, Carrier::Tcp(_, network)) => (!network.milder_marks).then_some((
            "routers that send the milder mark of SCE",
            "give a link queue = { kind = \"sce\" }",
        )),
        (Need::OneWayDelay, Carrier::Tcp(it, _)) => {
            (!it.timestamps).then_some(("timestamps", "write timestamps = true, or leave it out"))
        }
        (Need::Sinr, Carrier::Tcp(_, network)) => network.radio.is_none().then_some((
            "a radio's SINR",
            "send over exactly one link with a radio, or write sinr = false",
        )),
        (Need::Sinr, Carrier::Consumer) => {
            Some(("a radio's SINR", "NDN does not report it; use it in a flow over TCP"))
        }
        (Need::ScalableMarking, Carrier::Consumer) => {
            Some(("L4S packets", "NDN has none; use it in a flow over TCP"))
        }
        (Need::SomeCongestion, Carrier::Consumer) => {
            Some(("the milder mark of SCE", "NDN has none; use it in a flow over TCP"))
        }
        (Need::OneWayDelay, Carrier::Consumer) => {
            Some(("the one-way delay", "NDN measures only round trips; use it in a flow over TCP"))
        }
    }
}

/// Refuses a controller that its transport cannot give what it needs, with these
/// settings; `named` is where it is used.
pub(crate) fn check_needs(
    all: &Controllers<'_>,
    settings: &Settings,
    carrier: Carrier<'_>,
    named: &Controller,
) -> Result<(), Mistake> {
    let lacking = settings.needs().find_map(|need| Some((need, refusal(need, carrier)?)));
    let Some((need, (what, help))) = lacking else { return Ok(()) };
    let about = match carrier {
        Carrier::Consumer => "which an NDN consumer does not have",
        Carrier::Tcp(..) => "which this flow does not have",
        Carrier::Receiver => "which a receiver does not have",
    };
    let description = settings.description();
    let flag = if description.needs(need) { None } else { all.flag(named, need) };
    let span = flag.or_else(|| named.kind.span.clone());
    Err(Mistake::new(format!("controller `{}` needs {what}, {about}", description.name))
        .at(span)
        .help(help))
}
