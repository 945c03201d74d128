//! Functions of lenses: conversions of objects of older bundles that `conversions.json` only names. Programs in Rust pass them to
//! `crd_convert::Conversions::with_code`.
//!
//! Invariants: a function changes only the fields of its lens, and does not panic. Where the new form would mean something else, it fails.

use crd_convert::Code;
use serde_json::{Map, Value, json};

/// All functions of the lenses of Gateway API.
pub const FUNCTIONS: [Code; 2] = [FRONTEND_VALIDATION, SESSION_NAME];

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
    example: r#"{
        "gatewayClassName": "example",
        "listeners": [{
            "name": "https", "port": 443, "protocol": "HTTPS",
            "tls": {
                "certificateRefs": [{"name": "server"}],
                "frontendValidation": {"caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": "clients"}]}
            }
        }]
    }"#,
};

/// The protocol of the listeners that `spec.tls.frontend` is about.
const HTTPS: &str = "HTTPS";

fn listeners(spec: &mut Value) -> impl Iterator<Item = &mut Value> {
    spec.get_mut("listeners").and_then(Value::as_array_mut).into_iter().flatten()
}

fn is_https(listener: &Value) -> bool {
    listener.get("protocol").and_then(Value::as_str) == Some(HTTPS)
}

/// Takes the validation out of each listener, and writes it for each port.
fn to_ports(spec: &mut Value) -> Result<(), String> {
    // The ports of HTTPS listeners, in their order, with the validation of the first one.
    let mut ports: Vec<(u64, Option<Value>)> = Vec::new();
    for listener in listeners(spec) {
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
    let fields = spec.as_object_mut().ok_or("`spec` is not an object")?;
    let tls = fields.entry("tls").or_insert_with(|| Map::new().into());
    let tls = tls.as_object_mut().ok_or("`spec.tls` is not an object")?;
    tls.insert("frontend".to_owned(), json!({"default": {}, "perPort": entries}));
    Ok(())
}

/// Gives each listener the validation of its port.
fn to_listeners(spec: &mut Value) -> Result<(), String> {
    let fields = spec.as_object_mut().ok_or("`spec` is not an object")?;
    let tls = fields.get_mut("tls").and_then(Value::as_object_mut).ok_or("`spec.tls` is not an object")?;
    let frontend = tls.remove("frontend").ok_or("there is no `spec.tls.frontend`")?;
    if tls.is_empty() {
        fields.remove("tls");
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
    for listener in listeners(spec).filter(|listener| is_https(listener)) {
        let validation = listener.get("port").and_then(validation_of);
        let tls = listener.get_mut("tls").and_then(Value::as_object_mut);
        if let (Some(validation), Some(tls)) = (validation, tls) {
            tls.insert("frontendValidation".to_owned(), validation);
        }
    }
    Ok(())
}

/// The names of sessions, up to v1.6 in `sessionName` for cookies and headers alike, and from v1.7 in `cookie.name` or `header.name`.
///
/// The new form requires the object of the chosen type, and a header requires its name. So a session in a header without a name fails, and so does
/// a name that HTTP does not allow. Backward, a path of the cookie other than `/` fails, because the old form has no place for it.
pub const SESSION_NAME: Code = Code {
    name: "sessionName",
    forward: to_carriers,
    backward: to_session_name,
    example: r#"{"sessionName": "cart", "type": "Cookie", "cookieConfig": {"lifetimeType": "Session"}}"#,
};

/// How long a session name of the old form may be.
const LONGEST_SESSION_NAME: usize = 128;

fn is_header(persistence: &Map<String, Value>) -> bool {
    persistence.get("type").and_then(Value::as_str) == Some("Header")
}

/// Whether HTTP allows the text as the name of a cookie or header, in the pattern of the new form.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Writes the name into the object of the type.
fn to_carriers(persistence: &mut Value) -> Result<(), String> {
    let persistence = persistence.as_object_mut().ok_or("the session persistence is not an object")?;
    let name = persistence.remove("sessionName");
    let config = persistence.remove("cookieConfig");
    let name = name.filter(|name| name.as_str() != Some(""));
    if let Some(name) = name.as_ref().and_then(Value::as_str).filter(|name| !is_token(name)) {
        return Err(format!(
            "`sessionName` is `{name}`, and the new form permits only characters of HTTP tokens in names"
        ));
    }
    let (carrier, mut settings) = match (is_header(persistence), config) {
        (true, Some(_)) => {
            return Err("`cookieConfig` belongs to the type `Cookie`, and the type is `Header`".to_owned());
        }
        (true, None) if name.is_none() => {
            return Err("there is no `sessionName`, and the new form requires the name of a header".to_owned());
        }
        (true, None) => ("header", json!({})),
        (false, config) => ("cookie", config.unwrap_or_else(|| json!({}))),
    };
    if let (Some(name), Some(settings)) = (name, settings.as_object_mut()) {
        settings.insert("name".to_owned(), name);
    }
    persistence.insert(carrier.to_owned(), settings);
    Ok(())
}

/// Takes the name out of the object of the type.
fn to_session_name(persistence: &mut Value) -> Result<(), String> {
    let persistence = persistence.as_object_mut().ok_or("the session persistence is not an object")?;
    let (header, cookie) = (persistence.remove("header"), persistence.remove("cookie"));
    let is_cookie = cookie.is_some();
    let mut settings = match (header, cookie) {
        (Some(_), Some(_)) => return Err("both `cookie` and `header` are set".to_owned()),
        (Some(settings), None) | (None, Some(settings)) => settings,
        (None, None) => return Err("neither `cookie` nor `header` is set".to_owned()),
    };
    let fields = settings.as_object_mut().ok_or("the settings of the session are not an object")?;
    if let Some(path) = fields.remove("path").filter(|path| path != "/") {
        return Err(format!("the old form has no path of the cookie, which is {path}"));
    }
    let name = fields.remove("name");
    if name.as_ref().and_then(Value::as_str).is_some_and(|name| name.chars().count() > LONGEST_SESSION_NAME) {
        return Err(format!("the name is longer than the {LONGEST_SESSION_NAME} characters of `sessionName`"));
    }
    // A cookie without a name stays recognisable by its settings.
    if is_cookie && (name.is_none() || !fields.is_empty()) {
        persistence.insert("cookieConfig".to_owned(), settings);
    }
    if let Some(name) = name {
        persistence.insert("sessionName".to_owned(), name);
    }
    Ok(())
}
