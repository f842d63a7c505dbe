//! Signatures of Data and of commands: SHA-256 digests, Ed25519 and ECDSA on P-256.
//!
//! Keys are in files as OpenSSL writes them: `openssl genpkey -algorithm ed25519` and
//! `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`, the public ones by
//! `openssl pkey -pubout`.

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePublicKey};
use ed25519_dalek::{Signer as _, Verifier as _};
use p256::ecdsa;
use sha2::{Digest, Sha256};
use thiserror::Error;
use windtunnel_packets::ndn::wire::{Data, KeyLocator, SignatureInfo, SignatureType};

/// How Data is signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignatureAlgorithm {
    /// A SHA-256 digest: integrity only.
    #[default]
    Digest,
    /// Ed25519 (RFC 8032).
    Ed25519,
    /// ECDSA on P-256 over a SHA-256 digest.
    Ecdsa,
}

impl SignatureAlgorithm {
    /// The algorithm of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "digest" => Some(Self::Digest),
            "ed25519" => Some(Self::Ed25519),
            "ecdsa" => Some(Self::Ecdsa),
            _ => None,
        }
    }
}

/// Why a key cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A signature needs a key.
    #[error(
        "a signature with {0} requires a private key; `openssl genpkey -algorithm {1}` makes one"
    )]
    Missing(&'static str, &'static str),
    /// A digest needs none.
    #[error("a digest does not use a key; sign with ed25519 or ecdsa, or remove the key")]
    Useless,
    /// It is no private key.
    #[error(
        "this is not a private key for {0} in PEM (PKCS #8); `openssl genpkey -algorithm {1}` \
         makes one"
    )]
    NotPrivate(&'static str, &'static str),
    /// It is no public key.
    #[error(
        "this is not a public key for Ed25519 or ECDSA on P-256 in PEM; \
         `openssl pkey -pubout -in PRIVATE.pem` writes one"
    )]
    NotPublic,
}

#[derive(Debug)]
enum SigningKey {
    Digest,
    Ed25519(Box<ed25519_dalek::SigningKey>),
    Ecdsa(Box<ecdsa::SigningKey>),
}

/// Signs Data and commands.
#[derive(Debug)]
pub struct Signer {
    key: SigningKey,
    /// The digest of the public key.
    locator: Vec<u8>,
}

impl Signer {
    /// A signer with a private key, as text in PEM.
    ///
    /// # Errors
    /// [`KeyError`] if it is not one of that algorithm.
    pub fn new(algorithm: SignatureAlgorithm, key: Option<&str>) -> Result<Self, KeyError> {
        /// What OpenSSL calls these keys.
        const ED25519: &str = "ed25519";
        const P256: &str = "EC -pkeyopt ec_paramgen_curve:P-256";
        match (algorithm, key) {
            (SignatureAlgorithm::Digest, None) => Ok(Self::digest()),
            (SignatureAlgorithm::Digest, Some(_)) => Err(KeyError::Useless),
            (SignatureAlgorithm::Ed25519, None) => Err(KeyError::Missing("Ed25519", ED25519)),
            (SignatureAlgorithm::Ecdsa, None) => Err(KeyError::Missing("ECDSA", P256)),
            (SignatureAlgorithm::Ed25519, Some(text)) => {
                let wrong = KeyError::NotPrivate("Ed25519", ED25519);
                let key = ed25519_dalek::SigningKey::from_pkcs8_pem(text).map_err(|_| wrong)?;
                let public = key.verifying_key().to_public_key_der().map_err(|_| wrong)?;
                let locator = Sha256::digest(public.as_bytes()).to_vec();
                Ok(Self { key: SigningKey::Ed25519(Box::new(key)), locator })
            }
            (SignatureAlgorithm::Ecdsa, Some(text)) => {
                let wrong = KeyError::NotPrivate("ECDSA on P-256", P256);
                let key = ecdsa::SigningKey::from_pkcs8_pem(text).map_err(|_| wrong)?;
                let public = key.verifying_key().to_public_key_der().map_err(|_| wrong)?;
                let locator = Sha256::digest(public.as_bytes()).to_vec();
                Ok(Self { key: SigningKey::Ecdsa(Box::new(key)), locator })
            }
        }
    }

    /// One that needs no key.
    pub(super) fn digest() -> Self {
        Self { key: SigningKey::Digest, locator: Vec::new() }
    }

    /// What a Data says of its signature.
    #[must_use]
    pub fn info(&self) -> SignatureInfo<'_> {
        let signature_type = match &self.key {
            SigningKey::Digest => SignatureType::DIGEST_SHA256,
            SigningKey::Ed25519(_) => SignatureType::ED25519,
            SigningKey::Ecdsa(_) => SignatureType::SHA256_WITH_ECDSA,
        };
        let key_locator =
            (!self.locator.is_empty()).then_some(KeyLocator::KeyDigest(&self.locator));
        SignatureInfo { signature_type, key_locator, time_ms: None }
    }

    /// The signature of what is signed.
    #[must_use]
    pub fn sign(&self, signed: &[u8]) -> Vec<u8> {
        match &self.key {
            SigningKey::Digest => Sha256::digest(signed).to_vec(),
            SigningKey::Ed25519(key) => key.sign(signed).to_bytes().to_vec(),
            SigningKey::Ecdsa(key) => {
                let signature: ecdsa::DerSignature = key.sign(signed);
                signature.as_bytes().to_vec()
            }
        }
    }
}

#[derive(Clone, Debug)]
enum PublicKey {
    Ed25519(ed25519_dalek::VerifyingKey),
    Ecdsa(ecdsa::VerifyingKey),
}

/// Checks the signatures of Data and of commands.
#[derive(Clone, Debug, Default)]
pub struct Verifier(Option<PublicKey>);

/// What is known of a signature that is not wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checked {
    /// It is right.
    Right,
    /// It needs a key that is not given.
    Unknown,
}

impl Verifier {
    /// One that needs signatures by a public key, as text in PEM.
    ///
    /// # Errors
    /// [`KeyError::NotPublic`].
    pub fn with_key(text: &str) -> Result<Self, KeyError> {
        if let Ok(key) = ed25519_dalek::VerifyingKey::from_public_key_pem(text) {
            return Ok(Self(Some(PublicKey::Ed25519(key))));
        }
        match ecdsa::VerifyingKey::from_public_key_pem(text) {
            Ok(key) => Ok(Self(Some(PublicKey::Ecdsa(key)))),
            Err(_) => Err(KeyError::NotPublic),
        }
    }

    /// Checks the Data that fills `input`: a digest always, a signature if there is a key; and
    /// with a key nothing else will do. What is wrong, if something is.
    pub(super) fn check(&self, data: &Data<'_>, input: &[u8]) -> Result<Checked, &'static str> {
        let signed = Data::signed_portion(input).map_err(|_| "it has no signature")?;
        self.check_signature(data.signature_info.signature_type, signed, data.signature_value)
    }

    /// The same of the signature of what is signed.
    pub(super) fn check_signature(
        &self,
        algorithm: SignatureType,
        signed: &[u8],
        value: &[u8],
    ) -> Result<Checked, &'static str> {
        let is_right = match (&self.0, algorithm) {
            (None, SignatureType::DIGEST_SHA256) => {
                if Sha256::digest(signed)[..] != *value {
                    return Err("its digest is wrong");
                }
                true
            }
            (None, _) => return Ok(Checked::Unknown),
            (Some(PublicKey::Ed25519(key)), SignatureType::ED25519) => {
                let signature = ed25519_dalek::Signature::from_slice(value);
                signature.is_ok_and(|it| key.verify(signed, &it).is_ok())
            }
            (Some(PublicKey::Ecdsa(key)), SignatureType::SHA256_WITH_ECDSA) => {
                let signature = ecdsa::DerSignature::from_bytes(value);
                signature.is_ok_and(|it| key.verify(signed, &it).is_ok())
            }
            (Some(_), _) => return Err("it is not signed by a key of that kind"),
        };
        if is_right { Ok(Checked::Right) } else { Err("its signature is not by that key") }
    }
}
