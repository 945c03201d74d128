//! `ip`, `cidr` and their methods.

use std::net::{IpAddr, Ipv4Addr};

use crate::cost::Cost;
use crate::failure::Failure;
use crate::functions::{Function, function, method};
use crate::network::{address, network};
use crate::shapes::{ADDRESS, BOOLEAN, INTEGER, NETWORK, TEXT};
use crate::value::Outcome;
use crate::value::Value::{self, Address, Boolean, Network, Text};

#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    function("cidr", &[&[TEXT]], NETWORK, run!(Text(text) => Network(network(text)?))).costs(Cost::Scan(0)),
    method("containsCIDR", &[&[NETWORK, TEXT], &[NETWORK, NETWORK]], BOOLEAN, contains_cidr).costs(Cost::ContainsNetwork(false)),
    method("containsIP", &[&[NETWORK, TEXT], &[NETWORK, ADDRESS]], BOOLEAN, contains_ip).costs(Cost::ContainsAddress(false)),
    method("family", &[&[ADDRESS]], INTEGER, run!(Address(address) => if address.is_ipv4() { 4_i64 } else { 6 })),
    function("ip", &[&[TEXT]], ADDRESS, ip).costs(Cost::Scan(0)),
    method("ip", &[&[NETWORK]], ADDRESS, ip),
    function("ip.isCanonical", &[&[TEXT]], BOOLEAN, run!(Text(text) => address(text)?.to_string() == **text)).costs(Cost::ScanTwice),
    function("isCIDR", &[&[TEXT]], BOOLEAN, run!(Text(text) => network(text).is_ok())).costs(Cost::Scan(0)),
    method("isGlobalUnicast", &[&[ADDRESS]], BOOLEAN, run!(Address(address) => is_global_unicast(*address))),
    function("isIP", &[&[TEXT]], BOOLEAN, run!(Text(text) => address(text).is_ok())).costs(Cost::Scan(0)),
    method("isLinkLocalMulticast", &[&[ADDRESS]], BOOLEAN, run!(Address(address) => is_link_local_multicast(*address))),
    method("isLinkLocalUnicast", &[&[ADDRESS]], BOOLEAN, run!(Address(address) => is_link_local_unicast(*address))),
    method("isLoopback", &[&[ADDRESS]], BOOLEAN, run!(Address(address) => address.is_loopback())),
    method("isUnspecified", &[&[ADDRESS]], BOOLEAN, run!(Address(address) => address.is_unspecified())),
    method("masked", &[&[NETWORK]], NETWORK, run!(Network(network) => Network(network.masked()))),
    method("prefixLength", &[&[NETWORK]], INTEGER, run!(Network(network) => i64::from(network.bits))),
];

fn ip<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    match arguments {
        [Text(text)] => address(text).map(Address),
        [Network(network)] => Ok(Address(network.address)),
        _ => Err(Failure::no_overload()),
    }
}

fn contains_ip<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    Ok(Boolean(match arguments {
        [Network(network), Address(address)] => network.contains(*address),
        // The server has this text for every text that is not an address.
        [Network(network), Text(text)] => network.contains(address(text).map_err(|_| Failure::no_overload())?),
        _ => return Err(Failure::no_overload()),
    }))
}

fn contains_cidr<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let (outer, inner) = match arguments {
        [Network(outer), Network(inner)] => (outer, *inner),
        [Network(outer), Text(text)] => (outer, network(text)?),
        _ => return Err(Failure::no_overload()),
    };
    Ok(Boolean(outer.bits <= inner.bits && outer.contains(inner.address)))
}

fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[..3] == [224, 0, 0],
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    }
}

fn is_link_local_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

fn is_global_unicast(address: IpAddr) -> bool {
    !(address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || is_link_local_unicast(address)
        || address == IpAddr::V4(Ipv4Addr::BROADCAST))
}
