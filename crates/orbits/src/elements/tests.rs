//! Laws of files of element sets.

use proptest::prelude::*;

use super::*;

const ISS: [&str; 3] = [
    "ISS (ZARYA)",
    "1 25544U 98067A   20194.88612269 -.00002218  00000-0 -31515-4 0  9992",
    "2 25544  51.6461 221.2784 0001413  89.1723 280.4612 15.49507896236008",
];

/// Elements as digits, as many as a line of two-line elements has.
#[derive(Clone, Copy, Debug)]
struct Digits {
    number: u32,
    /// Tenths of a second of its day.
    time: u32,
    inclination: u32,
    node: u32,
    eccentricity: u32,
    perigee: u32,
    anomaly: u32,
    motion: u32,
    drag: u32,
}

fn digits() -> impl Strategy<Value = Digits> {
    let angles = (0..1_800_000_u32, 0..3_600_000_u32, 0..3_600_000_u32, 0..3_600_000_u32);
    (
        1..100_000_u32,
        0..864_000_u32,
        angles,
        0..200_000_u32,
        1_100_000_000..1_550_000_000_u32,
        0..99_999_u32,
    )
        .prop_map(
            |(number, time, (inclination, node, perigee, anomaly), eccentricity, motion, drag)| {
                Digits {
                    number,
                    time,
                    inclination,
                    node,
                    eccentricity,
                    perigee,
                    anomaly,
                    motion,
                    drag,
                }
            },
        )
}

impl Digits {
    fn angle(angle: u32) -> String {
        format!("{:3}.{:04}", angle / 10_000, angle % 10_000)
    }

    /// In two lines, with its name before them.
    fn tle(&self, name: &str) -> String {
        let day = 42_u64 * 100_000_000 + u64::from(self.time) * 100_000_000 / 864_000;
        let number = self.number;
        let first = format!(
            "1 {number:05}U 26001A   26{:03}.{:08}  .00000000  00000-0  {:05}-4 0  999",
            day / 100_000_000,
            day % 100_000_000,
            self.drag
        );
        let [inclination, node, perigee, anomaly] =
            [self.inclination, self.node, self.perigee, self.anomaly].map(Self::angle);
        let second = format!(
            "2 {number:05} {inclination} {node} {:07} {perigee} {anomaly} {:2}.{:08}    1",
            self.eccentricity,
            self.motion / 100_000_000,
            self.motion % 100_000_000
        );
        format!("{name}\n{}\n{}\n", with_checksum(&first), with_checksum(&second))
    }

    /// The values of a message, in the order of `KEYWORDS`.
    fn values(&self, name: &str, quote: &str) -> [String; 17] {
        // The epoch of two-line elements has eight decimals of a day.
        let day = u64::from(self.time) * 100_000_000 / 864_000;
        let micros = day * 864;
        let [hours, minutes, seconds] =
            [micros / 3_600_000_000, micros / 60_000_000 % 60, micros / 1_000_000 % 60];
        let micros = micros % 1_000_000;
        let epoch = format!("2026-02-11T{hours:02}:{minutes:02}:{seconds:02}.{micros:06}");
        let quoted = |it: &str| format!("{quote}{it}{quote}");
        [
            quoted(name),
            quoted("2026-001A"),
            quoted(&epoch),
            format!("{:.8}", f64::from(self.motion) / 1e8),
            format!("{:.7}", f64::from(self.eccentricity) / 1e7),
            format!("{:.4}", f64::from(self.inclination) / 1e4),
            format!("{:.4}", f64::from(self.node) / 1e4),
            format!("{:.4}", f64::from(self.perigee) / 1e4),
            format!("{:.4}", f64::from(self.anomaly) / 1e4),
            "0".into(),
            quoted("U"),
            self.number.to_string(),
            "999".into(),
            "1".into(),
            format!("{}e-9", self.drag),
            "0".into(),
            "0".into(),
        ]
    }

    fn json(&self, name: &str) -> String {
        let pairs = KEYWORDS.iter().zip(self.values(name, "\""));
        let pairs: Vec<String> = pairs.map(|(key, it)| format!("\"{key}\":{it}")).collect();
        format!("{{{}}}", pairs.join(","))
    }

    fn csv(&self, name: &str) -> String {
        self.values(name, "").join(",")
    }
}

/// As CelesTrak orders them.
const KEYWORDS: [&str; 17] = [
    "OBJECT_NAME",
    "OBJECT_ID",
    "EPOCH",
    "MEAN_MOTION",
    "ECCENTRICITY",
    "INCLINATION",
    "RA_OF_ASC_NODE",
    "ARG_OF_PERICENTER",
    "MEAN_ANOMALY",
    "EPHEMERIS_TYPE",
    "CLASSIFICATION_TYPE",
    "NORAD_CAT_ID",
    "ELEMENT_SET_NO",
    "REV_AT_EPOCH",
    "BSTAR",
    "MEAN_MOTION_DOT",
    "MEAN_MOTION_DDOT",
];

const ONE: Digits = Digits {
    number: 44_713,
    time: 432_000,
    inclination: 530_000,
    node: 300_000,
    eccentricity: 1000,
    perigee: 0,
    anomaly: 180_000,
    motion: 1_505_000_000,
    drag: 50_000,
};

fn with_checksum(line: &str) -> String {
    let digit = |it: char| it.to_digit(10).unwrap_or(u32::from(it == '-'));
    format!("{line}{}", line.chars().map(digit).sum::<u32>() % 10)
}

/// Files of these satellites: in two lines, in JSON and in CSV.
fn files(sets: &[(Digits, &str)]) -> [String; 3] {
    let lines = sets.iter().map(|(it, name)| it.tle(name)).collect();
    let messages: Vec<String> = sets.iter().map(|(it, name)| it.json(name)).collect();
    let rows: Vec<String> = sets.iter().map(|(it, name)| it.csv(name)).collect();
    let csv = format!("{}\n{}\n", KEYWORDS.join(","), rows.join("\n"));
    [lines, format!("[{}]", messages.join(",\n")), csv]
}

#[track_caller]
fn names(text: &str) -> Vec<String> {
    read(text).expect("it is valid").into_iter().map(|it| it.name).collect()
}

#[track_caller]
fn assert_wrong(text: &str, place: ElementsPosition, why: &str) {
    let error = read(text).expect_err("it is wrong");
    assert!(error.place == place && error.why.contains(why), "{error:?}, not {why}");
}

/// Vallado et al., Revisiting Spacetrack Report #3 (AIAA 2006-6753): 33 objects.
#[test]
fn orbits_are_those_of_the_verification_set() {
    let text = include_str!("../../tests/data/sgp4-verification.txt");
    let mut lines = text.lines().peekable();
    let mut count = 0;
    while let Some(first) = lines.next() {
        let second = lines.next().expect("two lines");
        let sets = read(&format!("{first}\n{second}\n")).expect("element sets");
        let set = &sets[0];
        while let Some(state) = lines.next_if(|it| !it.starts_with("1 ")) {
            let values: Vec<f64> =
                state.split(' ').map(|it| it.parse().expect("a number")).collect();
            let found = set.orbit.position(set.epoch, values[0] * 60.0, 0.0);
            let found = found.expect("it has not decayed");
            let known = glam::DVec3::new(values[1], values[2], values[3]);
            assert!(found.distance(known) < 1e-5, "{} {found} {known}", set.name);
            count += 1;
        }
    }
    assert!(count > 600, "{count}");
}

#[test]
fn a_name_is_a_line_before() {
    let sets = read(&ISS.join("\n")).expect("an element set");
    assert_eq!(sets[0].name, "ISS (ZARYA)");
    assert_eq!(names(&ISS[1..].join("\n")), ["25544"]);
    assert!((sets[0].altitude - 420.0).abs() < 10.0, "{}", sets[0].altitude);
    assert!((sets[0].inclination - 51.6461).abs() < 1e-9);
}

#[test]
fn a_name_may_begin_as_a_line_of_elements_does() {
    for name in ["2 EXPLORER", "1 FORERUNNER", "1 2", "2 A NAME OF MORE THAN 24 CHARACTERS"] {
        let text = format!("UNIT\n{0}\n{1}\n{name}\n{0}\n{1}\n", ISS[1], ISS[2]);
        assert_eq!(names(&text), ["UNIT", name]);
    }
}

#[test]
fn lines_before_the_first_satellite_are_not_read() {
    let text = format!("# Elements of 14 September 2022\n72 22\n\n{}\n", ISS.join("\n"));
    assert_eq!(names(&text), ["ISS (ZARYA)"]);
    assert_eq!(names(&format!("\u{feff}{}", ISS.join("\r\n"))), ["ISS (ZARYA)"]);
}

/// Catalogue numbers beyond 99,999, whose first digit is a letter (Space-Track's alpha-5).
#[test]
fn a_catalogue_number_may_begin_with_a_letter() {
    let [first, second] =
        [ISS[1], ISS[2]].map(|it| with_checksum(&it[..68].replace("25544", "E8493")));
    assert_eq!(names(&format!("{first}\n{second}\n")), ["148493"]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    use ElementsPosition::Line;
    let [name, first, second] = ISS;
    let changed = first.replace("20194", "20195");
    assert_wrong(&format!("{name}\n{changed}\n{second}"), Line(2), "checksum is 2");
    assert_wrong(&format!("{name}\n{first}\n"), Line(2), "no line 2 follows");
    assert_wrong(&format!("{name}\n{second}\n{first}"), Line(2), "no line 1 before");
    let set = ISS.join("\n");
    assert_wrong(&format!("{set}\n{name}\n{set}"), Line(4), "no line 1 follows");
    assert_wrong(&format!("{first}\n{}", &second[..60]), Line(2), "60 characters, not 69");
    assert_wrong(&format!("{first}\n{name}"), Line(2), "not line 2");
    for before in ["", name, &set] {
        let line = before.lines().count() + 1;
        let text = format!("{before}\n{}\n{second}", &first[..60]);
        assert_wrong(text.trim_start(), Line(line), "60 characters, not 69");
    }
    assert_wrong("hello", Line(1), "no line 1 follows");
}

#[test]
fn messages_have_names_and_numbers_of_six_digits() {
    let six = Digits { number: 270_000, ..ONE };
    let [_, json, csv] = files(&[(six, "1 FORERUNNER"), (six, "2 EXPLORER")]);
    for text in [&json, &csv] {
        assert_eq!(names(text), ["1 FORERUNNER", "2 EXPLORER"]);
    }
    assert_eq!(names(&six.json("UNIT")), ["UNIT"]);
    assert_eq!(names(&six.json("UNIT").replace("\"UNIT\"", "null")), ["270000"]);
    // Space-Track writes all values as texts, and more of them.
    let texts = six.json("UNIT").replace("15.05000000", "\"15.05000000\"");
    assert_eq!(names(&texts.replace('{', "{\"PERIOD\":\"95.7\",")), ["UNIT"]);
    assert_eq!(
        names(&csv.replace("1 FORERUNNER", "\"FORERUNNER, 1\"")),
        ["FORERUNNER, 1", "2 EXPLORER"]
    );
}

#[test]
fn what_is_wrong_in_a_message_is_said_with_its_place() {
    use ElementsPosition::{Line, Record};
    let [_, json, csv] = files(&[(ONE, "UNIT 1"), (ONE, "UNIT 2")]);
    let second = |text: &str, old: &str, new: &str| {
        let place = text.rfind(old).expect("it is there");
        format!("{}{new}{}", &text[..place], &text[place + old.len()..])
    };
    assert_wrong(&second(&json, "\"BSTAR\"", "\"BSTR\""), Record(2), "missing field `BSTAR`");
    assert_wrong(&second(&json, "\"BSTAR\":50000e-9", "\"BSTAR\":\"NaN\""), Record(2), "finite");
    assert_wrong(&second(&json, "0.0001000", "1.5"), Record(2), "eccentricity");
    assert_wrong(&second(&json, ",", ""), Line(2), "expected");
    assert_wrong(&second(&json, "2026-02-11", "today"), Record(2), "EPOCH: ");
    assert_wrong("[1]", Record(1), "");
    assert_wrong(&second(&csv, "53.0000", "steep"), Line(3), "INCLINATION: invalid float");
    assert_wrong(&second(&csv, "53.0000,", ""), Line(3), "16 values");
    assert_wrong(&second(&csv, "0.0001000", "1.5"), Line(3), "eccentricity");
    assert_wrong(&csv.replace("BSTAR", "DRAG"), Line(2), "missing field `BSTAR`");
}

proptest! {
    #[test]
    fn the_same_elements_give_the_same_positions_in_each_format(
        sets in prop::collection::vec(digits(), 1..4),
    ) {
        let sets: Vec<(Digits, &str)> = sets.into_iter().map(|it| (it, "UNIT")).collect();
        let [lines, messages, rows] = files(&sets).map(|it| read(&it).expect("it is valid"));
        for ((one, two), three) in lines.iter().zip(&messages).zip(&rows) {
            for seconds in [0.0, 3_000.0, 86_400.0] {
                let position = |it: &ElementSet| it.orbit.position(it.epoch, seconds, 0.0);
                prop_assert_eq!(position(two), position(three));
                if let (Some(one), Some(two)) = (position(one), position(two)) {
                    // A microsecond of the epoch is 8 mm.
                    prop_assert!(one.distance(two) < 1e-5, "{} {}", one, two);
                }
                prop_assert_eq!(position(one).is_some(), position(two).is_some());
            }
            prop_assert_eq!(two.name.as_str(), one.name.as_str());
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ -~\n]{0,300}", cut in 0..140_usize, put in "[ -~µ]") {
        let _ = read(&text);
        let mut known: Vec<char> = ISS[1..].join("\n").chars().collect();
        known[cut.min(138)] = put.chars().next().unwrap_or(' ');
        let _ = read(&known.into_iter().collect::<String>());
    }

    #[test]
    fn no_change_of_a_file_makes_it_panic(
        changes in prop::collection::vec((0..2000_usize, "[0-9eE.,:{}\"\n +-]{0,3}"), 1..4),
    ) {
        for file in files(&[(ONE, "UNIT 1"), (ONE, "2 UNIT")]) {
            let mut changed: Vec<char> = file.chars().collect();
            for (place, put) in &changes {
                let place = place % changed.len();
                changed.splice(place..place + 1, put.chars());
            }
            if let Ok(sets) = read(&changed.into_iter().collect::<String>()) {
                for it in sets {
                    let _ = it.orbit.position(it.epoch, 60.0, 0.0);
                }
            }
        }
    }
}
