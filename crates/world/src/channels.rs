//! Links whose rate follows a channel: a radio, or a trace of rates.

use std::collections::VecDeque;
use std::sync::Arc;

use windtunnel_engine::{Duration, Rate, Streams, Time};

use crate::event::{Event, Kind};
use crate::network::Network;
use crate::opportunities::Opportunities;
use crate::plan::{LinkChange, Plan};
use crate::port_id::PortId;
use crate::radio::{Radio, RadioPlan, RadioSample, ReportPlan};
use crate::series::ChannelSample;

/// What a link's rate follows.
#[derive(Clone, Debug)]
pub enum ChannelPlan {
    /// A radio, both directions.
    Radio(Box<RadioPlan>),
    /// A trace of rates, by direction. One with a delivery trace has none here.
    Rates([Option<Arc<RateTrace>>; 2]),
}

/// Rates in the course of time.
#[derive(Clone, Debug, PartialEq)]
pub struct RateTrace {
    /// From when on which rate holds; none: nothing is sent. Rising times, the first
    /// of them zero.
    pub rows: Vec<(Duration, Option<Rate>)>,
    /// When the trace begins again; without, its last rate holds for ever.
    pub repeat: Option<Duration>,
}

impl RateTrace {
    /// The row that holds after so much time, and how long it does.
    fn at(&self, time: Duration) -> (Option<Rate>, Option<Duration>) {
        let picos = time.as_picos();
        let within = self.repeat.map_or(picos, |it| picos % it.as_picos());
        let next = self.rows.partition_point(|(from, _)| from.as_picos() <= within);
        let until = self.rows.get(next).map(|(from, _)| *from).or(self.repeat);
        let left = until.map(|it| Duration::from_picos(it.as_picos() - within));
        (self.rows[next - 1].1, left)
    }
}

#[derive(Debug)]
struct RadioLink {
    radio: Radio,
    period: Duration,
    report: ReportPlan,
    bandwidth: [f64; 2],
    sample: Option<RadioSample>,
    /// Who hears of it: flows, and the direction of their data.
    listeners: Vec<(u32, usize)>,
    next_report: Time,
    /// The reports on their way: the SINR, in dB, by direction.
    reports: VecDeque<[f64; 2]>,
}

#[derive(Debug)]
enum Source {
    Radio(Box<RadioLink>),
    Rates([Option<Arc<RateTrace>>; 2]),
}

/// A link with its channel.
#[derive(Debug)]
struct Channel {
    link: u32,
    source: Source,
    /// How fast its ports send now; none: they do not.
    rates: [Option<Rate>; 2],
    /// The delivery traces that they follow by themselves.
    opportunities: [Option<Arc<Opportunities>>; 2],
}

/// All links that follow a channel.
#[derive(Debug)]
pub(crate) struct Channels(Vec<Channel>);

impl Channels {
    pub(crate) fn new(plan: &Plan, streams: &Streams) -> Self {
        let links = plan.links.iter().enumerate();
        let channels = links.filter_map(|(index, link)| {
            let source = match link.channel.as_ref()? {
                ChannelPlan::Rates(traces) => Source::Rates(traces.clone()),
                ChannelPlan::Radio(radio) => Source::Radio(Box::new(RadioLink {
                    radio: Radio::new(radio, streams, &link.name),
                    period: radio.period,
                    report: radio.report,
                    bandwidth: radio.bandwidth,
                    sample: None,
                    listeners: listeners(plan, index),
                    next_report: Time::ZERO,
                    reports: VecDeque::new(),
                })),
            };
            let rates = link.directions.each_ref().map(|it| Some(it.rate));
            let opportunities = link.directions.each_ref().map(|it| it.opportunities.clone());
            Some(Channel { link: index as u32, source, rates, opportunities })
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

    /// Has the link follow its channel.
    pub(crate) fn follow(&mut self, network: &mut Network, now: Time, index: u32) {
        let channel = &mut self.0[index as usize];
        let (rates, next) = match &mut channel.source {
            Source::Radio(radio) => {
                let rates = radio.look(network, now, index);
                (rates, Some(now + radio.period))
            }
            Source::Rates(traces) => follow_traces(traces, channel.rates, now),
        };
        channel.send_at(network, now, rates);
        if let Some(time) = next {
            network.schedule(time, Event::new(Kind::Channel, index));
        }
    }

    /// The report that arrives now: for each listening flow the SINR of its data's
    /// direction, in dB, and the bandwidth there, in Hz.
    pub(crate) fn report(&mut self, index: u32) -> impl Iterator<Item = (u32, f64, f64)> {
        let radio = match &mut self.0[index as usize].source {
            Source::Radio(radio) => Some(radio),
            Source::Rates(_) => None,
        };
        radio.into_iter().flat_map(|radio| {
            let sinr = radio.reports.pop_front().expect("a report is on its way");
            let (bandwidth, listeners) = (radio.bandwidth, &radio.listeners);
            listeners.iter().map(move |&(flow, way)| (flow, sinr[way], bandwidth[way]))
        })
    }

    /// Samples both directions of one of the links, by its place among them, since the time of the sample before.
    pub(crate) fn sample(&self, place: usize, before: Time, time: Time) -> [ChannelSample; 2] {
        let channel = &self.0[place];
        let seen = match &channel.source {
            Source::Radio(radio) => radio.sample,
            Source::Rates(_) => None,
        };
        [0, 1].map(|direction| ChannelSample {
            port: PortId::new(channel.link as usize, direction),
            time_s: time.as_seconds(),
            position: seen.map(|it| it.position),
            station: seen.map(|it| it.station),
            in_sight: seen.map(|it| it.in_sight),
            sinr_db: seen.map(|it| it.sinr[direction]),
            rate_bps: channel.rate(direction, before, time),
        })
    }
}

/// The flows that hear of a radio link: those over it whose controllers ask for that.
fn listeners(plan: &Plan, link: usize) -> Vec<(u32, usize)> {
    let flows = (0..).zip(&plan.flows).filter(|(_, it)| it.needs_radio_reports());
    let on_it = flows.filter_map(|(flow, it)| Some((flow, it.radio?)));
    on_it.filter(|(_, it)| it.link() == link).map(|(flow, it)| (flow, it.direction())).collect()
}

/// What traces say now, and when any of them says something else; what has no trace
/// stays as it is.
fn follow_traces(
    traces: &[Option<Arc<RateTrace>>; 2],
    rates: [Option<Rate>; 2],
    now: Time,
) -> ([Option<Rate>; 2], Option<Time>) {
    let mut next = None;
    let mut rates = rates;
    for (rate, trace) in rates.iter_mut().zip(traces) {
        let Some(trace) = trace else { continue };
        let (said, left) = trace.at(now.since(Time::ZERO));
        *rate = said;
        next = [next, left.map(|it| now + it)].into_iter().flatten().min();
    }
    (rates, next)
}

impl RadioLink {
    /// Looks at the channel; reports, if it is time.
    fn look(&mut self, network: &mut Network, now: Time, index: u32) -> [Option<Rate>; 2] {
        let sample = self.radio.sample(now);
        self.sample = Some(sample);
        if now >= self.next_report && !self.listeners.is_empty() {
            self.next_report = now + self.report.period;
            self.reports.push_back(sample.sinr);
            network.schedule(now + self.report.delay, Event::new(Kind::Report, index));
        }
        sample.rate
    }
}

impl Channel {
    /// How fast a direction sends at `time`, in bits per second; with a delivery trace, the
    /// mean since `before`.
    fn rate(&self, direction: usize, before: Time, time: Time) -> f64 {
        match &self.opportunities[direction] {
            Some(trace) => trace.rate_between(before, time),
            None => self.rates[direction].map_or(0.0, |it| it.bits_per_second() as f64),
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
            match rate {
                None => network.change(now, port, LinkChange::Stall),
                Some(rate) => {
                    network.change(now, port, LinkChange::Rate(rate));
                    if before.is_none() {
                        network.change(now, port, LinkChange::Up);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn megabits(rate: u64) -> Option<Rate> {
        Rate::from_bits_per_second(rate * 1_000_000)
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_trace_of_rates_says_which_holds_and_how_long() {
        let rows = vec![(seconds(0), megabits(8)), (seconds(2), None), (seconds(3), megabits(1))];
        let once = RateTrace { rows: rows.clone(), repeat: None };
        assert_eq!(once.at(seconds(0)), (megabits(8), Some(seconds(2))));
        assert_eq!(once.at(seconds(2)), (None, Some(seconds(1))));
        assert_eq!(once.at(seconds(30)), (megabits(1), None));
        let again = RateTrace { rows, repeat: Some(seconds(5)) };
        assert_eq!(again.at(seconds(4)), (megabits(1), Some(seconds(1))));
        assert_eq!(again.at(seconds(10)), (megabits(8), Some(seconds(2))));
        assert_eq!(again.at(seconds(12)), (None, Some(seconds(1))));
    }
}
