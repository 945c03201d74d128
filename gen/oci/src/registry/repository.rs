//! A repository of a registry.

use std::time::{Duration, Instant};

use crate::layout::TAG;
use crate::media_type::{INDEX, MANIFEST};
use crate::source::{Blobs, MOST_INDEX, MOST_MANIFEST, MOST_MANIFESTS, parse};
use crate::{Descriptor, Index};
use crd_bundle::Digest;
use crd_diagnostics::Diagnostic;
use serde::Deserialize;
use ureq::http::{Method, Uri, header};

use super::client::{Answer, Call, Client, is_local, target};
use super::{Lookup, Reference, Timeouts, codes};

/// A repository, and the artefacts that were chosen of it.
pub struct Registry<'c> {
    client: Client<'c>,
    reference: Reference,
    scope: String,
    /// The tags or digests that [`Blobs::manifests`] lists.
    names: Vec<String>,
    /// How long all pages of tags may take.
    patience: Duration,
}

/// The most pages of tags. Registries have at least 50 tags in one.
const MOST_PAGES: usize = 500;

/// What every manifest can be.
const MANIFESTS: (&str, &str) =
    ("accept", "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json");

#[derive(Deserialize)]
struct Tags {
    tags: Option<Vec<String>>,
}

impl<'c> Registry<'c> {
    /// The repository of a reference. `actions` are what credentials must permit: `pull`, or `pull,push`.
    pub fn new(reference: Reference, actions: &str, timeouts: &Timeouts, credentials: Lookup<'c>) -> Self {
        // The one registry whose name is not its host.
        let host = if reference.host == "docker.io" { "registry-1.docker.io" } else { &reference.host };
        let client = Client::new(host, timeouts, credentials);
        let scope = format!("repository:{}:{actions}", reference.repository);
        let patience = timeouts.request;
        Self { client, names: reference.name.iter().cloned().collect(), reference, scope, patience }
    }

    /// The same, with these tags chosen.
    #[must_use]
    pub fn with_names(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }

    fn call(
        &self,
        method: Method,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Option<&[u8]>,
        most: u64,
    ) -> Result<Answer, Diagnostic> {
        let host = &self.client.host;
        let scheme = if is_local(host) { "http" } else { "https" };
        let url = format!("{scheme}://{host}/v2/{}/{path}", self.reference.repository).parse::<Uri>();
        let url = url.map_err(|error| codes::REFERENCE.finding(format!("{}: {error}", self.reference)))?;
        self.client.send(&Call { method, url, headers, body, most, scope: &self.scope })
    }

    /// An answer with this status. Another status is an error, which names the artefact.
    fn expect(&self, answer: Answer, status: u16) -> Result<Answer, Diagnostic> {
        if answer.status == status { Ok(answer) } else { Err(answer.refusal(&self.reference.to_string())) }
    }

    /// All tags.
    ///
    /// # Errors
    /// The registry refuses or cannot be reached, or they are too many.
    pub fn tags(&self) -> Result<Vec<String>, Diagnostic> {
        let (mut tags, mut pages, start) = (Vec::new(), 0, Instant::now());
        let mut answer = self.call(Method::GET, "tags/list", &[], None, MOST_INDEX)?;
        loop {
            answer = self.expect(answer, 200)?;
            let page: Tags = parse(&answer.bytes, &self.name(), "the list of tags")?;
            let page = page.tags.unwrap_or_default();
            let next = answer.header(header::LINK).filter(|_| !page.is_empty());
            let next = next.and_then(|link| link.strip_prefix('<')?.split_once('>'));
            tags.extend(page);
            pages += 1;
            let too_many = match tags.len() {
                0..=MOST_MANIFESTS if pages <= MOST_PAGES => None,
                0..=MOST_MANIFESTS => Some(format!("{} has more than {MOST_PAGES} pages of tags", self.reference)),
                _ => Some(format!("{} has more than {MOST_MANIFESTS} tags", self.reference)),
            };
            if let Some(message) = too_many {
                return Err(codes::TOO_LARGE.finding(message).help("name a tag"));
            }
            if start.elapsed() > self.patience {
                let message = format!("{} does not list its tags within {:?}", self.reference, self.patience);
                return Err(codes::SLOW.finding(message).help("name a tag"));
            }
            let Some((next, _)) = next else { return Ok(tags) };
            let url = target(&answer.url, next)?;
            let (method, scope) = (Method::GET, &*self.scope);
            answer = self.client.send(&Call { method, url, headers: &[], body: None, most: MOST_INDEX, scope })?;
        }
    }

    /// A manifest or index, by tag or digest; nothing if it does not exist.
    pub(crate) fn manifest(&self, name: &str) -> Result<Option<(Descriptor, Vec<u8>)>, Diagnostic> {
        let answer = self.call(Method::GET, &format!("manifests/{name}"), &[MANIFESTS], None, MOST_MANIFEST)?;
        if answer.status == 404 {
            return Ok(None);
        }
        let answer = self.expect(answer, 200)?;
        let media_type = answer.header(header::CONTENT_TYPE).unwrap_or(MANIFEST);
        let descriptor = Descriptor::of(media_type.split(';').next().unwrap_or_default(), &answer.bytes);
        Ok(Some((descriptor, answer.bytes)))
    }

    /// Whether it has a blob or manifest.
    pub(crate) fn has(&self, descriptor: &Descriptor) -> Result<bool, Diagnostic> {
        let answer = self.call(Method::HEAD, &path(descriptor), &[MANIFESTS], None, 0)?;
        if answer.status == 404 { Ok(false) } else { self.expect(answer, 200).map(|_| true) }
    }

    pub(crate) fn upload(&self, descriptor: &Descriptor, bytes: &[u8]) -> Result<(), Diagnostic> {
        let answer = self.expect(self.call(Method::POST, "blobs/uploads/", &[], Some(b""), MOST_INDEX)?, 202)?;
        let to = target(&answer.url, answer.header(header::LOCATION).unwrap_or_default())?;
        let between = if to.query().is_some() { '&' } else { '?' };
        let url = format!("{to}{between}digest={}", descriptor.digest).parse::<Uri>();
        let url = url.map_err(|error| codes::REDIRECT.finding(format!("{}: {error}", self.reference)))?;
        let headers = &[("content-type", "application/octet-stream")];
        let (method, body, scope) = (Method::PUT, Some(bytes), &*self.scope);
        let answer = self.client.send(&Call { method, url, headers, body, most: MOST_INDEX, scope })?;
        self.expect(answer, 201).map(|_| ())
    }

    /// Stores a manifest or index, by tag or digest.
    pub(crate) fn store(&self, name: &str, media_type: &str, bytes: &[u8]) -> Result<(), Diagnostic> {
        let headers = &[("content-type", media_type)];
        let answer = self.call(Method::PUT, &format!("manifests/{name}"), headers, Some(bytes), MOST_INDEX)?;
        self.expect(answer, 201).map(|_| ())
    }

    /// The manifests about one with this digest, and whether the registry finds them itself. Otherwise, clients keep a list in a tag.
    ///
    /// # Errors
    /// The registry refuses or cannot be reached.
    pub fn referrers(&self, digest: Digest) -> Result<(Vec<Descriptor>, bool), Diagnostic> {
        let answer = self.call(Method::GET, &format!("referrers/sha256:{digest}"), &[MANIFESTS], None, MOST_INDEX)?;
        let (bytes, is_api) = match answer.status {
            404 => (self.manifest(&fallback(digest))?.map(|(_, bytes)| bytes), false),
            _ => (Some(self.expect(answer, 200)?.bytes), true),
        };
        let index = bytes.map(|bytes| parse::<Index>(&bytes, &self.name(), "the list of referrers")).transpose()?;
        Ok((index.unwrap_or_default().manifests, is_api))
    }

    /// Adds manifests to the list in a tag.
    pub(crate) fn list_referrers(&self, digest: Digest, new: Vec<Descriptor>) -> Result<(), Diagnostic> {
        let (mut manifests, is_api) = self.referrers(digest)?;
        let new = new.into_iter().filter(|one| !manifests.iter().any(|known| known.digest == one.digest));
        let new = new.collect::<Vec<_>>();
        if is_api || new.is_empty() {
            return Ok(());
        }
        manifests.extend(new);
        let index = serde_json::to_vec(&Index { manifests, ..Index::default() }).unwrap_or_default();
        self.store(&fallback(digest), INDEX, &index)
    }
}

/// The tag with the list of referrers.
fn fallback(digest: Digest) -> String {
    format!("sha256-{digest}")
}

fn path(descriptor: &Descriptor) -> String {
    let is_manifest = [MANIFEST, INDEX].contains(&&*descriptor.media_type);
    format!("{}/{}", if is_manifest { "manifests" } else { "blobs" }, descriptor.digest)
}

impl Blobs for Registry<'_> {
    fn name(&self) -> String {
        format!("{}{}", super::PREFIX, self.reference)
    }

    fn manifests(&self) -> Result<Vec<Descriptor>, Diagnostic> {
        let found = self.names.iter().map(|name| {
            let shown = Reference { name: Some(name.clone()), ..self.reference.clone() };
            let (mut found, _) = self.manifest(name)?.ok_or_else(|| {
                let error = codes::UNKNOWN.finding(format!("{shown} does not exist"));
                error.help("check the name and the tag; a private repository is unknown without credentials")
            })?;
            match name.contains(':') {
                // Its bytes are compared with the digest that the user named.
                true => found.digest.clone_from(name),
                false => _ = found.annotations.insert(TAG.to_owned(), name.clone()),
            }
            Ok(found)
        });
        found.collect()
    }

    fn unchecked(&self, descriptor: &Descriptor, _: Digest) -> Result<Vec<u8>, Diagnostic> {
        let answer = self.call(Method::GET, &path(descriptor), &[MANIFESTS], None, descriptor.size)?;
        Ok(self.expect(answer, 200)?.bytes)
    }
}
