//! What s2n-quic tells of its connection, by its events.

use std::sync::{Arc, Mutex, PoisonError};

use s2n_quic::provider::event::{ConnectionInfo, ConnectionMeta, Subscriber, events};
use windtunnel_stack::State;

/// Notes what the events say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observer(Arc<Mutex<State>>);

impl Observer {
    /// What they said last.
    pub(crate) fn state(&self) -> State {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Subscriber for Observer {
    type ConnectionContext = ();

    fn create_connection_context(&mut self, _meta: &ConnectionMeta, _info: &ConnectionInfo) {
        self.note(|it| (it.lost_packets, it.decreases) = (Some(0), Some(0)));
    }

    fn on_recovery_metrics(
        &mut self,
        _context: &mut (),
        _meta: &ConnectionMeta,
        event: &events::RecoveryMetrics,
    ) {
        self.note(|it| {
            it.cwnd = Some(event.congestion_window.into());
            it.in_flight = Some(event.bytes_in_flight.into());
            it.smoothed_rtt = Some(event.smoothed_rtt);
            it.least_rtt = Some(event.min_rtt);
        });
    }

    /// Searching for the MTU loses packets by design: they are none of the path's.
    fn on_packet_lost(
        &mut self,
        _context: &mut (),
        _meta: &ConnectionMeta,
        event: &events::PacketLost,
    ) {
        if !event.is_mtu_probe {
            self.note(|it| it.lost_packets = it.lost_packets.map(|it| it + 1));
        }
    }

    fn on_congestion(
        &mut self,
        _context: &mut (),
        _meta: &ConnectionMeta,
        _event: &events::Congestion,
    ) {
        self.note(|it| it.decreases = it.decreases.map(|it| it + 1));
    }

    fn on_pacing_rate_updated(
        &mut self,
        _context: &mut (),
        _meta: &ConnectionMeta,
        event: &events::PacingRateUpdated,
    ) {
        self.note(|it| it.pacing_rate = Some(event.bytes_per_second));
    }

    fn on_mtu_updated(
        &mut self,
        _context: &mut (),
        _meta: &ConnectionMeta,
        event: &events::MtuUpdated,
    ) {
        self.note(|it| it.mtu = Some(event.mtu));
    }
}
