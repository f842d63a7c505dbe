//! What other roots answered, for as long as they allow.

use std::collections::BTreeMap;

use domain::base::Rtype;
use windtunnel_engine::{Duration, Time};

use crate::answer::Answer;
use crate::zone::Labels;

/// So many answers are kept; then those go that end first.
const MOST: usize = 100_000;

/// Answers by name and type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache {
    answers: BTreeMap<(Labels, u16), (Time, Answer)>,
}

impl Cache {
    /// Keeps an answer, if it may be kept.
    pub(crate) fn put(&mut self, now: Time, name: Labels, kind: Rtype, answer: Answer) {
        if answer.ttl == 0 {
            return;
        }
        if self.answers.len() >= MOST {
            self.answers.retain(|_, it| it.0 > now);
            let first = self.answers.iter().min_by_key(|it| it.1.0).map(|it| it.0.clone());
            first.filter(|_| self.answers.len() >= MOST).map(|it| self.answers.remove(&it));
        }
        let end = now + Duration::from_secs(u64::from(answer.ttl));
        self.answers.insert((name, kind.to_int()), (end, answer));
    }

    /// The answer that is kept, with the time that it has left.
    pub(crate) fn get(&self, now: Time, name: &Labels, kind: Rtype) -> Option<Answer> {
        let (end, answer) = self.answers.get(&(name.clone(), kind.to_int()))?;
        let left = end.as_picos().checked_sub(now.as_picos()).map(Duration::from_picos)?;
        let ttl = left.as_seconds() as u32;
        (ttl > 0).then(|| Answer { ttl, ..answer.clone() })
    }
}
