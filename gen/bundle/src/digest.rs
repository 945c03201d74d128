//! SHA-256 digests: of released files, and of the tombstone ledger as it was.
//!
//! Invariants: written as 64 hexadecimal digits in lower case, and read in no other form.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crd_model::version::ParseError;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes.as_ref()).into())
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError("a SHA-256 digest is 64 hexadecimal digits in lower case".to_owned());
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(wrong()),
        };
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() {
            return Err(wrong());
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_everybody() {
        // FIPS 180-4, the examples for SHA-256.
        for (text, digest) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] {
            assert_eq!(Digest::of(text).to_string(), digest);
            assert_eq!(digest.parse(), Ok(Digest::of(text)));
        }
        let digest = Digest::of("abc").to_string();
        let (upper, longer) = (digest.to_uppercase(), format!("{digest}0"));
        for text in ["", &digest[1..], &upper, &longer, &digest.replace('a', "g"), &digest.replace("ba", "é")] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
