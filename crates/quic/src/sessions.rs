//! What servers keep of connections, so that clients can resume them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quinn_proto::rustls::pki_types::UnixTime;
use quinn_proto::rustls::server::StoresServerSessions;
use quinn_proto::rustls::time_provider::TimeProvider;

/// The sessions of all servers of a flow, by their tickets: of any number, until they are resumed.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<Vec<u8>, Vec<u8>>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoresServerSessions for Sessions {
    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> bool {
        self.lock().insert(key, value);
        true
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.lock().get(key).cloned()
    }

    fn take(&self, key: &[u8]) -> Option<Vec<u8>> {
        self.lock().remove(key)
    }

    fn can_cache(&self) -> bool {
        true
    }
}

/// The date by which certificates and tickets are judged: always the same, so that nothing depends on
/// when a simulation runs, or on how long it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneDate;

impl TimeProvider for OneDate {
    fn current_time(&self) -> Option<UnixTime> {
        // The first of January 2030.
        Some(UnixTime::since_unix_epoch(Duration::from_secs(1_893_456_000)))
    }
}
