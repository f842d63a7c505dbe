//! Fog and clouds: ITU-R P.840-8, droplets far smaller than the wavelength.

/// What fog takes that has so much liquid water, in g/m³, at a temperature in kelvins. For
/// frequencies up to 200 GHz.
#[must_use]
pub fn fog(frequency: f64, water: f64, temperature: f64) -> f64 {
    let frequency = frequency / 1e9;
    let [real, imaginary] = permittivity(frequency, temperature);
    let eta = (2.0 + real) / imaginary;
    0.819 * frequency / (imaginary * (1.0 + eta * eta)) * water
}

/// The real and the imaginary part of water's permittivity at a frequency in GHz (equations 4 to
/// 11): a double Debye model.
fn permittivity(frequency: f64, temperature: f64) -> [f64; 2] {
    let theta = 300.0 / temperature - 1.0;
    let low = 77.66 + 103.3 * theta;
    let middle = 0.0671 * low;
    let high = 3.52;
    let principal = 20.20 - 146.0 * theta + 316.0 * theta * theta;
    let secondary = 39.8 * principal;
    let [first, second] = [frequency / principal, frequency / secondary];
    let [one, two] = [first, second].map(|it| 1.0 + it * it);
    let real = (low - middle) / one + (middle - high) / two + high;
    let imaginary = first * (low - middle) / one + second * (middle - high) / two;
    [real, imaginary]
}
