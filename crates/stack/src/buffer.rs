//! What a library writes datagrams into.

use std::slice;

/// How many bytes there is room for: more than the largest datagram, and than ten of 1500 bytes.
pub(crate) const ROOM: usize = 1 << 16;

/// Memory that ends where no other begins: who writes beyond it is stopped at once, where the system
/// can do that.
#[derive(Debug)]
pub(crate) struct Buffer {
    start: *mut u8,
    #[cfg(unix)]
    whole: (*mut libc::c_void, usize),
}

// SAFETY: it is the only one that refers to its memory.
unsafe impl Send for Buffer {}

#[cfg(unix)]
impl Buffer {
    /// # Errors
    /// That there is no memory.
    pub(crate) fn new() -> Result<Self, String> {
        // SAFETY: the constant exists everywhere.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(ROOM);
        let room = ROOM.next_multiple_of(page);
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: new memory, at an address that the system chooses.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), room + page, access, kind, -1, 0) };
        if memory == libc::MAP_FAILED {
            return Err("there is no memory for a buffer".to_owned());
        }
        let whole = (memory, room + page);
        // SAFETY: the last page of what was just mapped; there is nothing in it.
        let is_guarded =
            unsafe { libc::mprotect(memory.byte_add(room), page, libc::PROT_NONE) } == 0;
        // SAFETY: `room` is at least as much.
        let start = unsafe { memory.byte_add(room - ROOM) }.cast();
        let buffer = Self { start, whole };
        if is_guarded { Ok(buffer) } else { Err("there is no memory for a buffer".to_owned()) }
    }
}

#[cfg(unix)]
impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: it was mapped in `new`, and nothing refers to it any more.
        unsafe { libc::munmap(self.whole.0, self.whole.1) };
    }
}

#[cfg(not(unix))]
impl Buffer {
    /// # Errors
    /// None here.
    pub(crate) fn new() -> Result<Self, String> {
        Ok(Self { start: Box::into_raw(vec![0; ROOM].into_boxed_slice()).cast() })
    }
}

#[cfg(not(unix))]
impl Drop for Buffer {
    fn drop(&mut self) {
        let all = std::ptr::slice_from_raw_parts_mut(self.start, ROOM);
        // SAFETY: it was such a box in `new`.
        drop(unsafe { Box::from_raw(all) });
    }
}

impl Buffer {
    pub(crate) fn start(&mut self) -> *mut u8 {
        self.start
    }

    /// The first bytes; at most [`ROOM`].
    pub(crate) fn bytes(&self, length: usize) -> &[u8] {
        // SAFETY: so many bytes are there, and were zero at first.
        unsafe { slice::from_raw_parts(self.start, length.min(ROOM)) }
    }
}
