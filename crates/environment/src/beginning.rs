//! Episodes that begin in the same way: what happens before their agents act is simulated once, and
//! each goes on from a copy of that world.

use std::sync::{Arc, Mutex, PoisonError};

use windtunnel_engine::Time;
use windtunnel_scenario::Case;
use windtunnel_world::{Plan, World, caught};

use crate::driver::Driver;

/// Which episode: those that have the same are the same until their agents act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    pub(super) case: usize,
    pub(super) seed: u64,
    pub(super) driver: Driver,
}

/// The world of an episode at the last instant before its agents act, of which others have copies.
#[derive(Clone, Debug)]
pub(super) struct Beginning {
    of: Opening,
    world: Arc<Mutex<World>>,
}

impl Beginning {
    /// Whether it is that of an episode.
    pub(super) fn is_of(&self, opening: Opening) -> bool {
        self.of == opening
    }

    fn copy(&self) -> Option<World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner).fork().ok()
    }
}

/// The world of an episode at the last instant before `start`: a copy of the one that is kept, or
/// one of that plan, of which a copy is kept.
///
/// # Errors
/// Why something from outside could not be made, or go on.
pub(super) fn world(
    kept: &mut Option<Beginning>,
    of: Opening,
    start: Time,
    case: &Case,
    plan: impl FnOnce() -> Plan,
) -> Result<World, String> {
    if let Some(copy) = kept.as_ref().filter(|it| it.is_of(of)).and_then(Beginning::copy) {
        return Ok(copy);
    }
    *kept = None;
    let world = simulated(&plan(), start)?;
    // What is written outside is not copied.
    if start > Time::ZERO && !case.uses_extensions() && !case.uses_stacks() {
        let copy = world.fork().ok().map(|it| Arc::new(Mutex::new(it)));
        *kept = copy.map(|world| Beginning { of, world });
    }
    Ok(world)
}

/// The world of a plan at the last instant before `start`.
fn simulated(plan: &Plan, start: Time) -> Result<World, String> {
    let mut world = caught(|| World::new(plan))?.expect("the plan was checked when it was read");
    if let Some(before) = start.as_picos().checked_sub(1) {
        caught(|| world.advance(Time::from_picos(before)))?;
    }
    Ok(world)
}
