//! The bytes of the Data in the content store, in the order of their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use windtunnel_packets::ndn::{Name, wire};

/// Data as it came.
#[derive(Clone, Debug)]
struct Kept {
    name: Name,
    bytes: Arc<[u8]>,
}

/// What the content store keeps, with its bytes.
#[derive(Debug, Default)]
pub(super) struct Cache {
    by_name: BTreeMap<wire::Name<'static>, Kept>,
    by_number: BTreeMap<Name, Arc<[u8]>>,
}

impl Cache {
    /// Keeps the bytes of Data; returns whether there was none of that name.
    pub(super) fn insert(
        &mut self,
        full: wire::Name<'static>,
        name: Name,
        bytes: Arc<[u8]>,
    ) -> bool {
        self.by_name.insert(full, Kept { name, bytes: Arc::clone(&bytes) });
        self.by_number.insert(name, bytes).is_none()
    }

    /// Forgets what the content store has evicted.
    pub(super) fn remove(&mut self, name: Name) {
        let Some(bytes) = self.by_number.remove(&name) else { return };
        if let Ok(data) = wire::Data::decode(&bytes) {
            self.by_name.remove(&data.name.into_owned());
        }
    }

    /// The bytes of Data.
    pub(super) fn bytes(&self, name: Name) -> Option<&Arc<[u8]>> {
        self.by_number.get(&name)
    }

    /// The numbers of Data whose names begin so, in canonical order.
    pub(super) fn below(&self, prefix: &wire::Name<'static>) -> impl Iterator<Item = Name> {
        let all = self.by_name.range(prefix.clone()..);
        all.take_while(|(name, _)| prefix.is_prefix_of(name)).map(|(_, kept)| kept.name)
    }

    /// The Data of that name and implicit digest.
    pub(super) fn with_digest(&self, name: &wire::Name<'static>, digest: &[u8]) -> Option<Name> {
        let kept = self.by_name.get(name)?;
        (implicit_digest(&kept.bytes)[..] == *digest).then_some(kept.name)
    }

    /// How many Data are kept.
    pub(super) fn len(&self) -> usize {
        self.by_number.len()
    }
}

/// The digest of a whole Data ("Implicit Digest Component").
pub(super) fn implicit_digest(data: &[u8]) -> [u8; 32] {
    Sha256::digest(data).into()
}
