//! Makes ends of connections.

use std::time::Duration;

use windtunnel_stack::{MakeStack, Place, StreamStack};

use crate::configuration::LARGEST_DATAGRAM;
use crate::controller::Controller;
use crate::end::End;

/// Makes ends with one controller; none if it is of a name that there is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker(pub(crate) Option<Controller>);

impl MakeStack for Maker {
    fn name(&self) -> &'static str {
        "quiche"
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    fn make(&self, now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let controller = self.0.ok_or("it has no such controller")?;
        let made = End::new(now, controller, &place).map_err(|it| it.to_string())?;
        Ok(Box::new(made))
    }
}
