//! How connections with real peers behave: as Linux's do, with any controller.

use thiserror::Error;
use windtunnel_controllers::{DESCRIPTIONS, Need, Settings as ControllerSettings};
use windtunnel_packets::ip::IpVersion;
use windtunnel_packets::tcp::TIMESTAMPS_SIZE;
use windtunnel_transports::tcp::{EcnMode, Nagle, Reading, Socket, TcpSettings};

/// The length of a TCP header without options.
const HEADER: u16 = 20;

/// Why a controller cannot send here.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ControllerError {
    /// There is none of that name.
    #[error("there is no controller `{0}`\nhelp: `windtunnel list controllers` names them")]
    Unknown(String),
    /// It needs what real hosts do not report.
    #[error("controller `{name}` needs {what}, which real hosts and networks do not report")]
    Lacks {
        /// Its name.
        name: &'static str,
        /// What it needs.
        what: &'static str,
    },
}

/// A controller of that name with its defaults, if it can send to real hosts.
///
/// # Errors
/// If there is none, or it needs what only simulated networks report.
pub fn controller(name: &str) -> Result<ControllerSettings, ControllerError> {
    let description = DESCRIPTIONS.iter().find(|it| it.name == name);
    let description = description.ok_or_else(|| ControllerError::Unknown(name.to_owned()))?;
    let settings = ControllerSettings::defaults(description);
    check(&settings)?;
    Ok(settings)
}

/// Whether a controller can send to real hosts.
///
/// # Errors
/// If it needs what only simulated networks report.
pub fn check(settings: &ControllerSettings) -> Result<(), ControllerError> {
    let lacking = settings.needs().find_map(|need| match need {
        Need::Sinr => Some("a radio's SINR"),
        Need::SomeCongestion => Some("the milder mark of SCE"),
        _ => None,
    });
    match lacking {
        Some(what) => Err(ControllerError::Lacks { name: settings.description().name, what }),
        None => Ok(()),
    }
}

/// How connections behave over IPv4 and IPv6, with packets of at most this many bytes.
#[must_use]
pub fn settings(controller: &ControllerSettings, largest_packet: u16) -> [TcpSettings; 2] {
    [IpVersion::V4, IpVersion::V6].map(|ip| of_version(ip, controller, largest_packet))
}

fn of_version(ip: IpVersion, controller: &ControllerSettings, largest_packet: u16) -> TcpSettings {
    let headers = ip.header() + HEADER + TIMESTAMPS_SIZE;
    let ecn = match EcnMode::wanted_by(controller) {
        // Nothing says in a handshake that an echo is that of RFC 8257; counters do.
        EcnMode::Dctcp => EcnMode::Accurate,
        other => other,
    };
    TcpSettings {
        ip,
        maximum_segment: largest_packet.saturating_sub(headers).max(1),
        ecn,
        server_ecn: ecn,
        socket: Socket { nagle: Nagle::Minshall, reading: Reading::AsTaken, ..Socket::default() },
        small_queues: Some(false),
        ..TcpSettings::new(controller.clone())
    }
}
