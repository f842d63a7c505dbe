//! A delay that is a function of the link's load, as the games of selfish routing have it.

use windtunnel_engine::{Duration, Rate, Time};

/// What a link adds to the delay of each packet: `delay · (load / at)^power`, where the load is
/// what arrived in the last full window. Windows follow each other from the start of the
/// simulation; packets keep their order.
///
/// Links have no such delay by themselves, except for what waits in their queues: it stands for a
/// network whose delay grows with its load in a known way (Pigou 1920; Roughgarden and Tardos,
/// "How bad is selfish routing?", J. ACM 2002).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadDelay {
    /// What is added at the load `at`.
    pub delay: Duration,
    /// The load at which that is so.
    pub at: Rate,
    /// The power of the load.
    pub power: u8,
    /// How long the load is measured before it counts; above zero.
    pub window: Duration,
}

/// A link's delay, and the load that it is measured by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadMeter {
    settings: LoadDelay,
    /// The number of the current window, and the bits that arrived in it.
    window: u64,
    bits: u64,
    /// What the last full window adds.
    added: Duration,
    /// When the last packet arrives.
    last: Time,
}

impl LoadMeter {
    pub(crate) fn new(settings: LoadDelay) -> Self {
        Self { settings, window: 0, bits: 0, added: Duration::ZERO, last: Time::ZERO }
    }

    /// When a packet of so many bytes arrives that would have at `now`.
    pub(crate) fn arrival(&mut self, now: Time, bytes: u32) -> Time {
        let window = now.as_picos() / self.settings.window.as_picos();
        if window > self.window {
            let full = if window == self.window + 1 { self.bits } else { 0 };
            self.added = self.settings.added(full);
            (self.window, self.bits) = (window, 0);
        }
        self.bits += 8 * u64::from(bytes);
        self.last = self.last.max(now + self.added);
        self.last
    }
}

impl LoadDelay {
    /// What a window adds in which this many bits arrived.
    fn added(&self, bits: u64) -> Duration {
        let load = bits as f64 / self.window.as_seconds();
        let relative = load / self.at.bits_per_second() as f64;
        self.delay.scaled(relative.powi(i32::from(self.power)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 ms at 1 Mbps, measured over a tenth of a second.
    fn settings(power: u8) -> LoadDelay {
        LoadDelay {
            delay: Duration::from_millis(40),
            at: Rate::from_bits_per_second(1_000_000).expect("above zero"),
            power,
            window: Duration::from_millis(100),
        }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// Packets of 125 bytes each millisecond are 1 Mbps.
    #[test]
    fn the_delay_is_that_power_of_the_load_of_the_last_window() {
        for (power, bytes, expected) in
            [(1, 125, 40.0), (1, 50, 16.0), (2, 125, 40.0), (2, 250, 160.0), (3, 50, 2.56)]
        {
            let mut meter = LoadMeter::new(settings(power));
            let mut held = |time| meter.arrival(at(time), bytes).since(at(time)).as_seconds();
            assert!((0..100).all(|time| held(time) == 0.0), "no window is full yet");
            let held: Vec<f64> = (100..1000).map(held).collect();
            assert!(held.iter().all(|it| (it * 1e3 - expected).abs() < 1e-6), "{held:?}");
        }
    }

    #[test]
    fn a_window_without_packets_adds_nothing() {
        let mut meter = LoadMeter::new(settings(1));
        for time in 0..100 {
            meter.arrival(at(time), 125);
        }
        assert_eq!(meter.arrival(at(150), 125), at(190));
        assert_eq!(meter.arrival(at(350), 125), at(350));
    }

    /// The load falls from 1 Mbps to a tenth: what is sent then would be 36 ms quicker.
    #[test]
    fn packets_keep_their_order_when_the_load_falls() {
        let mut meter = LoadMeter::new(settings(1));
        for time in 0..200 {
            meter.arrival(at(time), if time < 100 { 125 } else { 12 });
        }
        assert_eq!(meter.arrival(at(200), 12), at(239));
        let arrivals: Vec<Time> = (201..300).map(|it| meter.arrival(at(it), 12)).collect();
        assert!(arrivals.is_sorted());
        assert!(arrivals[98].since(at(299)) < Duration::from_millis(4));
    }
}
