//! Cases of a study that differ in nothing but their names, of which the first is simulated.

use windtunnel_scenario::Study;

/// Which cases of a study are simulated, and for how many.
#[derive(Debug)]
pub(crate) struct EqualCases {
    /// For each case the one that is simulated for it, perhaps itself.
    simulated: Vec<usize>,
    /// For how many cases each is simulated: none if another is for it.
    cases: Vec<usize>,
}

impl EqualCases {
    /// Each case is simulated.
    pub(crate) fn none(study: &Study) -> Self {
        Self { simulated: (0..study.cases.len()).collect(), cases: vec![1; study.cases.len()] }
    }

    /// The first of equal cases is simulated for all of them. What is written outside may differ
    /// from one call to the next: a case that uses it is simulated.
    pub(crate) fn of(study: &Study) -> Self {
        let mut equal = Self::none(study);
        for (place, case) in study.cases.iter().enumerate() {
            if let Some(first) = case.same_as.filter(|_| !case.uses_extensions()) {
                equal.simulated[place] = first;
                equal.cases[place] -= 1;
                equal.cases[first] += 1;
            }
        }
        equal
    }

    /// The case that is simulated for a case.
    pub(crate) fn simulated_for(&self, case: usize) -> usize {
        self.simulated[case]
    }

    /// For how many cases a case is simulated, itself among them.
    pub(crate) fn cases(&self, case: usize) -> usize {
        self.cases[case]
    }
}
