//! Files that say which names the regions have, and which roots exchange them.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;
use windtunnel_dns::{Absent as NoSuchName, RootSettings, ServedRoot, Zone};
use windtunnel_engine::Duration;
use windtunnel_packets::region::Code;
use windtunnel_reading::choice;
use windtunnel_reading::error::{Mistake, ScenarioError};
use windtunnel_reading::located::{Located, Named};
use windtunnel_reading::reader;
use windtunnel_reading::schema::explained;
use windtunnel_reading::tree;
use windtunnel_reading::units::Measured;
use windtunnel_scenario::Names;

/// The longest time to live: a week, beyond which nothing is kept (RFC 8767, section 4).
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// The domain name system of regions: each has a root that answers for its own names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    /// How long answers may be kept.
    #[serde(default = "an_hour")]
    time_to_live: Located<Measured<Duration>>,
    /// What is said of a name that is not registered.
    #[serde(default)]
    absent: Absent,
    /// The regions, by their names, which are their top-level domains.
    #[schemars(with = "BTreeMap<String, Region>")]
    regions: Named<Region>,
    /// Which two regions exchange names, by a name; default: all do.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, [String; 2]>")]
    agreements: Named<[Located<String>; 2]>,
}

choice! {
    /// What is said of a name that is not registered.
    Absent as NoSuchName {
        /// That there is no such name (NXDOMAIN).
        NoName,
        /// That there is nothing at that name (NOERROR without an answer).
        NoData,
    }
}

/// A region.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Region {
    /// Its code, from 1 to 254.
    code: Located<u16>,
    /// The UDP address and port where its root answers; default: it has none here.
    listen: Option<Located<String>>,
    /// Its names, without the region's own suffix, and their addresses.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    names: Named<Vec<Located<String>>>,
}

/// How long answers may be kept by default.
pub(super) fn an_hour() -> Located<Measured<Duration>> {
    Measured(Duration::from_secs(3600)).into()
}

/// Reads a file of names; `file` is the name that errors give.
///
/// # Errors
/// [`ScenarioError`] says what is wrong, where, and what would be right.
pub fn read_dns(file: &str, text: &str) -> Result<Vec<ServedRoot>, ScenarioError> {
    parse(text).and_then(|it| it.plans()).map_err(|it| it.locate(file, text, None))
}

fn parse(text: &str) -> Result<File, Mistake> {
    let schema = || schemars::schema_for!(File).to_value();
    reader::read(tree::parse(text)?).map_err(|it| explained(it, schema))
}

impl File {
    fn plans(&self) -> Result<Vec<ServedRoot>, Mistake> {
        let time_to_live = seconds_to_live(&self.time_to_live)?;
        self.regions.keys().try_for_each(check_label)?;
        let agreed = self.agreed()?;
        let mut codes: IndexMap<u16, &str> = IndexMap::new();
        let mut plans = Vec::with_capacity(self.regions.len());
        for (name, region) in &self.regions {
            let own = name.get_ref().as_str();
            let code = region.code(own, &mut codes)?;
            let others = self.regions.keys().map(|it| it.get_ref()).filter(|it| *it != own);
            let is_agreed = |other: &str| {
                self.agreements.is_empty()
                    || agreed.iter().any(|it| it.contains(&own) && it.contains(&other))
            };
            let others = others.map(|it| (it.clone(), is_agreed(it))).collect();
            let settings = RootSettings {
                region: own.to_owned(),
                code,
                time_to_live,
                absent: self.absent.into(),
                others,
            };
            let (zone, listen) = (region.zone(&self.regions)?, region.listen()?);
            plans.push(ServedRoot { settings, zone, listen });
        }
        Ok(plans)
    }

    /// Which regions exchange names.
    fn agreed(&self) -> Result<Vec<[&str; 2]>, Mistake> {
        let names = Names::of("region", &self.regions);
        let mut agreed = Vec::new();
        for (name, pair) in &self.agreements {
            let [first, second] = pair;
            names.index(first)?;
            names.index(second)?;
            second.checked(
                |it| *it != first.value,
                || format!("agreement `{}` names the same region twice", name.get_ref()),
                "name two different regions",
            )?;
            agreed.push([first.value.as_str(), second.value.as_str()]);
        }
        Ok(agreed)
    }
}

/// How long answers may be kept, in seconds.
pub(super) fn seconds_to_live(time_to_live: &Located<Measured<Duration>>) -> Result<u32, Mistake> {
    time_to_live.checked(
        |it| it.0 <= LONGEST,
        || "`time_to_live` must be at most 7 days".to_owned(),
        "write a shorter `time_to_live`, such as \"1 h\"",
    )?;
    Ok(time_to_live.value.0.as_seconds() as u32)
}

/// Registers a name in a region's zone; `regions` are the labels that are reserved in all.
pub(super) fn register(
    zone: &mut Zone,
    name: &Spanned<String>,
    addresses: Vec<IpAddr>,
    regions: &[&str],
) -> Result<(), Mistake> {
    zone.register(name.get_ref(), addresses, regions).map_err(|it| {
        Mistake::new(format!("`{}` cannot be registered: {it}", name.get_ref()))
            .at(name.span())
            .help("write a name without the region's suffix, such as \"www.xyz.com\"")
    })
}

/// A region's name must be one label of a domain name.
pub(super) fn check_label(name: &Spanned<String>) -> Result<(), Mistake> {
    let is_label = |it: &str| {
        (1..=63).contains(&it.len())
            && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_')
    };
    if is_label(name.get_ref()) {
        return Ok(());
    }
    let message = format!("`{}` cannot be a top-level domain", name.get_ref());
    let help = "name the region with 1 to 63 letters, digits and hyphens";
    Err(Mistake::new(message).at(name.span()).help(help))
}

impl Region {
    fn code<'a>(&self, name: &'a str, codes: &mut IndexMap<u16, &'a str>) -> Result<Code, Mistake> {
        let number = u8::try_from(self.code.value).ok().filter(|it| Code::REGIONS.contains(it));
        let Some(number) = number else {
            let message = format!("{} is not a valid code of a region", self.code.value);
            return Err(self.code.mistake(message).help("write a number from 1 to 254"));
        };
        match codes.insert(self.code.value, name) {
            None => Ok(Code::of_region(number)),
            Some(other) => {
                let message = format!("regions `{other}` and `{name}` have the same code");
                Err(self.code.mistake(message).help("give each region a different code"))
            }
        }
    }

    fn listen(&self) -> Result<Option<SocketAddr>, Mistake> {
        let Some(listen) = &self.listen else { return Ok(None) };
        listen.value.parse().map(Some).map_err(|_| {
            listen
                .mistake(format!("`{}` is not a valid ADDRESS:PORT", listen.value))
                .help("write one such as \"127.0.0.1:5301\"")
        })
    }

    fn zone(&self, regions: &Named<Self>) -> Result<Zone, Mistake> {
        let reserved: Vec<&str> = regions.keys().map(|it| it.get_ref().as_str()).collect();
        let mut zone = Zone::default();
        for (name, addresses) in &self.names {
            register(&mut zone, name, parse_addresses(addresses)?, &reserved)?;
        }
        Ok(zone)
    }
}

/// The addresses of a name.
fn parse_addresses(all: &[Located<String>]) -> Result<Vec<IpAddr>, Mistake> {
    let address = |it: &Located<String>| {
        it.value.parse().map_err(|_| {
            it.mistake(format!("`{}` is not a valid IP address", it.value))
                .help("write one such as \"192.0.2.10\" or \"2001:db8::10\"")
        })
    };
    all.iter().map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = include_str!("../../../../../scenarios/dns/four-countries.toml");

    /// The message of the text with one thing in another's place.
    #[track_caller]
    fn refused(old: &str, new: &str) -> String {
        assert!(VALID.contains(old), "{old} stands there");
        let text = VALID.replacen(old, new, 1);
        let error = read_dns("names.toml", &text).expect_err("the text is wrong");
        assert!(error.place.is_some(), "{error}");
        error.to_string()
    }

    #[test]
    fn a_file_says_who_answers_and_who_exchanges_names() {
        let plans = read_dns("names.toml", VALID).expect("it is right");
        let of = |region: usize| &plans[region].settings;
        assert_eq!((plans.len(), of(2).code), (4, Code::of_region(3)));
        assert_eq!((of(0).others["ct2"], of(0).others["ct4"]), (true, false));
        assert_eq!(plans[0].listen, Some(([127, 0, 0, 1], 5301).into()));
        let start = VALID.find("[agreements]").expect("it has agreements");
        let all = read_dns("names.toml", &VALID[..start]).expect("it is right");
        assert!(all.iter().all(|it| it.settings.others.values().all(|it| *it)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (old, new, expected) in [
            ("code = 2", "code = 1", "regions `ct1` and `ct2` have the same code"),
            ("code = 2", "code = 300", "300 is not a valid code of a region"),
            ("\"www.abc.com\"", "\"www.abc.ct1\"", "`ct1`, which is the name of a region"),
            ("\"www.abc.com\"", "\"a..b\"", "it is not a valid domain name"),
            (
                "\"198.51.100.7\"",
                "\"198.51.100.700\"",
                "`198.51.100.700` is not a valid IP address",
            ),
            ("\"127.0.0.1:5301\"", "\"here\"", "`here` is not a valid ADDRESS:PORT"),
            ("[\"ct1\", \"ct2\"]", "[\"ct1\", \"ct9\"]", "there is no region `ct9`"),
            ("[\"ct1\", \"ct2\"]", "[\"ct1\", \"ct1\"]", "names the same region twice"),
            ("[regions.ct4]", "[regions.\"c t\"]", "cannot be a top-level domain"),
            ("\"1 h\"", "\"200 h\"", "at most 7 days"),
            ("listen = \"127.0.0.1:5301\"", "listens = 1", "listens"),
            ("names = { \"www.abc.com\" = [\"198.51.100.7\"] }", "names = 3", "names"),
        ] {
            let message = refused(old, new);
            assert!(message.contains(expected), "`{expected}` is not in: {message}");
        }
    }
}
