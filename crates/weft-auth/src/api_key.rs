//! The text form of an API key: `weft_<keyId>_<secret>`.
//!
//! The secret is 256 random bits as 52 base32 characters. At rest there is only its SHA-256: with
//! that much entropy a slow hash would protect nothing and cost every request.

use std::fmt;

use data_encoding::{Encoding, Specification};
use secrecy::{ExposeSecret, SecretString};
use std::sync::LazyLock;
use subtle::ConstantTimeEq;
use weft_model::{Digest, KeyId};
use zeroize::Zeroizing;

/// Every key starts with this, so that a secret scanner finds a leaked one.
const PREFIX: &str = "weft_";
/// Characters of the secret: 256 bits at 5 bits a character, rounded up.
const SECRET_CHARS: usize = 52;
/// Random bytes of a minted key id: 80 bits, 16 characters, no padding.
const KEY_ID_BYTES: usize = 10;

/// RFC 4648 base32 in lower case without padding; it has no `_`, which separates the parts.
static BASE32: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
    specification.encoding().expect("32 distinct symbols are a valid specification")
});

/// A key as it is handed to its owner, once.
pub struct ApiKeyText(SecretString);

impl ApiKeyText {
    /// The whole text, for the one place that shows it.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl fmt::Debug for ApiKeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKeyText(…)")
    }
}

/// A key as a request presents it: its id, and the hash of its secret. The secret itself is not
/// kept.
pub(crate) struct PresentedKey {
    pub(crate) key_id: KeyId,
    secret_sha256: [u8; 32],
}

impl PresentedKey {
    /// Reads a bearer credential. `None` for anything that is not a key of this host's form.
    pub(crate) fn parse(credential: &str) -> Option<PresentedKey> {
        let (key_id, secret) = credential.strip_prefix(PREFIX)?.rsplit_once('_')?;
        let well_formed =
            secret.len() == SECRET_CHARS && secret.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'2'..=b'7'));
        if !well_formed {
            return None;
        }
        let key_id = key_id.parse::<KeyId>().ok()?;
        Some(PresentedKey { key_id, secret_sha256: secret_hash(secret) })
    }

    /// Compares with the stored hash in constant time.
    pub(crate) fn matches(&self, stored_sha256: &[u8; 32]) -> bool {
        self.secret_sha256.ct_eq(stored_sha256).into()
    }
}

impl fmt::Debug for PresentedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PresentedKey").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

/// A freshly minted key: the text for its owner, the hash for the store.
pub(crate) struct MintedKey {
    pub(crate) key_id: KeyId,
    pub(crate) text: ApiKeyText,
    pub(crate) secret_sha256: [u8; 32],
}

/// Mints a key from `random`, a source of fresh 128-bit values.
pub(crate) fn mint(random: &mut dyn FnMut() -> [u8; 16]) -> MintedKey {
    let key_id = BASE32.encode(&random()[..KEY_ID_BYTES]);
    let mut bits = Zeroizing::new([0_u8; 32]);
    bits[..16].copy_from_slice(&random());
    bits[16..].copy_from_slice(&random());
    let secret = Zeroizing::new(BASE32.encode(bits.as_slice()));
    let secret_sha256 = secret_hash(&secret);
    let text = SecretString::from(format!("{PREFIX}{key_id}_{}", secret.as_str()));
    let key_id = key_id.parse().expect("lower-case base32 is within the key id grammar");
    MintedKey { key_id, text: ApiKeyText(text), secret_sha256 }
}

fn secret_hash(secret: &str) -> [u8; 32] {
    *Digest::of(secret.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting() -> impl FnMut() -> [u8; 16] {
        let mut next = 0_u8;
        move || {
            next += 1;
            [next; 16]
        }
    }

    #[test]
    fn a_minted_key_reads_back_and_matches() {
        let minted = mint(&mut counting());
        let presented = PresentedKey::parse(minted.text.expose()).expect("its own form");
        assert_eq!(presented.key_id, minted.key_id);
        assert!(presented.matches(&minted.secret_sha256));
        assert!(!presented.matches(&[0; 32]));
    }

    // R-AUTH-22: a key shows its secret nowhere but where it is handed over.
    #[test]
    fn the_secret_is_in_no_debug_text() {
        let minted = mint(&mut counting());
        let secret = minted.text.expose().rsplit('_').next().expect("a part").to_owned();
        let presented = PresentedKey::parse(minted.text.expose()).expect("its own form");
        for text in [format!("{:?}", minted.text), format!("{presented:?}")] {
            assert!(!text.contains(&secret), "{text}");
        }
    }

    #[test]
    fn other_forms_are_not_keys() {
        let good = mint(&mut counting()).text.expose().to_owned();
        let upper = good.to_uppercase();
        let short = &good[..good.len() - 1];
        let long = format!("{good}a");
        for text in ["", "weft_", "weft__", "weft_a_b", &upper, short, &long, &good[1..], "Bearer x"] {
            assert!(PresentedKey::parse(text).is_none(), "{text}");
        }
    }
}
