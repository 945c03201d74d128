//! IP addresses and networks as Go's `net/netip` reads them, without zones and without IPv4 inside IPv6.

use std::fmt::{Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::failure::{Failure, quoted};

/// A network: an address and the length of its prefix in bits. The address may have bits after the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    pub(super) address: IpAddr,
    pub(super) bits: u8,
}

impl Network {
    pub(super) fn masked(self) -> Self {
        let address = match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        };
        Self { address, bits: self.bits }
    }

    pub(super) fn contains(self, address: IpAddr) -> bool {
        width(address) == width(self.address)
            && (Self { address, bits: self.bits }).masked().address == self.masked().address
    }

    /// The size that the cost model counts: the bytes of the prefix.
    pub(super) fn size(self) -> u64 {
        u64::from(self.bits.div_ceil(8))
    }
}

impl Display for Network {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.address, self.bits)
    }
}

/// Bits of an address.
pub(super) fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// The address that a text is.
pub(super) fn address(text: &str) -> Result<IpAddr, Failure> {
    match text.parse::<IpAddr>() {
        Ok(address) if is_mapped(address) => {
            Err(Failure::new(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text))))
        }
        Ok(address) => Ok(address),
        Err(_) => Err(Failure::new(match why_not_address(text) {
            Some(why) => {
                format!("IP Address {} parse error during conversion from string: {why}", quoted(text))
            }
            None => format!("IP address {} with zone value is not allowed", quoted(text)),
        })),
    }
}

/// Why Go's `ParseAddr` refuses a text; nothing where it accepts an address with a zone.
fn why_not_address(text: &str) -> Option<String> {
    let (why, at) = match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => why_not_v4(text)?,
        Some(b':') => why_not_v6(text)?,
        Some(_) => ("missing IPv6 address", ""),
        None => ("unable to parse IP", ""),
    };
    let at = if at.is_empty() { String::new() } else { format!(" (at {})", quoted(at)) };
    Some(format!("ParseAddr({}): {why}{at}", quoted(text)))
}

/// What is wrong, and where.
type Why<'t> = (&'static str, &'t str);

fn why_not_v4(text: &str) -> Option<Why<'_>> {
    let bytes = text.as_bytes();
    let (mut value, mut digits, mut fields) = (0_u32, 0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return Some(("IPv4 field has octet with leading zero", ""));
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return Some(("IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if at == 0 || at + 1 == bytes.len() || bytes[at - 1] == b'.' {
                    return Some(("IPv4 field must have at least one digit", &text[at..]));
                }
                if fields == 3 {
                    return Some(("IPv4 address too long", ""));
                }
                (value, digits, fields) = (0, 0, fields + 1);
            }
            _ => return Some(("unexpected character", text.get(at..).unwrap_or_default())),
        }
    }
    (fields < 3).then_some(("IPv4 address too short", ""))
}

fn why_not_v6(text: &str) -> Option<Why<'_>> {
    let mut rest = text;
    if let Some((address, zone)) = text.split_once('%') {
        if zone.is_empty() {
            return Some(("zone must be a non-empty string", ""));
        }
        rest = address;
    }
    let (mut filled, mut gap) = (0, None);
    if let Some(after) = rest.strip_prefix("::") {
        gap = Some(0);
        rest = after;
        if rest.is_empty() {
            return None;
        }
    }
    while filled < 16 {
        let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if length > 4 {
            return Some(("each group must have 4 or less digits", rest));
        }
        if length == 0 {
            return Some(("each colon-separated field must have at least one digit", rest));
        }
        if rest[length..].starts_with('.') {
            if let Some(why) = why_not_embedded(rest, filled, gap.is_some()) {
                return Some(why);
            }
            rest = "";
            filled += 4;
            break;
        }
        filled += 2;
        rest = &rest[length..];
        let Some(after) = rest.strip_prefix(':') else {
            if rest.is_empty() {
                break;
            }
            return Some(("unexpected character, want colon", rest));
        };
        if after.is_empty() {
            return Some(("colon must be followed by more characters", rest));
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if gap.is_some() {
                return Some(("multiple :: in address", rest));
            }
            gap = Some(filled);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    match gap {
        _ if !rest.is_empty() => Some(("trailing garbage after address", rest)),
        None if filled < 16 => Some(("address string too short", "")),
        Some(_) if filled == 16 => Some(("the :: must expand to at least one field of zeros", "")),
        _ => None,
    }
}

/// Why a text cannot be the IPv4 address at the end of an IPv6 address with this many bytes before it.
fn why_not_embedded(text: &str, filled: usize, has_gap: bool) -> Option<Why<'_>> {
    if !has_gap && filled != 12 {
        return Some(("embedded IPv4 address must replace the final 2 fields of the address", text));
    }
    if filled + 4 > 16 {
        return Some(("too many hex fields to fit an embedded IPv4 at the end of the address", text));
    }
    why_not_v4(text)
}

/// The network that a text is.
pub(super) fn network(text: &str) -> Result<Network, Failure> {
    const WHAT: &str = "network address parse error during conversion from string";
    let refuse = |why: &str| Failure::new(format!("{WHAT}: {WHAT}: netip.ParsePrefix({}): {why}", quoted(text)));
    let (address, bits) = text.rsplit_once('/').ok_or_else(|| refuse("no '/'"))?;
    let address: IpAddr = address.parse().map_err(|_| match why_not_address(address) {
        Some(why) => refuse(&why),
        None => refuse("IPv6 zones cannot be present in a prefix"),
    })?;
    let is_number = bits.len() == 1 || bits.starts_with(|first: char| matches!(first, '1'..='9'));
    let number = bits.parse::<i64>().ok().filter(|_| is_number);
    let number = number.ok_or_else(|| refuse(&format!("bad bits after slash: {}", quoted(bits))))?;
    let bits = u8::try_from(number).ok().filter(|bits| *bits <= width(address));
    let bits = bits.ok_or_else(|| refuse("prefix length out of range"))?;
    if is_mapped(address) {
        return Err(Failure::new(format!("{WHAT}: IPv4-mapped IPv6 address {} is not allowed", quoted(text))));
    }
    Ok(Network { address, bits })
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn networks_are_those_of_netip() {
        for good in ["10.0.0.0/8", "10.1.2.3/0", "::1/128", "2001:db8::/32", "10.0.0.1/32"] {
            assert_eq!(network(good).map(|network| network.to_string()).as_deref(), Ok(good), "{good}");
        }
        for bad in [
            "10.0.0.0",
            "10.0.0.0/33",
            "10.0.0.0/08",
            "10.0.0.0/+8",
            "10.0.0.0/",
            "::1/129",
            "::ffff:1.2.3.4/96",
            "010.0.0.0/8",
        ] {
            assert!(network(bad).is_err(), "{bad}");
        }
    }
}
