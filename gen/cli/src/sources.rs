//! The sources of CRDs that are not on disk: `oci://HOST/REPOSITORY:TAG`, and `cluster:CONTEXT`.

use crd_cluster::{Cluster, Selection, run};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_of;
use crd_generator::session::{RemoteSource, Texts};
use crd_oci::registry::{PREFIX, Reference, Registry, Timeouts};
use crd_oci::source::files;
use crd_review::releases::version;
use serde_json::json;

use crate::registry::credentials;

/// The sources of the program.
pub(crate) const SOURCES: &[RemoteSource] =
    &[RemoteSource { prefix: PREFIX, read: of_registry }, RemoteSource { prefix: CLUSTER, read: of_cluster }];

const CLUSTER: &str = "cluster:";

/// An artefact; of a repository without a tag, all versions.
fn of_registry(argument: &str, by_release: bool) -> Texts {
    let reference = argument.parse::<Reference>()?;
    let registry = Registry::new(reference.clone(), "pull", &Timeouts::default(), &credentials);
    if reference.name.is_some() {
        return files(&registry, by_release);
    }
    let mut tags = registry.tags()?;
    tags.retain(|tag| version(tag).is_some());
    tags.sort_by_key(|tag| std::cmp::Reverse(version(tag)));
    if by_release && !tags.is_empty() {
        return files(&registry.with_names(tags), by_release);
    }
    let names = tags.iter().map(|tag| format!("`{argument}:{tag}`")).collect::<Vec<_>>();
    let help = match names.is_empty() {
        true => "no tag is a version: name a tag, or the repository of a channel, such as `…/standard`".to_owned(),
        false => format!("name a version; the newest: {}", some_of(&names, 3)),
    };
    Err(Diagnostic::error("registry::reference", format!("{reference} needs a tag")).help(help).into())
}

/// All CRDs of a cluster, without what servers add; the versions that objects are stored in are kept, because a change of them matters.
fn of_cluster(argument: &str, _: bool) -> Texts {
    let context = argument.strip_prefix(CLUSTER).filter(|context| !context.is_empty());
    let installed = run(async { Cluster::connect(context).await?.crds(&Selection::all()).await })?;
    crd_diagnostics::all(installed.into_iter().map(|installed| {
        let mut document = installed.crd?.to_value();
        document["status"] = json!({"storedVersions": installed.stored_versions});
        Ok::<_, Diagnostic>((format!("{}.json", installed.metadata.name), document.to_string()))
    }))
}
