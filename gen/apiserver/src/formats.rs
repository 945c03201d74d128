//! The string formats that an API server enforces in custom resources.
//!
//! Invariants: the verdicts are those of the server's own library, oddities included (each is named where it is); a
//! check that would need tables of Unicode or a whole mail parser returns `None`, "cannot decide", instead of guessing.
//! Dashes in a format's name do not count: `date-time` and `datetime` are one format.
//!
//! `k8s-short-name` and `k8s-long-name` are enforced from Kubernetes 1.34 on, all other formats always. `mac` needs separators before 1.36.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::url::parse_request_uri;
use crd_model::names::{is_label, is_subdomain};

/// Whether a text has the format; `None` where that cannot be decided here.
pub(crate) type Checker = fn(&str) -> Option<bool>;

/// The check of a format on a server of a minor; `None` for a format that it does not enforce on strings.
pub(crate) fn checker(format: &str, minor: u32) -> Option<Checker> {
    let name = || format.bytes().filter(|byte| *byte != b'-');
    let (name, check) = FORMATS.iter().find(|(known, _)| known.bytes().eq(name()))?;
    match *name {
        "k8sshortname" | "k8slongname" if minor < 34 => None,
        "mac" if minor < 36 => Some(|text| Some(is_separated_mac(text))),
        _ => Some(*check),
    }
}

/// Whether the newest servers enforce a format on strings.
pub fn is_enforced(format: &str) -> bool {
    checker(format, u32::MAX).is_some()
}

/// Every format by its name without dashes.
const FORMATS: [(&str, Checker); 26] = [
    ("bsonobjectid", |text| Some(text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()))),
    ("byte", |text| Some(is_base64(text))),
    ("cidr", |text| Some(is_cidr(text))),
    ("creditcard", |text| Some(is_credit_card(text))),
    ("date", |text| Some(is_date(text))),
    ("datetime", |text| Some(is_date_time(text))),
    ("duration", |text| Some(is_duration(text))),
    ("email", is_email),
    ("hexcolor", |text| Some(is_hex_colour(text))),
    ("hostname", is_hostname),
    // An IPv6 address with an IPv4 tail is an "ipv4" too: the server looks for an address with a dot in it.
    ("ipv4", |text| Some(is_lenient_address(text) && text.contains('.'))),
    ("ipv6", |text| Some(text.contains(':') && text.parse::<Ipv6Addr>().is_ok())),
    ("isbn", |text| Some(is_isbn10(text) || is_isbn13(text))),
    ("isbn10", |text| Some(is_isbn10(text))),
    ("isbn13", |text| Some(is_isbn13(text))),
    ("k8slongname", |text| Some(text.len() <= 253 && is_subdomain(text))),
    ("k8sshortname", |text| Some(text.len() <= 63 && is_label(text))),
    ("mac", |text| Some(is_separated_mac(text) || is_bare_mac(text))),
    ("password", |_| Some(true)),
    ("rgbcolor", |text| Some(is_rgb_colour(text))),
    ("ssn", |text| Some(is_social_security_number(text))),
    ("uri", |text| Some(parse_request_uri(text).is_some())),
    ("uuid", |text| Some(is_uuid(text, None, false))),
    ("uuid3", |text| Some(is_uuid(text, Some(b'3'), false))),
    ("uuid4", |text| Some(is_uuid(text, Some(b'4'), true))),
    ("uuid5", |text| Some(is_uuid(text, Some(b'5'), true))),
];

/// Standard alphabet, padded, at least one group of four.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// An address as Go read it before 1.17: any number in it may have leading zeros.
fn is_lenient_address(text: &str) -> bool {
    if !text.contains(':') {
        return is_lenient_ipv4(text);
    }
    let groups = text.split(':').map(|group| match group.trim_start_matches('0') {
        _ if group.is_empty() => "",
        "" => "0",
        digits => digits,
    });
    let mut groups: Vec<&str> = groups.collect();
    if let (Some(last), Some(tail)) = (groups.last_mut(), text.rsplit(':').next())
        && tail.contains('.')
    {
        if !is_lenient_ipv4(tail) {
            return false;
        }
        *last = "0.0.0.0";
    }
    groups.join(":").parse::<Ipv6Addr>().is_ok()
}

fn is_lenient_ipv4(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 4
        && parts.iter().all(|part| {
            let digits = part.trim_start_matches('0');
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() <= 3 && {
                let value = digits.bytes().fold(0, |value: u32, digit| value * 10 + u32::from(digit - b'0'));
                value <= u32::from(u8::MAX)
            }
        })
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let bits = if is_lenient_ipv4(address) {
        Ipv4Addr::BITS
    } else if address.contains(':') && is_lenient_address(address) {
        Ipv6Addr::BITS
    } else {
        return false;
    };
    let digits = length.trim_start_matches('0');
    !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && digits.len() <= 3
        && digits.bytes().fold(0, |value: u32, digit| value * 10 + u32::from(digit - b'0')) <= bits
}

fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|character| character.to_digit(10)).collect();
    let number = |range: std::ops::Range<usize>| {
        digits.get(range).map_or(0, |digits| digits.iter().fold(0, |value, digit| value * 10 + digit))
    };
    let issuer_is_known = match digits.len() {
        13 => digits[0] == 4,
        14 => matches!(number(0..3), 300..=305) || matches!(number(0..2), 36 | 38),
        15 => matches!(number(0..2), 34 | 37) || matches!(number(0..4), 2131 | 1800),
        16 => digits[0] == 4 || matches!(number(0..2), 51..=55 | 65) || number(0..4) == 6011 || number(0..2) == 35,
        _ => false,
    };
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| if index % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    issuer_is_known && sum.is_multiple_of(10)
}

/// `2006-01-02`, a day that exists.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let number = |range: std::ops::Range<usize>| {
        bytes[range]
            .iter()
            .try_fold(0_u32, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
    };
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else { return false };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// A date, `t` or `T`, and a time with zone. The server stops reading at a second `t`, takes any character before the
/// fraction, and does not look at the numbers of the zone.
fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    if text.len() < 4 || !is_date(date) {
        return false;
    }
    let Some((clock, rest)) = time.split_at_checked(8) else { return false };
    let clock = clock.as_bytes();
    let digits_at = |indices: &[usize]| indices.iter().all(|index| clock[*index].is_ascii_digit());
    if !digits_at(&[0, 1, 3, 4, 6, 7]) || clock[2] != b':' || clock[5] != b':' {
        return false;
    }
    if &clock[..2] > b"23".as_slice() || clock[3] > b'5' || clock[6] > b'5' {
        return false;
    }
    if is_zone(rest) {
        return true;
    }
    let mut characters = rest.chars();
    if characters.next().is_none_or(|character| character == '\n') {
        return false;
    }
    let fraction = characters.as_str();
    let zone = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
    zone.len() < fraction.len() && is_zone(zone)
}

fn is_zone(text: &str) -> bool {
    let bytes = text.as_bytes();
    text == "z"
        || bytes.len() == 6
            && matches!(bytes[0], b'+' | b'-')
            && bytes[3] == b':'
            && [1, 2, 4, 5].iter().all(|index| bytes[*index].is_ascii_digit())
}

/// A duration of Go (`1h30m`, `-1.5s`), or any text with a number and a unit in it (`2 days`).
fn is_duration(text: &str) -> bool {
    is_go_duration(text) || has_spelled_duration(text)
}

fn is_go_duration(text: &str) -> bool {
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    // Go adds up nanoseconds in 64 bits; one more than the greatest positive value is allowed where the sign is minus.
    let limit = 1_u128 << 63;
    let mut total = 0_u128;
    while !rest.is_empty() {
        let whole_end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let (whole, after) = rest.split_at(whole_end);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => {
                let end = after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len());
                after.split_at(end)
            }
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return false;
        }
        let unit_end =
            after.find(|character: char| character == '.' || character.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let unit: u128 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return false,
        };
        let Some(value) = whole.bytes().try_fold(0_u128, |value, digit| {
            let value = value * 10 + u128::from(digit - b'0');
            (value <= limit).then_some(value)
        }) else {
            return false;
        };
        // At most 18 digits of a fraction can add a nanosecond to an hour.
        let part = fraction
            .bytes()
            .take(18)
            .fold((0_u128, 1_u128), |(value, scale), digit| (value * 10 + u128::from(digit - b'0'), scale * 10));
        let nanoseconds = value * unit + part.0 * unit / part.1;
        total += nanoseconds;
        if value * unit > limit || nanoseconds > limit || total > limit {
            return false;
        }
        rest = after;
    }
    negative || total < limit
}

fn has_spelled_duration(text: &str) -> bool {
    let is_unit_letter = |character: char| character.is_ascii_alphabetic() || character == 'µ';
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let number = &rest[start..];
        let end = number.find(|character: char| !character.is_ascii_digit()).unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        let unit = after.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let unit_end = unit.find(|character| !is_unit_letter(character)).unwrap_or(unit.len());
        if unit_end == 0 {
            rest = after;
            continue;
        }
        if digits.parse::<i64>().is_err() {
            return false;
        }
        let name = unit[..unit_end].to_lowercase();
        found |= matches!(name.as_str(), "ns" | "us" | "µs" | "ms" | "s" | "m" | "h" | "hr" | "d" | "w" | "wk")
            || ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"]
                .iter()
                .any(|long| name.starts_with(long));
        rest = &unit[unit_end..];
    }
    found
}

/// `local@domain` or `Name <local@domain>`. Comments, quoted parts, groups and address literals would need the whole of
/// RFC 5322: cannot decide.
fn is_email(text: &str) -> Option<bool> {
    if text.contains(['"', '(', '[', ':', ';']) || text.contains("=?") {
        return None;
    }
    let is_blank = |character: char| character == ' ' || character == '\t';
    let is_atom_character = |character: char| {
        !matches!(character, ')' | '<' | '>' | ']' | '@' | '\\' | ',') && (character > ' ') && character != '\u{7f}'
    };
    // Takes an address from the start; what follows it is left.
    let address = |text: &str| -> Option<usize> {
        let part = |text: &str| -> Option<usize> {
            let start = text.len() - text.trim_start_matches(is_blank).len();
            let body = &text[start..];
            let end = body.find(|character| !is_atom_character(character)).unwrap_or(body.len());
            let atom = &body[..end];
            let dots_are_inside = !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..");
            (!atom.is_empty() && dots_are_inside).then_some(start + end)
        };
        let local = part(text)?;
        let domain = text[local..].strip_prefix('@')?;
        Some(text.len() - domain.len() + part(domain)?)
    };
    if let Some(end) = address(text) {
        return Some(text[end..].trim_start_matches(is_blank).is_empty());
    }
    let Some((name, rest)) = text.split_once('<') else { return Some(false) };
    let name_is_words = name.chars().all(|character| is_blank(character) || is_atom_character(character));
    let Some(end) = address(rest) else { return Some(false) };
    let Some(after) = rest[end..].strip_prefix('>') else { return Some(false) };
    Some(name_is_words && after.trim_start_matches(is_blank).is_empty())
}

fn is_hex_colour(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// One word, or words with dots and a last one of letters. The server also takes symbols, as in `a$b`. Which characters
/// beyond ASCII are letters or symbols cannot be decided here, so a name with such characters is at best undecided.
fn is_hostname(text: &str) -> Option<bool> {
    if text.len() > 255 || text.split('.').any(|label| label.len() > 63) {
        return Some(false);
    }
    let is_word =
        |character: char| character.is_ascii_alphanumeric() || "$+<=>^`|~".contains(character) || !character.is_ascii();
    let single = |text: &str| {
        let mut characters = text.chars();
        if !characters.next().is_some_and(is_word) {
            return false;
        }
        let rest = characters.as_str();
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        rest.chars().all(is_word) && rest.chars().count() <= 62
    };
    let label = |text: &str| {
        text.chars().next().is_some_and(is_word)
            && text.chars().next_back().is_some_and(is_word)
            && text.chars().all(|character| is_word(character) || character == '-')
    };
    let dotted = text.rsplit_once('.').is_some_and(|(labels, last)| {
        let is_letter = |character: char| character.is_ascii_alphabetic() || !character.is_ascii();
        labels.split('.').all(label) && last.chars().count() >= 2 && last.chars().all(is_letter)
    });
    match single(text) || dotted {
        true if text.is_ascii() => Some(true),
        true => None,
        false => Some(false),
    }
}

fn without_blanks_and_dashes(text: &str) -> String {
    text.chars().filter(|character| !matches!(character, '\t' | '\n' | '\u{c}' | '\r' | ' ' | '-')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = without_blanks_and_dashes(text);
    let value = |(index, character): (usize, char)| match character {
        'X' if index == 9 => Some(10),
        digit => digit.to_digit(10),
    };
    let digits: Option<Vec<u32>> = text.chars().enumerate().map(value).collect();
    digits.is_some_and(|digits| {
        digits.len() == 10
            && digits.iter().zip(1..).map(|(digit, weight)| digit * weight).sum::<u32>().is_multiple_of(11)
    })
}

fn is_isbn13(text: &str) -> bool {
    let digits: Option<Vec<u32>> = without_blanks_and_dashes(text).chars().map(|digit| digit.to_digit(10)).collect();
    digits.is_some_and(|digits| {
        digits.len() == 13
            && digits
                .iter()
                .zip([1, 3].iter().cycle())
                .map(|(digit, weight)| digit * weight)
                .sum::<u32>()
                .is_multiple_of(10)
    })
}

/// 6, 8 or 20 bytes: pairs of hexadecimal digits with `:` or `-`, or groups of four with `.`.
/// The form of servers before 1.36, which are built with Go before 1.26.
fn is_separated_mac(text: &str) -> bool {
    let grouped = |separator: char, width: usize, counts: [usize; 3]| {
        let groups: Vec<&str> = text.split(separator).collect();
        counts.contains(&groups.len())
            && groups.iter().all(|group| group.len() == width && group.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    grouped(':', 2, [6, 8, 20]) || grouped('-', 2, [6, 8, 20]) || grouped('.', 4, [3, 4, 10])
}

fn is_bare_mac(text: &str) -> bool {
    matches!(text.len(), 12 | 16 | 40) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `rgb(0, 31, 255)`. Leading zeros are not allowed; one or two digits may follow a 1, one digit any other.
fn is_rgb_colour(text: &str) -> bool {
    let Some(inside) = text.strip_prefix("rgb(").and_then(|text| text.strip_suffix(')')) else { return false };
    let parts: Vec<&str> = inside.split(',').collect();
    parts.len() == 3
        && parts.iter().all(|part| {
            let number = part.trim_matches(['\t', '\n', '\u{c}', '\r', ' ']);
            let is_plain = number.len() == 1 || !number.starts_with('0');
            is_plain && !number.starts_with('+') && number.parse::<u8>().is_ok()
        })
}

/// `191-60-2869` or `191 60 2869`: eleven characters.
fn is_social_security_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 11
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            3 | 6 => matches!(byte, b'-' | b' '),
            _ => byte.is_ascii_digit(),
        })
}

/// Hexadecimal digits in groups of 8, 4, 4, 4 and 12; each dash between the groups may be left out.
fn is_uuid(text: &str, version: Option<u8>, has_variant: bool) -> bool {
    let mut digits = Vec::with_capacity(32);
    for (index, byte) in text.bytes().enumerate() {
        let is_gap = matches!(digits.len(), 8 | 12 | 16 | 20) && index > 0 && text.as_bytes()[index - 1] != b'-';
        match byte {
            b'-' if is_gap => {}
            digit if digit.is_ascii_hexdigit() => digits.push(digit.to_ascii_lowercase()),
            _ => return false,
        }
    }
    digits.len() == 32
        && version.is_none_or(|version| digits[12] == version)
        && (!has_variant || matches!(digits[16], b'8' | b'9' | b'a' | b'b'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_dashes_do_not_count() {
        assert!(FORMATS.is_sorted_by_key(|(name, _)| *name));
        assert!(checker("date-time", 37).is_some() && checker("dat-e", 37).is_some());
        assert!(checker("int32", 37).is_none() && checker("binary", 37).is_none());
    }

    #[test]
    fn formats_of_texts() {
        for line in include_str!("formats/cases.jsonl").lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let format = case["format"].as_str().unwrap();
            let check = checker(format, 37).unwrap();
            for (verdict, has_format) in [("good", true), ("bad", false)] {
                for text in case[verdict].as_array().unwrap().iter().filter_map(|text| text.as_str()) {
                    assert_eq!(check(text), Some(has_format), "{format} {text:?}");
                }
            }
        }
        assert_eq!(checker("email", 37).unwrap()("\"a b\"@c"), None);
        assert_eq!(checker("hostname", 37).unwrap()("é.fr"), None);
    }
}
