//! What is made of the list of all controllers.

use crate::careful_resume::CarefulResume;
use crate::controller::Controller;
use crate::description::Description;
use crate::external::External;
use crate::settings::Settings;
use crate::signals::{
    Acknowledgement, Congestion, Nanoseconds, PathEstimate, Sibling, Start, TransmissionStart,
};
use crate::window::Window;

/// How [`AnyController`] holds a controller.
macro_rules! held {
    ($type:ident) => { $type };
    ($type:ident boxed) => { alloc::boxed::Box<$type> };
}

/// Makes [`AnyController`], an enum over all controllers: static dispatch in
/// the hot loop, and one list for all uses of their names. The number of an entry is that of its
/// [`look`].
macro_rules! registry {
    ($($module:ident :: $type:ident = $look:literal $($boxed:ident)?),+ $(,)?) => {
        $(pub use crate::$module::$type;)+

        /// Any registered controller, one that resumes, or an external one.
        #[derive(Debug)]
        #[allow(missing_docs, reason = "each variant is documented where its type is")]
        pub enum AnyController {
            $($type(held!($type $($boxed)?)),)+
            CarefulResume(alloc::boxed::Box<CarefulResume<Self>>),
            External(alloc::boxed::Box<dyn External>),
        }

        impl Clone for AnyController {
            fn clone(&self) -> Self {
                match self {
                    $(Self::$type(it) => Self::$type(it.clone()),)+
                    Self::CarefulResume(it) => Self::CarefulResume(it.clone()),
                    Self::External(it) => Self::External(it.clone()),
                }
            }
            /// A transport copies it at each decrease: that makes no new box.
            fn clone_from(&mut self, source: &Self) {
                match (self, source) {
                    $((Self::$type(it), Self::$type(source)) => it.clone_from(source),)+
                    (Self::CarefulResume(it), Self::CarefulResume(source)) => it.clone_from(source),
                    (it, source) => *it = source.clone(),
                }
            }
        }

        /// Every registered controller's description.
        pub const DESCRIPTIONS: &[&Description] = &[$(&crate::$module::DESCRIPTION),+];

        /// Each controller's number: two of the same do not compile.
        #[derive(Clone, Copy)]
        enum Look { $($type = $look),+ }

        /// The number of a registered controller's colour and shape in pictures: it has it alone,
        /// whichever others there are.
        #[must_use]
        pub fn look(name: &str) -> Option<u8> {
            $(if name == crate::$module::DESCRIPTION.name {
                return Some(Look::$type as u8);
            })+
            None
        }

        impl AnyController {
            /// Builds the controller that `settings` describe.
            #[must_use]
            pub fn new(start: Start, settings: &Settings) -> Self {
                let controller = Self::without_resuming(start, settings);
                match settings.saved_path() {
                    Some(saved) => Self::CarefulResume(
                        CarefulResume::new(controller, start, saved).into(),
                    ),
                    None => controller,
                }
            }

            fn without_resuming(start: Start, settings: &Settings) -> Self {
                if let Some(maker) = settings.maker() {
                    return Self::External(maker.make(start));
                }
                let name = settings.description().name;
                $(if name == crate::$module::DESCRIPTION.name {
                    return Self::$type($type::new(start, settings).into());
                })+
                unreachable!("settings are made from a registered description")
            }

            /// The description of the controller.
            #[inline]
            #[must_use]
            pub fn description(&self) -> &'static Description {
                match self {
                    $(Self::$type(_) => &crate::$module::DESCRIPTION,)+
                    Self::CarefulResume(it) => it.controller().description(),
                    Self::External(it) => it.description(),
                }
            }
        }

        impl Controller for AnyController {
            #[inline]
            fn on_acknowledgement(&mut self, acknowledgement: &Acknowledgement) {
                match self {
                    $(Self::$type(it) => it.on_acknowledgement(acknowledgement),)+
                    Self::CarefulResume(it) => it.on_acknowledgement(acknowledgement),
                    Self::External(it) => it.on_acknowledgement(acknowledgement),
                }
            }
            #[inline]
            fn on_congestion(&mut self, congestion: &Congestion) {
                match self {
                    $(Self::$type(it) => it.on_congestion(congestion),)+
                    Self::CarefulResume(it) => it.on_congestion(congestion),
                    Self::External(it) => it.on_congestion(congestion),
                }
            }
            #[inline]
            fn on_recovered(&mut self, now: Nanoseconds) {
                match self {
                    $(Self::$type(it) => it.on_recovered(now),)+
                    Self::CarefulResume(it) => it.on_recovered(now),
                    Self::External(it) => it.on_recovered(now),
                }
            }
            #[inline]
            fn on_transmission_start(&mut self, start: &TransmissionStart) {
                match self {
                    $(Self::$type(it) => it.on_transmission_start(start),)+
                    Self::CarefulResume(it) => it.on_transmission_start(start),
                    Self::External(it) => it.on_transmission_start(start),
                }
            }
            #[inline]
            fn on_siblings(&mut self, own: &Sibling, others: &[Sibling]) {
                match self {
                    $(Self::$type(it) => it.on_siblings(own, others),)+
                    Self::CarefulResume(it) => it.on_siblings(own, others),
                    Self::External(it) => it.on_siblings(own, others),
                }
            }
            fn on_spurious(&mut self, before: &Self) {
                match (self, before) {
                    $((Self::$type(it), Self::$type(before)) => it.on_spurious(before),)+
                    (Self::CarefulResume(it), Self::CarefulResume(before)) => it.on_spurious(before),
                    (Self::External(it), Self::External(before)) => it.undo(before.as_ref()),
                    _ => unreachable!("a connection keeps its controller"),
                }
            }
            fn lower_window(&mut self, cwnd: f64, ssthresh: f64) {
                match self {
                    $(Self::$type(it) => it.lower_window(cwnd, ssthresh),)+
                    Self::CarefulResume(it) => it.lower_window(cwnd, ssthresh),
                    Self::External(it) => it.lower_window(cwnd, ssthresh),
                }
            }
            #[inline]
            fn pacing_rate(&self) -> Option<f64> {
                match self {
                    $(Self::$type(it) => it.pacing_rate(),)+
                    Self::CarefulResume(it) => it.pacing_rate(),
                    Self::External(it) => it.pacing_rate(),
                }
            }
            fn estimate(&self) -> Option<PathEstimate> {
                match self {
                    $(Self::$type(it) => it.estimate(),)+
                    Self::CarefulResume(it) => it.estimate(),
                    Self::External(it) => it.estimate(),
                }
            }
            #[inline]
            fn abandons(&self) -> bool {
                match self {
                    $(Self::$type(it) => it.abandons(),)+
                    Self::CarefulResume(it) => it.abandons(),
                    Self::External(it) => it.abandons(),
                }
            }
            #[inline]
            fn window(&self) -> &Window {
                match self {
                    $(Self::$type(it) => it.window(),)+
                    Self::CarefulResume(it) => it.window(),
                    Self::External(it) => it.window(),
                }
            }
            #[inline]
            fn window_mut(&mut self) -> &mut Window {
                match self {
                    $(Self::$type(it) => it.window_mut(),)+
                    Self::CarefulResume(it) => it.window_mut(),
                    Self::External(it) => it.window_mut(),
                }
            }
        }
    };
}

controllers!(registry);
