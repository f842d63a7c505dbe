//! Scenarios: from a file's text to plans that a world can be built from.
//!
//! [`Study::read`] parses and checks a text once. It does no input or output of its
//! own: whoever calls it gives the texts of the files that a scenario names.
//!
//! A text is read by `windtunnel_reading`, which keeps the place of each value for messages. Queue
//! disciplines, workloads and kinds of link bring their keys, beside their state machines; the other
//! tables have a file or a folder in `network` or `traffic`: their keys, the documentation of these
//! and their checks. `reading` has what stands for many tables, and files of networks. `study` has the sections of a whole file, the
//! cases that it compares, and the stages from a case to its plan: network, routes, tunnels,
//! flows, changes, recording. `extensions` has the names of what is written outside;
//! [`LayerKind`] is what a network layer brings.

mod network;
mod reading;
mod study;
mod traffic;

pub use network::layers::{
    Domains, FlowRequest, FrameContext, FrameError, FramePayload, LayerKind, NdnBetweenDomains,
    SectionTypes, Sections, ServedDomains,
};
pub use network::ndn_forwarder::{
    FaceAddress, FacePlan, FaceProtocol, ForwarderPlan, NDN_PORT, RoutePlan, read_forwarder,
};
pub use network::nodes::Names;
pub use reading::error::{Mistake, ScenarioError, TextPosition, did_you_mean, list, suggestion};
pub use reading::extensions::{Extensions, InTurns};
pub use reading::files::Unreadable;
pub use reading::located::Located;
pub use reading::tree::check_toml;
pub use reading::units::{Measured, duration, units};
pub use study::cases::{Case, Outside, Study};
pub use study::scenario::schema;
pub use traffic::bridges::round_trip;
pub use traffic::consumers::{LoneConsumer, lone_consumer};
pub use traffic::flows::Ip;
