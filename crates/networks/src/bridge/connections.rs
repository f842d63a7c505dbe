//! A table of bounded size for what an edge remembers of each connection, as in a
//! switch: a connection has one place in it, which it takes from another one.

/// How many places there are. Connections are numbered by their places at the
/// hosts, so that as many at once never share one.
const PLACES: usize = 4096;

/// Something for each connection.
#[derive(Clone, Debug)]
pub(super) struct Connections<T> {
    places: Vec<Option<(u32, T)>>,
}

impl<T> Default for Connections<T> {
    fn default() -> Self {
        Self { places: (0..PLACES).map(|_| None).collect() }
    }
}

impl<T> Connections<T> {
    /// What is remembered of a connection.
    #[inline]
    pub(super) fn get_mut(&mut self, connection: u32) -> Option<&mut T> {
        match &mut self.places[connection as usize % PLACES] {
            Some((number, value)) if *number == connection => Some(value),
            _ => None,
        }
    }

    /// The place of a connection, with the number of whichever has it.
    #[inline]
    pub(super) fn place_mut(&mut self, connection: u32) -> &mut Option<(u32, T)> {
        &mut self.places[connection as usize % PLACES]
    }
}
