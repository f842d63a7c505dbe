//! Links that follow a channel: they take its rates, and what a radio measures is
//! reported to senders.

use std::collections::VecDeque;
use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Streams, Time};
use windtunnel_links::{
    Channel, ChannelMaker, ChannelSetting, Opportunities, PowerSample, RadioSample, Reception,
    ReportPlan,
};

use crate::event::{Event, Kind};
use crate::network::Network;
use crate::plan::{LinkChange, LinkPlan, Plan};
use crate::port_id::PortId;
use crate::series::ChannelSample;

/// A link with its channel.
#[derive(Clone, Debug)]
struct ChannelLink {
    link: u32,
    channel: Box<dyn Channel>,
    /// How many packets its ports had sent when the channel was sampled last.
    sent: [u64; 2],
    /// How fast its ports send now; none: they do not.
    rates: [Option<Rate>; 2],
    /// How long a bit takes to the other end, if the channel has said.
    delays: [Option<Duration>; 2],
    /// Whether what they send is lost.
    loses: [bool; 2],
    /// The delivery traces that they follow by themselves.
    opportunities: [Option<Arc<Opportunities>>; 2],
    /// What it measured last, if it is a radio.
    radio: Option<RadioSample>,
    /// What it received last, if it says.
    power: Option<PowerSample>,
    /// How packets are received, if it says.
    reception: Option<[Reception; 2]>,
    reports: Option<Reports>,
}

/// A radio's reports to senders.
#[derive(Clone, Debug)]
struct Reports {
    plan: ReportPlan,
    /// The flows that receive them, and the direction of their data.
    listeners: Vec<(u32, usize)>,
    /// When the next one is due.
    next: Time,
    /// Those on their way.
    sent: VecDeque<RadioSample>,
}

/// All links that follow a channel.
#[derive(Clone, Debug)]
pub(crate) struct Channels(Vec<ChannelLink>);

impl Channels {
    pub(crate) fn new(plan: &Plan, streams: &Streams) -> Self {
        let links = plan.links.iter().enumerate();
        let channels = links.filter_map(|(index, link)| {
            let maker = link.channel.as_deref()?;
            Some(ChannelLink::new(index, link, maker, Reports::of(plan, index, maker), streams))
        });
        Self(channels.collect())
    }

    /// Schedules the first samples of the channels of a part's links.
    pub(crate) fn start(&self, network: &mut Network, is_here: impl Fn(usize) -> bool) {
        let own = (0..).zip(&self.0).filter(|(_, it)| is_here(it.link as usize));
        for channel in own.map(|it| it.0) {
            network.schedule(Time::ZERO, Event::new(Kind::Channel, channel));
        }
    }

    /// The link of a channel.
    pub(crate) fn link(&self, index: u32) -> usize {
        self.0[index as usize].link as usize
    }

    /// Has the link follow its channel.
    pub(crate) fn follow(&mut self, network: &mut Network, now: Time, index: u32) {
        let link = &mut self.0[index as usize];
        let traffic = link.traffic(network);
        link.channel.on_traffic(traffic);
        let state = link.channel.sample(now);
        (link.radio, link.power, link.reception) = (state.radio, state.power, state.reception);
        if let (Some(reports), Some(sample)) = (&mut link.reports, state.radio)
            && let Some(time) = reports.send(now, sample)
        {
            network.schedule(time, Event::new(Kind::Report, index));
        }
        link.receive(network);
        link.send_at(network, now, state.rates);
        link.take(network, now, state.delays);
        link.lose(network, now, state.loses);
        if let Some(time) = state.next {
            network.schedule(time, Event::new(Kind::Channel, index));
        }
    }

    /// The report that arrives now: for each listening flow the SINR of its data's
    /// direction, in dB, and the bandwidth there, in Hz.
    pub(crate) fn report(&mut self, index: u32) -> impl Iterator<Item = (u32, f64, f64)> {
        let reports = &mut self.0[index as usize].reports;
        reports.iter_mut().flat_map(|reports| {
            let RadioSample { sinr, bandwidth, .. } =
                reports.sent.pop_front().expect("a report is on its way");
            let listeners = &reports.listeners;
            listeners.iter().map(move |&(flow, of)| (flow, sinr[of], bandwidth[of]))
        })
    }

    /// Samples both directions of one of the links, by its place among them, since the time of the sample before.
    pub(crate) fn sample(&self, place: usize, before: Time, time: Time) -> [ChannelSample; 2] {
        let link = &self.0[place];
        [0, 1].map(|direction| ChannelSample {
            port: PortId::new(link.link as usize, direction),
            time_s: time.as_seconds(),
            position: link.radio.map(|it| it.position),
            station: link.radio.map(|it| it.station),
            line_of_sight: link.radio.map(|it| it.line_of_sight),
            sinr_db: link.sinr(direction),
            mcs: link.reception.map(|it| it[direction].scheme.index),
            received_dbm: link.power.and_then(|it| Some(it.received?[direction])),
            margin_db: link.power.map(|it| it.margin[direction]),
            rate_bps: link.rate(direction, before, time),
        })
    }
}

impl Reports {
    /// Those of a link's channel, if it is a radio and any sender takes them.
    fn of(plan: &Plan, link: usize, maker: &dyn ChannelMaker) -> Option<Self> {
        let listeners = listeners(plan, link);
        let plan = maker.reports().filter(|_| !listeners.is_empty())?;
        Some(Self { plan, listeners, next: Time::ZERO, sent: VecDeque::new() })
    }

    /// Sends a report, if it is time; returns when it arrives.
    fn send(&mut self, now: Time, sample: RadioSample) -> Option<Time> {
        if now < self.next {
            return None;
        }
        self.next = now + self.plan.period;
        self.sent.push_back(sample);
        Some(now + self.plan.delay)
    }
}

/// The flows that receive a radio link's reports: those over it whose controllers ask for
/// them.
fn listeners(plan: &Plan, link: usize) -> Vec<(u32, usize)> {
    let flows = (0..).zip(&plan.flows).filter(|(_, it)| it.needs_radio_reports());
    let on_it = flows.filter_map(|(flow, it)| Some((flow, it.radio?)));
    on_it.filter(|(_, it)| it.link() == link).map(|(flow, it)| (flow, it.direction())).collect()
}

impl ChannelLink {
    fn new(
        index: usize,
        link: &LinkPlan,
        maker: &dyn ChannelMaker,
        reports: Option<Reports>,
        streams: &Streams,
    ) -> Self {
        let rates = link.directions.each_ref().map(|it| it.rate);
        Self {
            link: index as u32,
            channel: maker.channel(ChannelSetting { link: &link.name, streams, rates }),
            sent: [0; 2],
            rates: rates.map(Some),
            delays: [None; 2],
            loses: [false; 2],
            opportunities: link.directions.each_ref().map(|it| it.opportunities.clone()),
            radio: None,
            power: None,
            reception: None,
            reports,
        }
    }

    /// Which directions have had packets since this was asked last.
    fn traffic(&mut self, network: &Network) -> [bool; 2] {
        [0, 1].map(|direction| {
            let port = &network.ports[PortId::new(self.link as usize, direction).index()];
            let sent = port.counters().sent;
            let before = std::mem::replace(&mut self.sent[direction], sent);
            sent > before || port.in_transit() > 0
        })
    }

    /// The SINR of a direction: of a fixed radio, which nobody disturbs, the SNR.
    fn sinr(&self, direction: usize) -> Option<f64> {
        let of_radio = self.radio.map(|it| it.sinr[direction]);
        of_radio.or(self.reception.map(|it| it[direction].snr))
    }

    /// Tells the ports how what they send is received from now on.
    fn receive(&self, network: &mut Network) {
        for (direction, reception) in self.reception.iter().flatten().enumerate() {
            network.receive(PortId::new(self.link as usize, direction), *reception);
        }
    }

    /// How fast a direction sends at `time`, in bits per second; with a delivery trace, the
    /// mean since `before`.
    fn rate(&self, direction: usize, before: Time, time: Time) -> f64 {
        match &self.opportunities[direction] {
            Some(trace) => trace.rate_between(before, time),
            None => self.rates[direction].map_or(0.0, |it| it.bits_per_second() as f64),
        }
    }

    /// Has the ports lose what they send from now on, or deliver it again.
    fn lose(&mut self, network: &mut Network, now: Time, loses: [bool; 2]) {
        for (direction, loses) in loses.into_iter().enumerate() {
            if std::mem::replace(&mut self.loses[direction], loses) != loses {
                let change = if loses { LinkChange::Lose } else { LinkChange::Deliver };
                network.change(now, PortId::new(self.link as usize, direction), change);
            }
        }
    }

    /// Has what the ports send from now on take these delays.
    fn take(&mut self, network: &mut Network, now: Time, delays: [Option<Duration>; 2]) {
        for (direction, delay) in delays.into_iter().enumerate() {
            let Some(delay) = delay else { continue };
            if self.delays[direction].replace(delay) != Some(delay) {
                let port = PortId::new(self.link as usize, direction);
                network.change(now, port, LinkChange::Delay(delay));
            }
        }
    }

    /// Has the ports send at these rates from now on.
    fn send_at(&mut self, network: &mut Network, now: Time, rates: [Option<Rate>; 2]) {
        for (direction, rate) in rates.into_iter().enumerate() {
            let before = std::mem::replace(&mut self.rates[direction], rate);
            if before == rate {
                continue;
            }
            let port = PortId::new(self.link as usize, direction);
            network.change(now, port, rate.map_or(LinkChange::Stall, LinkChange::Rate));
        }
    }
}
