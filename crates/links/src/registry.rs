//! What is made of the list of all kinds of link.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_engine::Duration;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::files::Files;

use crate::keys::Keys;
use crate::pace::Pace;

/// Makes [`LinkKeys`], an enum over all kinds.
macro_rules! registry {
    ($($(#[doc = $meaning:literal])+ $key:literal = $name:ident($($module:ident)::+),)+) => {
        /// How fast a link sends.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename = "key")]
        #[schemars(untagged)]
        pub enum LinkKeys {
            $($(#[doc = $meaning])+ #[serde(rename = $key)] $name(Box<crate::$($module)::+>),)+
        }

        impl LinkKeys {
            /// The keys of all kinds.
            pub const ALL: &[&str] = &[$($key),+];

            /// The key of its kind.
            #[must_use]
            pub fn key(&self) -> &'static str {
                match self { $(Self::$name(_) => $key,)+ }
            }

            fn keys(&self) -> &dyn Keys {
                match self { $(Self::$name(it) => it.as_ref(),)+ }
            }
        }
    };
}

links!(registry);

impl LinkKeys {
    /// How fast it sends, on a run of that duration.
    ///
    /// # Errors
    /// [`Mistake`] at a key whose value does not fit, or in a file.
    pub fn pace(&self, files: &mut Files<'_>, duration: Duration) -> Result<Pace, Mistake> {
        self.keys().pace(files, duration)
    }

    /// Whether it sends at one rate, unless the scenario changes that.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.keys().is_constant()
    }
}
