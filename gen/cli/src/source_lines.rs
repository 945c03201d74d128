//! The lines of findings in the files of the candidate.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::Release;
use crd_bundle::published::schema_path;
use crd_compat::Finding;
use crd_diagnostics::SourceLine;
use crd_model::channel::Channel;
use crd_model::parallel;

/// The location of a finding: channel, CRD, API version, schema path.
pub(crate) type FindingLocation = (Channel, String, Option<String>, String);
/// The locations of findings in one CRD of a channel: API version and schema path.
type CrdLocations<'f> = BTreeSet<(Option<&'f str>, &'f str)>;

/// The lines of locations in the files of the candidate. Each file is searched once for all of them.
pub(crate) fn source_lines(source: &Release, wanted: &[FindingLocation]) -> BTreeMap<FindingLocation, SourceLine> {
    let mut by_crd: BTreeMap<(Channel, &str), CrdLocations<'_>> = BTreeMap::new();
    for (channel, crd, version, path) in wanted {
        by_crd.entry((*channel, crd)).or_default().insert((version.as_deref(), path));
    }
    let with_findings = source.origins().filter_map(|(channel, crd, origin)| {
        let locations = by_crd.get(&(channel, &*crd.name))?;
        Some((channel, crd, origin, locations))
    });
    let lines = parallel::each(&with_findings.collect::<Vec<_>>(), |(channel, crd, origin, locations)| {
        let paths = locations.iter().map(|(version, path)| match version {
            Some(version) => schema_path(crd, version, path),
            None => "spec".to_owned(),
        });
        let lines = origin.places(&paths.collect::<Vec<_>>());
        let location = |(version, path): &(Option<&str>, &str)| {
            (*channel, crd.name.to_string(), version.map(str::to_owned), (*path).to_owned())
        };
        let lines = locations.iter().zip(lines).filter_map(|(at, place)| {
            let line = u32::try_from(place.line).ok()?;
            Some((location(at), SourceLine { file: origin.file.clone(), line }))
        });
        lines.collect::<Vec<_>>()
    });
    lines.into_iter().flatten().collect()
}

/// The location of a finding.
pub(crate) fn location(finding: &Finding) -> FindingLocation {
    let Finding { channel, crd, version, path, .. } = finding;
    (*channel, crd.clone(), version.clone(), path.clone())
}
