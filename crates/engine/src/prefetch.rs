//! A hint to the processor: this memory will be wanted soon.

/// Starts to bring the cache lines of a value near the processor. It changes
/// nothing but the time that the next look at the value takes.
#[inline]
#[allow(unsafe_code, reason = "the processor ignores the hint where it cannot be followed")]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let start = std::ptr::from_ref(value).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(LINE) {
            // SAFETY: a prefetch reads nothing and cannot fault; the address lies
            // within the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * LINE)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
