//! `ip`, `cidr` and their methods: addresses as Go's `net/netip` reads them, without zones and without IPv4 inside IPv6.

use std::fmt::{Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Outcome, Value};
use crate::value::Failure;

/// A network: an address and the length of its prefix in bits. The address may have bits after the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.rsplit_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let is_number = bits.bytes().all(|digit| digit.is_ascii_digit()) && !(bits.len() > 1 && bits.starts_with('0'));
        let bits = is_number.then(|| bits.parse::<u8>().ok()).flatten()?;
        (bits <= width(address) && !is_mapped(address)).then_some(Self { address, bits })
    }

    fn masked(self) -> Self {
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

    fn contains(self, address: IpAddr) -> bool {
        width(address) == width(self.address)
            && (Self { address, bits: self.bits }).masked().address == self.masked().address
    }

    /// The size that the cost model counts: the bytes of the prefix.
    pub(crate) fn size(self) -> u64 {
        u64::from(self.bits.div_ceil(8))
    }
}

impl Display for Network {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.address, self.bits)
    }
}

/// Bits of an address.
pub(crate) fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

fn address(text: &str) -> Result<IpAddr, Failure> {
    match text.parse::<IpAddr>() {
        Ok(address) if is_mapped(address) => {
            Err(Failure::new(format!("IPv4-mapped IPv6 address {text:?} is not allowed")))
        }
        Ok(address) => Ok(address),
        Err(_) => Err(Failure::new(format!("IP Address {text:?} parse error during conversion from string"))),
    }
}

fn network(text: &str) -> Result<Network, Failure> {
    Network::parse(text).ok_or_else(|| {
        Failure::new(format!("network address parse error during conversion from string: invalid CIDR {text:?}"))
    })
}

pub(super) fn ip<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    match arguments {
        [Value::Text(text)] => address(text).map(Value::Address),
        [Value::Network(network)] => Ok(Value::Address(network.address)),
        _ => Err(Failure::no_overload()),
    }
}

pub(super) fn cidr<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    network(text).map(Value::Network)
}

pub(super) fn is_ip<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(address(text).is_ok()))
}

pub(super) fn is_cidr<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(network(text).is_ok()))
}

pub(super) fn is_canonical<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(address(text)?.to_string() == **text))
}

pub(super) fn contains_ip<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    Ok(Value::Boolean(match arguments {
        [Value::Network(network), Value::Address(address)] => network.contains(*address),
        // The server has this text for every text that is not an address.
        [Value::Network(network), Value::Text(text)] => {
            network.contains(address(text).map_err(|_| Failure::no_overload())?)
        }
        _ => return Err(Failure::no_overload()),
    }))
}

pub(super) fn contains_cidr<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let (outer, inner) = match arguments {
        [Value::Network(outer), Value::Network(inner)] => (outer, *inner),
        [Value::Network(outer), Value::Text(text)] => (outer, network(text)?),
        _ => return Err(Failure::no_overload()),
    };
    Ok(Value::Boolean(outer.bits <= inner.bits && outer.contains(inner.address)))
}

pub(super) fn prefix_length<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Network(network)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Integer(i64::from(network.bits)))
}

pub(super) fn masked<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Network(network)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Network(network.masked()))
}

pub(super) fn family<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Address(address)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Integer(if address.is_ipv4() { 4 } else { 6 }))
}

fn about<'v>(arguments: &[Value<'v>], holds: impl Fn(IpAddr) -> bool) -> Outcome<'v> {
    let [Value::Address(address)] = arguments else { return Err(Failure::no_overload()) };
    Ok(Value::Boolean(holds(*address)))
}

pub(super) fn is_unspecified<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    about(arguments, |address| address.is_unspecified())
}

pub(super) fn is_loopback<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    about(arguments, |address| address.is_loopback())
}

fn link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.segments()[0] & 0xffc0 == 0xfe80,
    }
}

pub(super) fn is_link_local_multicast<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    about(arguments, link_local_multicast)
}

pub(super) fn is_link_local_unicast<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    about(arguments, link_local_unicast)
}

pub(super) fn is_global_unicast<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    about(arguments, |address| {
        !(address.is_unspecified()
            || address.is_loopback()
            || address.is_multicast()
            || link_local_unicast(address)
            || address == IpAddr::V4(Ipv4Addr::BROADCAST))
    })
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn networks_are_those_of_netip() {
        for good in ["10.0.0.0/8", "10.1.2.3/0", "::1/128", "2001:db8::/32", "10.0.0.1/32"] {
            assert_eq!(Network::parse(good).map(|network| network.to_string()).as_deref(), Some(good), "{good}");
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
            assert_eq!(Network::parse(bad), None, "{bad}");
        }
    }
}
