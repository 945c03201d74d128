//! What an implementation supports, and the CRDs: from files, or from a cluster.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use crd_bundle::published::choice::Choice;
use crd_cluster::{Cluster, Resource, Selection};
use crd_diagnostics::Diagnostic;
use crd_generator::session::Session;
use crd_generator::{file, root};
use crd_graduation::supported;
use crd_model::CustomResourceDefinition;
use crd_model::channel::CHANNELS;
use crd_review::assembly::Unstamped;
use crd_stamps::features::{Features, values};
use serde_json::Value;

use crate::source::open;

/// The bundle of a workspace.
const UNRELEASED: &str = "bundles/unreleased";
/// An implementation whose features are not known.
const UNLISTED: &str = "features::unlisted";

/// The features that an implementation supports, and CRDs.
type Supported = (BTreeSet<String>, Vec<Arc<CustomResourceDefinition>>);

/// The features of a file, and the CRDs of a bundle, of its least stable channel.
pub(crate) fn of_file(
    file: &OsStr,
    bundle: Option<&OsString>,
    root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Supported, Vec<Diagnostic>> {
    let path = session.folder.join(file);
    let Some(bytes) = file::existing(&path)? else {
        return Err(file::error(UNLISTED, path, "does not exist").help("name a conformance report").into());
    };
    let supported = supported(session.shown(&path), &String::from_utf8_lossy(&bytes))?;
    let root = root::locate(root, session);
    let named = match bundle {
        Some(named) => named.clone(),
        None => root.clone()?.join(UNRELEASED).into(),
    };
    let bundle = open(&named, Unstamped::Refused, &Choice::default(), root.as_deref().ok(), session).kept?;
    let of = |channel| bundle.channels.get(channel).filter(|crds| !crds.is_empty());
    let crds = CHANNELS.iter().rev().find_map(|row| of(&row.channel)).cloned();
    Ok((supported, crds.unwrap_or_default()))
}

/// The features that a class of a cluster lists, and the CRDs of the cluster.
pub(crate) async fn of_class(context: Option<&str>, class: &str, features: &Features) -> Result<Supported, Diagnostic> {
    let unlisted = |message: String, help: &str| Diagnostic::error(UNLISTED, message).help(help);
    let Some(declared) = &features.implementations else {
        let message = "`features.json` does not declare what a class is".to_owned();
        return Err(unlisted(message, "use `--supported`, or declare `implementations` in `crd-channels.yaml`"));
    };
    let cluster = Cluster::connect(context).await?;
    let crds = cluster.crds(&Selection::all()).await?.into_iter().filter_map(|installed| installed.crd.ok());
    let crds = crds.map(Arc::new).collect::<Vec<_>>();
    let of_class = crds.iter().find(|crd| *crd.name == *declared.class);
    let Some((crd, version)) = of_class.and_then(|crd| Some((crd, crd.preferred()?))) else {
        let message = format!("the cluster does not have the CRD {}", declared.class);
        return Err(unlisted(message, "install the CRDs of the API"));
    };
    let Some(object) = cluster.get(&Resource::of(crd, &version.name), None, class).await? else {
        return Err(unlisted(format!("the cluster has no {} `{class}`", crd.names.kind), "name an existing one"));
    };
    let listed = values(&object, &declared.features).into_iter().filter_map(Value::as_str).map(str::to_owned);
    let listed = listed.collect::<BTreeSet<_>>();
    if listed.is_empty() {
        let message = format!("the {} `{class}` lists no features at `{}`", crd.names.kind, declared.features);
        return Err(unlisted(message, "use `--supported` with a conformance report of the implementation"));
    }
    Ok((listed, crds))
}
