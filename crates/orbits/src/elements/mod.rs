//! Element sets of satellites, as CelesTrak and Space-Track publish them: in two lines, and as
//! orbit mean-elements messages (OMM, CCSDS 502.0-B-3, section 4) in JSON and CSV.

mod element_set;
mod omm;
#[cfg(test)]
mod tests;
mod tle;

pub use element_set::{ElementSet, ElementsError, ElementsPosition};

/// Reads a file of element sets: messages in JSON if it begins with a bracket, in CSV if its first
/// line has their keywords, and else sets of two lines.
///
/// # Errors
/// [`ElementsError`] for the first line or message that is not one of an element set.
pub fn read(text: &str) -> Result<Vec<ElementSet>, ElementsError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with(['[', '{']) {
        omm::from_json(text)
    } else if omm::is_csv(text) {
        omm::from_csv(text)
    } else {
        tle::read(text)
    }
}
