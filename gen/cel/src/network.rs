//! IP addresses and networks as Go's `net/netip` reads them, without zones and without IPv4 inside IPv6.

use std::fmt::{Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::failure::Failure;

/// A network: an address and the length of its prefix in bits. The address may have bits after the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    pub(super) address: IpAddr,
    pub(super) bits: u8,
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.rsplit_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let is_number = bits.bytes().all(|digit| digit.is_ascii_digit()) && !(bits.len() > 1 && bits.starts_with('0'));
        let bits = is_number.then(|| bits.parse::<u8>().ok()).flatten()?;
        (bits <= width(address) && !is_mapped(address)).then_some(Self { address, bits })
    }

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
            Err(Failure::new(format!("IPv4-mapped IPv6 address {text:?} is not allowed")))
        }
        Ok(address) => Ok(address),
        Err(_) => Err(Failure::new(format!("IP Address {text:?} parse error during conversion from string"))),
    }
}

/// The network that a text is.
pub(super) fn network(text: &str) -> Result<Network, Failure> {
    Network::parse(text).ok_or_else(|| {
        Failure::new(format!("network address parse error during conversion from string: invalid CIDR {text:?}"))
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
