use proptest::prelude::*;

use super::*;

const DRIVE: &str = "Time,Network,DL_kbps,UL_kbps,RTT
0,5G,41200,5100,38
0,5G,39800,5000,-
1,5G,52000,6100,41
3,LTE,8700,900,66
4,LTE,0,0,-
6,5G,47500,5600,40
";

fn column(name: &str, worth: f64) -> Column {
    Column { name: name.to_owned(), worth }
}

fn columns(rate: &str) -> Columns {
    let delay = Some(column("RTT", 0.5e-3));
    Columns { time: column("Time", 1.0), rate: column(rate, 1e3), delay }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn kbps(rate: u64) -> Option<Rate> {
    Rate::from_bits_per_second(rate * 1000)
}

#[test]
fn the_second_of_two_rows_of_one_time_counts_and_what_is_missing_is_as_before() {
    let read = rates(DRIVE, &columns("DL_kbps"), true).unwrap();
    let rows = [(0, 39_800), (1, 52_000), (3, 8700), (4, 0)];
    let rows = rows.map(|(time, rate)| (seconds(time), kbps(rate))).to_vec();
    let delays = [(0, 19_000), (1, 20_500), (3, 33_000)];
    let delays = delays.map(|(time, delay)| (seconds(time), Duration::from_micros(delay))).to_vec();
    assert_eq!(read.trace, RateTrace { rows, delays, repeat: Some(seconds(6)) });
    assert_eq!(read.notes, ["2 of 6 rows have no `RTT`: the value before holds"]);
    let up = rates(DRIVE, &columns("UL_kbps"), false).unwrap().trace;
    assert_eq!((up.rows.len(), up.rows[4], up.repeat), (5, (seconds(6), kbps(5600)), None));
}

#[test]
fn a_table_may_have_other_delimiters_quotes_comments_and_times() {
    let expected = rates("a,b\n0,8\n1.5,2\n", &plain(), false).unwrap().trace;
    for text in [
        "\u{feff}# measured\n\na;x;b\r\n7;;8\r\n8.5;;2\r\n",
        "\"b\"\t\"a\"\n8\t1575000000\n2\t1575000001.5\n",
        "a,b\n2019-12-16T13:40:04Z,8\n2019-12-16T14:40:05.5+01:00,2\n",
        "a, b\n2019-12-16 13:40:04.25, 8\n2019-12-16 13:40:05.75, 2\n",
        "a,b\n-1,NaN\n\n0,8\n1.5,2,more\n",
    ] {
        assert_eq!(rates(text, &plain(), false).unwrap().trace, expected, "{text}");
    }
    let text = "a,b\n2019.12.16_13.40.04,8\n2019.12.16_13.40.06,2\n";
    assert_eq!(rates(text, &plain(), false).unwrap().trace.rows[1].0, seconds(2));
}

/// Seconds and kbps in columns `a` and `b`.
fn plain() -> Columns {
    Columns { time: column("a", 1.0), rate: column("b", 1e3), delay: None }
}

#[test]
fn a_mistake_is_at_its_line() {
    for (text, line, said) in [
        ("a,b\n0,8\n\n# x\n1,fast\n", 5, "`b` is \"fast\""),
        ("\u{feff}a,b\n0,8\nx,2\n", 3, "`a` is \"x\", which is not a time"),
        ("a,b\n1,8\n0,2\n", 3, "its time is not after"),
        ("a,b\n1,8\n2019-12-16T13:40:04Z,2\n", 3, "of another kind"),
        ("a,b\n0,-1\n", 2, "`b` is \"-1\""),
        ("a,b\n0,1e99\n", 2, "`b` is \"1e99\""),
    ] {
        let mistake = rates(text, &plain(), false).err().expect("it is wrong");
        let place = mistake.clone().locate("f", text, None).place.expect("it has a place");
        assert_eq!(place.line, line, "{text}");
        assert!(mistake.message.contains(said), "{}", mistake.message);
    }
    for text in ["", "a,b", "a,b\n0,-\n", "a,b\n0,0\n1,0\n"] {
        assert!(rates(text, &plain(), false).is_err(), "{text}");
    }
    assert!(rates("a,b\n0,1\n", &plain(), true).is_err());
}

proptest! {
    #[test]
    fn no_table_makes_the_reader_panic(
        text in "(a,b\n)?([0-9#.,;\"ab \t\r\n:TZe-]|\\PC){0,80}",
        repeat: bool,
    ) {
        let _ = names(&text);
        if let Err(it) = rates(&text, &plain(), repeat) {
            // Its place is in the text.
            let _ = it.locate("f", &text, None).to_string();
        }
    }

    /// Whatever the delimiter, and in milliseconds from any beginning on.
    #[test]
    fn the_rows_of_a_table_are_read_as_they_are_written(
        rows in prop::collection::vec((0_u64..20_000, prop::option::of(0_u64..1_000_000)), 1..50),
        delimiter in prop::sample::select(vec![",", ";", "\t"]),
        begin in 0_u64..2_000_000_000_000,
    ) {
        let mut text = format!("b{delimiter}other{delimiter}a\n1{delimiter}{delimiter}{begin}\n");
        let (mut now, mut expected) = (0, vec![(Duration::ZERO, kbps(1))]);
        for (step, rate) in rows {
            now += step;
            let cell = rate.map_or("-".to_owned(), |it| it.to_string());
            text += &format!("{cell}{delimiter}x{delimiter}{}\n", begin + now);
            let Some(rate) = rate else { continue };
            expected.retain(|it| it.0 != Duration::from_millis(now));
            expected.push((Duration::from_millis(now), kbps(rate)));
        }
        let columns = Columns { time: column("a", 1e-3), ..plain() };
        match rates(&text, &columns, false) {
            Ok(read) => prop_assert_eq!(read.trace.rows, expected),
            Err(_) => prop_assert!(expected.iter().all(|it| it.1.is_none())),
        }
    }
}
