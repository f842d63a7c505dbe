//! A split virtqueue (virtio 1.2, section 2.7), from the device's side.

use crate::guest_memory::GuestMemory;

/// Set in the driver's flags if it wants no interrupts.
const NO_INTERRUPT: u16 = 1;
/// Set in the device's flags if it wants no notifications.
const NO_NOTIFY: u16 = 1;
/// Set in a descriptor that has a next one, or that the device writes.
const HAS_NEXT: u16 = 1;
const IS_WRITTEN: u16 = 2;

/// A virtqueue, by the physical addresses of its parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ring {
    pub(crate) size: u16,
    pub(crate) descriptors: u64,
    pub(crate) available: u64,
    pub(crate) used: u64,
    /// How many buffers were taken from the driver, and given back.
    taken: u16,
    given: u16,
}

/// A buffer: the number of its first descriptor, and its parts as address, length and whether the
/// device writes it.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    pub(crate) head: u16,
    pub(crate) parts: Vec<(u64, u32, bool)>,
}

impl Ring {
    /// The next buffer that the driver offers, if there is one.
    pub(crate) fn take(
        &mut self,
        memory: &GuestMemory,
        buffer: &mut Buffer,
    ) -> Result<bool, String> {
        if self.size == 0 || memory.u16(self.available + 2)? == self.taken {
            return Ok(false);
        }
        let place = u64::from(self.taken % self.size);
        buffer.head = memory.u16(self.available + 4 + 2 * place)?;
        buffer.parts.clear();
        let mut number = buffer.head;
        for _ in 0..self.size {
            let descriptor: [u8; 16] = memory.array(self.descriptors + 16 * u64::from(number))?;
            let [a0, a1, a2, a3, a4, a5, a6, a7, l0, l1, l2, l3, f0, f1, n0, n1] = descriptor;
            let flags = u16::from_ne_bytes([f0, f1]);
            let address = u64::from_ne_bytes([a0, a1, a2, a3, a4, a5, a6, a7]);
            let length = u32::from_ne_bytes([l0, l1, l2, l3]);
            buffer.parts.push((address, length, flags & IS_WRITTEN != 0));
            if flags & HAS_NEXT == 0 {
                break;
            }
            number = u16::from_ne_bytes([n0, n1]);
        }
        self.taken = self.taken.wrapping_add(1);
        Ok(true)
    }

    /// Gives a buffer back, into which `written` bytes were written.
    pub(crate) fn give(
        &mut self,
        memory: &GuestMemory,
        head: u16,
        written: u32,
    ) -> Result<(), String> {
        let place = u64::from(self.given % self.size.max(1));
        let entry = u64::from(head) | u64::from(written) << 32;
        memory.write(self.used + 4 + 8 * place, &entry.to_ne_bytes())?;
        self.given = self.given.wrapping_add(1);
        memory.write(self.used + 2, &self.given.to_ne_bytes())
    }

    /// Whether the driver wants an interrupt for what was given back.
    pub(crate) fn wants_interrupt(&self, memory: &GuestMemory) -> Result<bool, String> {
        Ok(memory.u16(self.available)? & NO_INTERRUPT == 0)
    }

    /// Has the driver not notify of what it offers.
    pub(crate) fn silence(&self, memory: &GuestMemory) -> Result<(), String> {
        memory.write(self.used, &NO_NOTIFY.to_ne_bytes())
    }
}
