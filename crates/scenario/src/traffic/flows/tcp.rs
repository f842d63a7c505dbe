//! Flows over TCP.

use std::ops::Range;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::WorkloadKeys;
use windtunnel_controllers as controllers;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{self, EcnMode, TcpSettings};
use windtunnel_world::{MultipathPlan, SplitPlan, Transport, headers};

use super::multipath::Multipath;
use super::paths::{FULL_PACKET, FlowContext};
use super::split::Split;
use super::workloads::{self, Segments};
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::{Both, Located};
use crate::reading::sizes::{MOST_DATA, within};
use crate::reading::timers::at_most_initial;
use crate::reading::units::{Bytes, Measured};
use crate::traffic::controllers::Controller;
use crate::traffic::needs::{Carrier, Network, check_needs};

/// A flow over TCP.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tcp {
    /// What controls its window: a name under `[controllers]`, the name of a
    /// controller, or a table with the latter as `kind` and parameters. Required, unless the hosts of
    /// both nodes are Linux kernels.
    controller: Option<Controller>,
    /// A controller at the receiver, which bounds the window that the receiver advertises
    /// (RFC 9840): with `ledbat` or `ledbat-plus-plus`, the flow yields to others whatever its
    /// sender does. It needs timestamps; default: none.
    receiver_controller: Option<Box<Controller>>,
    /// What it carries; default: `bulk`.
    workload: Option<Located<WorkloadKeys>>,
    /// The data in a full segment; default: what fills a packet of 1500 B, which is
    /// 1448 B over IPv4 with timestamps, and less where another network layer adds to it.
    maximum_segment: Option<Located<Measured<Bytes>>>,
    /// Whether segments carry timestamps.
    #[serde(default = "timestamps")]
    timestamps: Located<bool>,
    /// How losses are found and repaired.
    #[serde(default)]
    recovery: Located<tcp::Recovery>,
    /// What the end that opens the connection would do with ECN; in effect is what both
    /// ends agree on in the handshake; default: what the controller needs, or else `off`.
    ecn: Option<Located<EcnMode>>,
    /// What the other end would do with ECN: beside one that can do less, `accurate` and
    /// `scalable` fall back to `classic`, and all to `off`; default: the same.
    server_ecn: Option<Located<EcnMode>>,
    /// The congestion window at the start, and when it begins anew.
    #[serde(default)]
    window: Located<tcp::Window>,
    /// When the receiver acknowledges.
    #[serde(default)]
    acknowledgements: Located<tcp::Acknowledgements>,
    /// The limits of the retransmission timeout.
    #[serde(default = "timeout")]
    timeout: Located<RtoLimits>,
    /// How much both ends hold.
    #[serde(default)]
    buffers: Located<tcp::Buffers>,
    /// How its applications use their sockets.
    #[serde(default)]
    socket: Located<tcp::Socket>,
    /// Whether segments are spread over the round trip also where the controller
    /// does not ask for it.
    #[serde(default)]
    pacing: Located<bool>,
    /// Whether a sender lets no more than a millisecond of its data wait in the queue of its
    /// own host's link, and at least two segments (TCP small queues, as in Linux); that queue
    /// then drops none of its packets. Default: where the first link of the path has a constant
    /// rate, is not the narrowest of several, and does not lead up to a satellite. A link that is
    /// the narrowest stands for the network, and its queue is that of a router.
    small_queues: Option<Located<bool>>,
    /// What the interfaces of both hosts do.
    #[serde(default)]
    offload: Located<tcp::Offload>,
    /// Proxies on its path that split its connections (RFC 3135). What a flow counts is
    /// then what its own two hosts count: windows, delays and retransmissions of the
    /// connection to the first proxy, and what arrives at the far end; default: none.
    split: Option<Located<Split>>,
    /// The paths that it takes at once, by Multipath TCP; default: one path.
    multipath: Option<Located<Multipath>>,
}

fn timestamps() -> Located<bool> {
    TcpSettings::TIMESTAMPS.into()
}

fn timeout() -> Located<RtoLimits> {
    RtoLimits::linux().into()
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
        let segments = Segments { data: settings.maximum_segment, headers: headers(&settings) };
        let workload = workloads::plan(&workload, context, ends, segments, files)?;
        Ok(Transport::Tcp { settings: context.settings.share(settings), workload })
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
        let Both { common, own } = &multipath.value;
        common.plan(*own, context, ends, settings, self.receiver_opens()).map(Some)
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

    /// What controls its window.
    ///
    /// # Errors
    /// [`Mistake`] without a place if it is missing.
    pub(super) fn controller(&self) -> Result<&Controller, Mistake> {
        let missing = || {
            let mistake = Mistake::new("missing key `controller`");
            Mistake { missing: Some("controller"), ..mistake }
        };
        self.controller.as_ref().ok_or_else(missing)
    }

    /// What controls its window, if it says so.
    pub(super) fn named_controller(&self) -> Option<&Controller> {
        self.controller.as_ref()
    }

    /// What it carries, if it says so.
    pub(super) fn workload(&self) -> Option<&Located<WorkloadKeys>> {
        self.workload.as_ref()
    }

    /// The keys that say how Windtunnel's TCP behaves, with their places where they are written.
    pub(super) fn keys_of_our_tcp(&self) -> [(&'static str, Option<Range<usize>>); 16] {
        fn place<T>(it: Option<&Located<T>>) -> Option<Range<usize>> {
            it.and_then(|it| it.span.clone())
        }
        // A new key has to be named here.
        let Self {
            controller: _,
            workload: _,
            receiver_controller,
            maximum_segment,
            timestamps,
            recovery,
            ecn,
            server_ecn,
            window,
            acknowledgements,
            timeout,
            buffers,
            socket,
            pacing,
            small_queues,
            offload,
            split,
            multipath,
        } = self;
        [
            ("receiver_controller", place(receiver_controller.as_ref().map(|it| &it.kind))),
            ("maximum_segment", place(maximum_segment.as_ref())),
            ("timestamps", place(Some(timestamps))),
            ("recovery", place(Some(recovery))),
            ("ecn", place(ecn.as_ref())),
            ("server_ecn", place(server_ecn.as_ref())),
            ("window", place(Some(window))),
            ("acknowledgements", place(Some(acknowledgements))),
            ("timeout", place(Some(timeout))),
            ("buffers", place(Some(buffers))),
            ("socket", place(Some(socket))),
            ("pacing", place(Some(pacing))),
            ("small_queues", place(small_queues.as_ref())),
            ("offload", place(Some(offload))),
            ("split", place(split.as_ref())),
            ("multipath", place(multipath.as_ref())),
        ]
    }

    /// How both ends behave, with controllers that have what they need.
    fn checked_settings(
        &self,
        ip: IpVersion,
        context: &FlowContext<'_>,
        network: Network,
    ) -> Result<TcpSettings, Mistake> {
        let named = self.controller()?;
        let controller = context.controllers.settings(named)?;
        let mut settings = self.settings(ip, controller, network.overhead)?;
        let carrier = Carrier::Tcp(&settings, network);
        check_needs(context.controllers, &settings.controller, carrier, named)?;
        if let Some(named) = &self.receiver_controller {
            let controller = context.controllers.settings(named)?;
            check_needs(context.controllers, &controller, Carrier::Receiver, named)?;
            named.kind.checked(
                |_| self.timestamps.value,
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
            timestamps: self.timestamps.value,
            recovery: self.recovery.value,
            ecn,
            server_ecn: self.server_ecn.as_ref().map_or(ecn, |it| it.value),
            window: self.window()?,
            acknowledgements: self.acknowledgements.value,
            timeout: self.timeout()?,
            buffers: self.buffers.value,
            socket: self.socket.value,
            pacing: self.pacing.value,
            small_queues: self.small_queues.as_ref().map(|it| it.value),
            offload: self.offload.value,
            ..TcpSettings::new(controller)
        };
        let multipath = self.multipath.as_ref().map_or(0, |it| it.value.common.overhead());
        let headers = headers(&settings) + multipath + u32::from(overhead);
        // Tunnels that leave no room are refused later.
        let segment = u32::from(FULL_PACKET).saturating_sub(headers).max(1) as u16;
        settings.maximum_segment = match &self.maximum_segment {
            None => segment,
            Some(it) => within(it, MOST_DATA, "maximum_segment")? as u16,
        };
        Ok(settings)
    }

    /// What the flow says, or else what its controller needs.
    fn ecn(&self, controller: &controllers::Settings) -> EcnMode {
        self.ecn.as_ref().map_or_else(|| EcnMode::wanted_by(controller), |it| it.value)
    }

    fn window(&self) -> Result<tcp::Window, Mistake> {
        let tcp::Window { initial, minimum, .. } = self.window.value;
        at_most_initial(&self.window, minimum, initial)?;
        Ok(self.window.value)
    }

    fn timeout(&self) -> Result<RtoLimits, Mistake> {
        let RtoLimits { minimum, maximum, .. } = self.timeout.value;
        self.timeout.checked(
            |_| minimum <= maximum,
            || format!("`timeout.maximum`, {maximum}, is below `timeout.minimum`, {minimum}"),
            "write a maximum that is not below the minimum",
        )?;
        Ok(self.timeout.value)
    }
}
