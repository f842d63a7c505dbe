//! Flows over UDP.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::udp::UdpSettings;
use windtunnel_engine::Rate;
use windtunnel_packets::ip::IpVersion;

use super::workloads::{OnOff, Steady};
use crate::error::Mistake;
use crate::located::Located;
use crate::schema::short_forms;
use crate::sizes::{MOST_DATA, within};
use crate::units::{Bytes, Measured, bytes};

/// A flow over UDP: datagrams at a rate.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Udp {
    /// The rate of what the datagrams carry, without headers.
    rate: Measured<Rate>,
    /// What each datagram carries.
    #[serde(default = "bytes::<1400>")]
    payload: Located<Measured<Bytes>>,
    /// When it sends; default: `bulk`.
    #[serde(default)]
    workload: UdpWorkload,
}

/// When a flow over UDP sends.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "kind", rename_all = "kebab-case")]
#[schemars(rename = "UdpWorkload", tag = "kind", transform = short_forms)]
enum UdpWorkload {
    /// All the time.
    Bulk(Steady),
    /// In turns with silence.
    OnOff(OnOff),
}

impl Default for UdpWorkload {
    fn default() -> Self {
        Self::Bulk(Steady {})
    }
}

impl Udp {
    pub(super) fn plan(&self, ip: IpVersion) -> Result<UdpSettings, Mistake> {
        let on_off = match &self.workload {
            UdpWorkload::Bulk(_) => None,
            UdpWorkload::OnOff(it) => Some(it.turns()?),
        };
        let payload = within(&self.payload, MOST_DATA, "payload")? as u16;
        Ok(UdpSettings { ip, rate: self.rate.0, payload, on_off })
    }
}
