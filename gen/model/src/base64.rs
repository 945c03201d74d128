//! Base64 with padding: the JSON form of bytes in Kubernetes.

/// The bytes; nothing where the text is not base64. Line ends are skipped, as in Go.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count, mut padding) = (0_u32, 0_u8, 0_u8);
    for byte in text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if count + padding < 4 && count > 1 => {
                padding += 1;
                continue;
            }
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        bits = bits << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, count) = (0, 0);
        }
    }
    match (count, padding) {
        (0, 0) => {}
        (2, 2) => bytes.push((bits >> 4).to_be_bytes()[3]),
        (3, 1) => bytes.extend_from_slice(&(bits >> 2).to_be_bytes()[2..]),
        _ => return None,
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn base64_is_decoded_or_refused() {
        let good: [(&str, &[u8]); 6] = [
            ("", b""),
            ("YQ==", b"a"),
            ("YWI=", b"ab"),
            ("YWJj", b"abc"),
            ("YWJ\njZA==", b"abcd"),
            ("/+8=", b"\xff\xef"),
        ];
        for (text, bytes) in good {
            assert_eq!(decoded(text).as_deref(), Some(bytes), "{text}");
        }
        for bad in ["Y", "YQ", "YQ=", "YQ===", "=", "Y===", "YQ==YQ==", "a b=", "YWJj=", "é==="] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }
}
