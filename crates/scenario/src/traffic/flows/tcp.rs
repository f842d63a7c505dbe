//! Flows over TCP.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windtunnel_applications::WorkloadKeys;
use windtunnel_controllers::{self as controllers, Start};
use windtunnel_engine::Duration;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{self, BufferLimits, EcnMode, TcpSettings};
use windtunnel_world::{MultipathPlan, SplitPlan, Transport, headers};

use super::multipath::Multipath;
use super::paths::{FULL_PACKET, FlowContext};
use super::split::Split;
use super::tcp_defaults;
use super::workloads;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::sizes::{MOST_BUFFER, MOST_DATA, within};
use crate::reading::timers::{above_zero, at_most_initial};
use crate::reading::units::{Bytes, Measured, Segments, microseconds};
use crate::traffic::controllers::Controller;
use crate::traffic::needs::{Carrier, Network, check_needs};

/// A flow over TCP.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tcp {
    /// What controls its window: a name under `[controllers]`, the name of a
    /// controller, or a table with the latter as `kind` and parameters.
    controller: Controller,
    /// A controller at the receiver, which bounds the window that the receiver advertises
    /// (RFC 9840): with `ledbat` or `ledbat-plus-plus`, the flow yields to others whatever its
    /// sender does. It needs timestamps; default: none.
    receiver_controller: Option<Controller>,
    /// What it carries; default: `bulk`.
    workload: Option<Located<WorkloadKeys>>,
    /// The data in a full segment; default: what fills a packet of 1500 B, which is
    /// 1448 B over IPv4 with timestamps, and less where another network layer adds to it.
    maximum_segment: Option<Located<Measured<Bytes>>>,
    /// Whether segments carry timestamps.
    #[serde(default = "yes")]
    timestamps: bool,
    /// How losses are found and repaired.
    #[serde(default)]
    recovery: tcp::Recovery,
    /// What the end that opens the connection would do with ECN; in effect is what both
    /// ends agree on in the handshake; default: what the controller needs, or else `off`.
    ecn: Option<EcnMode>,
    /// What the other end would do with ECN: beside one that can do less, `accurate` and
    /// `scalable` fall back to `classic`, and all to `off`; default: the same.
    server_ecn: Option<EcnMode>,
    /// After how many full segments the receiver acknowledges. More than two thin out the
    /// acknowledgements.
    #[serde(default = "tcp_defaults::acknowledge_every")]
    acknowledge_every: Located<Measured<Segments>>,
    /// How long it waits for them.
    #[serde(default = "tcp_defaults::acknowledge_within")]
    acknowledge_within: Located<Measured<Duration>>,
    /// The timeout before the first round trip is measured.
    #[serde(default = "tcp_defaults::initial_timeout")]
    initial_timeout: Located<Measured<Duration>>,
    /// The smallest timeout. The default is Linux's; RFC 6298 has 1 s.
    #[serde(default = "tcp_defaults::minimum_timeout")]
    minimum_timeout: Located<Measured<Duration>>,
    /// The least by which the timeout exceeds the smoothed round trip. The default is
    /// Linux's; RFC 6298 has the clock's granularity.
    #[serde(default = "tcp_defaults::minimum_variation")]
    minimum_variation: Located<Measured<Duration>>,
    /// The greatest timeout.
    #[serde(default = "tcp_defaults::maximum_timeout")]
    maximum_timeout: Located<Measured<Duration>>,
    /// What the receiver can hold, always; default: 64 KiB at first, and with what is taken
    /// in a round trip more, up to `maximum_receive_buffer`.
    receive_buffer: Option<Located<Measured<Bytes>>>,
    /// How far the receive buffer grows. The default is Linux's.
    #[serde(default = "tcp_defaults::maximum_receive_buffer")]
    maximum_receive_buffer: Located<Measured<Bytes>>,
    /// What the sender can hold until it is acknowledged. The default is Linux's.
    #[serde(default = "tcp_defaults::send_buffer")]
    send_buffer: Located<Measured<Bytes>>,
    /// What its applications write at a time: data that they have at once is written in pieces of
    /// that size, without a pause, each of which is sent if it can be; `bulk` with a `rate` writes
    /// a piece when it is made. Default: all that there is.
    write_size: Option<Located<Measured<Bytes>>>,
    /// Which data that does not fill a segment waits for more, by Nagle's algorithm. What is
    /// written last before a connection is closed does not. The default is as if applications
    /// had set `TCP_NODELAY`, which systems do not by default.
    #[serde(default)]
    nagle: tcp::Nagle,
    /// What happens to the window when nothing was sent for longer than the timeout. BBR is not
    /// concerned.
    #[serde(default)]
    after_idleness: tcp::Idleness,
    /// What happens to the window and the round-trip estimate when packets take another path by the
    /// flow's `path_policy`.
    #[serde(default)]
    after_path_change: tcp::AfterPathChange,
    /// When the receiving application takes what arrived.
    #[serde(default)]
    reading: Reading,
    /// Whether segments are spread over the round trip also where the controller
    /// does not ask for it.
    #[serde(default)]
    pacing: bool,
    /// Whether a sender lets no more than a millisecond of its data wait in the queue of its
    /// own host's link, and at least two segments (TCP small queues, as in Linux); that queue
    /// then drops none of its packets. Default: where the first link of the path has a constant
    /// rate, is not the narrowest of several, and does not lead up to a satellite. A link that is
    /// the narrowest stands for the network, and its queue is that of a router.
    small_queues: Option<bool>,
    /// Whether the sender hands segments to its host's interface in bursts, as Linux does with
    /// TSO or GSO: of a millisecond at its rate, at least 2 segments, at most 64 KiB. A burst
    /// leaves back to back, with pacing as well. One that is not full waits for an
    /// acknowledgement that is about to come.
    #[serde(default)]
    segmentation_offload: bool,
    /// Whether segments that arrive in one poll of the receiving host's interface are merged,
    /// up to 64 KiB, and acknowledged once, as Linux does with GRO. It holds for both ends:
    /// acknowledgements are not merged, but they arrive in polls as well.
    #[serde(default)]
    receive_offload: bool,
    /// With `receive_offload`: how long after the first segment of a poll the poll is
    /// (`rx-usecs` of ethtool). The default is that of Linux's drivers for Intel's adapters of
    /// 10 Gbps and more, 20,000 interrupts a second.
    #[serde(default = "microseconds::<50>")]
    receive_coalescing: Located<Measured<Duration>>,
    /// Whether the acknowledgements of segments beyond a gap wait for others, as in Linux: but
    /// for three, for 5 % of the round trip, at most 1 ms.
    #[serde(default)]
    sack_compression: bool,
    /// The window at the start.
    #[serde(default = "tcp_defaults::initial_window")]
    initial_window: Located<Measured<Segments>>,
    /// No decrease goes below this; default: 2 segments, or the initial window if that
    /// is smaller.
    minimum_window: Option<Located<Measured<Segments>>>,
    /// Where the first slow start ends, for controllers that have a slow-start threshold, in
    /// bytes of data; default: unlimited, as RFC 5681, section 3.1, recommends. ns-3 had
    /// 65,535 B up to its release 3.24.
    initial_ssthresh: Option<Located<Measured<Bytes>>>,
    /// Proxies on its path that split its connections (RFC 3135). What a flow counts is
    /// then what its own two hosts count: windows, delays and retransmissions of the
    /// connection to the first proxy, and what arrives at the far end; default: none.
    split: Option<Located<Split>>,
    /// The paths that it takes at once, by Multipath TCP; default: one path.
    multipath: Option<Located<Multipath>>,
}

fn yes() -> bool {
    true
}

/// When the receiving application takes what arrived.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Reading {
    /// At once.
    #[default]
    AtOnce,
    /// Never: the window closes.
    Never,
}

impl Tcp {
    /// How a flow between two nodes is carried, and what.
    pub(super) fn plan(
        &self,
        ip: IpVersion,
        dscp: Dscp,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        network: Network,
        files: &mut Files<'_>,
    ) -> Result<Transport, Mistake> {
        let settings = TcpSettings { dscp, ..self.checked_settings(ip, context, network)? };
        let workload = self.workload.as_ref().map(|it| it.value.clone()).unwrap_or_default();
        let workload = workloads::plan(&workload, context, ends, &settings, files)?;
        Ok(Transport::Tcp { settings: Arc::new(settings), workload })
    }

    /// How the connections behave that carry what others say: `what` are those.
    pub(super) fn of_others(
        &self,
        what: &str,
        ip: IpVersion,
        context: &FlowContext<'_>,
        network: Network,
    ) -> Result<Arc<TcpSettings>, Mistake> {
        if let Some(it) = &self.workload {
            let message = format!("`workload` cannot be set for {what}");
            return Err(it.mistake(message).help("remove `workload`"));
        }
        if let Some(it) = &self.split {
            return Err(it
                .mistake(format!("`split` cannot be set for {what}"))
                .help("remove `split`"));
        }
        if let Some(it) = &self.multipath {
            return Err(it
                .mistake(format!("`multipath` cannot be set for {what}"))
                .help("remove `multipath`"));
        }
        // Radios report to flows alone.
        let network = Network { radio: None, ..network };
        Ok(Arc::new(self.checked_settings(ip, context, network)?))
    }

    /// The paths of a flow between two nodes that is carried like that, if it takes several.
    pub(super) fn multipath(
        &self,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        transport: &Transport,
        has_path: bool,
    ) -> Result<Option<MultipathPlan>, Mistake> {
        let (Some(multipath), Transport::Tcp { settings, .. }) = (&self.multipath, transport)
        else {
            return Ok(None);
        };
        multipath.checked(
            |_| !has_path,
            || "`path` and `multipath` cannot both be set".to_owned(),
            "name its paths under `multipath.paths`",
        )?;
        multipath.checked(
            |_| self.receiver_controller.is_none(),
            || "`receiver_controller` and `multipath` cannot both be set".to_owned(),
            "leave out `receiver_controller` or `multipath`",
        )?;
        multipath.checked(
            |_| self.split.is_none(),
            || "`split` and `multipath` cannot both be set".to_owned(),
            "leave out `split` or `multipath`",
        )?;
        multipath.checked(
            |_| context.paths.routed.network.sky.is_none(),
            || {
                "`multipath` cannot be set in a scenario with satellites, whose paths change"
                    .to_owned()
            },
            "leave out `multipath`",
        )?;
        multipath.value.plan(context, ends, settings, self.receiver_opens()).map(Some)
    }

    /// Whether the receiver of the data opens the connections.
    pub(super) fn receiver_opens(&self) -> bool {
        self.workload.as_ref().is_some_and(|it| it.value.receiver_opens())
    }

    /// The proxies of a flow between two nodes.
    pub(super) fn split(
        &self,
        context: &FlowContext<'_>,
        ends: [usize; 2],
    ) -> Result<Option<SplitPlan>, Mistake> {
        let Some(split) = &self.split else { return Ok(None) };
        // Proxies wait for the sender's SYN.
        split.checked(
            |_| !self.receiver_opens(),
            || "`split` cannot be set for a connection that the receiver opens".to_owned(),
            "leave `split` out, or write a workload that the sender begins",
        )?;
        split.value.plan(context, ends).map(Some)
    }

    /// How both ends behave, with controllers that have what they need.
    fn checked_settings(
        &self,
        ip: IpVersion,
        context: &FlowContext<'_>,
        network: Network,
    ) -> Result<TcpSettings, Mistake> {
        let controller = context.controllers.settings(&self.controller)?;
        let mut settings = self.settings(ip, controller, network.overhead)?;
        let carrier = Carrier::Tcp(&settings, network);
        check_needs(context.controllers, &settings.controller, carrier, &self.controller)?;
        if let Some(named) = &self.receiver_controller {
            let controller = context.controllers.settings(named)?;
            check_needs(context.controllers, &controller, Carrier::Receiver, named)?;
            named.kind.checked(
                |_| self.timestamps,
                || "`receiver_controller` requires timestamps".to_owned(),
                "write timestamps = true, or leave it out",
            )?;
            settings.receiver_controller = Some(controller);
        }
        Ok(settings)
    }

    fn settings(
        &self,
        ip: IpVersion,
        controller: controllers::Settings,
        overhead: u16,
    ) -> Result<TcpSettings, Mistake> {
        let ecn = self.ecn(&controller);
        let mut settings = TcpSettings {
            ip,
            timestamps: self.timestamps,
            recovery: self.recovery,
            ecn,
            server_ecn: self.server_ecn.unwrap_or(ecn),
            acknowledge_every: self.acknowledge_every()?,
            acknowledge_within: self.acknowledge_within.value.0,
            timeout_limits: self.timeout_limits()?,
            receive_buffer: self.receive_buffer()?,
            send_buffer: within(&self.send_buffer, MOST_BUFFER, "send_buffer")?,
            write_size: self.write_size()?,
            nagle: self.nagle,
            after_idleness: self.after_idleness,
            after_path_change: self.after_path_change,
            reading: match self.reading {
                Reading::AtOnce => tcp::Reading::AtOnce,
                Reading::Never => tcp::Reading::AsTaken,
            },
            pacing: self.pacing,
            small_queues: self.small_queues,
            segmentation_offload: self.segmentation_offload,
            receive_offload: self.receive_offload.then_some(self.receive_coalescing.value.0),
            sack_compression: self.sack_compression,
            start: self.start()?,
            ..TcpSettings::new(controller)
        };
        let multipath = self.multipath.as_ref().map_or(0, |it| it.value.overhead());
        let headers = headers(&settings) + multipath + u32::from(overhead);
        // Tunnels that leave no room are refused later.
        let segment = u32::from(FULL_PACKET).saturating_sub(headers).max(1) as u16;
        settings.maximum_segment = match &self.maximum_segment {
            None => segment,
            Some(it) => within(it, MOST_DATA, "maximum_segment")? as u16,
        };
        settings.start.initial_ssthresh = self.initial_ssthresh(settings.maximum_segment)?;
        Ok(settings)
    }

    /// What the flow says, or else what its controller needs.
    fn ecn(&self, controller: &controllers::Settings) -> EcnMode {
        self.ecn.unwrap_or_else(|| EcnMode::wanted_by(controller))
    }

    fn write_size(&self) -> Result<Option<u64>, Mistake> {
        let size = self.write_size.as_ref();
        size.map(|it| within(it, MOST_BUFFER, "write_size")).transpose()
    }

    fn receive_buffer(&self) -> Result<BufferLimits, Mistake> {
        if let Some(fixed) = &self.receive_buffer {
            return Ok(BufferLimits::fixed(within(fixed, MOST_BUFFER, "receive_buffer")?));
        }
        let maximum = within(&self.maximum_receive_buffer, MOST_BUFFER, "maximum_receive_buffer")?;
        Ok(BufferLimits { initial: maximum.min(BufferLimits::LINUX.initial), maximum })
    }

    fn acknowledge_every(&self) -> Result<u8, Mistake> {
        let segments = self.acknowledge_every.value.0.0;
        self.acknowledge_every.checked(
            |_| segments.fract() == 0.0 && segments <= 255.0,
            || "`acknowledge_every` must be 1 to 255 whole segments".to_owned(),
            "write one such as \"2 segments\"",
        )?;
        Ok(segments as u8)
    }

    fn timeout_limits(&self) -> Result<RtoLimits, Mistake> {
        let minimum = above_zero(&self.minimum_timeout, "minimum_timeout")?;
        let maximum = above_zero(&self.maximum_timeout, "maximum_timeout")?;
        if maximum < minimum {
            let span = self.maximum_timeout.span.clone();
            let span = span.or_else(|| self.minimum_timeout.span.clone());
            let message =
                format!("`maximum_timeout`, {maximum}, is below `minimum_timeout`, {minimum}");
            return Err(Mistake::new(message).at(span).help("write both, the second the smaller"));
        }
        Ok(RtoLimits {
            initial: above_zero(&self.initial_timeout, "initial_timeout")?,
            minimum,
            minimum_variation: self.minimum_variation.value.0,
            maximum,
            ..RtoLimits::LINUX
        })
    }

    /// The initial slow-start threshold, in segments.
    fn initial_ssthresh(&self, segment: u16) -> Result<f64, Mistake> {
        let Some(ssthresh) = &self.initial_ssthresh else {
            return Ok(Start::default().initial_ssthresh);
        };
        Ok(within(ssthresh, MOST_BUFFER, "initial_ssthresh")? as f64 / f64::from(segment))
    }

    fn start(&self) -> Result<Start, Mistake> {
        let initial_window = self.initial_window.value.0.0;
        let minimum_window = match &self.minimum_window {
            None => initial_window.min(Start::default().minimum_window),
            Some(it) => {
                at_most_initial(it, initial_window)?;
                it.value.0.0
            }
        };
        Ok(Start { initial_window, minimum_window, ..Start::default() })
    }
}
