//! BoringSSL's random numbers, which are drawn from the seed of the end that is at work.

use std::ffi::c_int;
use std::slice;

use windtunnel_machine::random;

#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_RAND_bytes(out: *mut u8, length: usize) -> c_int {
    // SAFETY: BoringSSL has room for so many bytes.
    random::fill(unsafe { slice::from_raw_parts_mut(out, length) });
    1
}
