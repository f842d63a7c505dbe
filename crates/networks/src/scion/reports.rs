//! What a router says about the packets that it drops.

use windtunnel_packets::Ecn;
use windtunnel_packets::scion::{
    Current, ErrorReport, PathReference, Position, ScionContent, ScionHeader, ScionPacket,
    ScmpError, quoted_at_most,
};

use super::data_plane::{Carried, Plane, with};
use super::settings::host_address;

impl Plane<'_> {
    /// Drops a packet whose hop field is not valid, and says why.
    pub(super) fn refuse(&mut self, carried: Carried, current: &Current) {
        let expired = self.has_expired(current);
        let counters = &mut self.context.counters;
        counters.expired += u64::from(expired);
        counters.invalid_mac += u64::from(!expired);
        let code = if expired { ScmpError::EXPIRED } else { ScmpError::INVALID_MAC };
        let pointer = self.pointer(&carried);
        self.report(carried, ErrorReport::Parameter(code, pointer));
    }

    /// Where the current hop field stands in the packet.
    pub(super) fn pointer(&self, carried: &Carried) -> u16 {
        let PathReference::Standard(handle) = carried.header.path else { return 0 };
        let path = self.packets.path(handle);
        let position = u16::from(carried.header.position.hop);
        let before = path.length() as u16 - 12 * (path.hops() as u16 - position);
        ScionHeader::length(host_address(carried.header.hosts), before)
    }

    /// Drops a packet and tells its sender why, unless that is an error message itself.
    pub(super) fn report(&mut self, carried: Carried, error: ErrorReport) {
        let Carried { packet, header } = carried;
        let is_error = matches!(header.content, ScionContent::Error { .. });
        // No path leads back to who sent a beacon.
        let is_beacon = matches!(header.path, PathReference::OneHop(_));
        if is_error || is_beacon || !self.context.errors.allows(self.now) {
            return self.packets.discard(&packet);
        }
        self.context.counters.errors_sent += 1;
        let (path, position) = match header.path {
            PathReference::Standard(handle) => {
                let path = self.packets.path(handle);
                let back = path.reversed(&header.position);
                let position = header.position.reversed(path);
                (PathReference::Standard(self.packets.insert_path(back.into())), position)
            }
            other => (other, Position::default()),
        };
        let size = packet.network_size - self.context.shared.settings.underlay_header();
        let own = self.headers(&ScionPacket { path, ..header });
        let own = own - self.context.shared.settings.underlay_header();
        let message = error.of(self.context.system().isd_as);
        let payload = message.length() + size.min(quoted_at_most(own, &message));
        let quoted = self.packets.insert(with(carried));
        let content = ScionContent::Error { error, quoted };
        let to = header.between[0];
        self.send(content, payload, to, (path, position), (header.hosts, Ecn::NotCapable));
    }
}
