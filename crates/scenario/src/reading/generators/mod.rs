//! Tables that stand for many things: topologies, and things with a `count` or a `pattern`.
//!
//! They become plain nodes, links, producers, consumers and flows in the tree of a file, before
//! anything else reads it: what they make is what a file could say itself. The place of what is
//! made is that of the table that makes it. What a file says of a thing by the name of one that
//! is made goes before what makes it says.
//!
//! `topologies` has a file for each kind, `patterns` those of flows; `windtunnel check --expand`
//! prints what they become.

mod context;
mod demands;
mod draws;
mod entries;
mod groups;
mod listed;
mod names;
mod parts;
mod pattern_flow;
mod patterns;
mod sections;
mod topologies;
mod written;

use toml_edit::Key;

use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::tree::{Entry, Node as Tree};
use context::GroupContext;
use demands::Demands;

use sections::Section;
use topologies::Made;

pub(crate) use groups::InTurn;
pub(crate) use patterns::Pattern;
pub(crate) use topologies::Topology;
pub(crate) use written::{comment, write};

/// The sections whose things may stand for many; nodes go first, since others name them.
const SECTIONS: [&str; 5] = ["nodes", "links", "producers", "consumers", "flows"];

/// Replaces what stands for many things by those, and says what of files of networks is in them.
pub(crate) fn expand(file: &mut Tree, files: &mut Files<'_>) -> Result<Vec<String>, Mistake> {
    groups::refuse_in_defaults(file)?;
    let Made { mut nodes, mut links, demands, imports } = topologies::take(file, files)?;
    for name in SECTIONS {
        let made = match name {
            "nodes" => std::mem::take(&mut nodes),
            "links" => std::mem::take(&mut links),
            _ => Vec::new(),
        };
        section(file, name, made, &demands, files)?;
    }
    Ok(imports)
}

/// Whether a comparison sets what stands for many things.
pub(crate) fn are_compared(file: &Tree) -> bool {
    let of = |it: Option<&'_ Tree>| it.and_then(Tree::entries).unwrap_or_default().to_vec();
    let cases = of(file.get("compare")).into_iter().flat_map(|it| of(Some(&it.node)));
    let mut paths = cases.flat_map(|it| of(Some(&it.node))).map(|it| Key::parse(&it.key));
    paths.any(|path| match path.unwrap_or_default().as_slice() {
        [first, ..] if first == "topologies" => true,
        [section, name, ..] if SECTIONS.contains(&section.get()) => {
            of(file.get(section)).iter().any(|it| *it.key == **name && groups::is_one(section, it))
        }
        _ => false,
    })
}

/// Replaces what stands for many things in a section, and adds what topologies make.
fn section(
    file: &mut Tree,
    name: &'static str,
    made: Vec<Entry>,
    demands: &Demands,
    files: &mut Files<'_>,
) -> Result<(), Mistake> {
    let written = file.get(name).and_then(Tree::entries).unwrap_or_default();
    let has_groups = written.iter().any(|it| groups::is_one(name, it));
    if !has_groups && made.is_empty() {
        return Ok(());
    }
    let context = GroupContext::of(file, name, demands);
    let mut section = Section::default();
    for entry in written {
        match groups::made(entry, &context, files)? {
            Some(many) => section.make(many)?,
            None => section.write(entry.clone()),
        }
    }
    section.make(made)?;
    section.put(file, name);
    Ok(())
}
