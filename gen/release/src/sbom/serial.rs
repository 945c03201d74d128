//! The serial number of an SBOM: a UUID derived from the content of the SBOM.
//!
//! Invariants: the same SBOM has the same serial number, wherever and whenever it is made, and two that differ have two.

use crd_bundle::Digest;

/// The version for UUIDs of one's own making (RFC 9562, 5.8). Version 5 would be SHA-1 by definition.
const VERSION: &str = "8";

/// `urn:uuid:` and a UUID of version 8: the first 128 bits of the digest, of which six are the version and the variant.
pub(super) fn serial_number(digest: Digest) -> String {
    let digits = digest.to_string();
    // The variant is the two bits `10` of a digit: 8, 9, a or b.
    let variant = match digits.as_bytes()[16] {
        b'0' | b'4' | b'8' | b'c' => '8',
        b'1' | b'5' | b'9' | b'd' => '9',
        b'2' | b'6' | b'a' | b'e' => 'a',
        _ => 'b',
    };
    format!(
        "urn:uuid:{}-{}-{VERSION}{}-{variant}{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[13..16],
        &digits[17..20],
        &digits[20..32]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serial_number_is_the_digest_with_version_and_variant() {
        // SHA-256 of "abc": ba7816bf 8f01 cfea 4141 40de5dae2223…
        assert_eq!(serial_number(Digest::of("abc")), "urn:uuid:ba7816bf-8f01-8fea-8141-40de5dae2223");
        // SHA-256 of "": e3b0c442 98fc 1c14 9afb f4c8996fb924…
        assert_eq!(serial_number(Digest::of("")), "urn:uuid:e3b0c442-98fc-8c14-9afb-f4c8996fb924");
    }
}
