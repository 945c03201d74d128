//! `ip`, `cidr` and their methods.

use std::net::{IpAddr, Ipv4Addr};

use crate::failure::Failure;
use crate::network::{address, network};
use crate::value::{Outcome, Value};

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
