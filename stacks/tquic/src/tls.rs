//! TLS, by the BoringSSL that is in tquic.
//!
//! tquic reads certificates from files, and verifies no signatures of Ed25519; so BoringSSL is configured
//! here, and tquic takes it as it is.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::ptr::{self, NonNull};
use std::sync::Arc;

use tquic::{TlsConfig, TlsConfigSelector};

use crate::identity;

thread_local! {
    /// The secrets that were told on this thread, as lines of a key log (RFC 9850).
    static SECRETS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Those that were told on this thread since they were last taken.
pub(crate) fn take_secrets() -> String {
    SECRETS.take()
}

/// `EVP_PKEY_ED25519`.
const ED25519_KEY: c_int = 949;
/// `SSL_SIGN_ED25519`.
const ED25519_SIGNATURE: u16 = 0x0807;
/// `SSL_VERIFY_PEER`.
const VERIFIED: c_int = 1;

type Certificate = *mut c_void;

unsafe extern "C" {
    fn TLS_method() -> *const c_void;
    fn SSL_CTX_new(method: *const c_void) -> *mut c_void;
    fn SSL_CTX_free(context: *mut c_void);
    fn SSL_CTX_use_certificate_ASN1(context: *mut c_void, length: usize, bytes: *const u8)
    -> c_int;
    fn SSL_CTX_use_PrivateKey_ASN1(
        kind: c_int,
        context: *mut c_void,
        bytes: *const u8,
        length: usize,
    ) -> c_int;
    fn SSL_CTX_set_verify(context: *mut c_void, mode: c_int, callback: *const c_void);
    fn SSL_CTX_set_verify_algorithm_prefs(
        context: *mut c_void,
        algorithms: *const u16,
        count: usize,
    ) -> c_int;
    fn SSL_CTX_set_keylog_callback(
        context: *mut c_void,
        callback: extern "C" fn(*const c_void, *const c_char),
    );
    fn SSL_CTX_get_cert_store(context: *const c_void) -> *mut c_void;
    fn X509_STORE_add_cert(store: *mut c_void, certificate: Certificate) -> c_int;
    fn d2i_X509(out: *mut Certificate, bytes: *mut *const u8, length: c_long) -> Certificate;
    fn X509_free(certificate: Certificate);
}

/// What BoringSSL keeps a configuration in.
struct Context(NonNull<c_void>);

// SAFETY: BoringSSL counts references with atomic operations, and a configuration does not change.
unsafe impl Send for Context {}
// SAFETY: see above.
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: this is the reference that `new` has got.
        unsafe { SSL_CTX_free(self.0.as_ptr()) };
    }
}

impl Context {
    fn new() -> Result<Self, String> {
        // SAFETY: the method is a constant.
        let context = unsafe { SSL_CTX_new(TLS_method()) };
        NonNull::new(context).map(Self).ok_or_else(|| "BoringSSL has no memory".to_owned())
    }

    /// With the certificate of all servers.
    fn of_server() -> Result<Self, String> {
        let context = Self::new()?;
        let (certificate, key) = (identity::CERTIFICATE, identity::KEY);
        let pointer = context.0.as_ptr();
        // SAFETY: the context lives, and so do the bytes, whose lengths are these.
        let is_taken = unsafe {
            SSL_CTX_use_certificate_ASN1(pointer, certificate.len(), certificate.as_ptr()) == 1
                && SSL_CTX_use_PrivateKey_ASN1(ED25519_KEY, pointer, key.as_ptr(), key.len()) == 1
        };
        is_taken.then_some(context).ok_or_else(|| "BoringSSL refuses the certificate".to_owned())
    }

    /// Which trusts that certificate, and tells its secrets.
    fn of_client() -> Result<Self, String> {
        let context = Self::new()?;
        let pointer = context.0.as_ptr();
        let mut bytes = identity::CERTIFICATE.as_ptr();
        let length = identity::CERTIFICATE.len() as c_long;
        // SAFETY: the context lives, and so do the bytes, whose length is this; the store keeps a
        // reference of its own to the certificate, and takes none that is null.
        let is_taken = unsafe {
            SSL_CTX_set_keylog_callback(pointer, tell_secret);
            SSL_CTX_set_verify(pointer, VERIFIED, ptr::null());
            let certificate = d2i_X509(ptr::null_mut(), &raw mut bytes, length);
            let is_trusted = !certificate.is_null()
                && X509_STORE_add_cert(SSL_CTX_get_cert_store(pointer), certificate) == 1;
            X509_free(certificate);
            is_trusted
                && SSL_CTX_set_verify_algorithm_prefs(pointer, [ED25519_SIGNATURE].as_ptr(), 1) == 1
        };
        is_taken.then_some(context).ok_or_else(|| "BoringSSL refuses the certificate".to_owned())
    }
}

extern "C" fn tell_secret(_connection: *const c_void, line: *const c_char) {
    // SAFETY: BoringSSL gives a text that ends with a zero.
    let line = unsafe { CStr::from_ptr(line) }.to_string_lossy();
    SECRETS.with_borrow_mut(|lines| {
        lines.push_str(&line);
        lines.push('\n');
    });
}

/// The only configuration of an end.
struct Only {
    config: Arc<TlsConfig>,
    /// It is only borrowed by the former.
    _context: Context,
}

impl TlsConfigSelector for Only {
    fn get_default(&self) -> Option<Arc<TlsConfig>> {
        Some(Arc::clone(&self.config))
    }

    fn select(&self, _server_name: &str) -> Option<Arc<TlsConfig>> {
        self.get_default()
    }
}

/// TLS of an end that connects, or of one that waits for that.
pub(crate) fn configured(connects: bool) -> Result<Arc<dyn TlsConfigSelector>, String> {
    let context = if connects { Context::of_client()? } else { Context::of_server()? };
    let config = Arc::new(TlsConfig::new_with_ssl_ctx(context.0.as_ptr().cast()));
    Ok(Arc::new(Only { config, _context: context }))
}
