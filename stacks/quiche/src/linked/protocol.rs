//! TLS without a negotiation of the application protocol. BoringSSL insists on one over QUIC (RFC 9001,
//! section 8.1); the other implementations negotiate none, and refuse whoever does.
//!
//! Three of its functions ask whether a connection is one of QUIC, and refuse to go on without a
//! protocol if so. That is the first time that each of them asks, if no protocol was configured: then
//! the answer is no.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

thread_local! {
    /// Whether the next question is about the protocol.
    static IS_ABOUT_PROTOCOL: Cell<bool> = const { Cell::new(false) };
}

/// Does something in which the first question is about the protocol.
fn without_protocol<T>(work: impl FnOnce() -> T) -> T {
    IS_ABOUT_PROTOCOL.set(true);
    let done = work();
    IS_ABOUT_PROTOCOL.set(false);
    done
}

unsafe extern "C" {
    fn __real_SSL_is_quic(session: *const c_void) -> c_int;

    #[link_name = "__real__ZN4bssl26ssl_add_clienthello_tlsextEPNS_13SSL_HANDSHAKEEP6cbb_stS3_NS_23ssl_client_hello_type_tE"]
    fn real_write_client_hello(
        handshake: *mut c_void,
        out: *mut c_void,
        encoded: *mut c_void,
        kind: c_int,
    ) -> bool;

    #[link_name = "__real__ZN4bssl28ssl_parse_serverhello_tlsextEPNS_13SSL_HANDSHAKEEPK6cbs_st"]
    fn real_read_server_hello(handshake: *mut c_void, extensions: *const c_void) -> bool;

    #[link_name = "__real__ZN4bssl18ssl_negotiate_alpnEPNS_13SSL_HANDSHAKEEPhPK22ssl_early_callback_ctx"]
    fn real_negotiate(handshake: *mut c_void, alert: *mut u8, hello: *const c_void) -> bool;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_SSL_is_quic(session: *const c_void) -> c_int {
    if IS_ABOUT_PROTOCOL.replace(false) {
        return 0;
    }
    // SAFETY: it is the caller's argument.
    unsafe { __real_SSL_is_quic(session) }
}

/// `bssl::ssl_add_clienthello_tlsext`.
#[unsafe(export_name = "__wrap__ZN4bssl26ssl_add_clienthello_tlsextEPNS_13SSL_HANDSHAKEEP6cbb_stS3_NS_23ssl_client_hello_type_tE")]
unsafe extern "C" fn write_client_hello(
    handshake: *mut c_void,
    out: *mut c_void,
    encoded: *mut c_void,
    kind: c_int,
) -> bool {
    // SAFETY: these are the caller's arguments.
    without_protocol(|| unsafe { real_write_client_hello(handshake, out, encoded, kind) })
}

/// `bssl::ssl_parse_serverhello_tlsext`.
#[unsafe(export_name = "__wrap__ZN4bssl28ssl_parse_serverhello_tlsextEPNS_13SSL_HANDSHAKEEPK6cbs_st")]
unsafe extern "C" fn read_server_hello(handshake: *mut c_void, extensions: *const c_void) -> bool {
    // SAFETY: these are the caller's arguments.
    without_protocol(|| unsafe { real_read_server_hello(handshake, extensions) })
}

/// `bssl::ssl_negotiate_alpn`.
#[unsafe(export_name = "__wrap__ZN4bssl18ssl_negotiate_alpnEPNS_13SSL_HANDSHAKEEPhPK22ssl_early_callback_ctx")]
unsafe extern "C" fn negotiate(
    handshake: *mut c_void,
    alert: *mut u8,
    hello: *const c_void,
) -> bool {
    // SAFETY: these are the caller's arguments.
    without_protocol(|| unsafe { real_negotiate(handshake, alert, hello) })
}
