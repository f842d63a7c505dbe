//! Link budgets: from the transmitted power to the margin above what a receiver needs.
//!
//! Powers are in dBm; gains, losses and margins in dB. A loss is a negative term, so that the
//! received power is the sum of the terms.

/// A term of a link budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetTerm {
    /// What it is called.
    pub name: &'static str,
    /// Its value at the best time, such as without fog or rain: in dBm if it is the transmitted
    /// power, in dB otherwise.
    pub best: f64,
    /// The same at the worst time; random fluctuations are no part of it.
    pub worst: f64,
}

impl BudgetTerm {
    /// A term that is always the same.
    #[must_use]
    pub fn constant(name: &'static str, value: f64) -> Self {
        Self { name, best: value, worst: value }
    }
}

/// The budget of one direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkBudget {
    /// Its terms, the transmitted power first; or first a margin, where no powers are known.
    pub terms: Vec<BudgetTerm>,
    /// The power that the receiver needs, in dBm; none where no powers are known: then the
    /// sum of the terms is the margin.
    pub sensitivity: Option<f64>,
}

impl LinkBudget {
    /// The received power in dBm at the best time and at the worst, if powers are known.
    #[must_use]
    pub fn received(&self) -> Option<[f64; 2]> {
        self.sensitivity.map(|_| self.sum())
    }

    /// By how much that is above what the receiver needs, in dB.
    #[must_use]
    pub fn margin(&self) -> [f64; 2] {
        let needed = self.sensitivity.unwrap_or(0.0);
        self.sum().map(|it| it - needed)
    }

    fn sum(&self) -> [f64; 2] {
        let sum = |value: fn(&BudgetTerm) -> f64| self.terms.iter().map(value).sum();
        [sum(|it| it.best), sum(|it| it.worst)]
    }
}
