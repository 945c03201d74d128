//! A repository of Helm charts over HTTP: an `index.yaml`, and the archives that it lists.
//!
//! Invariants: as for registries, with no credentials at all. An archive has the digest that the index lists for it.
//!
//! Source: <https://helm.sh/docs/topics/chart_repository/>.

use crd_bundle::Digest;
use crd_diagnostics::layout::some_of;
use crd_diagnostics::{Diagnostic, printable};
use crd_model::yaml::documents;
use serde::Deserialize;
use serde_json::Value;
use ureq::http::{Method, Uri};

use super::client::{Answer, Call, Client, is_local, target};
use super::{Timeouts, codes};
use crate::source::MOST_LAYER;

/// The most bytes of an index. That of a large repository has 20 MiB.
const MOST_INDEX: u64 = 64 << 20;

/// A version of a chart in an index.
#[derive(Deserialize)]
struct Listed {
    version: String,
    #[serde(default)]
    urls: Vec<String>,
    digest: Option<String>,
}

/// The archive of a version of a chart.
///
/// # Errors
/// The address is malformed, the repository does not have it or cannot be reached, or the archive has another digest.
pub fn chart(repository: &str, name: &str, version: &str, timeouts: &Timeouts) -> Result<Vec<u8>, Diagnostic> {
    let index = format!("{}/index.yaml", repository.trim_end_matches('/'));
    let url = address(&index).ok_or_else(|| {
        // It can contain a password.
        let error = codes::REFERENCE.finding("`--repo` is not the address of a chart repository");
        error.help("write `--repo https://HOST/PATH`")
    })?;
    let answer = get(url, "the index", MOST_INDEX, timeouts)?;
    let listed = listed(&answer, name)?;
    let plain = |version: &str| version.strip_prefix('v').unwrap_or(version).to_owned();
    let chosen = listed.iter().find(|one| one.version == version);
    let Some(chosen) = chosen.or_else(|| listed.iter().find(|one| plain(&one.version) == plain(version))) else {
        let names = listed.iter().map(|one| printable(&one.version)).collect::<Vec<_>>();
        let message =
            format!("{} has no version {} of the chart {}", printable(repository), printable(version), printable(name));
        return Err(codes::UNKNOWN.finding(message).help(format!("name one that it has: {}", some_of(&names, 5))));
    };
    let location = chosen.urls.first().map(String::as_str).unwrap_or_default();
    if location.starts_with(super::PREFIX) {
        let message = format!("the archive of {} {} is in a registry", printable(name), printable(&chosen.version));
        return Err(codes::UNKNOWN.finding(message).help(format!("name `{}`", printable(location))));
    }
    let location = match location.contains("://") || location.starts_with('/') {
        true => location.to_owned(),
        false => format!("{}/{location}", repository.trim_end_matches('/')),
    };
    let what = format!("the archive of {} {}", printable(name), printable(&chosen.version));
    let archive = get(target(&answer.url, &location)?, &what, MOST_LAYER, timeouts)?;
    let digest = chosen.digest.as_deref().map(|digest| digest.trim_start_matches("sha256:"));
    if digest.is_some_and(|digest| digest != Digest::of(&archive.bytes).to_string()) {
        let message =
            format!("the archive of {} {} does not have the digest of the index", printable(name), printable(version));
        return Err(codes::REFUSED.finding(message).help("do not use it: it was damaged or replaced"));
    }
    Ok(archive.bytes)
}

/// The versions of a chart that an index lists.
fn listed(index: &Answer, name: &str) -> Result<Vec<Listed>, Diagnostic> {
    let malformed =
        |cause: &str| codes::REFUSED.finding(format!("{} is not the index of a chart repository: {cause}", index.url));
    let text = std::str::from_utf8(&index.bytes).map_err(|_| malformed("it is not UTF-8"))?;
    let document = match documents(text).next() {
        Some(Ok(document)) => document.value,
        Some(Err(errors)) => {
            return Err(malformed(&errors.first().map(|error| error.message.clone()).unwrap_or_default()));
        }
        None => return Err(malformed("it is empty")),
    };
    let Some(entries) = document.get("entries").and_then(Value::as_object) else {
        return Err(malformed("it has no `entries`"));
    };
    match entries.get(name) {
        Some(versions) => {
            Vec::<Listed>::deserialize(versions).map_err(|error| malformed(&printable(&error.to_string())))
        }
        None => {
            let near = crd_names::nearest(name, entries.keys().map(String::as_str))
                .map(|near| format!("did you mean `{}`?", printable(near)));
            let message = format!("{} has no chart {}", index.url, printable(name));
            Err(codes::UNKNOWN.finding(message).help(near.unwrap_or_else(|| "check the name".to_owned())))
        }
    }
}

/// An address with a host; plain HTTP is for this machine only.
fn address(text: &str) -> Option<Uri> {
    let url = text.parse::<Uri>().ok()?;
    let host = url.authority().map(|authority| authority.as_str()).filter(|host| !host.contains('@'))?;
    match url.scheme_str() {
        Some("https") => Some(url),
        Some("http") if is_local(host) => Some(url),
        _ => None,
    }
}

/// What an address has.
fn get(url: Uri, what: &str, most: u64, timeouts: &Timeouts) -> Result<Answer, Diagnostic> {
    let host = url.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default();
    let client = Client::new(&host, timeouts, &|_| Ok(None));
    let answer = client.redirected(&Call { method: Method::GET, url, headers: &[], body: None, most, scope: "" })?;
    if answer.status == 200 { Ok(answer) } else { Err(answer.refusal(what)) }
}
