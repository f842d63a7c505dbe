//! The workloads that are built in.

use std::sync::Arc;

use windtunnel_engine::Rate;

use crate::arrivals;
use crate::bulk::{Bulk, Discard};
use crate::file::{FileReceiver, FileSender};
use crate::messages::{MessageReceiver, MessageSender};
use crate::on_off::OnOff;
use crate::requests::{Client, Exchange, Server};
use crate::video::{
    AdaptivePlayer, AdaptiveSettings, FileServer, LiveReceiver, LiveSender, LiveSettings,
    ProgressivePlayer, ProgressiveSettings, SegmentServer,
};
use crate::{Application, Maker, OnOffPeriods, Period, Setting, Sizes};

/// What a flow carries over streams.
#[derive(Clone, Debug)]
pub enum Workload {
    /// Data without end, over one stream.
    Bulk {
        /// How fast the application hands it over; without limit if there is none.
        rate: Option<Rate>,
    },
    /// One file, over one stream, which is then closed.
    File {
        /// Its size in bytes.
        bytes: u64,
    },
    /// Workers at the receiver ask and the sender answers, again and again, over a stream for
    /// each that the receiver opens.
    RequestResponse {
        /// How many workers there are.
        workers: u32,
        /// The size of a request in bytes.
        request: u64,
        /// The size of an answer in bytes.
        response: u64,
        /// From an answer's end to the next request.
        think: Period,
    },
    /// At full speed in turns, over one stream.
    OnOff(OnOffPeriods),
    /// Files that arrive by a Poisson process, each over a stream of its own.
    Arrivals {
        /// The mean number of arrivals in a second.
        per_second: f64,
        /// How large the files are.
        sizes: Sizes,
    },
    /// A video in one file, which the receiver requests and plays while it comes.
    Video(ProgressiveSettings),
    /// A video in segments, of which the receiver requests one after another, each at a level
    /// that it chooses, over one stream.
    AdaptiveVideo(AdaptiveSettings),
    /// Frames that are sent as they are made, over one stream.
    Frames(LiveSettings),
    /// Messages of a service of the network, over one stream.
    Messages,
    /// Applications from outside.
    External(Arc<dyn Maker>),
}

impl Workload {
    /// The applications at the sender and at the receiver of the flow's data.
    #[must_use]
    pub fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        let Setting { start, random } = setting;
        let (start, random) = (*start, || random.clone());
        match self {
            &Self::Bulk { rate } => [Box::new(Bulk::new(start, rate)), Box::new(Discard)],
            &Self::File { bytes } => {
                [Box::new(FileSender::new(start, bytes)), Box::new(FileReceiver::new(start, bytes))]
            }
            &Self::RequestResponse { workers, request, response, think } => {
                let exchange = Exchange { request, response, think };
                let client = Client::new(start, exchange, workers, random());
                [Box::new(Server::new(exchange)), Box::new(client)]
            }
            &Self::OnOff(turns) => {
                [Box::new(OnOff::new(start, turns, random())), Box::new(Discard)]
            }
            Self::Arrivals { per_second, sizes } => {
                let (sender, receiver) = arrivals::ends(start, *per_second, sizes, &random());
                [Box::new(sender), Box::new(receiver)]
            }
            Self::Video(video) => {
                [Box::new(FileServer::new(video)), Box::new(ProgressivePlayer::new(start, video))]
            }
            Self::AdaptiveVideo(video) => {
                [Box::new(SegmentServer::new(video)), Box::new(AdaptivePlayer::new(start, video))]
            }
            Self::Frames(live) => {
                [Box::new(LiveSender::new(start, live)), Box::new(LiveReceiver::new(start, live))]
            }
            Self::Messages => [Box::<MessageSender>::default(), Box::<MessageReceiver>::default()],
            Self::External(maker) => maker.applications(setting),
        }
    }

    /// Whether there may be many streams at a time.
    #[must_use]
    pub fn has_many_streams(&self) -> bool {
        match self {
            Self::Arrivals { .. } | Self::External(_) => true,
            Self::RequestResponse { workers, .. } => *workers > 1,
            Self::Bulk { .. }
            | Self::File { .. }
            | Self::OnOff(_)
            | Self::Video(_)
            | Self::AdaptiveVideo(_)
            | Self::Frames(_)
            | Self::Messages => false,
        }
    }

    /// Whether it carries files or answers that are received to an end.
    #[must_use]
    pub fn has_transfers(&self) -> bool {
        match self {
            Self::Bulk { .. } | Self::OnOff(_) | Self::Messages => false,
            Self::File { .. }
            | Self::RequestResponse { .. }
            | Self::Arrivals { .. }
            | Self::Video(_)
            | Self::AdaptiveVideo(_)
            | Self::Frames(_)
            | Self::External(_) => true,
        }
    }

    /// Whether its receiver may be a player with a buffer.
    #[must_use]
    pub fn has_playback(&self) -> bool {
        match self {
            Self::Video(_) | Self::AdaptiveVideo(_) | Self::External(_) => true,
            Self::Bulk { .. }
            | Self::File { .. }
            | Self::RequestResponse { .. }
            | Self::OnOff(_)
            | Self::Arrivals { .. }
            | Self::Frames(_)
            | Self::Messages => false,
        }
    }
}
