//! What an agent answers.

/// What an agent answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// How much may be in flight, in segments; finite.
    pub cwnd: f64,
    /// How fast to send, in segments per second; `None` leaves it to the transport.
    pub pacing_rate: Option<f64>,
}

impl Answer {
    /// Refuses one that no sender can follow.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { cwnd, pacing_rate } = self;
        let is_sound = |rate: f64| rate.is_finite() && rate > 0.0;
        if cwnd.is_finite() && pacing_rate.is_none_or(is_sound) {
            return Ok(());
        }
        let rate = pacing_rate.map_or("none".to_owned(), |it| it.to_string());
        Err(format!(
            "an action must be a finite window, and a rate greater than zero or none; this one \
             was a window \
             of {cwnd} segments and a rate of {rate}"
        ))
    }
}
