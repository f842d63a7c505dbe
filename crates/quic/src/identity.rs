//! The certificate of all servers, and its key. They are the same everywhere, so that handshakes
//! have the same sizes: Ed25519, whose signatures have a fixed one. Nothing is kept secret by them.
//!
//! Made by `openssl genpkey -algorithm ed25519 -outform DER -out key.der` and `openssl req -x509 -new
//! -key key.der -keyform DER -set_serial 1 -days 36500 -outform DER -out certificate.der`, with
//! the subject `CN=windtunnel`, the same as its alternative name, and `CA:FALSE`.

use quinn_proto::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// The name that the certificate is for.
pub(crate) const NAME: &str = "windtunnel";

/// The certificate.
pub(crate) fn certificate() -> CertificateDer<'static> {
    CertificateDer::from(&include_bytes!("identity/certificate.der")[..])
}

/// Its key.
pub(crate) fn key() -> PrivateKeyDer<'static> {
    PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(&include_bytes!("identity/key.der")[..]))
}
