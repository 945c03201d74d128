//! Which texts are URLs for the API server, and the parts of a URL that it asks for.
//!
//! Invariants: no input panics. Go grew stricter in its 1.26 (hosts in brackets must be IPv6 addresses, an `http` host
//! has at most one colon), so servers from 1.36 on are stricter than those before: this module gives the verdict of the
//! stricter ones.

use std::net::Ipv6Addr;

/// The parts of a URL that the API server asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    pub(crate) host: String,
    pub(crate) has_user: bool,
    pub(crate) has_query: bool,
    pub(crate) has_fragment: bool,
}

/// Reads a URL reference, which may be relative and may have a fragment.
pub(crate) fn parse_reference(text: &str) -> Option<Url> {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let mut url = parse(before, false)?;
    if !escapes_are_complete(fragment.as_bytes()) {
        return None;
    }
    url.has_fragment = !fragment.is_empty();
    Some(url)
}

/// Reads what could stand in an HTTP request: an absolute URI or an absolute path. `#` has no meaning here.
pub(crate) fn parse_request_uri(text: &str) -> Option<Url> {
    if text.is_empty() { None } else { parse(text, true) }
}

fn parse(text: &str, in_request: bool) -> Option<Url> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        return None;
    }
    let mut url = Url::default();
    if text == "*" {
        return Some(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.has_query = !query.is_empty();
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            return Some(url);
        }
        let first_segment = rest.split('/').next().unwrap_or_default();
        if in_request || first_segment.contains(':') {
            return None;
        }
    }
    let may_have_authority = !url.scheme.is_empty() || !in_request && !rest.starts_with("///");
    let path = match rest.strip_prefix("//") {
        Some(after) if may_have_authority => {
            let end = after.find('/').unwrap_or(after.len());
            let (authority, path) = after.split_at(end);
            let (user, host) = match authority.rsplit_once('@') {
                Some((user, host)) => (Some(user), host),
                None => (None, authority),
            };
            url.host = read_host(&url.scheme, host)?;
            if let Some(user) = user {
                let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
                if !user.bytes().all(legal) || !escapes_are_complete(user.as_bytes()) {
                    return None;
                }
                url.has_user = true;
            }
            path
        }
        _ => rest,
    };
    escapes_are_complete(path.as_bytes()).then_some(url)
}

/// The scheme (empty where there is none) and what follows its colon. `None`: a colon without a scheme before it.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index > 0 => return Some((&text[..index], &text[index + 1..])),
            b':' => return None,
            _ => break,
        }
    }
    Some(("", text))
}

/// Every `%` is followed by two hexadecimal digits.
fn escapes_are_complete(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'%')
        .all(|(index, _)| matches!(bytes.get(index + 1..index + 3), Some(digits) if digits.iter().all(u8::is_ascii_hexdigit)))
}

fn read_host(scheme: &str, host: &str) -> Option<String> {
    match host.rfind('[') {
        Some(0) => {
            let close = host.rfind(']')?;
            if !is_optional_port(&host[close + 1..]) {
                return None;
            }
            let address = &host[1..close];
            let (numbers, zone) = match address.find("%25") {
                Some(at) => (&address[..at], Some(&address[at..])),
                None => (address, None),
            };
            numbers.parse::<Ipv6Addr>().ok()?;
            if let Some(zone) = zone {
                // The zone begins with the escaped percent sign; nothing after it means an empty zone.
                if zone.len() == 3 || !zone_is_legal(zone.as_bytes()) {
                    return None;
                }
            }
            Some(host.to_owned())
        }
        Some(_) => None,
        None => {
            let first = host.find(':');
            let last = host.rfind(':');
            let port = if first != last && matches!(scheme, "http" | "https") { first } else { last };
            if port.is_some_and(|at| !is_optional_port(&host[at..])) || !host_is_legal(host.as_bytes()) {
                return None;
            }
            Some(host.to_owned())
        }
    }
}

fn is_optional_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

/// In a host only bytes beyond ASCII may be escaped (and `%` itself, as `%25`).
fn host_is_legal(bytes: &[u8]) -> bool {
    walk_escapes(bytes, is_host_byte, |value| value >= 0x80 || value == b'%')
}

fn zone_is_legal(bytes: &[u8]) -> bool {
    walk_escapes(bytes, is_host_byte, |value| value == b'%' || value == b' ' || is_host_byte(value) && value < 0x80)
}

fn walk_escapes(bytes: &[u8], plain: impl Fn(u8) -> bool, escaped: impl Fn(u8) -> bool) -> bool {
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        if *byte == b'%' {
            let Some(&[high, low]) = bytes.get(index + 1..index + 3).and_then(|digits| digits.first_chunk()) else {
                return false;
            };
            let (Some(high), Some(low)) = (char::from(high).to_digit(16), char::from(low).to_digit(16)) else {
                return false;
            };
            if !escaped((high * 16 + low) as u8) {
                return false;
            }
            index += 3;
        } else if plain(*byte) {
            index += 1;
        } else {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_want_a_scheme_or_an_absolute_path() {
        for good in [
            "http://a",
            "https://a/b?c#d",
            "/a",
            "mailto:a@b",
            "*",
            "x:",
            "http://[::1]:80/",
            "http://é/",
            "http://a:b@c/",
        ] {
            assert!(parse_request_uri(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "a",
            "./a",
            ":a",
            "http://a b/",
            "http://a/%zz",
            "http://[::1",
            "http://a:b/",
            "/a\n",
            "http://a[b]/",
            "1:a",
        ] {
            assert!(parse_request_uri(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn parts_are_told() {
        let url = parse_reference("HTTPS://u:p@host:1/p?q#f").unwrap();
        assert_eq!(
            url,
            Url { scheme: "https".into(), host: "host:1".into(), has_user: true, has_query: true, has_fragment: true }
        );
        assert_eq!(parse_reference("host/path").unwrap().host, "");
        assert_eq!(parse_reference("a:b").unwrap().scheme, "a");
        assert!(parse_reference("1a:b").is_none());
    }
}
