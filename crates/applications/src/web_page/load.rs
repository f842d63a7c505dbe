//! What is measured of a page that loads.

use windtunnel_engine::{Duration, Time};

use super::document::{Kind, Page};

/// How a page has loaded so far; times are those since its load began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageLoad {
    /// Its objects, and how many of them have come.
    pub objects: [u64; 2],
    /// Its bytes, and those of the objects that have come.
    pub bytes: [u64; 2],
    /// Until the first byte of the document.
    pub first_byte: Option<Duration>,
    /// Until everything has come without which nothing is shown: the document, style sheets and the
    /// scripts that it names at its beginning.
    pub first_paint: Option<Duration>,
    /// The same, and the largest image.
    pub largest_paint: Option<Duration>,
    /// Until the last object has come.
    pub whole: Option<Duration>,
    /// The integral of the share of its bytes that have not come, in seconds, where an object
    /// comes when it is whole; once all have.
    pub byte_index: Option<f64>,
}

/// Measures the load of a page.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    start: Time,
    load: PageLoad,
    /// How many objects that block have not come.
    blocking: usize,
    largest_image: Option<usize>,
    /// The sum of bytes times how long they took, in seconds.
    weighted: f64,
}

impl Meter {
    pub(super) fn new(page: &Page, start: Time) -> Self {
        let bytes = page.0.iter().map(|it| it.bytes).sum();
        let images = (0..).zip(&page.0).filter(|(_, it)| it.kind == Kind::Image);
        let largest = images.max_by_key(|(_, it)| it.bytes).map(|(place, _)| place);
        Self {
            start,
            load: PageLoad {
                objects: [page.0.len() as u64, 0],
                bytes: [bytes, 0],
                ..PageLoad::default()
            },
            blocking: page.0.iter().filter(|it| it.blocks).count(),
            largest_image: largest,
            weighted: 0.0,
        }
    }

    /// The first byte of the document has come.
    pub(super) fn first_byte(&mut self, now: Time) {
        self.load.first_byte.get_or_insert(now.since(self.start));
    }

    /// An object has come, whole.
    pub(super) fn complete(&mut self, page: &Page, object: usize, now: Time) {
        let (it, elapsed) = (&page.0[object], now.since(self.start));
        self.load.objects[1] += 1;
        self.load.bytes[1] += it.bytes;
        self.weighted += it.bytes as f64 * elapsed.as_seconds();
        self.blocking -= usize::from(it.blocks);
        if self.largest_image == Some(object) {
            self.largest_image = None;
        }
        if self.blocking == 0 {
            self.load.first_paint.get_or_insert(elapsed);
            if self.largest_image.is_none() {
                self.load.largest_paint.get_or_insert(elapsed);
            }
        }
        if self.load.objects[0] == self.load.objects[1] {
            self.load.whole = Some(elapsed);
            self.load.byte_index = Some(self.weighted / self.load.bytes[0].max(1) as f64);
        }
    }

    pub(super) fn load(&self) -> &PageLoad {
        &self.load
    }
}
