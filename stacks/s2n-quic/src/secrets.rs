//! The secrets of a connection, by which a capture of it can be decrypted.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use rustls::KeyLog;

/// Lines of a key log (RFC 9850).
#[derive(Debug, Default)]
pub(crate) struct Secrets(Mutex<String>);

impl Secrets {
    /// All so far.
    pub(crate) fn lines(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl KeyLog for Secrets {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let hexadecimal = |bytes: &[u8]| {
            bytes.iter().fold(String::new(), |mut text, it| {
                let _ = write!(text, "{it:02x}");
                text
            })
        };
        let (random, secret) = (hexadecimal(client_random), hexadecimal(secret));
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(lines, "{label} {random} {secret}");
    }
}
