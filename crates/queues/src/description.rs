//! What a queue discipline is.

use windtunnel_engine::Random;

use crate::keys::Keys;

/// A queue discipline's name and what it is.
#[derive(Clone, Copy, Debug)]
pub struct QueueDescription {
    /// The name in scenario files.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// What defines it.
    pub source: &'static str,
    /// Whether packets wait in it although the link is free.
    pub shapes: bool,
    /// Whether it draws from its random stream.
    pub is_random: bool,
}

/// A discipline's state, which is made of its settings.
pub trait Configured {
    /// What a scenario says of it.
    type Keys: Keys<Settings = Self::Settings>;

    /// What is set on it.
    type Settings;

    /// Whether it ever marks a packet with these settings.
    fn marks(settings: &Self::Settings) -> bool;

    /// The discipline on an empty queue, with its own random stream.
    fn start(settings: Self::Settings, random: Random) -> Self;
}
