//! Who decides.

/// Who decides in an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The agent.
    Agent,
    /// The controller that the scenario names: what the agent answers is ignored.
    Own,
}
