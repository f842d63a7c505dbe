//! TLS without a negotiation of the application protocol. BoringSSL insists on one over QUIC (RFC 9001,
//! section 8.1); the other implementations negotiate none, and refuse whoever does.
//!
//! Three of its functions look whether a connection is one of QUIC, which is whether it has the hooks for
//! that, and refuse to go on without a protocol if so. Meanwhile it has none. The first of them also
//! writes the transport parameters, for which it must have them: they are back when it has come to
//! the key share, which is in between.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The hooks of all connections: they are a constant of tquic's.
static HOOKS: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// The connection that has no hooks now.
    static BARE: Cell<*mut c_void> = const { Cell::new(ptr::null_mut()) };
}

/// The extension of TLS with the client's key (RFC 8446, section 4.2).
const KEY_SHARE: u16 = 51;

unsafe extern "C" {
    fn __real_SSL_set_quic_method(connection: *mut c_void, hooks: *const c_void) -> c_int;

    fn __real_CBB_add_u16(bytes: *mut c_void, value: u16) -> c_int;

    #[link_name = "__real__ZN4bssl26ssl_add_clienthello_tlsextEPNS_13SSL_HANDSHAKEEP6cbb_stS3_PbNS_23ssl_client_hello_type_tEm"]
    fn real_write_client_hello(
        handshake: *mut *mut c_void,
        out: *mut c_void,
        encoded: *mut c_void,
        needs_binder: *mut bool,
        kind: c_int,
        header: usize,
    ) -> bool;

    #[link_name = "__real__ZN4bssl28ssl_parse_serverhello_tlsextEPNS_13SSL_HANDSHAKEEPK6cbs_st"]
    fn real_read_server_hello(handshake: *mut *mut c_void, extensions: *const c_void) -> bool;

    #[link_name = "__real__ZN4bssl18ssl_negotiate_alpnEPNS_13SSL_HANDSHAKEEPhPK22ssl_early_callback_ctx"]
    fn real_negotiate(handshake: *mut *mut c_void, alert: *mut u8, hello: *const c_void) -> bool;
}

/// Does something while a connection has no hooks.
///
/// # Safety
/// It is the connection's handshake, and the connection lives.
unsafe fn without_hooks<T>(handshake: *mut *mut c_void, work: impl FnOnce() -> T) -> T {
    // SAFETY: a handshake begins with a pointer to its connection (`ssl/internal.h`).
    let connection = unsafe { *handshake };
    BARE.set(connection);
    // SAFETY: the connection lives.
    unsafe { __real_SSL_set_quic_method(connection, ptr::null()) };
    let done = work();
    give_hooks_back();
    done
}

fn give_hooks_back() {
    let connection = BARE.replace(ptr::null_mut());
    if !connection.is_null() {
        // SAFETY: the function that has taken them is at work, and the connection lives.
        unsafe { __real_SSL_set_quic_method(connection, HOOKS.load(Ordering::Relaxed)) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_SSL_set_quic_method(
    connection: *mut c_void,
    hooks: *const c_void,
) -> c_int {
    HOOKS.store(hooks.cast_mut(), Ordering::Relaxed);
    // SAFETY: these are the caller's arguments.
    unsafe { __real_SSL_set_quic_method(connection, hooks) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_CBB_add_u16(bytes: *mut c_void, value: u16) -> c_int {
    if value == KEY_SHARE {
        give_hooks_back();
    }
    // SAFETY: these are the caller's arguments.
    unsafe { __real_CBB_add_u16(bytes, value) }
}

/// `bssl::ssl_add_clienthello_tlsext`.
#[unsafe(export_name = "__wrap__ZN4bssl26ssl_add_clienthello_tlsextEPNS_13SSL_HANDSHAKEEP6cbb_stS3_PbNS_23ssl_client_hello_type_tEm")]
unsafe extern "C" fn write_client_hello(
    handshake: *mut *mut c_void,
    out: *mut c_void,
    encoded: *mut c_void,
    needs_binder: *mut bool,
    kind: c_int,
    header: usize,
) -> bool {
    // SAFETY: these are the caller's arguments, and its connection lives.
    unsafe {
        without_hooks(handshake, || {
            real_write_client_hello(handshake, out, encoded, needs_binder, kind, header)
        })
    }
}

/// `bssl::ssl_parse_serverhello_tlsext`.
#[unsafe(export_name = "__wrap__ZN4bssl28ssl_parse_serverhello_tlsextEPNS_13SSL_HANDSHAKEEPK6cbs_st")]
unsafe extern "C" fn read_server_hello(
    handshake: *mut *mut c_void,
    extensions: *const c_void,
) -> bool {
    // SAFETY: these are the caller's arguments, and its connection lives.
    unsafe { without_hooks(handshake, || real_read_server_hello(handshake, extensions)) }
}

/// `bssl::ssl_negotiate_alpn`.
#[unsafe(export_name = "__wrap__ZN4bssl18ssl_negotiate_alpnEPNS_13SSL_HANDSHAKEEPhPK22ssl_early_callback_ctx")]
unsafe extern "C" fn negotiate(
    handshake: *mut *mut c_void,
    alert: *mut u8,
    hello: *const c_void,
) -> bool {
    // SAFETY: these are the caller's arguments, and its connection lives.
    unsafe { without_hooks(handshake, || real_negotiate(handshake, alert, hello)) }
}
