//! A consumer outside of any scenario, with what scenario files have by default.

use indexmap::IndexMap;
use windtunnel_controllers::Settings;
use windtunnel_transports::ndn::consumer::ConsumerSettings;

use super::Consumer;
use crate::reading::error::{Mistake, ScenarioError};
use crate::reading::extensions::Extensions;
use crate::reading::prefixes::Prefixes;
use crate::reading::reader;
use crate::reading::tree;
use crate::traffic::controllers::Controllers;
use crate::traffic::needs::{Carrier, check_needs};

/// A consumer that a live program runs.
#[derive(Clone, Debug)]
pub struct LoneConsumer {
    /// Its settings; its prefix is `/`, and has the number 0.
    pub settings: ConsumerSettings,
    /// Its controller.
    pub controller: Settings,
}

/// The consumer of segments of this many bytes. `controller` is a name, or a table as in scenario
/// files: `{ kind = "cubic", beta = 0.7 }`.
///
/// # Errors
/// [`ScenarioError`] says what is wrong with the controller; `source` is where it was given.
pub fn lone_consumer(
    source: &str,
    controller: &str,
    segment: u32,
) -> Result<LoneConsumer, ScenarioError> {
    let is_table = controller.trim_start().starts_with('{');
    let quoted = toml::Value::from(controller).to_string();
    let controller = if is_table { controller } else { quoted.as_str() };
    let text = format!("controller = {controller}\nprefix = \"/\"\nnode = \"\"\n");
    plan(&text, segment).map_err(|it| it.locate(source, &text, None))
}

fn plan(text: &str, segment: u32) -> Result<LoneConsumer, Mistake> {
    let consumer: Consumer = reader::read(tree::parse(text)?)?;
    let (own, extensions) = (IndexMap::new(), Extensions::default());
    let controllers = Controllers { own: &own, extensions: &extensions };
    let controller = controllers.settings(&consumer.controller)?;
    check_needs(&controllers, &controller, Carrier::Consumer, &consumer.controller)?;
    let mut prefixes = Prefixes::default();
    let prefix = prefixes.insert(&consumer.prefix)?;
    let settings = consumer.settings(prefix, &prefixes, segment)?;
    Ok(LoneConsumer { settings, controller })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_a_name_or_a_table() {
        let named = lone_consumer("--controller", "cubic", 1000).expect("it is right");
        assert_eq!(named.controller.description().name, "cubic");
        let table = "{ kind = \"cubic\", beta = 0.5 }";
        let other = lone_consumer("--controller", table, 1000).expect("it is right");
        assert_eq!(other.controller.number("beta"), 0.5);
        for (wrong, expected) in [
            ("cubik", "there is no controller `cubik`"),
            ("{ kind = \"cubic\", beter = 1 }", "has no parameter `beter`"),
            ("ledbat", "the one-way delay"),
            ("\"", "there is no controller"),
        ] {
            let error = lone_consumer("--controller", wrong, 1000).expect_err("it is wrong");
            assert!(error.to_string().contains(expected), "`{expected}` is not in: {error}");
        }
    }
}
