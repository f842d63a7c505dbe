//! Rules written in Python that choose the bitrates of adaptive videos.

use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use windtunnel_applications::video as media;
use windtunnel_applications::video::rules::{Choice, Rule, RuleMaker};

use crate::objects::{Object, argument};

/// The levels of a video, and the sizes of its segments.
#[pyclass(frozen)]
#[derive(Clone)]
pub(crate) struct Ladder(media::Ladder);

impl From<&media::Ladder> for Ladder {
    fn from(ladder: &media::Ladder) -> Self {
        Self(ladder.clone())
    }
}

#[pymethods]
impl Ladder {
    /// How long a segment lasts, in seconds.
    #[getter]
    fn segment_s(&self) -> f64 {
        self.0.duration().as_seconds()
    }

    /// How many segments there are.
    #[getter]
    fn segments(&self) -> usize {
        self.0.segments()
    }

    /// The bitrates of the levels, rising, in bits per second.
    #[getter]
    fn bitrates_bps(&self) -> Vec<f64> {
        self.0.bitrates().to_vec()
    }

    /// The size of a segment at a level, in bytes; both count from 0.
    fn size(&self, segment: usize, level: usize) -> PyResult<u64> {
        if segment >= self.0.segments() || level >= self.0.bitrates().len() {
            return Err(PyIndexError::new_err(format!("no segment {segment} at level {level}")));
        }
        Ok(self.0.bytes(segment, level))
    }

    fn __deepcopy__(this: Py<Self>, _memo: Py<PyAny>) -> Py<Self> {
        this
    }
}

argument! {
    /// What a rule knows when it chooses.
    Situation {
        segment: usize,
        buffer_s: f64,
    }
}

argument! {
    /// A segment that was received.
    Download {
        level: usize,
        size: u64,
        latency_s: f64,
        time_s: f64,
        buffer_s: f64,
        stalled_s: f64,
    }
}

/// A class, with its name in a scenario.
#[derive(Debug)]
struct Class {
    name: Arc<str>,
    class: Py<PyAny>,
}

/// The maker of a class's rules.
pub(crate) fn maker(name: String, class: &Bound<'_, PyAny>) -> Arc<dyn RuleMaker> {
    Arc::new(Class { name: name.into(), class: class.clone().unbind() })
}

impl RuleMaker for Class {
    fn name(&self) -> &str {
        &self.name
    }

    fn rule(&self, ladder: &media::Ladder, maximum_buffer: f64) -> Box<dyn Rule> {
        let arguments = (Ladder::from(ladder), maximum_buffer);
        Box::new(BitrateRule(Object::new("rule", &self.name, &self.class, arguments)))
    }
}

/// The rule of one player.
#[derive(Clone, Debug)]
struct BitrateRule(Object);

/// A level, or a level and how long to wait before the request, in seconds.
#[derive(FromPyObject)]
enum Answer {
    Level(usize),
    Delayed(usize, f64),
}

impl Rule for BitrateRule {
    fn choose(&mut self, situation: &media::rules::Situation<'_>) -> Choice {
        let media::rules::Situation { ladder, segment, buffer } = *situation;
        let argument = Situation { segment, buffer_s: buffer };
        let answer: Answer = self.0.ask("choose", (argument,));
        let (level, delay) = match answer {
            Answer::Level(level) => (level, 0.0),
            Answer::Delayed(level, delay) => (level, delay),
        };
        let levels = ladder.bitrates().len();
        if level >= levels {
            let why = format!("there is no level {level}; there are {levels}, counted from 0");
            self.0.fail("choose", &why);
        }
        if !(delay.is_finite() && delay >= 0.0) {
            let why = format!("the delay is {delay} s; it must be a finite number of at least 0");
            self.0.fail("choose", &why);
        }
        Choice { level, delay }
    }

    fn on_download(&mut self, _ladder: &media::Ladder, it: &media::rules::Download) {
        let argument = Download {
            level: it.level,
            size: it.bytes,
            latency_s: it.latency,
            time_s: it.time,
            buffer_s: it.buffer,
            stalled_s: it.stalled,
        };
        self.0.tell("on_download", (argument,));
    }

    fn on_full(&mut self, seconds: f64) {
        self.0.tell("on_full", (seconds,));
    }
}

/// Adds the arguments of rules' methods to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Ladder>()?;
    module.add_class::<Situation>()?;
    module.add_class::<Download>()
}
