//! How autonomous systems find paths.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_networks::scion;
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::scion::expiry_steps;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::located::{Located, number};
use windtunnel_reading::timers::above_zero;
use windtunnel_reading::units::Measured;
use windtunnel_scenario::Ip;

/// How autonomous systems find paths: by beacons, which the core begins and each system passes
/// on with what it says of itself.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Beaconing {
    /// From one origination, propagation and registration to the next; each system begins at a
    /// time of its own.
    #[serde(default = "seconds::<5>")]
    interval: Located<Measured<Duration>>,
    /// How many segments are passed on through each interface and registered: in the core of
    /// each origin, elsewhere of all together.
    #[serde(default = "number::<20>")]
    best_set: Located<u16>,
    /// How many autonomous systems a segment has at most.
    #[serde(default = "number::<10>")]
    most_hops: Located<u16>,
    /// How long the hop fields of a segment are valid, from 337.5 s to 24 h, in steps of 337.5 s.
    #[serde(default = "seconds::<21600>")]
    lifetime: Located<Measured<Duration>>,
    /// How old paths may be before they are asked for again.
    #[serde(default = "seconds::<300>")]
    refresh: Located<Measured<Duration>>,
    /// How many paths to a destination a host keeps, the shortest.
    #[serde(default = "number::<20>")]
    most_paths: Located<u16>,
    /// Whether all segments are known at the start, as if the network had been there for long.
    /// Otherwise the first beacons are sent then, and flows wait for paths.
    #[serde(default = "yes")]
    known_at_start: bool,
    /// The version of IP that carries SCION packets on links, in UDP.
    #[serde(default)]
    underlay: Ip,
}

fn seconds<const SECONDS: u64>() -> Located<Measured<Duration>> {
    Measured(Duration::from_secs(SECONDS)).into()
}

fn yes() -> bool {
    true
}

impl Default for Beaconing {
    fn default() -> Self {
        Self {
            interval: seconds::<5>(),
            best_set: number::<20>(),
            most_hops: number::<10>(),
            lifetime: seconds::<21_600>(),
            refresh: seconds::<300>(),
            most_paths: number::<20>(),
            known_at_start: true,
            underlay: Ip::default(),
        }
    }
}

impl Beaconing {
    pub(super) fn plan(&self) -> Result<scion::Beaconing, Mistake> {
        let count = |it: &Located<u16>, key: &str, least: u16, most: u16| {
            it.checked(
                |it| (least..=most).contains(it),
                || format!("`{key}` must be from {least} to {most}"),
                &format!("write one such as {key} = 20"),
            )?;
            Ok::<usize, Mistake>(usize::from(it.value))
        };
        let expiry = expiry_steps(self.lifetime.value.0);
        let expiry = expiry.filter(|_| self.lifetime.value.0 <= Duration::from_secs(86_400));
        let expiry = expiry.ok_or_else(|| {
            self.lifetime
                .mistake("`lifetime` must be from 337.5 s to 24 h")
                .help("write one such as lifetime = \"6 h\"")
        })?;
        let best_set = count(&self.best_set, "best_set", 1, 100)?;
        Ok(scion::Beaconing {
            interval: above_zero(&self.interval, "interval")?,
            best_set,
            most_hops: count(&self.most_hops, "most_hops", 2, 20)?,
            expiry,
            refresh: above_zero(&self.refresh, "refresh")?,
            most_paths: count(&self.most_paths, "most_paths", 1, 255)?,
            is_known: self.known_at_start,
            ..scion::Beaconing::default()
        })
    }

    pub(super) fn underlay(&self) -> IpVersion {
        self.underlay.into()
    }
}
