//! What faces say of themselves.

use windtunnel_scenario::FaceProtocol;

use super::super::management::FIRST_FACE;
use super::super::status::FaceStatus;
use super::{Face, Faces, Origin, Transport};

impl Faces {
    /// All faces, and what they counted.
    pub(in crate::ndn) fn statuses(&self) -> Vec<FaceStatus> {
        let all = self.faces.iter().enumerate();
        let open = all.filter_map(|(index, it)| Some((index, it.as_ref()?)));
        open.filter_map(|(index, it)| self.status(index, it)).collect()
    }

    fn status(&self, index: usize, it: &Face) -> Option<FaceStatus> {
        let (protocol, remote, local) = match &it.transport {
            Transport::Udp { socket, peer } => {
                (FaceProtocol::Udp, *peer, self.udp[*socket].socket.local_addr().ok()?)
            }
            Transport::Tcp { stream, .. } => {
                (FaceProtocol::Tcp, stream.peer_addr().ok()?, stream.local_addr().ok()?)
            }
        };
        Some(FaceStatus {
            id: index as u64 + FIRST_FACE,
            protocol,
            remote,
            local,
            is_local: it.is_local,
            is_on_demand: it.origin != Origin::Own,
            mtu: it.mtu,
            received: it.received,
            sent: it.sent,
        })
    }
}
