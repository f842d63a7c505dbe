//! What is made of the list of all workloads.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_reading::error::Mistake;
use windtunnel_reading::schema::short_forms;

use crate::application::{Application, Behaviour, Maker, Setting};
use crate::bulk::BulkKeys;
use crate::keys::{Keys, WorkloadContext};
use crate::messages::Messages;

/// Makes [`WorkloadKeys`] and [`Workload`], enums over all workloads.
macro_rules! registry {
    ($($(#[doc = $meaning:literal])+ $name:ident($module:ident :: $keys:ident),)+) => {
        /// What a flow over TCP carries.
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename = "kind", rename_all = "kebab-case")]
        #[schemars(rename = "TcpWorkload", tag = "kind", transform = short_forms)]
        pub enum WorkloadKeys {
            $($(#[doc = $meaning])+ $name(crate::$module::$keys),)+
        }

        impl WorkloadKeys {
            /// Whether the receiver of the data opens the streams.
            #[must_use]
            pub fn receiver_opens(&self) -> bool {
                match self { $(Self::$name(it) => it.receiver_opens(),)+ }
            }

            /// The workload that the keys make.
            ///
            /// # Errors
            /// [`Mistake`] at a key whose value does not fit, or in a file.
            pub fn workload(
                &self,
                context: &mut WorkloadContext<'_, '_>,
            ) -> Result<Workload, Mistake> {
                match self { $(Self::$name(it) => it.workload(context).map(Workload::$name),)+ }
            }
        }

        /// What a flow carries over streams.
        #[derive(Clone, Debug)]
        pub enum Workload {
            $($(#[doc = $meaning])+ $name(<crate::$module::$keys as Keys>::Workload),)+
            /// Messages of a service of the network, over one stream.
            Messages,
            /// Applications from outside.
            External(Arc<dyn Maker>),
        }

        impl Workload {
            fn maker(&self) -> &dyn Maker {
                match self {
                    $(Self::$name(it) => it,)+
                    Self::Messages => &Messages,
                    Self::External(it) => it.as_ref(),
                }
            }
        }
    };
}

workloads!(registry);

impl Default for WorkloadKeys {
    fn default() -> Self {
        Self::Bulk(BulkKeys::default())
    }
}

impl Workload {
    /// The applications at the sender and at the receiver of the flow's data.
    #[must_use]
    pub fn applications(&self, setting: &Setting) -> [Box<dyn Application>; 2] {
        self.maker().applications(setting)
    }

    /// What they may do.
    #[must_use]
    pub fn behaviour(&self) -> Behaviour {
        self.maker().behaviour()
    }
}
