//! The secrets of a connection, by which a capture of it can be decrypted.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Lines of a key log (RFC 9850).
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets(Arc<Mutex<Vec<u8>>>);

impl Secrets {
    /// All so far.
    pub(crate) fn lines(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&lines).into_owned()
    }
}

impl io::Write for Secrets {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
