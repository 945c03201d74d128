//! What the command line gives to registries: the credentials of `docker login`, and a layout to push.
//!
//! Invariant: credentials are read only for a host that asks for them, and are in no message.

use std::env;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::count;
use crd_generator::file;
use crd_generator::session::Session;
use crd_oci::registry::{Credentials, Pushed, Reference, Timeouts, push};
use serde_json::Value;

use crate::{input, oci_layout};

/// The user name of a token.
const TOKEN: &str = "<token>";

/// The credentials for a host, if there are any.
pub fn credentials(host: &str) -> Result<Option<Credentials>, Diagnostic> {
    let home =
        env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(|home| PathBuf::from(home).join(".docker"));
    let folder = env::var_os("DOCKER_CONFIG").filter(|folder| !folder.is_empty()).map(PathBuf::from).or(home);
    let Some(path) = folder.map(|folder| folder.join("config.json")) else { return Ok(None) };
    let Some(text) = input::text(&path)? else { return Ok(None) };
    let wrong =
        |predicate| file::error("registry::credentials", &path, predicate).help("log in again with `docker login`");
    // The error of a parser could contain a part of the text.
    let config = serde_json::from_str::<Value>(&text).map_err(|_| wrong("is not JSON"))?;
    let key = if host == "registry-1.docker.io" { "https://index.docker.io/v1/" } else { host };
    let helper = config["credHelpers"][key].as_str().or_else(|| config["credsStore"].as_str());
    if let Some(helper) = helper
        && let Some(found) = of_helper(helper, key)?
    {
        return Ok(Some(found));
    }
    let keys = [key.to_owned(), format!("https://{key}"), format!("https://{key}/v1/"), format!("https://{key}/v2/")];
    let Some(entry) = keys.iter().find_map(|key| config["auths"].get(key)) else { return Ok(None) };
    if let Some(token) = entry["identitytoken"].as_str().filter(|token| !token.is_empty()) {
        return Ok(Some(Credentials::Token(token.to_owned())));
    }
    // An empty entry belongs to a helper.
    let Some(encoded) = entry["auth"].as_str() else { return Ok(None) };
    let text = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let (name, password) =
        text.as_deref().and_then(|text| text.split_once(':')).ok_or_else(|| wrong("has a malformed `auth`"))?;
    Ok(Some(Credentials::Password { name: name.to_owned(), password: password.to_owned() }))
}

/// The credentials that `docker-credential-NAME get` prints.
fn of_helper(name: &str, key: &str) -> Result<Option<Credentials>, Diagnostic> {
    let program = format!("docker-credential-{name}");
    let wrong = |cause: String| {
        let error = Diagnostic::error("registry::credentials", format!("`{program} get` fails for {key}{cause}"));
        error.help("install the program, or remove it from `config.json` and log in again with `docker login`")
    };
    let failed = |error: std::io::Error| wrong(format!(": {error}"));
    if !name.chars().all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one)) {
        return Err(wrong(": its name is malformed".to_owned()));
    }
    let mut command = Command::new(&program);
    command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    // A program that does not read its input fails itself.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(key.as_bytes()));
    let output = child.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        // As the protocol requires of a host without credentials.
        let text = String::from_utf8_lossy(&output.stdout);
        return if text.contains("not found") { Ok(None) } else { Err(wrong(String::new())) };
    }
    let document = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
    match (document["Username"].as_str(), document["Secret"].as_str()) {
        (Some(TOKEN), Some(token)) => Ok(Some(Credentials::Token(token.to_owned()))),
        (Some(name), Some(password)) => {
            Ok(Some(Credentials::Password { name: name.to_owned(), password: password.to_owned() }))
        }
        _ => Err(wrong(": it prints other JSON".to_owned())),
    }
}

/// Pushes a layout, and reports what the registry has now, also as text.
pub fn push_layout(
    layout: &str,
    registry: &str,
    dry_run: bool,
    session: &Session<'_>,
) -> Result<(Vec<Pushed>, String), Vec<Diagnostic>> {
    let to = registry.parse::<Reference>()?;
    let layout = oci_layout::OciLayout::named(layout, session.working_folder());
    let progress = |step: &str| session.begin(step);
    let pushed = push(&layout, &to, &Timeouts::default(), &credentials, dry_run, &progress)?;
    let text = |pushed: &Pushed| {
        let Pushed { reference, digest, was_there, sent, referrers } = pushed;
        let sends = if dry_run { "would be sent" } else { "sent" };
        let state = match (was_there, sent) {
            (true, 0) => "unchanged".to_owned(),
            _ => format!("{} {sends}, with {}", count(*sent, "blob"), count(*referrers, "referrer")),
        };
        format!("{reference}@{digest}  {state}\n")
    };
    let text = pushed.iter().map(text).collect();
    Ok((pushed, text))
}
