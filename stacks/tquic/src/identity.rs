//! The certificate of all servers, and its key: those of the other implementations of QUIC.

/// The name that the certificate is for.
pub(crate) const NAME: &str = "windtunnel";

/// The certificate.
pub(crate) const CERTIFICATE: &[u8] =
    include_bytes!("../../../crates/quic/src/identity/certificate.der");

/// Its key.
pub(crate) const KEY: &[u8] = include_bytes!("../../../crates/quic/src/identity/key.der");
