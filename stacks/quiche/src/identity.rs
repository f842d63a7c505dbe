//! The certificate of all servers, and its key: those of the other implementations of QUIC.

use boring::error::ErrorStack;
use boring::pkey::{PKey, Private};
use boring::x509::X509;

/// The name that the certificate is for.
pub(crate) const NAME: &str = "windtunnel";

/// The certificate.
pub(crate) fn certificate() -> Result<X509, ErrorStack> {
    X509::from_der(include_bytes!("../../../crates/quic/src/identity/certificate.der"))
}

/// Its key.
pub(crate) fn key() -> Result<PKey<Private>, ErrorStack> {
    PKey::private_key_from_der(include_bytes!("../../../crates/quic/src/identity/key.der"))
}
