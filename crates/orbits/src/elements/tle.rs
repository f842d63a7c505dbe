//! Two-line element sets, as space-track.org and CelesTrak publish them.

use sgp4::{Constants, Elements};

use crate::epoch::Epoch;
use crate::orbit::Orbit;

/// What is wrong with a file of element sets, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TleError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub why: String,
}

/// A satellite of a file.
#[derive(Clone, Debug)]
pub struct TleRecord {
    /// Its name, or its catalogue number where it has none.
    pub name: String,
    /// Its orbit.
    pub orbit: Orbit,
    /// The epoch of its elements.
    pub epoch: Epoch,
    /// Its mean altitude over the equator, in km.
    pub altitude: f64,
    /// Its inclination, in degrees.
    pub inclination: f64,
    /// The right ascension of its ascending node, in degrees.
    pub node: f64,
    /// The argument of perigee and the mean anomaly: how far it is along its orbit, in
    /// degrees.
    pub argument: f64,
}

/// Reads element sets of two lines each, or three with a name before them.
///
/// # Errors
/// [`TleError`] for the first line that is not one of an element set.
pub fn read(text: &str) -> Result<Vec<TleRecord>, TleError> {
    let mut records = Vec::new();
    let mut name = None;
    let lines = text.lines().map(str::trim_end).zip(1..);
    let mut lines = lines.filter(|(line, _)| !line.is_empty());
    while let Some((line, number)) = lines.next() {
        if !is_line(line, '1') {
            if name.replace(line.trim().to_owned()).is_some() || is_line(line, '2') {
                return Err(TleError { line: number, why: "there is no line 1 before it".into() });
            }
            continue;
        }
        check(line, number)?;
        let Some((second, below)) = lines.next().filter(|(it, _)| is_line(it, '2')) else {
            return Err(TleError { line: number, why: "no line 2 follows it".into() });
        };
        check(second, below)?;
        records.push(record(name.take(), [line, second], number)?);
    }
    match name {
        Some(_) => {
            let line = text.lines().count();
            Err(TleError { line, why: "no line 1 follows it".into() })
        }
        None => Ok(records),
    }
}

fn is_line(line: &str, number: char) -> bool {
    line.starts_with([number]) && line[1..].starts_with(' ')
}

/// The sum of the digits of the first 68 columns, a minus sign counted as 1, ends in the
/// digit of the last.
fn check(line: &str, number: usize) -> Result<(), TleError> {
    let wrong = |why: String| Err(TleError { line: number, why });
    if line.len() != 69 || !line.is_ascii() {
        return wrong(format!("it has {} characters, not 69", line.chars().count()));
    }
    let digit = |it: char| it.to_digit(10).unwrap_or(u32::from(it == '-'));
    let sum = line[..68].chars().map(digit).sum::<u32>() % 10;
    match line[68..].parse::<u32>() {
        Ok(checksum) if checksum == sum => Ok(()),
        _ => wrong(format!("its checksum is {}, and its digits add up to {sum}", &line[68..])),
    }
}

fn record(name: Option<String>, lines: [&str; 2], number: usize) -> Result<TleRecord, TleError> {
    let wrong = |why: String| TleError { line: number, why };
    let [first, second] = lines.map(str::as_bytes);
    let elements =
        Elements::from_tle(name.clone(), first, second).map_err(|it| wrong(it.to_string()))?;
    let constants = Constants::from_elements_afspc_compatibility_mode(&elements)
        .map_err(|it| wrong(it.to_string()))?;
    let epoch = Epoch::from_julian_years(elements.epoch());
    // The mean motion is in orbits a day (WGS 72).
    let motion = elements.mean_motion * core::f64::consts::TAU / 86_400.0;
    let axis = libm::cbrt(398_600.8 / (motion * motion));
    Ok(TleRecord {
        name: name.unwrap_or_else(|| elements.norad_id.to_string()),
        orbit: Orbit::Elements { constants: Box::new(constants), epoch },
        epoch,
        altitude: axis - crate::EQUATORIAL_RADIUS,
        inclination: elements.inclination,
        node: elements.right_ascension,
        argument: elements.argument_of_perigee + elements.mean_anomaly,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISS: [&str; 3] = [
        "ISS (ZARYA)",
        "1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992",
        "2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008",
    ];

    /// Vallado et al., Revisiting Spacetrack Report #3 (AIAA 2006-6753): 33 objects.
    #[test]
    fn orbits_are_those_of_the_verification_set() {
        let text = include_str!("../tests/data/sgp4-verification.txt");
        let mut lines = text.lines().peekable();
        let mut count = 0;
        while let Some(first) = lines.next() {
            let second = lines.next().expect("two lines");
            let records = read(&format!("{first}\n{second}\n")).expect("element sets");
            let record = &records[0];
            while let Some(state) = lines.next_if(|it| !is_line(it, '1')) {
                let values: Vec<f64> =
                    state.split(' ').map(|it| it.parse().expect("a number")).collect();
                let found = record.orbit.position(record.epoch, values[0] * 60.0, 0.0);
                let found = found.expect("it has not decayed");
                let known = glam::DVec3::new(values[1], values[2], values[3]);
                assert!(found.distance(known) < 1e-5, "{} {found} {known}", record.name);
                count += 1;
            }
        }
        assert!(count > 600, "{count}");
    }

    #[test]
    fn a_name_is_a_line_before() {
        let records = read(&ISS.join("\n")).expect("an element set");
        assert_eq!(records[0].name, "ISS (ZARYA)");
        assert_eq!(read(&ISS[1..].join("\n")).expect("an element set")[0].name, "25544");
        assert!((records[0].altitude - 420.0).abs() < 10.0, "{}", records[0].altitude);
        assert!((records[0].inclination - 51.6461).abs() < 1e-9);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| read(text).expect_err("it is wrong");
        let [name, first, second] = ISS;
        let changed = first.replace("20194", "20195");
        let error = wrong(&format!("{name}\n{changed}\n{second}"));
        assert_eq!((error.line, error.why.contains("checksum is 2")), (2, true));
        assert_eq!(wrong(&format!("{name}\n{first}\n")).line, 2);
        assert_eq!(wrong(&format!("{name}\n{second}\n{first}")).line, 2);
        assert_eq!(wrong(&format!("{name}\n{name}\n{first}\n{second}")).line, 2);
        assert_eq!(wrong(&format!("{first}\n{}", &second[..60])).line, 2);
        assert_eq!(wrong("hello").line, 1);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[ -~\n]{0,300}", cut in 0..140_usize, put in "[ -~µ]") {
            let _ = read(&text);
            let mut known: Vec<char> = ISS[1..].join("\n").chars().collect();
            known[cut.min(138)] = put.chars().next().unwrap_or(' ');
            let _ = read(&known.into_iter().collect::<String>());
        }
    }
}
