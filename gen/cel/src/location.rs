//! URLs as Go's `net/url` reads them in requests.

use std::net::Ipv6Addr;

use super::failure::quoted;

/// A URL that is absolute, or a path from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// In lower case; empty for a path.
    pub scheme: String,
    opaque: String,
    /// What precedes `@`.
    pub user: Option<String>,
    pub host: String,
    /// As it is written.
    path: String,
    /// What follows the question mark.
    pub query: String,
    /// What follows `#`.
    pub fragment: Option<String>,
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { scheme, opaque, user, host, path, query, fragment } = self;
        if !scheme.is_empty() {
            write!(formatter, "{scheme}:")?;
        }
        if opaque.is_empty() {
            if !(scheme.is_empty() && user.is_none() && host.is_empty()) {
                formatter.write_str("//")?;
            }
            if let Some(user) = user {
                write!(formatter, "{user}@")?;
            }
            write!(formatter, "{host}{path}")?;
        } else {
            formatter.write_str(opaque)?;
        }
        if !query.is_empty() {
            write!(formatter, "?{query}")?;
        }
        match fragment {
            Some(fragment) => write!(formatter, "#{fragment}"),
            None => Ok(()),
        }
    }
}

impl Location {
    /// The URL; nothing where Go's `ParseRequestURI` refuses it.
    pub fn parse(text: &str) -> Option<Self> {
        // The text before a fragment can be a URL only if the whole text is one.
        Self::request(text)?;
        Self::reference(text)
    }

    /// A reference, which may be relative: what Go's `Parse` accepts.
    pub fn reference(text: &str) -> Option<Self> {
        let (url, fragment) = text.split_once('#').map_or((text, None), |(url, fragment)| (url, Some(fragment)));
        let mut location = Self::parts(url, false)?;
        if let Some(fragment) = fragment.filter(|fragment| !fragment.is_empty()) {
            unescaped(fragment, false)?;
            location.fragment = Some(fragment.to_owned());
        }
        Some(location)
    }

    /// Why Go's `ParseRequestURI` refuses a text, as Go writes it.
    pub(super) fn why_not(text: &str) -> String {
        let before = text.split_once('#').map_or(text, |(before, _)| if Self::is_valid(text) { before } else { text });
        let parse = |why: &str| format!("parse {}: {why}", quoted(text));
        if text.is_empty() {
            return parse("empty url");
        }
        if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
            return parse("net/url: invalid control character in URL");
        }
        let Some((scheme, rest)) = scheme(before) else { return parse("missing protocol scheme") };
        let rest = rest.split('?').next().unwrap_or_default();
        if !rest.starts_with('/') {
            return parse("invalid URI for request");
        }
        let (authority, path) = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
            Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
            None => ("", rest),
        };
        let host = authority.rsplit('@').next().unwrap_or_default();
        let escape = |text: &str| {
            let at = text.match_indices('%').map(|(at, _)| at).find(|at| {
                let digits = text.get(at + 1..at + 3).unwrap_or_default();
                digits.len() < 2 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit())
            })?;
            let shown: String = text[at..].chars().take(3).collect();
            Some(format!("invalid URL escape {}", quoted(&shown)))
        };
        if !host.starts_with('[')
            && let Some(colon) = host.find(':')
            && !is_port(&host[host.rfind(':').unwrap_or(colon)..])
        {
            return parse(&format!("invalid port {} after host", quoted(&host[host.rfind(':').unwrap_or(colon)..])));
        }
        match escape(host).or_else(|| escape(path)) {
            Some(why) => parse(&why),
            None => parse("invalid URI for request"),
        }
    }

    /// What Go's `ParseRequestURI` accepts. `#` has no meaning in it.
    pub fn request(text: &str) -> Option<Self> {
        Self::parts(text, true)
    }

    /// Whether it is a request.
    pub fn is_valid(text: &str) -> bool {
        Self::request(text).is_some()
    }

    fn parts(text: &str, is_request: bool) -> Option<Self> {
        if text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) || text.is_empty() && is_request {
            return None;
        }
        let mut location = Self::default();
        if text == "*" {
            location.path = text.to_owned();
            return Some(location);
        }
        let (scheme, rest) = scheme(text)?;
        location.scheme = scheme.to_ascii_lowercase();
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        location.query = query.to_owned();
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                location.opaque = rest.to_owned();
                return Some(location);
            }
            if is_request || rest.split('/').next().is_some_and(|first| first.contains(':')) {
                return None;
            }
        }
        let has_authority = rest.starts_with("//") && (!scheme.is_empty() || !is_request && !rest.starts_with("///"));
        let path = match rest.strip_prefix("//").filter(|_| has_authority) {
            Some(after) => {
                let end = after.find('/').unwrap_or(after.len());
                let (user, host) = match after[..end].rsplit_once('@') {
                    Some((user, host)) => (Some(user), host),
                    None => (None, &after[..end]),
                };
                let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
                let is_legal = |user: &str| user.bytes().all(is_user) && unescaped(user, false).is_some();
                if !user.is_none_or(is_legal) || !is_host(&location.scheme, host) {
                    return None;
                }
                (location.user, location.host) = (user.map(str::to_owned), host.to_owned());
                &after[end..]
            }
            None => rest,
        };
        unescaped(path, false)?;
        location.path = path.to_owned();
        Some(location)
    }

    pub(super) fn host_and_port(&self) -> (&str, &str) {
        let (host, port) = match self.host.rfind(':') {
            Some(colon) if is_port(&self.host[colon..]) => (&self.host[..colon], &self.host[colon + 1..]),
            _ => (&*self.host, ""),
        };
        (host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host), port)
    }

    pub(super) fn escaped_path(&self) -> String {
        let is_written = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@!'()*[]%".contains(&byte);
        if self.path.bytes().all(is_written) {
            return self.path.clone();
        }
        let mut escaped = String::with_capacity(self.path.len() + 16);
        for byte in unescaped(&self.path, false).unwrap_or_default() {
            if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte) {
                escaped.push(char::from(byte));
            } else {
                escaped.push_str(&format!("%{byte:02X}"));
            }
        }
        escaped
    }
}

/// The scheme and the rest; nothing where the text begins with a colon.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return None,
            b':' => return Some((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether Go takes it for a host with an optional port. Since Go 1.26, which servers from 1.36 on are built with, hosts in brackets must be
/// IPv6 addresses, and an `http` host has at most one colon.
fn is_host(scheme: &str, host: &str) -> bool {
    let Some(bracket) = host.rfind('[') else {
        let (first, last) = (host.find(':'), host.rfind(':'));
        let port = if matches!(scheme, "http" | "https") { first } else { last };
        // Only bytes beyond ASCII may be escaped, and `%` itself.
        return port.is_none_or(|at| is_port(&host[at..]))
            && has_legal_bytes(host.as_bytes(), |value| value >= 0x80 || value == b'%');
    };
    let Some((address, port)) = host[bracket + 1..].rsplit_once(']').filter(|_| bracket == 0) else { return false };
    let (numbers, zone) = address.split_at(address.find("%25").unwrap_or(address.len()));
    let is_escaped = |value: u8| value == b'%' || value == b' ' || is_host_byte(value) && value < 0x80;
    // A zone begins with the escaped percent sign, and is not empty.
    let is_zone = zone.is_empty() || zone.len() > 3 && has_legal_bytes(zone.as_bytes(), is_escaped);
    is_port(port) && numbers.parse::<Ipv6Addr>().is_ok() && is_zone
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

/// Whether each byte may be in a host, and each escaped byte may be escaped.
fn has_legal_bytes(bytes: &[u8], is_escaped: impl Fn(u8) -> bool) -> bool {
    let mut rest = bytes;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'%' {
            let Some((digits, after)) = rest.split_at_checked(2) else { return false };
            let value =
                std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            if !value.and_then(|digits| u8::from_str_radix(digits, 16).ok()).is_some_and(&is_escaped) {
                return false;
            }
            rest = after;
        } else if !is_host_byte(*byte) {
            return false;
        }
    }
    true
}

/// The bytes behind `%41`; nothing where two hexadecimal digits are missing.
pub(super) fn unescaped(text: &str, plus_is_space: bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(rest.next())?, digit(rest.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::Location;

    #[test]
    fn urls_are_those_of_go() {
        let good = [
            "https://example.com:80/",
            "https://[::1]:80/",
            "/path",
            "http://user:pass@host/a%20b?x=1#y",
            "mailto:a@b",
            "*",
            "http://host?q",
            "https://a/b c",
            "x:",
            "http://é/",
            "http://a:b@c/",
            "http://[fe80::1%25a]/",
        ];
        for good in good {
            assert!(Location::is_valid(good), "{good}");
        }
        for bad in [
            "",
            "relative",
            "../a",
            "http://a b/",
            ":x",
            "http://[::1",
            "http://a:b/",
            "/a%zz",
            "http://a%41/",
            "a\u{7f}",
            "http://a[b]/",
            "http://[a]/",
            "http://[fe80::1%25]/",
            "http://a:1:2/",
            "1:a",
            "/a\n",
        ] {
            assert!(!Location::is_valid(bad), "{bad}");
        }
        let location = Location::reference("HTTPS://@host:1/p?q#f").expect("a reference");
        assert_eq!((&*location.scheme, &*location.host, &*location.query), ("https", "host:1", "q"));
        assert_eq!((location.user.as_deref(), location.fragment.as_deref()), (Some(""), Some("f")));
        assert_eq!(Location::reference("host/path").expect("a reference").host, "");
        assert_eq!(Location::reference("1a:b"), None);
        let location = Location::parse("https://user@[::1]:80/a b/%2F?x=1#part").expect("a URL");
        assert_eq!(location.host_and_port(), ("::1", "80"));
        assert_eq!(location.escaped_path(), "/a%20b//");
        assert_eq!(location.query, "x=1");
    }
}
