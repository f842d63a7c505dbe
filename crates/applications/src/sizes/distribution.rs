//! Distributions of sizes, by points that a scenario or a file has.

use windtunnel_reading::error::Mistake;
use windtunnel_reading::lines::{Line, lines, shown, words};
use windtunnel_reading::sizes::MOST_FILE;

use super::Sizes;

/// How far a sum that was rounded may be from 1.
const ROUNDING: f64 = 1e-6;

/// Reads a distribution of sizes: on each line first a size, in units of this many bytes, and last
/// the probability of no more. What is between is not read: ns-2 has a third number there.
pub(crate) fn sizes(text: &str, unit: u64) -> Result<Sizes, Mistake> {
    let mut points = Vec::new();
    for line in lines(text) {
        let (size, probability) = point(&line)?;
        points.push((size * unit as f64, probability));
    }
    let Some((_, whole)) = points.last().copied() else {
        return Err(Mistake::new("the distribution is empty").help(POINTS));
    };
    let all = [1.0, 100.0].into_iter().find(|it| (whole / it - 1.0).abs() < ROUNDING);
    let all = all.ok_or_else(|| {
        Mistake::new(format!("the last probability is {whole}"))
            .help("it must be 1 or, if probabilities are in percent, 100")
    })?;
    points.iter_mut().for_each(|it| it.1 /= all);
    distribution(points).map_err(|it| Mistake::new(it).help(POINTS))
}

const POINTS: &str = "write a size and its cumulative probability on each line, such as 10000 0.15";

/// The numbers of a line.
fn point(line: &Line<'_>) -> Result<(f64, f64), Mistake> {
    let numbers = words(line).map(|it| it.parse::<f64>().ok().filter(|it| *it >= 0.0));
    let numbers: Option<Vec<f64>> = numbers.collect();
    match numbers.as_deref() {
        Some([size, probability] | [size, _, probability]) if *size <= MOST_FILE as f64 => {
            Ok((*size, *probability))
        }
        _ => Err(line
            .mistake(format!("\"{}\" is not a size and a probability", shown(line.text)))
            .help(POINTS)),
    }
}

/// The distribution through these points: sizes in bytes, and the probability of no more. If the
/// first probability is above zero, this many have its size. What is wrong, if anything is.
pub(crate) fn distribution(mut points: Vec<(f64, f64)>) -> Result<Sizes, &'static str> {
    let Some(first) = points.first().copied() else {
        return Err("a distribution requires points");
    };
    if first.1 > 0.0 {
        points.insert(0, (first.0, 0.0));
    }
    if points.windows(2).any(|it| it[0].0 > it[1].0 || it[0].1 > it[1].1) {
        return Err("the points of a distribution must not fall, in size or probability");
    }
    if let Some(last) = points.last_mut() {
        if (last.1 - 1.0).abs() > ROUNDING {
            return Err("the points of a distribution must end at 100 %");
        }
        if last.0 == 0.0 {
            return Err("at least one size must be greater than zero");
        }
        last.1 = 1.0;
    }
    Ok(Sizes::Points(points.into()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Sizes {
        sizes(text, 1).expect(text)
    }

    #[test]
    fn shares_percent_and_the_three_columns_of_ns_2_are_one_distribution() {
        let share = read("# web search\n0 0\n10000 0.15\n30000000 1\n");
        assert_eq!(share, read("0 0\n10000 15\n30000000 100"));
        assert_eq!(share, read("0,1,0\r\n10000,1,0.15\r\n30000000,1,1\r\n"));
        assert_eq!(share, sizes("0 0\n10 0.15\n30000 1", 1000).expect("in kB"));
    }

    #[test]
    fn a_first_probability_above_zero_is_that_of_its_size() {
        assert_eq!(read("100 0.5\n200 1").mean(), 0.5 * 100.0 + 0.5 * 150.0);
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        for (text, says) in [
            ("", "the distribution is empty"),
            ("0 0\n10 0.5", "the last probability is 0.5"),
            ("0 0\n20 0.5\n10 1", "must not fall"),
            ("0 0\n20 0.7\n30 0.5\n40 1", "must not fall"),
            ("0 1", "at least one size must be greater than zero"),
            ("0 0\n10 x\n20 1", "\"10 x\" is not a size and a probability"),
            ("0 0\n-5 0.5\n20 1", "is not a size"),
            ("0 0\n10 0 0 0\n20 1", "is not a size"),
            ("0 0\nnan 0.5\n20 1", "is not a size"),
        ] {
            let mistake = sizes(text, 1).expect_err(text);
            assert!(mistake.message.contains(says), "{}", mistake.message);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in "([0-9#., \t\r\n-]|\\PC){0,60}") {
            let _ = sizes(&text, 1);
        }

        #[test]
        fn what_is_read_has_the_sizes_that_are_written(
            rows in prop::collection::vec((0_u32..1000, 0_u32..1000), 1..30),
        ) {
            let (mut size, mut total) = (0, 0);
            let mut text = String::new();
            let all: u32 = rows.iter().map(|it| it.1).sum::<u32>() + 1;
            for (more, probability) in rows {
                (size, total) = (size + more, total + probability);
                text += &format!("{size} {}\n", f64::from(total) / f64::from(all));
            }
            text += &format!("{} 1\n", size + 1);
            let mean = read(&text).mean();
            prop_assert!(mean > 0.0 && mean <= f64::from(size + 1));
        }
    }
}
