//! The names of extensions, which must differ from those of what is built in.

use windtunnel_applications::video::rules::RULES;
use windtunnel_controllers::DESCRIPTIONS;
use windtunnel_transports::mptcp;

use crate::network::layers;
use crate::reading::error::Mistake;
use crate::reading::extensions::Extensions;
use crate::reading::reader;
use crate::study::scenario::Scenario;
use crate::traffic::flows::{POLICIES, STACKS};
use crate::traffic::sessions::PAGING;

impl Extensions {
    /// Refuses names that something of the same kind has already.
    pub(crate) fn check(&self) -> Result<(), Mistake> {
        let own = self.controllers.iter().map(|it| it.description().name);
        check("controller", own, DESCRIPTIONS.iter().map(|it| it.name))?;
        let own = self.schedulers.iter().map(|it| it.name());
        check("scheduler", own, mptcp::DESCRIPTIONS.iter().map(|it| it.name))?;
        check("rule", self.rules.iter().map(|it| it.name()), RULES.iter().copied())?;
        let own = self.path_policies.iter().map(|it| it.name());
        check("path policy", own, POLICIES.iter().copied())?;
        let own = self.paging_policies.iter().map(|it| it.name());
        check("paging policy", own, PAGING.iter().copied())?;
        let built_in = STACKS.iter().map(|it| it.name);
        check("stack", self.stacks.iter().map(|it| it.name()), built_in)?;
        self.check_layers()
    }

    /// No two layers have a section or the number of a protocol in common.
    fn check_layers(&self) -> Result<(), Mistake> {
        let sections = reader::keys::<Scenario>();
        for (place, layer) in self.layers.iter().enumerate() {
            let (before, own) = (&self.layers[..place], layer.sections().keys.iter().copied());
            check("section", own, sections.iter().copied().chain(layers::keys(before)))?;
            if before.iter().any(|it| it.protocol() == layer.protocol()) {
                let number = layer.protocol().0;
                let message = format!("two network layers have the protocol number {number}");
                return Err(Mistake::new(message).help("give each its own number"));
            }
        }
        Ok(())
    }
}

fn check<'a>(
    what: &str,
    mut own: impl Iterator<Item = &'a str>,
    registered: impl Iterator<Item = &'static str> + Clone,
) -> Result<(), Mistake> {
    match own.find(|name| registered.clone().any(|it| it == *name)) {
        None => Ok(()),
        Some(name) => Err(Mistake::new(format!("there is a {what} `{name}` already"))
            .help("give yours another name")),
    }
}
