//! The identity of a port.

/// One direction of a link, with the queue before it: its number never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub u32);

impl PortId {
    /// The port of a link in one direction: 0 from the link's first node, 1 from its
    /// second.
    #[must_use]
    pub fn new(link: usize, direction: usize) -> Self {
        Self((2 * link + direction) as u32)
    }

    /// The link's place in the plan.
    #[must_use]
    pub fn link(self) -> usize {
        self.0 as usize / 2
    }

    /// The direction: 0 from the link's first node, 1 from its second.
    #[must_use]
    pub fn direction(self) -> usize {
        self.0 as usize % 2
    }

    /// The same link's other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// Its place among all ports.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
