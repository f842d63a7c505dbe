//! Subflows that become backups or are removed during a connection: MP_PRIO, REMOVE_ADDR and
//! resets (RFC 8684, sections 3.3.8, 3.4.2 and 3.6).

use windtunnel_engine::Time;
use windtunnel_packets::multipath::Multipath;

use super::endpoint::Endpoint;
use super::settings::PathState;
use crate::tcp::{Role, TcpOutbox};

impl Endpoint {
    /// When the client changes a path next; never before the connection is established.
    pub(super) fn changes_at(&self) -> Time {
        if self.role == Role::Server || self.next_change == self.settings.changes.len() {
            return Time::NEVER;
        }
        let may = self.subflows[0].is_confirmed && !self.is_plain && !self.closing.has_begun();
        if may { self.settings.changes[self.next_change].at } else { Time::NEVER }
    }

    /// Changes the paths for which it is time.
    pub(super) fn change_paths(&mut self, now: Time, outbox: &mut TcpOutbox) {
        while self.changes_at() <= now {
            let change = self.settings.changes[self.next_change];
            self.next_change += 1;
            match change.state {
                PathState::Active => self.prioritise(change.path, false),
                PathState::Backup => self.prioritise(change.path, true),
                PathState::Removed => self.remove(now, change.path, outbox),
            }
            self.transmit(now, outbox);
            self.send_signals(now, outbox);
        }
    }

    /// A subflow is a backup for both ends, or is not. One that is not established says so when
    /// it joins.
    fn prioritise(&mut self, place: usize, backup: bool) {
        let subflow = &mut self.subflows[place];
        subflow.is_backup = backup;
        subflow.note_change();
        if subflow.endpoint.is_established() {
            self.signals.push_back((place, Multipath::Priority { backup }));
        }
    }

    /// Removes a subflow, and withdraws its address if no other one has it.
    fn remove(&mut self, now: Time, place: usize, outbox: &mut TcpOutbox) {
        self.reset(now, place, outbox);
        let [address, _] = self.settings.paths[place].addresses;
        let others = self.settings.paths.iter().zip(&self.subflows);
        let mut others = others.filter(|(_, it)| !it.endpoint.is_reset());
        if others.all(|(path, _)| path.addresses[0] != address) {
            self.signals.push_back((place, Multipath::RemoveAddress { address }));
        }
    }

    /// The client has that address no more.
    pub(super) fn on_address_removed(&mut self, now: Time, address: u8, outbox: &mut TcpOutbox) {
        for place in 0..self.subflows.len() {
            if self.settings.paths[place].addresses[0] == address {
                self.reset(now, place, outbox);
            }
        }
    }

    /// Resets a subflow, if that was not done.
    fn reset(&mut self, now: Time, place: usize, outbox: &mut TcpOutbox) {
        if !self.subflows[place].endpoint.is_reset() {
            self.on_subflow(place, outbox, |it, outbox| it.reset(now, outbox));
            self.on_reset(place);
        }
    }

    /// A subflow was reset: others send what it held.
    pub(super) fn on_reset(&mut self, place: usize) {
        self.subflows[place].may_send = false;
        self.subflows[place].confirms_at = Time::NEVER;
        self.reinject(place);
    }
}
