//! Strict priority.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_queues::{Bands, Discipline, QueueLimit};

use super::common::packets;
use crate::reading::error::Mistake;
use crate::reading::located::Located;
use crate::reading::units::Measured;
use crate::traffic::classes::Class;

/// The most bands that are named; Linux's prio has up to 16 in all.
const MOST_BANDS: usize = 15;

/// Strict priority, as Linux's prio: bands by the classes of packets, each first in, first out. A
/// packet leaves only where no higher band has one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StrictPriority {
    /// How much may wait in each band.
    #[serde(default = "packets::<100>")]
    pub(super) limit: Measured<QueueLimit>,
    /// The classes in each band, from the highest band on; below these bands is one of all other
    /// packets.
    #[serde(default = "bands")]
    bands: Located<Vec<Vec<Class>>>,
}

fn bands() -> Located<Vec<Vec<Class>>> {
    vec![vec![Class::Cs7, Class::Cs6, Class::Ef, Class::Va]].into()
}

impl StrictPriority {
    pub(super) fn discipline(&self) -> Result<Discipline, Mistake> {
        let classes = self.bands.value.iter().map(|it| it.iter().map(|it| (*it).into()).collect());
        let classes: Vec<Vec<_>> = classes.collect();
        self.bands.checked(
            |it| (1..=MOST_BANDS).contains(&it.len()),
            || format!("`bands` must name 1 to {MOST_BANDS} bands"),
            "write the classes of each, such as bands = [[\"EF\"], [\"AF41\", \"AF42\"]]",
        )?;
        let mut all = classes.concat();
        all.sort_unstable();
        self.bands.checked(
            |_| all.windows(2).all(|it| it[0] != it[1]),
            || "a class can be in one band only".to_owned(),
            "name each class once",
        )?;
        Ok(Discipline::StrictPriority(Bands::new(&classes)))
    }
}
