//! URLs as Go's `net/url` reads them in requests.

use super::failure::quoted;

/// A URL that is absolute, or a path from the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    pub(super) scheme: String,
    opaque: String,
    user: String,
    /// With the port.
    pub(super) host: String,
    /// As it is written.
    path: String,
    pub(super) query: String,
    fragment: Option<String>,
}

impl std::fmt::Display for Location {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { scheme, opaque, user, host, path, query, fragment } = self;
        if !scheme.is_empty() {
            write!(formatter, "{scheme}:")?;
        }
        if opaque.is_empty() {
            if !(scheme.is_empty() && user.is_empty() && host.is_empty()) {
                formatter.write_str("//")?;
            }
            if !user.is_empty() {
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
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::parts(text, true)?;
        // The text before a fragment can be a URL only if the whole text is one.
        let (url, fragment) = text.split_once('#').map_or((text, None), |(url, fragment)| (url, Some(fragment)));
        if fragment.is_some_and(|fragment| unescaped(fragment, false).is_none()) {
            return None;
        }
        Self::parts(url, false).map(|mut location| {
            location.fragment = fragment.filter(|fragment| !fragment.is_empty()).map(str::to_owned);
            location
        })
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

    /// Whether Go's `ParseRequestURI` accepts it.
    pub(super) fn is_valid(text: &str) -> bool {
        Self::parts(text, true).is_some()
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
                let (user, host) = after[..end].rsplit_once('@').unwrap_or(("", &after[..end]));
                let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
                if !user.bytes().all(is_user) || unescaped(user, false).is_none() || !is_host(host) {
                    return None;
                }
                (location.user, location.host) = (user.to_owned(), host.to_owned());
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

fn is_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(inner) => match inner.rfind(']') {
            Some(end) => (&inner[..end], &inner[end + 1..]),
            None => return false,
        },
        None => match host.find(':') {
            Some(colon) => (&host[..colon], &host[colon..]),
            None => (host, ""),
        },
    };
    // A percent sign is a byte beyond ASCII, or begins the zone of an IPv6 address.
    let zone = if host.starts_with('[') { name.find("%25").unwrap_or(name.len()) } else { name.len() };
    let is_allowed =
        |byte: u8| byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&byte);
    let has_only_high_escapes = name[..zone].match_indices('%').all(|(at, _)| {
        name.as_bytes().get(at + 1).is_some_and(|digit| matches!(digit, b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F'))
    });
    is_port(port) && name.bytes().all(is_allowed) && has_only_high_escapes && unescaped(name, false).is_some()
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
        ] {
            assert!(!Location::is_valid(bad), "{bad}");
        }
        let location = Location::parse("https://user@[::1]:80/a b/%2F?x=1#part").expect("a URL");
        assert_eq!(location.host_and_port(), ("::1", "80"));
        assert_eq!(location.escaped_path(), "/a%20b//");
        assert_eq!(location.query, "x=1");
    }
}
