//! Condition types, reasons and enum values with upstream's names and values.
//!
//! Invariants: both sides have the same constants, except for the listed exceptions with their reasons.

use std::collections::{BTreeMap, BTreeSet};

use crd_channels::{Channel, ConstantKind, Shape};
use gateway_api_types::kinds;

use crate::descriptors;
use crate::objects::crds;

/// Values of these types for which upstream has no constant.
const UNKNOWN_UPSTREAM: [(&str, &str); 1] =
    [("HTTPMethodWithWildcard", "upstream writes these values into the marker of the type only")];

/// The constants of `v1::conditions` and `v1alpha1::conditions` by name. Older versions have the conditions of v1.
fn ours(module: &str) -> BTreeMap<&'static str, (ConstantKind, &'static str)> {
    let constants = match module {
        "v1alpha1" => gateway_api_types::v1alpha1::conditions::CONSTANTS,
        _ => gateway_api_types::v1::conditions::CONSTANTS,
    };
    let of_status = constants.iter().filter(|constant| constant.kind != ConstantKind::Constant);
    of_status.map(|constant| (constant.name, (constant.kind, constant.value))).collect()
}

/// The Go types of all constants by name.
fn go_types(module: &str) -> BTreeMap<&'static str, Option<String>> {
    let constants = match module {
        "v1alpha1" => gateway_api_types::v1alpha1::conditions::CONSTANTS,
        _ => gateway_api_types::v1::conditions::CONSTANTS,
    };
    let go_type = |constant: &crd_channels::Constant| constant.go_type.map(|name| name.replace("::", "."));
    constants.iter().map(|constant| (constant.name, go_type(constant))).collect()
}

/// A constant of upstream.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Constant {
    version: String,
    name: String,
    kind: String,
    value: String,
}

/// The constants of Gateway API v1.7.0.
fn upstream() -> BTreeSet<Constant> {
    let constants: BTreeMap<String, Vec<BTreeMap<String, String>>> =
        serde_json::from_value(crd_testdata::gateway_api_constants()).unwrap();
    let of_version = |(version, constants): (String, Vec<BTreeMap<String, String>>)| {
        constants.into_iter().map(move |constant| Constant {
            version: version.clone(),
            name: constant["name"].clone(),
            kind: constant["type"].clone(),
            value: constant["value"].clone(),
        })
    };
    constants.into_iter().flat_map(of_version).collect()
}

/// `NoValidCACertificate` as `NO_VALID_CA_CERTIFICATE`.
fn screaming(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut result = String::new();
    for (index, character) in characters.iter().enumerate() {
        let after_small = index > 0 && !characters[index - 1].is_uppercase();
        let before_small = characters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if index > 0 && character.is_uppercase() && (after_small || before_small) {
            result.push('_');
        }
        result.push(character.to_ascii_uppercase());
    }
    result
}

/// Where a version's types stand: what is not in its own module is v1's.
fn enums() -> BTreeMap<(&'static str, &'static str), BTreeSet<&'static str>> {
    let mut enums = BTreeMap::new();
    for descriptor in descriptors::all() {
        if let (Shape::Enum { variants, .. }, Some(module)) = (descriptor.shape, descriptors::module(descriptor)) {
            enums.insert((module, descriptor.name), variants.iter().map(|variant| variant.wire_name).collect());
        }
    }
    enums
}

#[test]
fn every_constant_of_upstream_is_here() {
    let constants = upstream();
    assert_eq!(constants.len(), 246);
    let enums = enums();
    let (mut as_constants, mut as_variants) = (0, 0);
    for constant in &constants {
        let Constant { version, name, kind, value } = constant;
        if kind.contains("Condition") {
            let what = if kind.ends_with("Reason") { ConstantKind::Reason } else { ConstantKind::Condition };
            assert_eq!(ours(version).get(screaming(name).as_str()), Some(&(what, value.as_str())), "{constant:?}");
            assert_eq!(go_types(version)[screaming(name).as_str()].as_ref(), Some(kind), "{constant:?}");
            as_constants += 1;
        } else {
            let variants = [version.as_str(), "v1"].iter().find_map(|module| enums.get(&(*module, kind.as_str())));
            let variants = variants.unwrap_or_else(|| panic!("no enum for {constant:?}"));
            assert!(variants.contains(value.as_str()), "{constant:?}: {variants:?}");
            as_variants += 1;
        }
    }
    assert_eq!((as_constants, as_variants), (153, 93));
}

#[test]
fn nothing_here_is_unknown_upstream() {
    let constants = upstream();
    for module in ["v1", "v1alpha1"] {
        let upstream: BTreeSet<String> = constants
            .iter()
            .filter(|constant| constant.version == module && constant.kind.contains("Condition"))
            .map(|constant| screaming(&constant.name))
            .collect();
        assert_eq!(ours(module).keys().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>(), upstream);
    }
    for ((module, name), variants) in enums() {
        if UNKNOWN_UPSTREAM.iter().any(|(unknown, _)| *unknown == name) {
            continue;
        }
        let upstream: BTreeSet<&str> = constants
            .iter()
            .filter(|constant| constant.version == module && constant.kind == name)
            .map(|constant| constant.value.as_str())
            .collect();
        assert_eq!(variants, upstream, "{module}::{name}");
    }
}

#[test]
fn exceptions_are_needed() {
    let constants = upstream();
    for (name, reason) in UNKNOWN_UPSTREAM {
        assert!(enums().keys().any(|(_, known)| *known == name), "{name}: {reason}");
        assert!(constants.iter().all(|constant| constant.kind != name), "{name}: {reason}");
    }
}

#[test]
fn kinds_are_those_of_the_crds() {
    let published: BTreeSet<&str> = crds(Channel::Experimental).iter().map(|crd| crd.names.kind.as_ref()).collect();
    assert_eq!(gateway_api_types::KINDS.iter().copied().collect::<BTreeSet<_>>(), published);
    assert_eq!(gateway_api_types::KINDS.len(), 14);
    for kind in gateway_api_types::KINDS {
        assert!(kind.chars().all(|character| character.is_ascii_alphanumeric()), "{kind}");
    }
    // By name, as users write them.
    assert_eq!(
        [
            kinds::BACKEND_TLS_POLICY,
            kinds::GATEWAY,
            kinds::GATEWAY_CLASS,
            kinds::GRPC_ROUTE,
            kinds::HTTP_ROUTE,
            kinds::LISTENER_SET,
            kinds::REFERENCE_GRANT,
            kinds::TCP_ROUTE,
            kinds::TLS_ROUTE,
            kinds::UDP_ROUTE,
            kinds::X_BACKEND,
            kinds::X_BACKEND_TRAFFIC_POLICY,
            kinds::X_MESH,
        ]
        .map(screaming),
        [
            "BACKEND_TLS_POLICY",
            "GATEWAY",
            "GATEWAY_CLASS",
            "GRPC_ROUTE",
            "HTTP_ROUTE",
            "LISTENER_SET",
            "REFERENCE_GRANT",
            "TCP_ROUTE",
            "TLS_ROUTE",
            "UDP_ROUTE",
            "X_BACKEND",
            "X_BACKEND_TRAFFIC_POLICY",
            "X_MESH",
        ]
    );
    let groups: BTreeSet<&str> = crds(Channel::Experimental).iter().map(|crd| crd.group.as_ref()).collect();
    assert_eq!(groups, BTreeSet::from([gateway_api_types::GROUP, gateway_api_types::EXPERIMENTAL_GROUP]));
}
