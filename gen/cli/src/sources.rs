//! The sources of CRDs that are not on disk: `oci://HOST/REPOSITORY:TAG`, `chart:NAME@VERSION`, and `cluster:CONTEXT`.

use crd_cluster::{Cluster, Selection, run};
use crd_diagnostics::layout::some_of;
use crd_diagnostics::{Diagnostic, printable};
use crd_generator::session::{ChartOptions, Fetched, RemoteSource};
use crd_oci::registry::{PREFIX, Reference, Registry, Timeouts, chart_repository};
use crd_review::releases::version;
use serde_json::json;

use crate::crd_files::fetched;
use crate::registry::credentials;

/// The sources of the program.
pub(crate) const SOURCES: &[RemoteSource] = &[
    RemoteSource { prefix: PREFIX, read: of_registry },
    RemoteSource { prefix: CHART, read: of_chart_repository },
    RemoteSource { prefix: CLUSTER, read: of_cluster },
];

const CLUSTER: &str = "cluster:";
/// How an argument begins that names a chart of a repository.
const CHART: &str = "chart:";

type Source = Result<Fetched, Vec<Diagnostic>>;

/// The archive of a chart.
fn of_chart_repository(argument: &str, _: bool, charts: &ChartOptions) -> Source {
    let wrong = |message: String, help: &str| Diagnostic::error("registry::reference", message).help(help);
    let chart = argument.strip_prefix(CHART).and_then(|chart| chart.split_once('@'));
    let Some((name, version)) = chart.filter(|(name, version)| !name.is_empty() && !version.is_empty()) else {
        let message = format!("`{}` does not name a chart and its version", printable(argument));
        return Err(wrong(message, "write `chart:NAME@VERSION`, with `--repo URL`").into());
    };
    let Some(repository) = &charts.repository else {
        let message = format!("`{}` needs the repository of the chart", printable(argument));
        return Err(
            wrong(message, "name it with `--repo URL`; a chart in a registry is `oci://HOST/REPOSITORY:TAG`").into()
        );
    };
    Ok(Fetched::Archive(chart_repository::chart(repository, name, version, &Timeouts::default())?))
}

/// An artefact; of a repository without a tag, all versions.
fn of_registry(argument: &str, by_release: bool, _: &ChartOptions) -> Source {
    let reference = argument.parse::<Reference>()?;
    let registry = Registry::new(reference.clone(), "pull", &Timeouts::default(), &credentials);
    if reference.name.is_some() {
        return fetched(&registry, by_release);
    }
    let mut tags = registry.tags()?;
    tags.retain(|tag| version(tag).is_some());
    tags.sort_by_key(|tag| std::cmp::Reverse(version(tag)));
    if by_release && !tags.is_empty() {
        return fetched(&registry.with_names(tags), by_release);
    }
    let names = tags.iter().map(|tag| format!("`{argument}:{tag}`")).collect::<Vec<_>>();
    let help = match names.is_empty() {
        true => "no tag is a version: name a tag, or the repository of a channel, such as `…/standard`".to_owned(),
        false => format!("name a version; the newest: {}", some_of(&names, 3)),
    };
    Err(Diagnostic::error("registry::reference", format!("{reference} needs a tag")).help(help).into())
}

/// All CRDs of a cluster, without what servers add; the versions that objects are stored in are kept, because a change of them matters.
fn of_cluster(argument: &str, _: bool, _: &ChartOptions) -> Source {
    let context = argument.strip_prefix(CLUSTER).filter(|context| !context.is_empty());
    let installed = run(async { Cluster::connect(context).await?.crds(&Selection::all()).await })?;
    let texts = crd_diagnostics::all(installed.into_iter().map(|installed| {
        let mut document = installed.crd?.to_value();
        document["status"] = json!({"storedVersions": installed.stored_versions});
        Ok::<_, Diagnostic>((format!("{}.json", installed.metadata.name), document.to_string()))
    }));
    texts.map(Fetched::Texts)
}
