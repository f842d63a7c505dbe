//! Flows that take several paths at once.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use windtunnel_packets::multipath::Version;
use windtunnel_reading::choice;
use windtunnel_transports::mptcp::scheduler::{Maker, SchedulerSettings};
use windtunnel_transports::mptcp::{
    DESCRIPTIONS, MultipathOptions, MultipathSettings, PathSettings,
};
use windtunnel_transports::tcp::TcpSettings;
use windtunnel_world::{MultipathPlan, PortId};

use super::paths::{FlowContext, keep_ends};
use super::several_paths::{Interfaces, MOST_PATHS, NamedPaths, check, check_disjoint, named};
use super::subflow_changes::{SubflowChange, in_order};
use crate::reading::error::{Mistake, suggestion};
use crate::reading::located::{Both, Located};

/// Multipath TCP: its paths, and how its ends share data among them.
pub(super) type Multipath = Both<Paths, MultipathOptions>;

/// Multipath TCP (RFC 8684): a subflow on each of several paths.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Multipath")]
pub(super) struct Paths {
    /// The links of each path, from `from` to `to`; what comes back takes the same links. Between
    /// regions, only the first link and the last, whose addresses the path's packets have: what
    /// lies between is left to the routers. The connection is opened on the first path. Default: for each link of `from` and each of `to` the
    /// shortest path that begins with the one and ends with the other.
    paths: Option<NamedPaths>,
    /// Between autonomous systems, in place of `paths`: how many subflows there are, each of
    /// which chooses its paths by the flow's `path_policy`; default: 2.
    subflows: Option<Located<u16>>,
    /// Paths that carry data only while no other works; default: none.
    backup_paths: Option<NamedPaths>,
    /// What happens to subflows during the run; default: nothing.
    #[serde(default)]
    changes: Vec<SubflowChange>,
    /// Whether no two paths may have a link in common.
    #[serde(default)]
    disjoint: bool,
    /// What chooses the subflow of each segment.
    #[serde(default)]
    scheduler: Scheduler,
    /// The version of the protocol.
    #[serde(default)]
    version: ProtocolVersion,
}

choice! {
    /// A version of Multipath TCP.
    ProtocolVersion as Version {
        /// RFC 8684, as in Linux: numbers of 64 bits, 1420 B of data in 1500 B.
        V1,
        /// RFC 6824, as in Linux's out-of-tree implementation: numbers of 32 bits and
        /// checksums, 1428 B of data in 1500 B.
        V0,
    }
}

/// The name of a scheduler.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
struct Scheduler(Located<String>);

impl Default for Scheduler {
    fn default() -> Self {
        Self(DESCRIPTIONS[0].name.to_owned().into())
    }
}

impl JsonSchema for Scheduler {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scheduler".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let named = DESCRIPTIONS.iter().map(|it| {
            let meaning = format!("{} ({}).", it.meaning, it.source);
            serde_json::json!({ "const": it.name, "description": meaning })
        });
        let names: Vec<_> = DESCRIPTIONS.iter().map(|it| it.name).collect();
        let own = serde_json::json!({
            "type": "string",
            "not": { "enum": names },
            "description": "a scheduler written in Python.",
        });
        json_schema!({
            "description": "What chooses the subflow of each segment.",
            "oneOf": named.chain([own]).collect::<Vec<serde_json::Value>>(),
        })
    }
}

impl Scheduler {
    fn settings(&self, makers: &[Arc<dyn Maker>]) -> Result<SchedulerSettings, Mistake> {
        let name = self.0.value.as_str();
        if let Some(maker) = makers.iter().find(|it| it.name() == name) {
            return Ok(SchedulerSettings::External(Arc::clone(maker)));
        }
        if let Some(it) = DESCRIPTIONS.iter().find(|it| it.name == name) {
            return Ok(SchedulerSettings::Registered(it));
        }
        let own = makers.iter().map(|it| it.name());
        let known: Vec<&str> = own.chain(DESCRIPTIONS.iter().map(|it| it.name)).collect();
        let mistake = self.0.mistake(format!("there is no scheduler `{name}`"));
        Err(mistake.help(suggestion(name, &known)))
    }
}

/// How the ends behave, and the links of each path.
type Planned = (MultipathSettings, Vec<Vec<PortId>>);

impl Paths {
    /// The bytes of data that each segment has less than one of plain TCP.
    pub(super) fn overhead(&self) -> u32 {
        u32::from(MultipathSettings::overhead(self.version.into()))
    }

    /// The paths of a flow between two nodes, on subflows like that; its receiver may be the one
    /// that opens them.
    pub(super) fn plan(
        &self,
        options: MultipathOptions,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        tcp: &TcpSettings,
        receiver_opens: bool,
    ) -> Result<MultipathPlan, Mistake> {
        let (mut settings, paths) = self.planned(context, ends, tcp, receiver_opens)?;
        settings.options = options;
        Ok(MultipathPlan { settings: Arc::new(settings), paths, receiver_opens })
    }

    fn planned(
        &self,
        context: &FlowContext<'_>,
        ends: [usize; 2],
        tcp: &TcpSettings,
        receiver_opens: bool,
    ) -> Result<Planned, Mistake> {
        let routed = context.paths.routed;
        let are_apart = routed.are_apart(ends);
        if are_apart && routed.hosts_choose_paths() {
            return self.between_systems(context, tcp);
        }
        if let Some(it) = &self.subflows {
            return Err(it
                .mistake("`subflows` requires a flow between autonomous systems")
                .help("name the links of each path under `paths`"));
        }
        let mut paths = match &self.paths {
            Some(it) => named(context, ends, it)?,
            None => {
                let mut all = context.paths.of_interfaces(ends);
                if are_apart {
                    all.iter_mut().for_each(keep_ends);
                }
                all
            }
        };
        let backups = match &self.backup_paths {
            Some(it) if !it.value.is_empty() => named(context, ends, it)?,
            _ => Vec::new(),
        };
        paths.retain(|it| !backups.contains(it));
        let active = paths.len();
        paths.extend(backups);
        let span =
            self.paths.as_ref().or(self.backup_paths.as_ref()).and_then(|it| it.span.clone());
        check(&paths, span.clone())?;
        if self.disjoint {
            check_disjoint(context, &paths, span)?;
        }
        let interfaces = Interfaces::of(&paths, receiver_opens);
        let settings = paths.iter().enumerate().map(|(place, path)| PathSettings {
            addresses: interfaces.addresses(path),
            is_backup: place >= active,
        });
        let settings = self.settings(context, tcp, settings.collect())?;
        Ok((settings, paths))
    }

    fn settings(
        &self,
        context: &FlowContext<'_>,
        tcp: &TcpSettings,
        paths: Vec<PathSettings>,
    ) -> Result<MultipathSettings, Mistake> {
        let count = paths.len();
        let scheduler = self.scheduler.settings(&context.controllers.extensions.schedulers)?;
        let mut settings =
            MultipathSettings::new(tcp.clone(), self.version.into(), paths, scheduler);
        settings.changes = in_order(&self.changes, count)?;
        Ok(settings)
    }

    /// The subflows of a flow between two autonomous systems, which have no links of their own.
    fn between_systems(
        &self,
        context: &FlowContext<'_>,
        tcp: &TcpSettings,
    ) -> Result<Planned, Mistake> {
        if let Some(it) = self.paths.as_ref().or(self.backup_paths.as_ref()) {
            return Err(it
                .mistake(
                    "`paths` cannot be set between autonomous systems, where hosts choose them",
                )
                .help("write `subflows`, and a `path_policy` of the flow"));
        }
        let count = self.subflows.as_ref().map_or(2, |it| usize::from(it.value));
        if let Some(it) = &self.subflows {
            it.checked(
                |_| (1..=MOST_PATHS).contains(&count),
                || format!("a flow must have 1 to {MOST_PATHS} subflows, not {count}"),
                "write one such as subflows = 2",
            )?;
        }
        let path = PathSettings { addresses: [0, 0], is_backup: false };
        let settings = self.settings(context, tcp, vec![path; count])?;
        Ok((settings, vec![Vec::new(); count]))
    }
}
