//! How connections behave, kept once for the flows that have the same: most flows of a scenario do.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use windtunnel_transports::tcp::TcpSettings;

/// The most settings that are compared with those of the next flow.
const MOST: usize = 8;

/// The settings of the last flows, each of them once.
#[derive(Debug, Default)]
pub(super) struct SharedSettings(RefCell<VecDeque<Arc<TcpSettings>>>);

impl SharedSettings {
    /// These settings, or equal ones of a flow before.
    pub(super) fn share(&self, settings: TcpSettings) -> Arc<TcpSettings> {
        let mut last = self.0.borrow_mut();
        if let Some(equal) = last.iter().find(|it| ***it == settings) {
            return Arc::clone(equal);
        }
        let settings = Arc::new(settings);
        last.truncate(MOST - 1);
        last.push_front(Arc::clone(&settings));
        settings
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use windtunnel_controllers::{DESCRIPTIONS, Settings};

    use super::*;

    proptest! {
        #[test]
        fn flows_get_settings_equal_to_their_own_and_equal_ones_in_a_row_the_same(
            segments in prop::collection::vec((1_u16..12, 0_usize..3), 1..60),
        ) {
            let shared = SharedSettings::default();
            let mut last: Option<Arc<TcpSettings>> = None;
            for (maximum_segment, controller) in segments {
                let controller = Settings::defaults(DESCRIPTIONS[controller]);
                let own = TcpSettings { maximum_segment, ..TcpSettings::new(controller) };
                let given = shared.share(own.clone());
                prop_assert!(*given == own);
                if let Some(last) = last.filter(|it| **it == own) {
                    prop_assert!(Arc::ptr_eq(&last, &given));
                }
                last = Some(given);
            }
        }
    }
}
