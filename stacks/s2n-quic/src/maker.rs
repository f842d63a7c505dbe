//! Makes ends of connections.

use std::time::Duration;

use windtunnel_stack::{MakeStack, Place, StreamStack};

use crate::controller::Controller;
use crate::end::End;
use crate::queues::LARGEST_DATAGRAM;

/// Makes ends with one controller; none if it is of a name that there is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maker(pub(crate) Option<Controller>);

impl MakeStack for Maker {
    fn name(&self) -> &'static str {
        "s2n-quic"
    }

    fn largest_datagram(&self) -> u16 {
        LARGEST_DATAGRAM
    }

    /// RFC 9000, section 14: every path carries that.
    fn first_datagram(&self) -> u16 {
        1200
    }

    fn make(&self, _now: Duration, place: Place) -> Result<Box<dyn StreamStack>, String> {
        let controller = self.0.ok_or("its controllers are `cubic` and `bbr2`")?;
        let made = End::new(controller, &place).map_err(|it| it.to_string())?;
        Ok(Box::new(made))
    }
}
