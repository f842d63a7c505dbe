//! Memory that is shared with a guest, in which each access is checked.

use std::io;
use std::num::NonZeroUsize;
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;

use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

/// A file that is mapped from its beginning.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the memory belongs to the mapping alone, in this process, until it is dropped.
unsafe impl Send for Mapping {}

impl Mapping {
    pub(crate) fn new(file: BorrowedFd<'_>, length: usize) -> io::Result<Self> {
        let size = NonZeroUsize::new(length).ok_or(io::ErrorKind::InvalidInput)?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new mapping, of nothing that this process uses otherwise.
        let start = unsafe { mmap(None, size, access, MapFlags::MAP_SHARED, file, 0)? };
        Ok(Self { start: start.cast(), length })
    }

    /// Where `count` bytes are from `at` on.
    fn place(&self, at: usize, count: usize) -> Result<*mut u8, String> {
        let is_inside = at.checked_add(count).is_some_and(|end| end <= self.length);
        // SAFETY: it is inside of the mapping.
        is_inside.then(|| unsafe { self.start.as_ptr().add(at) }).ok_or_else(|| {
            format!("the guest names {count} B at {at} of {} B of its memory", self.length)
        })
    }

    pub(crate) fn read(&self, at: usize, into: &mut [u8]) -> Result<(), String> {
        let from = self.place(at, into.len())?;
        // SAFETY: `from` has as many bytes; what the guest changes meanwhile are but bytes.
        unsafe { from.copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    pub(crate) fn write(&self, at: usize, bytes: &[u8]) -> Result<(), String> {
        let to = self.place(at, bytes.len())?;
        // SAFETY: `to` has as many bytes.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// The bytes at a place, as a number of the machine's byte order.
    pub(crate) fn array<const N: usize>(&self, at: usize) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        self.read(at, &mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: nothing refers to it any more.
        let _ = unsafe { munmap(self.start.cast(), self.length) };
    }
}
