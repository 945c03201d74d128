//! The largest possible HTTPRoute: every list at its maximum.
//!
//! Invariants: the route has every list of a standard HTTPRoute below `spec`, with as many items as the schema allows ([`lists`]; a test checks
//! this). The exception is `matches`: a rule of the API allows 128 in all rules together. Experimental fields are at the end, where a search
//! finds them last.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crd_channels::Channel;
use crd_model::Schema;
use crd_model::schema::{SchemaPath, Step};
use serde_json::{Value, json};

use crate::documents::crds;

/// All matches of all rules.
pub(super) const MATCHES: usize = 128;

/// The schema of HTTPRoute v1.
fn schema() -> &'static Schema {
    let crd = crds(Channel::Standard).iter().find(|crd| crd.names.kind == "HTTPRoute").expect("it exists");
    &crd.versions.iter().find(|version| version.name == "v1").expect("it exists").schema
}

/// The limits of all lists below `spec`: `spec.rules[*].matches` → 64.
pub(super) fn limits() -> &'static BTreeMap<String, usize> {
    static LIMITS: LazyLock<BTreeMap<String, usize>> = LazyLock::new(limits_of_schema);
    &LIMITS
}

fn limits_of_schema() -> BTreeMap<String, usize> {
    let lists = crd_model::schema::nodes(schema()).into_iter().filter(|(path, node)| {
        // The status codes of a retry have no limit, and no policy looks at them.
        let is_codes = path.to_string() == "spec.rules[*].retry.codes";
        node.kind.as_deref() == Some("array")
            && path.steps().first() == Some(&Step::Field("spec".to_owned()))
            && !is_codes
    });
    lists
        .map(|(path, node)| {
            let limit = node.max_items.and_then(|limit| usize::try_from(limit).ok());
            (path.to_string(), limit.unwrap_or_else(|| panic!("{path} has no limit")))
        })
        .collect()
}

/// The length of every list of an object: `spec.rules[*].matches` → 8, 8, 8, …
pub(super) fn lists(object: &Value) -> BTreeMap<String, Vec<usize>> {
    fn walk(value: &Value, path: &SchemaPath, found: &mut BTreeMap<String, Vec<usize>>) {
        match value {
            Value::Array(items) => {
                found.entry(path.to_string()).or_default().push(items.len());
                items.iter().for_each(|item| walk(item, &path.with(Step::Item), found));
            }
            Value::Object(entries) => {
                entries.iter().for_each(|(name, value)| walk(value, &path.with(Step::Field(name.clone())), found));
            }
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    walk(&object["spec"], &SchemaPath::root().with(Step::Field("spec".to_owned())), &mut found);
    found
}

fn limit(path: &str) -> usize {
    limits().get(path).copied().unwrap_or_else(|| panic!("no list {path}"))
}

/// This number of different values.
fn many<T>(count: usize, value: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(value).collect()
}

fn headers(prefix: &str, count: usize) -> Vec<Value> {
    many(count, |index| json!({"name": format!("{prefix}{index}"), "value": "v"}))
}

/// A filter of a type that only experimental has.
pub(super) fn external_auth(headers: usize) -> Value {
    json!({"type": "ExternalAuth", "externalAuth": {
        "protocol": "HTTP",
        "backendRef": {"name": "a", "port": 80},
        "http": {"allowedHeaders": many(headers, |index| format!("h{index}"))},
    }})
}

/// As many filters as `path` allows: one of each type that may appear once, with all its lists, and the smallest filter for the rest.
fn filters(path: &str, experimental: bool) -> Vec<Value> {
    let limit_of = |list: &str| limit(&format!("{path}[*].{list}"));
    let modifier = |name: &str| {
        json!({
            "set": headers("s", limit_of(&format!("{name}.set"))),
            "add": headers("a", limit_of(&format!("{name}.add"))),
            "remove": many(limit_of(&format!("{name}.remove")), |index| format!("r{index}")),
        })
    };
    let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
    let mut filters = vec![
        json!({"type": "RequestHeaderModifier", "requestHeaderModifier": modifier("requestHeaderModifier")}),
        json!({"type": "ResponseHeaderModifier", "responseHeaderModifier": modifier("responseHeaderModifier")}),
        json!({"type": "CORS", "cors": {
            "allowOrigins": many(limit_of("cors.allowOrigins"), |index| format!("http://a{index}")),
            "allowMethods": methods[..limit_of("cors.allowMethods")],
            "allowHeaders": many(limit_of("cors.allowHeaders"), |index| format!("h{index}")),
            "exposeHeaders": many(limit_of("cors.exposeHeaders"), |index| format!("h{index}")),
        }}),
    ];
    let rest = limit(path) - filters.len();
    let smallest = |_| json!({"type": "ExtensionRef", "extensionRef": {"group": "", "kind": "A", "name": "a"}});
    filters.extend(many(rest, smallest));
    if experimental && let Some(last) = filters.last_mut() {
        *last = external_auth(64);
    }
    filters
}

/// The route.
pub(crate) fn route(namespace: &str, name: &str, experimental: bool) -> Value {
    let rules = limit("spec.rules");
    let a_match = |index: usize| {
        json!({
            "path": {"type": "PathPrefix", "value": format!("/{index}")},
            "headers": headers("h", limit("spec.rules[*].matches[*].headers")),
            "queryParams": headers("q", limit("spec.rules[*].matches[*].queryParams")),
        })
    };
    let refs = "spec.rules[*].backendRefs";
    let rule = |index: usize| {
        let is_last = experimental && index + 1 == rules;
        let count = limit(refs);
        let backend = |index: usize| {
            let filters = filters("spec.rules[*].backendRefs[*].filters", is_last && index + 1 == count);
            json!({"name": "a", "port": 80, "filters": filters})
        };
        let mut rule = json!({
            "name": format!("r{index}"),
            "matches": many(MATCHES / rules, a_match),
            "filters": filters("spec.rules[*].filters", is_last),
            "backendRefs": many(count, backend),
        });
        if is_last {
            rule["sessionPersistence"] = json!({"cookie": {"name": "s"}});
        }
        rule
    };
    let mut route = json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "parentRefs": many(limit("spec.parentRefs"), |index| json!({"name": "a", "sectionName": format!("s{index}")})),
            "hostnames": many(limit("spec.hostnames"), |index| format!("h{index}.example")),
            "rules": many(rules, rule),
        },
    });
    if experimental {
        route["spec"]["useDefaultGateways"] = json!("All");
    }
    route
}

/// Its experimental fields and values, as messages list them.
pub(super) fn names() -> Vec<String> {
    let mut names = Vec::new();
    for filters in ["spec.rules[*].backendRefs[*].filters[*]", "spec.rules[*].filters[*]"] {
        names.extend(["externalAuth", "type=ExternalAuth"].map(|end| format!("{filters}.{end}")));
    }
    names.extend(["spec.rules[*].sessionPersistence", "spec.useDefaultGateways"].map(str::to_owned));
    names
}
