//! How subflows come into a connection: MP_CAPABLE on the first, MP_JOIN on the others, the
//! server's other addresses, and backups (RFC 8684, sections 3.1 to 3.4).

use windtunnel_engine::{Duration, Time};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::multipath::{Multipath, Version};
use windtunnel_packets::tcp::{Flags, Segment};

use super::endpoint::Endpoint;
use crate::tcp::{Role, TcpOutbox};

/// How long a client waits for an answer to its acknowledgement that ends the handshake of a
/// subflow, where no round trip is known, and at the least.
const CONFIRM_WITHIN: Duration = Duration::from_millis(200);

impl Endpoint {
    /// What the handshake of a subflow carries.
    pub(super) fn greeting(&self, place: usize) -> Multipath {
        let path = &self.settings.paths[place];
        let side = usize::from(self.role == Role::Server);
        match place {
            0 => Multipath::Capable,
            _ => {
                let backup = self.subflows[place].is_backup;
                Multipath::Join { address: path.addresses[side], backup }
            }
        }
    }

    /// Whether the first data of a subflow carries MP_CAPABLE.
    pub(super) fn greets_with_data(&self, place: usize) -> bool {
        place == 0 && self.role == Role::Client && self.settings.version == Version::V1
    }

    /// The handshake of a subflow is over.
    pub(super) fn on_established(&mut self, now: Time, place: usize, outbox: &mut TcpOutbox) {
        let is_first = place == 0;
        let subflow = &mut self.subflows[place];
        // A client must know that the server has taken the subflow in.
        subflow.may_send = is_first || self.role == Role::Server;
        if self.role == Role::Client && !is_first {
            subflow.confirms_at = now + confirmation(subflow.endpoint.smoothed_rtt());
        }
        if self.sending.is_used() {
            subflow.endpoint.prepare(now);
        }
        if is_first {
            self.receiving.buffer.begin(now);
        }
        if self.role == Role::Server && is_first {
            self.announce();
        }
        if self.closing.has_begun() {
            self.on_subflow(place, outbox, |it, outbox| it.close(now, outbox));
        }
    }

    /// The server tells of its other addresses, and whether the first path is a backup: for that
    /// MP_CAPABLE has no room.
    fn announce(&mut self) {
        let paths = &self.settings.paths;
        let wide = self.settings.tcp.ip == IpVersion::V6;
        for (place, path) in paths.iter().enumerate() {
            let address = path.addresses[1];
            let is_new = paths[..place].iter().all(|it| it.addresses[1] != address);
            if address != 0 && is_new && !self.is_plain {
                let told = Multipath::AddAddress { address, echo: false, wide };
                self.signals.push_back((0, told));
            }
        }
        if paths[0].is_backup && !self.is_plain {
            self.signals.push_back((0, Multipath::Priority { backup: true }));
        }
    }

    /// Takes what a segment of a subflow says about the connection, except for data.
    pub(super) fn take_options(
        &mut self,
        now: Time,
        place: usize,
        multipath: Multipath,
        segment: &Segment,
        outbox: &mut TcpOutbox,
    ) {
        match multipath {
            Multipath::Mapping { sequence, fin, .. } => {
                if fin {
                    self.receiving.end_at(sequence + u64::from(segment.length));
                    if segment.length == 0 {
                        // Nothing else would acknowledge it.
                        self.on_subflow(place, outbox, |it, outbox| it.send_bare(now, outbox));
                    }
                }
                self.confirm(now, place);
            }
            Multipath::Acknowledgement { .. } => self.confirm(now, place),
            Multipath::AddAddress { address, echo: false, wide } => {
                self.known_addresses |= 1 << address;
                // Version 0 has no echo.
                if self.settings.version == Version::V1 {
                    let echo = Multipath::AddAddress { address, echo: true, wide };
                    self.signals.push_back((place, echo));
                }
            }
            Multipath::AddAddress { address, echo: true, .. } => {
                self.unheard_addresses &= !(1 << address);
            }
            Multipath::Priority { backup } => self.subflows[place].is_backup = backup,
            Multipath::Join { backup, .. } if segment.flags.has(Flags::SYN) => {
                self.subflows[place].is_backup = backup;
            }
            // The fourth step says that the subflow was taken in, and again if that was lost.
            Multipath::Join { .. } if self.role == Role::Server => {
                let acknowledgement = self.receiving.acknowledgement();
                self.signals.push_back((place, Multipath::Acknowledgement { acknowledgement }));
            }
            Multipath::RemoveAddress { address } => self.on_address_removed(now, address, outbox),
            Multipath::Capable | Multipath::Join { .. } | Multipath::Reset => {}
        }
    }

    /// The other end has taken a subflow into the connection.
    fn confirm(&mut self, now: Time, place: usize) {
        let subflow = &mut self.subflows[place];
        if subflow.is_confirmed {
            return;
        }
        (subflow.is_confirmed, subflow.may_send) = (true, true);
        subflow.confirms_at = Time::NEVER;
        if self.sending.is_used() {
            subflow.endpoint.prepare(now);
        }
    }

    /// The client lets the other subflows join, once the server has said something about data,
    /// and their addresses are known.
    #[inline]
    pub(super) fn establish_others(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.all_opened {
            return;
        }
        let may = self.role == Role::Client
            && !self.is_plain
            && self.subflows[0].is_confirmed
            && !self.closing.has_begun();
        if !may {
            return;
        }
        self.all_opened = true;
        for place in 1..self.subflows.len() {
            let address = self.settings.paths[place].addresses[1];
            if address == 0 || self.known_addresses & 1 << address != 0 {
                // It does nothing for those that were opened before.
                self.on_subflow(place, outbox, |it, outbox| it.open(now, outbox));
            } else {
                self.all_opened = false;
            }
        }
    }

    /// The client's acknowledgement that ended a handshake may be lost: it is sent again.
    pub(super) fn confirm_again(&mut self, now: Time, place: usize, outbox: &mut TcpOutbox) {
        let subflow = &mut self.subflows[place];
        if subflow.confirms_at <= now {
            subflow.confirms_at = now + confirmation(subflow.endpoint.smoothed_rtt()) * 2;
            self.on_subflow(place, outbox, |it, outbox| it.send_bare(now, outbox));
        }
    }

    /// Sends what the other end shall be told, each on an acknowledgement of its own.
    #[inline]
    pub(super) fn send_signals(&mut self, now: Time, outbox: &mut TcpOutbox) {
        while let Some((place, multipath)) = self.signals.pop_front() {
            if let (Version::V1, Multipath::AddAddress { address, echo: false, .. }) =
                (self.settings.version, multipath)
            {
                self.unheard_addresses |= 1 << address;
                self.announces_at = now + ANNOUNCE_AGAIN;
            }
            // Addresses are those of the connection: any subflow tells of them.
            let is_general =
                matches!(multipath, Multipath::AddAddress { .. } | Multipath::RemoveAddress { .. });
            let mut places = [place].into_iter().chain(0..self.subflows.len());
            let working = places.find(|it| self.subflows[*it].endpoint.is_established());
            if let Some(it) = working.filter(|it| is_general || *it == place) {
                self.send_bare(now, it, multipath, outbox);
            }
        }
    }

    /// Addresses that were not heard are told again.
    pub(super) fn announce_again(&mut self, now: Time, outbox: &mut TcpOutbox) {
        if self.announces_at > now {
            return;
        }
        self.announces_at = Time::NEVER;
        if self.unheard_addresses != 0 && !self.closing.has_begun() {
            self.announce();
            self.send_signals(now, outbox);
        }
    }

    /// Sends an acknowledgement on a subflow that says this.
    pub(super) fn send_bare(
        &mut self,
        now: Time,
        place: usize,
        multipath: Multipath,
        outbox: &mut TcpOutbox,
    ) {
        let before = outbox.len();
        self.on_subflow(place, outbox, |it, outbox| it.send_bare(now, outbox));
        for packet in &mut outbox[before..] {
            super::endpoint::say(packet, multipath, &self.settings);
        }
    }
}

/// After so long an address is told again that was not heard, as in Linux.
const ANNOUNCE_AGAIN: Duration = Duration::from_secs(120);

fn confirmation(rtt: Option<Duration>) -> Duration {
    rtt.map_or(CONFIRM_WITHIN, |it| (it * 2).max(CONFIRM_WITHIN))
}
