//! What tquic uses of the crate `rand`, whose generator is one of a thread that nobody can seed: here
//! random numbers are those of the end of a connection that is at work.

use std::ops::Range;

use windtunnel_machine::random;

/// What can be drawn.
pub trait Standard {
    /// A random value, each with the same probability.
    fn draw() -> Self;
}

impl Standard for u8 {
    fn draw() -> Self {
        random::next() as Self
    }
}

impl Standard for u64 {
    fn draw() -> Self {
        random::next()
    }
}

impl<const LENGTH: usize> Standard for [u8; LENGTH] {
    fn draw() -> Self {
        let mut bytes = [0; LENGTH];
        random::fill(&mut bytes);
        bytes
    }
}

/// A random value.
#[must_use]
pub fn random<T: Standard>() -> T {
    T::draw()
}

/// The generator.
#[derive(Clone, Copy, Debug)]
pub struct ThreadRng;

/// The generator.
#[must_use]
pub fn thread_rng() -> ThreadRng {
    ThreadRng
}

/// A generator of bytes.
pub trait RngCore {
    /// Fills these bytes.
    fn fill_bytes(&mut self, bytes: &mut [u8]);
}

impl RngCore for ThreadRng {
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        random::fill(bytes);
    }
}

/// A number of which there are ranges.
pub trait Number: Copy {
    /// The one that is so many steps of 2⁻⁶⁴ of a range from its start.
    fn within(range: Range<Self>, steps: u64) -> Self;
}

macro_rules! number {
    ($($type:ty)*) => {$(
        impl Number for $type {
            fn within(range: Range<Self>, steps: u64) -> Self {
                let length = u128::from((range.end - range.start) as u64);
                range.start + ((length * u128::from(steps)) >> 64) as Self
            }
        }
    )*};
}

number!(u32 u64 usize);

/// A generator of numbers.
pub trait Rng {
    /// A number of a range, each with the same probability.
    fn gen_range<T: Number>(&mut self, range: Range<T>) -> T {
        T::within(range, random::next())
    }
}

impl Rng for ThreadRng {}
