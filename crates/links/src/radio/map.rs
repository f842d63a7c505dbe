//! The map: base stations, buildings, the way of the user, and what stands in the
//! way of the radio.

use libm::hypot;

use super::propagation::{diffraction_parameter, knife_edge_loss};

/// A line that is within a building for no more than this touches its wall; in
/// metres.
const TOUCH: f64 = 1e-6;

/// A place, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Eastwards.
    pub x: f64,
    /// Northwards.
    pub y: f64,
}

impl Point {
    /// The distance to another place, in metres.
    #[must_use]
    pub fn distance(self, other: Self) -> f64 {
        hypot(other.x - self.x, other.y - self.y)
    }

    /// The place at a share of the straight way to another.
    fn towards(self, other: Self, share: f64) -> Self {
        Self { x: self.x + share * (other.x - self.x), y: self.y + share * (other.y - self.y) }
    }
}

/// A base station.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub at: Point,
    /// The height of its antenna, in metres.
    pub height: f64,
}

/// A building: a rectangle along the axes, higher than all antennas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Building {
    /// Its south-western corner.
    pub corner: Point,
    /// From west to east, in metres.
    pub width: f64,
    /// From south to north, in metres.
    pub depth: f64,
}

impl Building {
    /// Whether a line leads through the building, and not just along its walls.
    fn obstructs(&self, line: &Line) -> bool {
        let Self { corner, width, depth } = *self;
        let (from, to) = (line.from, line.to);
        let (west, east) = within(from.x, to.x, corner.x, corner.x + width);
        let (south, north) = within(from.y, to.y, corner.y, corner.y + depth);
        let (enters, leaves) = (west.max(south).max(0.0), east.min(north).min(1.0));
        (leaves - enters) * line.ground > TOUCH
    }

    fn corners(&self) -> [Point; 4] {
        let Point { x, y } = self.corner;
        let (east, north) = (x + self.width, y + self.depth);
        [(x, y), (east, y), (east, north), (x, north)].map(|(x, y)| Point { x, y })
    }

    /// How much longer than a line through the building the way round it is, in
    /// metres: on each side the corner that stands out most tells, and the better
    /// side counts.
    fn way_round(&self, line: &Line) -> f64 {
        let mut sides = [0.0_f64; 2];
        for corner in self.corners() {
            let side = &mut sides[usize::from(line.is_left(corner))];
            *side = side.max(line.detour(corner));
        }
        sides[0].min(sides[1])
    }

    /// How much longer than a line past the building the way over its nearest corner
    /// is, in metres. Like the way round, it is nothing where the line touches a
    /// corner, so that the loss has no jump there.
    fn clearance(&self, line: &Line) -> f64 {
        let beside = self.corners().into_iter().filter(|it| line.passes(*it));
        beside.map(|it| line.detour(it)).fold(f64::INFINITY, f64::min)
    }
}

/// Between which shares of the way from `from` to `to` a coordinate lies between
/// `low` and `high`.
fn within(from: f64, to: f64, low: f64, high: f64) -> (f64, f64) {
    const ALWAYS: (f64, f64) = (0.0, 1.0);
    const NEVER: (f64, f64) = (1.0, 0.0);
    let step = to - from;
    if low >= high {
        return NEVER;
    }
    if step == 0.0 {
        return if low < from && from < high { ALWAYS } else { NEVER };
    }
    let (one, other) = ((low - from) / step, (high - from) / step);
    (one.min(other), one.max(other))
}

/// The straight line between two antennas.
struct Line {
    from: Point,
    to: Point,
    /// By how much one end is higher than the other.
    rise: f64,
    /// Its length on the ground.
    ground: f64,
    /// Its length.
    length: f64,
}

impl Line {
    fn new(from: Point, to: Point, rise: f64) -> Self {
        let ground = from.distance(to);
        Self { from, to, rise, ground, length: hypot(ground, rise) }
    }

    /// Whether a place lies beside the line, neither behind its start nor beyond
    /// its end.
    fn passes(&self, place: Point) -> bool {
        let along = (self.to.x - self.from.x, self.to.y - self.from.y);
        let before = along.0 * (place.x - self.from.x) + along.1 * (place.y - self.from.y);
        let after = along.0 * (self.to.x - place.x) + along.1 * (self.to.y - place.y);
        before > 0.0 && after > 0.0
    }

    /// Whether a place lies on the left of the line.
    fn is_left(&self, place: Point) -> bool {
        let along = (self.to.x - self.from.x, self.to.y - self.from.y);
        along.0 * (place.y - self.from.y) > along.1 * (place.x - self.from.x)
    }

    /// How much longer the shortest way over an upright edge is, in metres.
    fn detour(&self, edge: Point) -> f64 {
        let around = self.from.distance(edge) + edge.distance(self.to);
        (hypot(around, self.rise) - self.length).max(0.0)
    }
}

/// What the buildings leave of the sight between two antennas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// Whether the straight line between them is free.
    pub line_of_sight: bool,
    /// What the buildings take by diffraction, in dB: a little already where the
    /// line passes close to a corner.
    pub loss: f64,
}

/// Stations, buildings, and the user's way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// The base stations; at least one.
    pub stations: Vec<Station>,
    /// The buildings.
    pub buildings: Vec<Building>,
    /// The corners of the user's way; at least one, where the user stands at first.
    /// At its end the user stands still.
    pub path: Vec<Point>,
    /// The height of the user's antenna, in metres.
    pub user_height: f64,
}

impl Map {
    /// How long the user's way is, in metres.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.path.windows(2).map(|it| it[0].distance(it[1])).sum()
    }

    /// Where the user is after this many metres.
    ///
    /// # Panics
    /// If the way has no corner.
    #[must_use]
    pub fn position(&self, walked: f64) -> Point {
        let mut left = walked;
        for leg in self.path.windows(2) {
            let length = leg[0].distance(leg[1]);
            if left < length {
                return leg[0].towards(leg[1], left / length);
            }
            left -= length;
        }
        *self.path.last().expect("a path has a corner")
    }

    /// What the buildings leave of the sight between a station and a user at a
    /// place.
    ///
    /// Each building is one knife edge (ITU-R P.526-15, section 4.1): the upright
    /// edge that the shorter of the two ways round it leads over. The losses of
    /// several buildings are added up, each as if it stood alone. Nothing goes over
    /// the roofs or through the walls: a user within a building has no line of sight, and
    /// loses what the way over its corners loses.
    #[must_use]
    pub fn shadow(&self, station: &Station, user: Point, carrier: f64) -> Shadow {
        let line = Line::new(station.at, user, station.height - self.user_height);
        let mut shadow = Shadow { line_of_sight: true, loss: 0.0 };
        for building in &self.buildings {
            let detour = if building.obstructs(&line) {
                shadow.line_of_sight = false;
                building.way_round(&line)
            } else {
                -building.clearance(&line)
            };
            shadow.loss += knife_edge_loss(diffraction_parameter(detour, carrier));
        }
        shadow
    }
}
