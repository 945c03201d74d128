//! References to a repository of a registry, and to an artefact in it: `oci://HOST[:PORT]/REPOSITORY[:TAG|@DIGEST]`.
//!
//! Invariant: every part has the form of the distribution specification, so that addresses are built from it without escapes.

use std::fmt;
use std::str::FromStr;

use crd_diagnostics::{Diagnostic, printable};
use crd_model::text_value;

use super::codes;

/// How a reference begins.
pub const PREFIX: &str = "oci://";

/// A repository, and what was chosen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The host, with its port.
    pub host: String,
    pub repository: String,
    /// A tag, or a digest: `sha256:…`.
    pub name: Option<String>,
}

impl FromStr for Reference {
    type Err = Diagnostic;

    /// The prefix may be missing.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let rest = text.strip_prefix(PREFIX).unwrap_or(text);
        let (path, digest) = rest.split_once('@').map_or((rest, None), |(path, digest)| (path, Some(digest)));
        let (path, tag) = match path.rsplit_once(':') {
            Some((path, tag)) if !tag.contains('/') && path.contains('/') => (path, Some(tag)),
            _ => (path, None),
        };
        let (host, repository) = path.split_once('/').unwrap_or((path, ""));
        let is_of = |text: &str, more: &str| text.chars().all(|one| one.is_ascii_alphanumeric() || more.contains(one));
        let is_end = |end: Option<char>| end.is_some_and(|end| end.is_ascii_alphanumeric());
        let is_name = |part: &str| is_end(part.chars().next()) && is_end(part.chars().last()) && is_of(part, "._-");
        let has_capital = repository.contains(|one: char| one.is_ascii_uppercase());
        let is_tag =
            |tag: &str| is_of(tag, "._-") && !tag.is_empty() && !tag.starts_with(['.', '-']) && tag.len() <= 128;
        let is_sha = |digest: &str| digest.len() == 71 && digest.starts_with("sha256:") && is_of(digest, ":");
        let wrong = match () {
            () if rest.contains("://") => "only `oci://` can precede the host",
            () if host.is_empty() || !is_of(host, ".:-[]") => "the host is malformed",
            () if repository.is_empty() => "the repository is missing",
            () if has_capital => "a repository has lower-case letters only",
            () if repository.len() > 255 || !repository.split('/').all(is_name) => "the repository is malformed",
            () if tag.is_some_and(|tag| !is_tag(tag)) => "the tag is malformed",
            () if digest.is_some_and(|digest| !is_sha(digest)) => "the digest is not SHA-256",
            () => {
                let name = digest.or(tag).map(str::to_owned);
                return Ok(Self { host: host.to_owned(), repository: repository.to_owned(), name });
            }
        };
        let error = codes::REFERENCE.finding(format!("`{}` is not a reference: {wrong}", printable(text)));
        Err(error.help("write `oci://HOST/REPOSITORY:TAG`, such as `oci://ghcr.io/my-org/my-api/standard:v1.7.0`"))
    }
}

text_value!(Reference, "The host, the repository and the tag of an artefact.");

impl fmt::Display for Reference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.name.as_ref().is_some_and(|name| name.contains(':')) { '@' } else { ':' };
        write!(formatter, "{}/{}", self.host, self.repository)?;
        self.name.iter().try_for_each(|name| write!(formatter, "{between}{name}"))
    }
}
