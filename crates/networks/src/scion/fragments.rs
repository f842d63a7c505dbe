//! Messages in more than one packet.

use std::collections::VecDeque;

use windtunnel_packets::scion::Fragment;

/// So many messages may be incomplete at once; the oldest goes.
const MOST_INCOMPLETE: usize = 256;

/// A message of which not all parts have come.
#[derive(Clone, Debug)]
struct Incomplete {
    from: u32,
    message: u32,
    missing: usize,
    parts: Vec<Option<Vec<u8>>>,
}

/// What was sent and received in parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    incomplete: VecDeque<Incomplete>,
    /// The number of the next message.
    next: u32,
}

impl Messages {
    /// A number for a message.
    pub(super) fn number(&mut self) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.next
    }

    /// Takes in a part of a message from a node; returns the message that is complete with it.
    pub(super) fn receive(&mut self, from: u32, part: &Fragment<'_>) -> Option<Vec<u8>> {
        if part.count == 1 {
            return Some(part.bytes.to_vec());
        }
        let is_it = |it: &Incomplete| {
            (it.from, it.message, it.parts.len()) == (from, part.message, part.count.into())
        };
        let place = self.incomplete.iter().position(is_it).unwrap_or_else(|| {
            if self.incomplete.len() == MOST_INCOMPLETE {
                self.incomplete.pop_front();
            }
            let missing = usize::from(part.count);
            let parts = vec![None; missing];
            self.incomplete.push_back(Incomplete { from, message: part.message, missing, parts });
            self.incomplete.len() - 1
        });
        let known = &mut self.incomplete[place];
        if known.parts[usize::from(part.place)].replace(part.bytes.to_vec()).is_none() {
            known.missing -= 1;
        }
        if known.missing > 0 {
            return None;
        }
        let whole = self.incomplete.remove(place)?;
        Some(whole.parts.into_iter().flatten().collect::<Vec<_>>().concat())
    }
}
