//! Applications: what runs on the byte streams between the hosts of a flow. They do no
//! input or output of their own: each call takes the time and a [`Host`], through which
//! streams are opened, written and closed. What carries a stream (a TCP connection, or
//! several of them) is the host's business.
//!
//! A flow has an application at each of its hosts: one at the sender of its data, one at
//! the receiver, and one at each proxy between them. A [`Maker`] makes those at its two ends;
//! [`Workload`] is any of those that are built in.
//!
//! **To add one:** its file, with its keys in scenario files, and its line in the list below.
//! `docs/adding-an-application.md` does so step by step.
//!
//! [`sessions`] and [`udp`] stand beside them: they have messages instead of streams.

/// All workloads, for a macro that makes something of them: each is its name and its keys, with
/// what the manual says of it. The first one is the default.
macro_rules! workloads {
    ($make:ident) => {
        $make! {
            /// Data without end.
            Bulk(bulk::BulkKeys),
            /// One file.
            File(file::FileKeys),
            /// The receiver asks and the sender answers, again and again, over one connection for
            /// each worker at the receiver, which opens it.
            RequestResponse(requests::RequestResponseKeys),
            /// At full speed in turns with silence. Two windows of data wait before the sender,
            /// as in Linux: what of them is left when a turn ends is still sent.
            OnOff(on_off::OnOffKeys),
            /// Files that arrive by a Poisson process, each over a connection of its own.
            Arrivals(arrivals::ArrivalsKeys),
            /// A page of the web, which the receiver loads: a document, and the objects that it and they
            /// refer to.
            WebPage(web_page::WebPageKeys),
            /// A video in one file, which the receiver requests and plays while it comes.
            Video(video::VideoKeys),
            /// A video in segments, of which the receiver requests one after another over one
            /// connection, each at a level that a rule chooses.
            AdaptiveVideo(video::AdaptiveVideoKeys),
            /// Live frames: each is sent when it is made.
            Frames(video::FramesKeys),
        }
    };
}

mod application;
mod arrivals;
mod bulk;
mod delays;
mod file;
mod keys;
mod messages;
mod on_off;
mod period;
mod registry;
mod relay;
mod requests;
pub mod sessions;
mod sizes;
pub mod udp;
pub mod video;
mod web_page;

pub use application::{Application, Before, Behaviour, Completed, Host, Maker, Setting, Stream};
pub use arrivals::ArrivalsSettings;
pub use bulk::BulkSettings;
pub use delays::{DelayPercentiles, Delays};
pub use file::FileSettings;
pub use keys::{Keys, WorkloadContext};
pub use on_off::OnOffKeys;
pub use period::{OnOffPeriods, Period, Periods};
pub use registry::{Workload, WorkloadKeys};
pub use relay::Relay;
pub use requests::RequestResponseSettings;
pub use sizes::{Sizes, SizesOfFiles};
pub use web_page::{Counts, Http, PageLoad, WebPageSettings};
