//! The memory of a guest, by its physical addresses.

use std::io;
use std::os::fd::AsFd;

use crate::memory::Mapping;

/// The regions that a guest has told of.
#[derive(Debug, Default)]
pub(crate) struct GuestMemory {
    regions: Vec<Region>,
}

#[derive(Debug)]
struct Region {
    start: u64,
    length: u64,
    /// Where it begins in the mapping.
    offset: u64,
    mapping: Mapping,
}

impl GuestMemory {
    /// Adds a region from a physical address on, which begins at `offset` of a file.
    pub(crate) fn add(
        &mut self,
        (start, length): (u64, u64),
        offset: u64,
        file: impl AsFd,
    ) -> io::Result<()> {
        let end = usize::try_from(offset.saturating_add(length)).unwrap_or(usize::MAX);
        let mapping = Mapping::new(file.as_fd(), end)?;
        self.regions.push(Region { start, length, offset, mapping });
        Ok(())
    }

    fn region(&self, address: u64) -> Result<(&Mapping, usize), String> {
        let region = self
            .regions
            .iter()
            .find(|it| address.checked_sub(it.start).is_some_and(|distance| distance < it.length));
        let region = region.ok_or_else(|| {
            format!("the guest names an address outside its memory, {address:#x}")
        })?;
        Ok((&region.mapping, (address - region.start + region.offset) as usize))
    }

    pub(crate) fn read(&self, address: u64, into: &mut [u8]) -> Result<(), String> {
        let (mapping, at) = self.region(address)?;
        mapping.read(at, into)
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), String> {
        let (mapping, at) = self.region(address)?;
        mapping.write(at, bytes)
    }

    pub(crate) fn array<const N: usize>(&self, address: u64) -> Result<[u8; N], String> {
        let (mapping, at) = self.region(address)?;
        mapping.array(at)
    }

    pub(crate) fn u16(&self, address: u64) -> Result<u16, String> {
        self.array(address).map(u16::from_ne_bytes)
    }

    pub(crate) fn u64(&self, address: u64) -> Result<u64, String> {
        self.array(address).map(u64::from_ne_bytes)
    }
}
