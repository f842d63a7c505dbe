//! Packets as qlog: for each end of a flow a JSON text sequence (RFC 7464) with one trace, in
//! version 0.3 of the format (draft-ietf-quic-qlog-main-schema-02), which qvis reads.
//!
//! The events are those of draft-ietf-quic-qlog-quic-events-01 as far as they fit: packets are
//! numbered as they are sent, as QUIC's are, and what acknowledges is a frame. What TCP and NDN
//! have besides is in fields of their own, `tcp` and `ndn`.

mod exchange;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use windtunnel_engine::{Duration, Time};
use windtunnel_world::{
    PacketEvent, PacketEventKind, PacketEventLocation, Plan, SendingState, Transport,
};

use crate::run_folder::file_name;
use crate::tables::{flow_name, place_name};

use exchange::Exchange;

/// What begins each text of a sequence.
const RECORD_SEPARATOR: u8 = 0x1e;

/// The qlogs of a run.
#[derive(Debug)]
pub(crate) struct Qlogs {
    folder: PathBuf,
    plan: Arc<Plan>,
    flows: BTreeMap<u32, Flow>,
}

/// A flow: what is on its way, and the files of its ends, by the names of these.
#[derive(Debug, Default)]
struct Flow {
    exchange: Exchange,
    ends: BTreeMap<&'static str, End>,
}

/// One end of a flow, with its file.
#[derive(Debug)]
struct End {
    file: BufWriter<File>,
    /// Bytes of a segment, in which windows count.
    segment: u32,
    /// Whether what its packets hold is known to a stack only.
    is_sealed: bool,
    /// A packet that arrived and may acknowledge more.
    held: Option<Received>,
    /// What was said last about how it fares.
    metrics: Value,
}

/// A packet that has arrived.
#[derive(Debug)]
struct Received {
    event: PacketEvent,
    packet: u64,
    /// The numbers of packets that it acknowledges.
    acknowledged: Vec<u64>,
}

impl Qlogs {
    /// Those of a plan's run, in a folder that is created with the first packet.
    pub(crate) fn new(folder: PathBuf, plan: Arc<Plan>) -> Self {
        Self { folder, plan, flows: BTreeMap::new() }
    }

    /// Writes events of packets.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn write(&mut self, events: &[PacketEvent]) -> io::Result<()> {
        events.iter().try_for_each(|it| self.take(it))
    }

    fn take(&mut self, event: &PacketEvent) -> io::Result<()> {
        let Flow { exchange, ends } = self.flows.entry(event.flow).or_default();
        let at = place_name(event.place);
        let is_at_end = matches!(
            event.place,
            PacketEventLocation::Sender
                | PacketEventLocation::Receiver
                | PacketEventLocation::Consumer
        );
        if !is_at_end || event.kind == PacketEventKind::Dropped {
            exchange.drop(event);
            return Ok(());
        }
        let end = match ends.get_mut(at) {
            Some(end) => end,
            None => ends.entry(at).or_insert(End::create(&self.folder, &self.plan, event)?),
        };
        end.take(event, exchange)
    }

    /// Removes the files of a run that is not kept.
    pub(crate) fn discard(self) {
        drop(self.flows);
        // What cannot be removed was not written, or does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.flows.into_values().flat_map(|it| it.ends.into_values()).try_for_each(|mut end| {
            end.release()?;
            end.file.flush()
        })
    }
}

/// The bytes of a flow's segment, and the protocol that carries it.
fn protocol(plan: &Plan, flow: u32) -> (u32, String) {
    match (flow as usize).checked_sub(plan.consumers.len()) {
        None => (plan.consumers[flow as usize].settings.segment_size, "NDN".to_owned()),
        Some(flow) => match &plan.flows[flow].transport {
            Transport::Tcp { settings, .. } => {
                (u32::from(settings.maximum_segment), "TCP".to_owned())
            }
            Transport::Udp(_) => (0, "UDP".to_owned()),
            Transport::Stack { settings, .. } => {
                (u32::from(settings.largest_datagram()), settings.protocol.to_uppercase())
            }
        },
    }
}

/// Whether a flow is over the implementation of a protocol that is used as it is.
fn is_over_stack(plan: &Plan, flow: u32) -> bool {
    let place = (flow as usize).checked_sub(plan.consumers.len());
    let flow = place.map(|it| &plan.flows[it].transport);
    matches!(flow, Some(Transport::Stack { .. }))
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_picos() as f64 / 1e9
}

impl End {
    /// The file of the end where the first event of it is.
    fn create(folder: &Path, plan: &Plan, first: &PacketEvent) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let (flow, at) = (flow_name(plan, first.flow), place_name(first.place));
        let path = folder.join(format!("{}.{at}.qlog", file_name(flow)));
        let file = BufWriter::new(File::create(path)?);
        let (segment, protocol) = protocol(plan, first.flow);
        let is_sealed = is_over_stack(plan, first.flow);
        let mut end = Self { file, segment, is_sealed, held: None, metrics: Value::Null };
        // Who opens a connection sends the first packet.
        let is_client = first.kind == PacketEventKind::Sent;
        let trace = json!({
            "vantage_point": {
                "name": format!("{flow}, {at}"),
                "type": if is_client { "client" } else { "server" },
            },
            "title": format!("{flow}, {at}"),
            "common_fields": {
                "time_format": "relative",
                "reference_time": 0,
                "protocol_type": [protocol],
            },
        });
        end.record(&json!({
            "qlog_version": "0.3",
            "qlog_format": "JSON-SEQ",
            "title": flow,
            "trace": trace,
        }))?;
        Ok(end)
    }

    fn record(&mut self, record: &Value) -> io::Result<()> {
        self.file.write_all(&[RECORD_SEPARATOR])?;
        serde_json::to_writer(&mut self.file, record)?;
        self.file.write_all(b"\n")
    }

    fn event(&mut self, of: &PacketEvent, name: &str, data: Value) -> io::Result<()> {
        let time = milliseconds(of.time.since(Time::ZERO));
        let mut record = json!({ "time": time, "name": name, "data": data });
        if let Some(connection) = of.connection {
            let subflow = of.subflow.map(|it| format!(".{it}")).unwrap_or_default();
            record["group_id"] = format!("{connection}{subflow}").into();
        }
        self.record(&record)
    }

    fn take(&mut self, event: &PacketEvent, exchange: &mut Exchange) -> io::Result<()> {
        if event.kind == PacketEventKind::Sacked {
            let acknowledged = exchange.sack(event);
            self.held.iter_mut().for_each(|it| it.acknowledged.extend(&acknowledged));
            return Ok(());
        }
        self.release()?;
        match event.kind {
            PacketEventKind::Sent
            | PacketEventKind::Retransmitted
            | PacketEventKind::AcknowledgementSent => self.sent(event, exchange),
            PacketEventKind::Received
            | PacketEventKind::AcknowledgementReceived
            | PacketEventKind::NackReceived => {
                let (packet, acknowledged) = exchange.arrive(event);
                self.held = Some(Received { event: *event, packet, acknowledged });
                Ok(())
            }
            _ => self.fares(event),
        }
    }

    fn sent(&mut self, event: &PacketEvent, exchange: &mut Exchange) -> io::Result<()> {
        let (packet, lost) = exchange.send(event);
        if let Some(lost) = lost {
            let header = json!({ "packet_type": "1RTT", "packet_number": lost });
            self.event(event, "recovery:packet_lost", json!({ "header": header }))?;
        }
        self.event(event, "transport:packet_sent", data(event, packet, &[], self.is_sealed))?;
        self.fares(event)
    }

    /// Writes the packet that arrived last: nothing more is known of it.
    fn release(&mut self) -> io::Result<()> {
        let Some(Received { event, packet, mut acknowledged }) = self.held.take() else {
            return Ok(());
        };
        acknowledged.sort_unstable();
        let data = data(&event, packet, &acknowledged, self.is_sealed);
        self.event(&event, "transport:packet_received", data)?;
        self.fares(&event)
    }

    /// Writes how the end fares, if that has changed.
    fn fares(&mut self, event: &PacketEvent) -> io::Result<()> {
        let Some(state) = event.state else { return Ok(()) };
        let mut metrics = self.metrics(&state);
        if metrics != self.metrics || event.rtt.is_some() {
            self.metrics = metrics.clone();
            if let Some(rtt) = event.rtt {
                metrics["latest_rtt"] = milliseconds(rtt).into();
            }
            self.event(event, "recovery:metrics_updated", metrics)?;
        }
        Ok(())
    }

    fn metrics(&self, state: &SendingState) -> Value {
        let bytes = |segments: f64| (segments * f64::from(self.segment)) as u64;
        let mut metrics = json!({
            "congestion_window": bytes(state.cwnd),
        });
        if let Some(segments) = state.in_flight {
            metrics["bytes_in_flight"] = (segments * u64::from(self.segment)).into();
        }
        // Without a threshold it is as large as can be.
        if bytes(state.ssthresh) < u64::from(u32::MAX) {
            metrics["ssthresh"] = bytes(state.ssthresh).into();
        }
        if let Some(rtt) = state.smoothed_rtt {
            metrics["smoothed_rtt"] = milliseconds(rtt).into();
        }
        if let Some(rate) = state.pacing_rate_bps {
            metrics["pacing_rate"] = (rate as u64).into();
        }
        metrics
    }
}

/// A packet, and the numbers of those that it acknowledges.
/// What is in it is not told, if it is sealed.
fn data(event: &PacketEvent, packet: u64, acknowledged: &[u64], is_sealed: bool) -> Value {
    let mut frames = Vec::new();
    if event.bytes > 0 && !is_sealed {
        let offset = event.number.map(|it| it.saturating_sub(1));
        let offset = if event.connection.is_some() { offset } else { event.number };
        frames.push(json!({
            "frame_type": "stream",
            "stream_id": event.connection.unwrap_or(0),
            "offset": offset,
            "length": event.bytes,
        }));
    }
    if !acknowledged.is_empty() {
        frames.push(json!({ "frame_type": "ack", "acked_ranges": ranges(acknowledged) }));
    }
    let mut data = json!({
        "header": { "packet_type": "1RTT", "packet_number": packet },
        "raw": { "length": event.size, "payload_length": event.bytes },
        "frames": frames,
    });
    let is_retransmission = event.kind == PacketEventKind::Retransmitted;
    if event.connection.is_some() {
        data["tcp"] = json!({
            "sequence_number": event.number,
            "acknowledgement_number": event.acknowledgement,
            "is_retransmission": is_retransmission,
            "is_marked": event.is_marked,
        });
    } else if event.place == PacketEventLocation::Consumer {
        data["ndn"] = json!({
            "packet": match event.kind {
                PacketEventKind::Received => "Data",
                PacketEventKind::NackReceived => "NACK",
                _ => "Interest",
            },
            "segment": event.number,
            "is_retransmission": is_retransmission,
            "is_marked": event.is_marked,
        });
    }
    data
}

/// Rising numbers as ranges of the first and the last of each.
fn ranges(numbers: &[u64]) -> Vec<[u64; 2]> {
    let mut ranges: Vec<[u64; 2]> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if *number <= last[1] + 1 => last[1] = *number,
            _ => ranges.push([*number; 2]),
        }
    }
    ranges
}
