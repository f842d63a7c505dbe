//! Flows over UDP.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::udp::{self, UdpSettings};
use windtunnel_applications::video::FramesKeys;
use windtunnel_applications::{OnOffKeys, OnOffPeriods};
use windtunnel_engine::Rate;
use windtunnel_packets::Dscp;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::udp::HEADER;

use super::paths::FULL_PACKET;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::schema::short_forms;
use crate::reading::sizes::{MOST_DATA, within};
use crate::reading::units::{Bytes, Measured};

/// What a datagram carries where that is not said, if there is room.
const PAYLOAD: u16 = 1400;

/// A flow over UDP: datagrams at a rate, or live frames.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Udp {
    /// The rate of what the datagrams carry, without headers; required, but not with `frames`,
    /// which have their own.
    rate: Option<Located<Measured<Rate>>>,
    /// The most that each datagram carries; all but the last of a frame carry as much. Default:
    /// 1400 B, or less where headers between autonomous systems leave less of 1500 B.
    payload: Option<Located<Measured<Bytes>>>,
    /// Whether datagrams become as small as a link between regions needs that is reported to
    /// carry less (path MTU discovery, RFC 8085, section 3.2); the rate stays. Not for `frames`.
    #[serde(default)]
    path_mtu_discovery: Located<bool>,
    /// When it sends; default: `bulk`.
    #[serde(default)]
    workload: Located<UdpWorkload>,
}

/// When a flow over UDP sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "UdpWorkload", tag = "kind", transform = short_forms)]
enum UdpWorkload {
    /// All the time.
    Bulk(Steady),
    /// In turns with silence.
    OnOff(OnOffKeys),
    /// Live frames: the datagrams of each are sent when it is made.
    Frames(FramesKeys),
}

/// Data without end, at the rate of a flow over UDP.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Steady {}

impl Default for UdpWorkload {
    fn default() -> Self {
        Self::Bulk(Steady {})
    }
}

impl Udp {
    pub(super) fn plan(
        &self,
        ip: IpVersion,
        dscp: Dscp,
        overhead: u16,
        files: &mut Files<'_>,
    ) -> Result<UdpSettings, Mistake> {
        let room = FULL_PACKET - ip.header() - HEADER - overhead;
        let payload = match &self.payload {
            Some(it) => within(it, MOST_DATA, "payload")? as u16,
            None => PAYLOAD.min(room),
        };
        let workload = match &self.workload.value {
            UdpWorkload::Frames(it) => {
                if let Some(rate) = &self.rate {
                    let message = "`rate` cannot be set beside a workload of frames";
                    return Err(rate.mistake(message).help("write `rate` in the workload"));
                }
                self.path_mtu_discovery.checked(
                    |it| !it,
                    || {
                        "`path_mtu_discovery` cannot be set beside a workload of frames, which \
                        `payload` divides"
                            .into()
                    },
                    "leave `path_mtu_discovery` out, and write a `payload` that fits",
                )?;
                udp::UdpWorkload::Frames(it.settings(files)?)
            }
            UdpWorkload::Bulk(_) => self.at_rate(None)?,
            UdpWorkload::OnOff(it) => self.at_rate(Some(it.periods()?))?,
        };
        Ok(UdpSettings { ip, dscp, payload, workload })
    }

    fn at_rate(&self, on_off: Option<OnOffPeriods>) -> Result<udp::UdpWorkload, Mistake> {
        let (rate, discovers_mtu) = (self.rate()?, self.path_mtu_discovery.value);
        Ok(udp::UdpWorkload::Rate { rate, on_off, discovers_mtu })
    }

    fn rate(&self) -> Result<Rate, Mistake> {
        self.rate.as_ref().map(|it| it.value.0).ok_or_else(|| {
            let message = "a flow over UDP requires `rate`";
            self.workload.mistake(message).help("write one such as rate = \"1 Mbps\"")
        })
    }
}
