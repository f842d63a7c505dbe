//! The defaults of the keys of TCP: those that [`TcpSettings`] has itself.

use windtunnel_controllers::Start;
use windtunnel_engine::Duration;
use windtunnel_transports::rtt::RtoLimits;
use windtunnel_transports::tcp::{BufferLimits, TcpSettings};

use crate::reading::located::Located;
use crate::reading::units::{Bytes, Measured, Segments};

pub(super) fn acknowledge_every() -> Located<Measured<Segments>> {
    Measured(Segments(TcpSettings::ACKNOWLEDGE_EVERY.into())).into()
}

pub(super) fn acknowledge_within() -> Located<Measured<Duration>> {
    Measured(TcpSettings::ACKNOWLEDGE_WITHIN).into()
}

pub(super) fn initial_timeout() -> Located<Measured<Duration>> {
    Measured(RtoLimits::LINUX.initial).into()
}

pub(super) fn minimum_timeout() -> Located<Measured<Duration>> {
    Measured(RtoLimits::LINUX.minimum).into()
}

pub(super) fn minimum_variation() -> Located<Measured<Duration>> {
    Measured(RtoLimits::LINUX.minimum_variation).into()
}

pub(super) fn maximum_timeout() -> Located<Measured<Duration>> {
    Measured(RtoLimits::LINUX.maximum).into()
}

pub(super) fn maximum_receive_buffer() -> Located<Measured<Bytes>> {
    Measured(Bytes(BufferLimits::LINUX.maximum)).into()
}

pub(super) fn send_buffer() -> Located<Measured<Bytes>> {
    Measured(Bytes(TcpSettings::SEND_BUFFER)).into()
}

pub(super) fn initial_window() -> Located<Measured<Segments>> {
    Measured(Segments(Start::default().initial_window)).into()
}
