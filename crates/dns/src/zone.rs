//! The names of one region.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use domain::base::ToName;
use domain::base::name::Name;

/// A name as its labels in lower case, the top one first.
pub(crate) type Labels = Vec<Vec<u8>>;

/// The labels of a name without the root's.
pub(crate) fn labels(name: &impl ToName) -> Labels {
    let lower = |label: &domain::base::name::Label| label.as_slice().to_ascii_lowercase();
    let mut labels: Labels = name.iter_labels().filter(|it| !it.is_root()).map(lower).collect();
    labels.reverse();
    labels
}

/// Why a name cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// It is no domain name: it is empty, a label has more than 63 bytes, or it has more than
    /// 253 in all.
    NotAName,
    /// Its highest label is that of a region, and would be taken for that.
    Reserved(String),
    /// It is there already.
    Twice,
}

impl fmt::Display for NameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAName => formatter.write_str(
                "it is not a valid domain name: labels have 1 to 63 bytes, and a name at most 253",
            ),
            Self::Reserved(label) => {
                write!(formatter, "it ends in `{label}`, which is the name of a region")
            }
            Self::Twice => formatter.write_str("it is registered twice"),
        }
    }
}

/// What a zone says of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found<'a> {
    /// It has these addresses.
    Addresses(&'a [IpAddr]),
    /// Only names below it have any.
    Empty,
    /// There is no such name.
    Absent,
}

/// The names of a region, without its suffix, and their addresses.
#[derive(Clone, Debug, Default)]
pub struct Zone {
    names: BTreeMap<Labels, Vec<IpAddr>>,
}

impl Zone {
    /// Registers a name. `regions` are the labels that are reserved in all regions.
    ///
    /// # Errors
    /// [`NameError`] if it cannot be.
    pub fn register(
        &mut self,
        name: &str,
        addresses: Vec<IpAddr>,
        regions: &[&str],
    ) -> Result<(), NameError> {
        let parsed = Name::<Vec<u8>>::from_str(name).map_err(|_| NameError::NotAName)?;
        let labels = labels(&parsed);
        let top = labels.first().ok_or(NameError::NotAName)?;
        let is_reserved = |it: &&&str| it.to_ascii_lowercase().as_bytes() == top.as_slice();
        if let Some(region) = regions.iter().find(is_reserved) {
            return Err(NameError::Reserved((*region).to_owned()));
        }
        match self.names.insert(labels, addresses) {
            None => Ok(()),
            Some(_) => Err(NameError::Twice),
        }
    }

    /// Looks a name up that has no suffix.
    pub(crate) fn find(&self, labels: &[Vec<u8>]) -> Found<'_> {
        let from = self
            .names
            .range::<[Vec<u8>], _>((std::ops::Bound::Included(labels), std::ops::Bound::Unbounded));
        match from.take(1).next() {
            Some((name, addresses)) if name == labels => Found::Addresses(addresses),
            Some((name, _)) if name.starts_with(labels) => Found::Empty,
            _ if labels.is_empty() => Found::Empty,
            _ => Found::Absent,
        }
    }
}
