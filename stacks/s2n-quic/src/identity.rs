//! The certificate of all servers, and its key: those of the other implementations of QUIC.

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// The name that the certificate is for.
pub(crate) const NAME: &str = "windtunnel";

/// The certificate.
pub(crate) fn certificate() -> CertificateDer<'static> {
    let bytes = include_bytes!("../../../crates/quic/src/identity/certificate.der");
    CertificateDer::from(&bytes[..])
}

/// Its key.
pub(crate) fn key() -> PrivateKeyDer<'static> {
    let bytes = include_bytes!("../../../crates/quic/src/identity/key.der");
    PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(&bytes[..]))
}
