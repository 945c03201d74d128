//! Go names against those of published Go types.

use crd_bindings::go::names;
use serde_json::Value;

/// Fields of `k8s.io/api` and of Gateway API: the wire name and the Go name.
const FIELDS: &str = "apiGroup APIGroup, apiVersion APIVersion, awsElasticBlockStore AWSElasticBlockStore, caBundle CABundle, \
    caCertificateRefs CACertificateRefs, cors CORS, dnsConfig DNSConfig, dnsNames DNSNames, fsGroupPolicy FSGroupPolicy, \
    hostIPs HostIPs, httpGet HTTPGet, httpHeaders HTTPHeaders, ip IP, ipFamilies IPFamilies, gatewayClassName GatewayClassName, \
    kubeletEndpoint KubeletEndpoint, name Name, nonResourceURLs NonResourceURLs, podCIDRs PodCIDRs, podIP PodIP, \
    resourceVersion ResourceVersion, sectionName SectionName, tcpSocket TCPSocket, tls TLS, ttlSecondsAfterFinished TTLSecondsAfterFinished, \
    uid UID, uri URI, urlRewrite URLRewrite, volumeID VolumeID";

#[test]
fn fields_have_the_names_of_published_go_types() {
    for (wire_name, expected) in FIELDS.split(", ").map(|pair| pair.split_once(' ').unwrap()) {
        assert_eq!(names::field(wire_name).as_deref(), Some(expected), "{wire_name}");
    }
    for (wire_name, expected) in [("kebab-case", "KebabCase"), ("$ref", "Ref"), ("snake_id", "SnakeID"), ("ids", "IDs")]
    {
        assert_eq!(names::field(wire_name).as_deref(), Some(expected));
    }
    for wire_name in ["", "3d", "größe", "a,b", "-", "a\"b"] {
        assert_eq!(names::field(wire_name), None, "{wire_name}");
    }
}

/// `NoValidCACertificate` as `NO_VALID_CA_CERTIFICATE`.
fn screaming(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut result = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let after_small = at > 0 && !letters[at - 1].is_uppercase();
        let before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if at > 0 && letter.is_uppercase() && (after_small || before_small) {
            result.push('_');
        }
        result.push(letter.to_ascii_uppercase());
    }
    result
}

#[test]
fn constants_and_types_of_gateway_api_have_the_names_of_upstream() {
    let upstream = crd_testdata::gateway_api_constants();
    let constants = upstream.as_object().unwrap().values().flat_map(|of_version| of_version.as_array().unwrap());
    let text = |constant: &Value, key: &str| constant[key].as_str().unwrap().to_owned();
    let mut compared = 0;
    for constant in constants {
        let (name, kind) = (text(constant, "name"), text(constant, "type").replace("v1.", ""));
        assert_eq!(names::type_name(&kind), kind);
        assert_eq!(names::constant(&screaming(&name)), name);
        compared += 1;
    }
    assert!(compared > 230, "{compared}");
}

#[test]
fn values_have_the_names_of_their_type_and_themselves() {
    for (value, expected) in [
        ("Passthrough", Some("ModePassthrough")),
        ("", Some("ModeEmpty")),
        ("*", Some("ModeAny")),
        ("-", Some("ModeMinus")),
        ("http", Some("ModeHTTP")),
        ("two words", Some("ModeTwoWords")),
        ("10.5", Some("Mode105")),
        ("A+", Some("ModeAPlus")),
        ("application/json", Some("ModeApplicationJSON")),
        ("<=", Some("ModeLessEqual")),
        ("ä", None),
        ("__", None),
    ] {
        assert_eq!(names::value("Mode", value).as_deref(), expected, "{value}");
    }
    assert_eq!(names::type_name("TlsConfig"), "TLSConfig");
    assert_eq!(names::type_name("PodIdsOfHttpRoute"), "PodIDsOfHTTPRoute");
}
