//! A page: its objects, how large they are, and what each is found in.

use std::ops::Range;

use windtunnel_engine::Random;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    Style,
    Script,
    Font,
    Image,
    Other,
}

/// Bytes that a kind of object has, between percentiles; between two of them the logarithm of the
/// size is uniform. Those of desktop pages in the HTTP Archive (Web Almanac 2025, "Page Weight"), where
/// scripts, styles, fonts and documents are known at the 10th and 90th percentile; smaller and larger
/// ones than these have their size.
const SIZES: [(Kind, &[(f64, f64)]); 6] = [
    (Kind::Document, &[(0.1, 500.0), (0.9, 59e3)]),
    (Kind::Style, &[(0.1, 200.0), (0.9, 50e3)]),
    (Kind::Script, &[(0.1, 1e3), (0.9, 165e3)]),
    (Kind::Font, &[(0.1, 16e3), (0.9, 158e3)]),
    (Kind::Image, &[(0.25, 1e3), (0.5, 8e3), (0.75, 48e3), (0.9, 183e3)]),
    (Kind::Other, &[(0.1, 200.0), (0.9, 10e3)]),
];

impl Kind {
    fn draw(self, random: &mut Random) -> u64 {
        let level = random.unit();
        let points = SIZES.iter().find(|it| it.0 == self).map_or(&[][..], |it| it.1);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return 1 };
        let inside = level.clamp(first.0, last.0);
        let pair = points.windows(2).find(|it| inside <= it[1].0);
        let Some([(low, from), (high, to)]) = pair else { return last.1 as u64 };
        (from * (to / from).powf((inside - low) / (high - low))).round() as u64
    }
}

/// What an object becomes known by: so many bytes of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) object: usize,
    pub(super) bytes: u64,
}

/// An object of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) kind: Kind,
    pub(super) bytes: u64,
    /// None of the document that the page begins with.
    pub(super) found_in: Option<Reference>,
    /// Whether nothing is shown before it has come.
    pub(super) blocks: bool,
}

impl Object {
    /// Its urgency (RFC 9218, section 4.1), as browsers give it: first what the page cannot be shown
    /// without, scripts and fonts after that, then images, and last what scripts ask for.
    pub(super) fn urgency(&self) -> u8 {
        match self.kind {
            Kind::Document | Kind::Style => 0,
            Kind::Script | Kind::Font => 1,
            Kind::Image => 2,
            Kind::Other => 3,
        }
    }
}

/// How many objects of each kind a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Style sheets.
    pub styles: u16,
    /// Scripts.
    pub scripts: u16,
    /// Fonts.
    pub fonts: u16,
    /// Images.
    pub images: u16,
    /// What scripts ask for.
    pub others: u16,
}

/// A page, whose objects are in the order in which they are found where they come one after
/// another, each whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page(pub(super) Vec<Object>);

impl Page {
    /// A page with so many objects beside its document, all of one size or each of its own.
    ///
    /// With its first byte the document names the style sheets and the first half of the scripts,
    /// which block; with its last one half of the images. Style sheets name fonts and
    /// a quarter of the images. Scripts that block name the others, which are
    /// what scripts ask for, and the last quarter of the images.
    pub(super) fn new(counts: Counts, size: Option<u64>, random: &mut Random) -> Self {
        let mut made = Maker { objects: Vec::new(), size, random };
        let document = made.add(Kind::Document, 1, true, |_, _| None).start;
        let [first, whole] = [1, made.objects[document].bytes];
        let by = |bytes| move |_, _: &[Object]| Some(Reference { object: document, bytes });
        let styles = made.add(Kind::Style, counts.styles, true, by(first));
        let blocking = made.add(Kind::Script, counts.scripts.div_ceil(2), true, by(first));
        let of_styles = turns(if styles.is_empty() { document..document + 1 } else { styles });
        let of_scripts = turns(if blocking.is_empty() { document..document + 1 } else { blocking });
        made.add(Kind::Script, counts.scripts / 2, false, &of_scripts);
        made.add(Kind::Font, counts.fonts, false, &of_styles);
        let quarter = counts.images / 4;
        made.add(Kind::Image, counts.images - 2 * quarter, false, by(whole));
        made.add(Kind::Image, quarter, false, &of_styles);
        made.add(Kind::Image, quarter, false, &of_scripts);
        made.add(Kind::Other, counts.others, false, &of_scripts);
        Self(made.objects).in_order()
    }

    /// The same page with its objects in the order in which they are found.
    fn in_order(self) -> Self {
        let mut order = vec![0];
        let mut at = 0;
        while let Some(parent) = order.get(at).copied() {
            at += 1;
            let mut found: Vec<(u64, usize)> = (0..)
                .zip(&self.0)
                .filter_map(|(place, it)| Some((place, it.found_in?)))
                .filter(|(_, it)| it.object == parent)
                .map(|(place, it)| (it.bytes, place))
                .collect();
            found.sort_unstable();
            order.extend(found.into_iter().map(|(_, place)| place));
        }
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| rank[*old] = new);
        let moved = |it: &usize| {
            let object = self.0[*it];
            let found_in = object.found_in.map(|it| Reference { object: rank[it.object], ..it });
            Object { found_in, ..object }
        };
        Self(order.iter().map(moved).collect())
    }

    /// The objects that are known once so many bytes of one have come that had fewer before.
    pub(super) fn found(&self, object: usize, bytes: Range<u64>) -> impl Iterator<Item = usize> {
        let is_found = move |it: &Object| {
            it.found_in.is_some_and(|it| {
                it.object == object && bytes.start < it.bytes && it.bytes <= bytes.end
            })
        };
        (0..).zip(&self.0).filter(move |(_, it)| is_found(it)).map(|(place, _)| place)
    }

    /// How many bytes of an object must come before something is found in it, or it is whole.
    pub(super) fn next(&self, object: usize, bytes: u64) -> u64 {
        let references = self.0.iter().filter_map(|it| it.found_in);
        let here = references.filter(|it| it.object == object && it.bytes > bytes);
        here.map(|it| it.bytes).min().unwrap_or(self.0[object].bytes)
    }
}

/// References to the whole of these objects in turn.
fn turns(objects: Range<usize>) -> impl Fn(usize, &[Object]) -> Option<Reference> {
    move |place, all| {
        let object = objects.start + place % objects.len();
        Some(Reference { object, bytes: all[object].bytes })
    }
}

struct Maker<'a> {
    objects: Vec<Object>,
    size: Option<u64>,
    random: &'a mut Random,
}

impl Maker<'_> {
    fn add(
        &mut self,
        kind: Kind,
        count: u16,
        blocks: bool,
        found_in: impl Fn(usize, &[Object]) -> Option<Reference>,
    ) -> Range<usize> {
        let start = self.objects.len();
        for place in 0..usize::from(count) {
            let bytes = self.size.unwrap_or_else(|| kind.draw(self.random));
            let found_in = found_in(place, &self.objects);
            self.objects.push(Object { kind, bytes, found_in, blocks });
        }
        start..self.objects.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windtunnel_engine::Streams;

    use super::*;

    proptest! {
        /// Each object is found in one before it, at a byte that this has, and later the later it is
        /// in the order: so each is found, once.
        #[test]
        fn objects_are_in_the_order_in_which_they_are_found(
            [styles, scripts, fonts, images, others] in proptest::array::uniform5(0_u16..30),
            size in proptest::option::of(1..1000_u64),
            seed: u64,
        ) {
            let counts = Counts { styles, scripts, fonts, images, others };
            let page = Page::new(counts, size, &mut Streams::new(seed, 0).stream("page"));
            let expected = 1 + styles + scripts + fonts + images + others;
            prop_assert_eq!(page.0.len(), usize::from(expected));
            prop_assert!(page.0[0].found_in.is_none());
            let references: Option<Vec<_>> = page.0[1..].iter().map(|it| it.found_in).collect();
            let references = references.expect("only the document is not found in another");
            for (place, it) in (1..).zip(&references) {
                prop_assert!(it.object < place && (1..=page.0[it.object].bytes).contains(&it.bytes));
            }
            prop_assert!(references.is_sorted_by_key(|it| (it.object, it.bytes)));
            for object in 0..page.0.len() {
                let (mut bytes, mut found) = (0, Vec::new());
                while bytes < page.0[object].bytes {
                    let next = page.next(object, bytes);
                    prop_assert!(next > bytes);
                    found.extend(page.found(object, bytes..next));
                    bytes = next;
                }
                let here = (1..).zip(&references).filter(|it| it.1.object == object);
                prop_assert_eq!(found, here.map(|it| it.0).collect::<Vec<_>>());
            }
        }
    }

    /// The percentiles of the sizes are those that they are drawn from.
    #[test]
    fn sizes_have_their_percentiles() {
        let mut random = Streams::new(1, 0).stream("sizes");
        for (kind, points) in SIZES {
            let mut drawn: Vec<u64> = (0..100_000).map(|_| kind.draw(&mut random)).collect();
            drawn.sort_unstable();
            for (share, bytes) in &points[1..points.len() - 1] {
                let measured = drawn[(share * 100_000.0) as usize] as f64;
                assert!((measured / bytes - 1.0).abs() < 0.1, "{kind:?} {share}: {measured}");
            }
            let ends = [drawn[0], drawn[99_999]].map(|it| it as f64);
            assert_eq!(ends, [points[0].1, points[points.len() - 1].1], "{kind:?}");
        }
    }
}
