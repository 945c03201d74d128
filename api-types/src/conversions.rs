//! Functions of lenses: conversions of objects of older bundles that `conversions.json` only names. Programs in Rust pass them to
//! `crd_convert::Conversions::with_code`.
//!
//! Invariants: a function changes only the fields of its lens, and does not panic. Where the new form would mean something else, it fails.

use crd_convert::Code;
use serde_json::{Map, Value, json};

/// Client certificates of listeners, up to v1.3 in `spec.listeners[*].tls.frontendValidation`, and from v1.4 in `spec.tls.frontend`.
///
/// The old form was about one listener; an entry of `perPort` is about all HTTPS listeners of a port, and `default` about those of all other ports. So
/// each port with validation gets an entry, and `default` stays empty. A Gateway fails whose listeners of one port differ, because no entry means
/// the same. Backward, each HTTPS listener gets what applies to its port. The old form is always strict: it has no `mode`, and refuses clients
/// without a valid certificate.
pub const FRONTEND_VALIDATION: Code = Code {
    name: "frontendValidation",
    forward: to_ports,
    backward: to_listeners,
    example: r#"{"spec": {
        "gatewayClassName": "example",
        "listeners": [{
            "name": "https", "port": 443, "protocol": "HTTPS",
            "tls": {
                "certificateRefs": [{"name": "server"}],
                "frontendValidation": {"caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": "clients"}]}
            }
        }]
    }}"#,
};

/// The protocol of the listeners that `spec.tls.frontend` is about.
const HTTPS: &str = "HTTPS";

fn listeners(gateway: &mut Value) -> impl Iterator<Item = &mut Value> {
    gateway.pointer_mut("/spec/listeners").and_then(Value::as_array_mut).into_iter().flatten()
}

fn is_https(listener: &Value) -> bool {
    listener.get("protocol").and_then(Value::as_str) == Some(HTTPS)
}

/// Takes the validation out of each listener, and writes it for each port.
fn to_ports(gateway: &mut Value) -> Result<(), String> {
    // The ports of HTTPS listeners, in their order, with the validation of the first one.
    let mut ports: Vec<(u64, Option<Value>)> = Vec::new();
    for listener in listeners(gateway) {
        let name = listener.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let tls = listener.get_mut("tls").and_then(Value::as_object_mut);
        let validation = tls.and_then(|tls| tls.remove("frontendValidation"));
        if let Some(validation) = &validation {
            let references = validation.get("caCertificateRefs").and_then(Value::as_array);
            if references.is_none_or(Vec::is_empty) {
                return Err(format!(
                    "`frontendValidation` of the listener `{name}` has no `caCertificateRefs`, which the new form requires"
                ));
            }
            if !is_https(listener) {
                return Err(format!(
                    "the listener `{name}` has `frontendValidation`, and the new form is about listeners with the protocol `{HTTPS}` only"
                ));
            }
        }
        if !is_https(listener) {
            continue;
        }
        let Some(port) = listener.get("port").and_then(Value::as_u64) else {
            return Err(format!("the listener `{name}` has no port"));
        };
        match ports.iter().find(|(known, _)| *known == port) {
            Some((_, first)) if *first != validation => {
                return Err(format!(
                    "the listener `{name}` has another `frontendValidation` than the listeners before it with the port {port}, and in the new form they share it"
                ));
            }
            Some(_) => {}
            None => ports.push((port, validation)),
        }
    }
    let entry =
        |(port, validation): (u64, Option<Value>)| Some(json!({"port": port, "tls": {"validation": validation?}}));
    let entries: Vec<Value> = ports.into_iter().filter_map(entry).collect();
    let spec = gateway.get_mut("spec").and_then(Value::as_object_mut).ok_or("there is no `spec`")?;
    let tls = spec.entry("tls").or_insert_with(|| Map::new().into());
    let tls = tls.as_object_mut().ok_or("`spec.tls` is not an object")?;
    tls.insert("frontend".to_owned(), json!({"default": {}, "perPort": entries}));
    Ok(())
}

/// Gives each listener the validation of its port.
fn to_listeners(gateway: &mut Value) -> Result<(), String> {
    let spec = gateway.get_mut("spec").and_then(Value::as_object_mut).ok_or("there is no `spec`")?;
    let tls = spec.get_mut("tls").and_then(Value::as_object_mut).ok_or("`spec.tls` is not an object")?;
    let frontend = tls.remove("frontend").ok_or("there is no `spec.tls.frontend`")?;
    if tls.is_empty() {
        spec.remove("tls");
    }
    let entries = frontend.get("perPort").and_then(Value::as_array);
    let validation_of = |port: &Value| {
        let entry = entries.into_iter().flatten().find(|entry| entry.get("port") == Some(port));
        let validation = match entry {
            Some(entry) => entry.pointer("/tls/validation"),
            None => frontend.pointer("/default/validation"),
        };
        let mut validation = validation.filter(|validation| validation.is_object()).cloned()?;
        validation.as_object_mut()?.remove("mode");
        Some(validation)
    };
    for listener in listeners(gateway).filter(|listener| is_https(listener)) {
        let validation = listener.get("port").and_then(validation_of);
        let tls = listener.get_mut("tls").and_then(Value::as_object_mut);
        if let (Some(validation), Some(tls)) = (validation, tls) {
            tls.insert("frontendValidation".to_owned(), validation);
        }
    }
    Ok(())
}
