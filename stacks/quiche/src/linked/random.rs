//! BoringSSL's random numbers, which are drawn from the seed of the end that is at work.
//!
//! BoringSSL keeps a generator for each thread, which it seeds from the system and mixes with numbers
//! of the processor's. Here the thread keeps none, so that it seeds one for each request; the processor
//! has no numbers; and what the system gives is of the end's seed.

use std::ffi::{c_int, c_void};
use std::slice;

use windtunnel_machine::random;

/// The place of a thread's generator among what BoringSSL keeps for each thread.
const GENERATOR: c_int = 1;

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

unsafe extern "C" {
    #[link_name = "__real__ZN4bssl23CRYPTO_get_thread_localENS_19thread_local_data_tE"]
    fn real_kept(index: c_int) -> *mut c_void;

    #[link_name = "__real__ZN4bssl23CRYPTO_set_thread_localENS_19thread_local_data_tEPvPFvS1_E"]
    fn real_keep(index: c_int, value: *mut c_void, destructor: Destructor) -> c_int;
}

/// What the system gives: `bssl::CRYPTO_sysrand`.
#[unsafe(export_name = "__wrap__ZN4bssl14CRYPTO_sysrandEPhm")]
unsafe extern "C" fn fill(out: *mut u8, length: usize) {
    // SAFETY: BoringSSL has room for so many bytes.
    random::fill(unsafe { slice::from_raw_parts_mut(out, length) });
}

/// The processor has none.
#[unsafe(no_mangle)]
extern "C" fn __wrap_CRYPTO_rdrand_multiple8_buf(_out: *mut u8, _length: usize) -> c_int {
    0
}

/// What a thread keeps: `bssl::CRYPTO_get_thread_local`.
#[unsafe(export_name = "__wrap__ZN4bssl23CRYPTO_get_thread_localENS_19thread_local_data_tE")]
unsafe extern "C" fn kept(index: c_int) -> *mut c_void {
    if index == GENERATOR {
        return std::ptr::null_mut();
    }
    // SAFETY: it is the caller's argument.
    unsafe { real_kept(index) }
}

/// Has a thread keep something: `bssl::CRYPTO_set_thread_local`. A generator it does not: BoringSSL then
/// uses one once.
#[unsafe(export_name = "__wrap__ZN4bssl23CRYPTO_set_thread_localENS_19thread_local_data_tEPvPFvS1_E")]
unsafe extern "C" fn keep(index: c_int, value: *mut c_void, destructor: Destructor) -> c_int {
    if index != GENERATOR {
        // SAFETY: these are the caller's arguments.
        return unsafe { real_keep(index, value, destructor) };
    }
    if let Some(free) = destructor {
        // SAFETY: whoever fails to keep a value frees it (`crypto/internal.h`).
        unsafe { free(value) };
    }
    0
}
