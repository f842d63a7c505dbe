//! The antenna of one end, its beams, and where they point.

use libm::hypot;

use super::antenna::{Antenna, PatternCurve};

/// So many beams to each side of the middle one.
const TO_EACH_SIDE: f64 = 30.0;
/// The beams of a row, and to each side of its middle.
const OF_A_ROW: u8 = 20;
const TO_EACH_SIDE_OF_A_ROW: f64 = 10.0;

/// The end of a link: an antenna that looks past the other end by some angle, and may steer
/// its beam back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// The antenna.
    pub antenna: Antenna,
    /// By how much it looks past the other end, to the side: the angle between its axis and
    /// the direction of the other end.
    pub pointing_error: f64,
    /// Its beams, if it steers any.
    pub beam: Option<Beam>,
}

/// A phased array's beams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beam {
    /// Which beams there are.
    pub codebook: Codebook,
    /// How far from the axis the outermost one is.
    pub scan: f64,
    /// What that loses against the middle one; others less, by the square of their angle.
    pub scan_loss: f64,
    /// Which one is used; none: the one that receives most.
    pub index: Option<u8>,
}

/// The beams of Terragraph's codebooks, as wide as the antenna scans. In both, beam 30 is on the
/// antenna's axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codebook {
    /// 61 beams beside each other.
    Line,
    /// Three rows of 20 beams: below the axis, at its height, and above.
    Rows,
}

impl Codebook {
    /// How many beams there are.
    #[must_use]
    pub fn beams(self) -> u8 {
        match self {
            Self::Line => 61,
            Self::Rows => 3 * OF_A_ROW,
        }
    }

    /// Where a beam points from the axis, sideways and up, as shares of the scan range.
    fn direction(self, index: u8) -> [f64; 2] {
        match self {
            Self::Line => [(f64::from(index) - TO_EACH_SIDE) / TO_EACH_SIDE, 0.0],
            Self::Rows => {
                let (row, column) = (index / OF_A_ROW, index % OF_A_ROW);
                let aside = (f64::from(column) - TO_EACH_SIDE_OF_A_ROW) / TO_EACH_SIDE_OF_A_ROW;
                [aside, f64::from(row) - 1.0]
            }
        }
    }
}

impl End {
    /// The loss towards a point that is so far above the other end, seen from here.
    #[must_use]
    pub fn loss(&self, above: f64) -> f64 {
        match self.beam_in_use() {
            Some((beam, index)) => self.loss_of(&beam, index, above),
            None => self.antenna.loss(hypot(self.pointing_error, above)),
        }
    }

    /// Which beam is used.
    #[must_use]
    pub fn index(&self) -> Option<u8> {
        self.beam_in_use().map(|(_, index)| index)
    }

    /// The angle between the beam in use and the other end.
    #[must_use]
    pub fn angle(&self) -> f64 {
        match self.beam_in_use() {
            Some((beam, index)) => self.residual(&beam, index, 0.0),
            None => self.pointing_error.abs(),
        }
    }

    /// What the antenna loses over the angle, and where it is on that curve.
    #[must_use]
    pub fn pattern(&self) -> PatternCurve {
        PatternCurve { present: [self.angle(), self.loss(0.0)], points: self.antenna.curve() }
    }

    fn beam_in_use(&self) -> Option<(Beam, u8)> {
        let beam = self.beam?;
        let loss = |index: &u8| self.loss_of(&beam, *index, 0.0);
        let best = || (0..beam.codebook.beams()).min_by(|a, b| loss(a).total_cmp(&loss(b)));
        Some((beam, beam.index.or_else(best)?))
    }

    /// The angle between a beam and a point so far above the other end. A beam that is steered
    /// as far as the antenna looks past the other end points at it.
    fn residual(&self, beam: &Beam, index: u8, above: f64) -> f64 {
        let [aside, up] = beam.codebook.direction(index).map(|it| it * beam.scan);
        hypot(self.pointing_error + aside, above - up)
    }

    fn loss_of(&self, beam: &Beam, index: u8, above: f64) -> f64 {
        let [aside, up] = beam.codebook.direction(index);
        let scan_loss = beam.scan_loss * (aside * aside + up * up);
        self.antenna.loss(self.residual(beam, index, above)) + scan_loss
    }
}
