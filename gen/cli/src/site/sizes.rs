//! The bytes of CRDs as JSON, as kubectl writes them into an annotation.
//!
//! Invariants: the size of a CRD with texts is computed. That of a CRD without texts, which the history archive has, is read from a table or
//! unknown.

use std::collections::BTreeMap;
use std::path::Path;

use crd_bundle::BundleVersion;
use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::channel::Channel;
use crd_model::document::{HtmlCharacters, JsonWriter};
use crd_model::{CustomResourceDefinition, parallel};
use crd_site::SiteRelease;

use crate::input;

/// Bytes by version, channel and name of the CRD.
pub(crate) type Sizes = BTreeMap<(BundleVersion, Channel), BTreeMap<String, usize>>;
/// Bytes by index of the release, channel and name of the CRD.
type ByRelease = BTreeMap<(usize, Channel), BTreeMap<String, usize>>;

/// The bytes of the CRDs of releases.
pub(super) fn of_releases(releases: &[SiteRelease], table: &Sizes) -> ByRelease {
    let computed = releases.iter().enumerate().filter(|(_, release)| release.has_text);
    let computed =
        computed.flat_map(|(index, shown)| shown.release.crds().map(move |(channel, crd)| (index, channel, crd)));
    let computed = computed.collect::<Vec<_>>();
    let mut sizes = ByRelease::new();
    for (index, SiteRelease { release, .. }) in releases.iter().enumerate() {
        for ((version, channel), known) in table {
            if Some(*version) == release.version && release.channels.contains_key(channel) {
                sizes.insert((index, *channel), known.clone());
            }
        }
    }
    let bytes = parallel::each(&computed, |(_, _, crd)| bytes(crd));
    for ((index, channel, crd), bytes) in computed.into_iter().zip(bytes) {
        sizes.entry((index, channel)).or_default().insert(crd.name.to_string(), bytes);
    }
    sizes
}

/// The bytes of a CRD as compact JSON, as Go writes it.
fn bytes(crd: &CustomResourceDefinition) -> usize {
    let mut writer = JsonWriter::new(HtmlCharacters::Escaped);
    crd.send(&mut writer);
    writer.finish().len()
}

/// Reads a table: version, channel, CRD and bytes in each line, separated by tabs. The first line may have the names of the columns.
pub(super) fn read(path: &Path) -> Result<Option<Sizes>, Vec<Diagnostic>> {
    let Some(text) = input::text(path)? else { return Ok(None) };
    let (mut sizes, mut errors) = (Sizes::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let is_heading = index == 0 && line.starts_with("version\t");
        if line.trim().is_empty() || is_heading {
            continue;
        }
        let columns = line.split('\t').collect::<Vec<_>>();
        let row = match columns[..] {
            [version, channel, crd, bytes] => version.parse::<BundleVersion>().ok().and_then(|version| {
                Some((version, Channel::named(channel)?, crd, bytes.trim_end().parse::<usize>().ok()?))
            }),
            _ => None,
        };
        match row {
            Some((version, channel, crd, bytes)) => {
                sizes.entry((version, channel)).or_default().insert(crd.to_owned(), bytes);
            }
            None => {
                let message = "this line is not a version, a channel, the name of a CRD and a number of bytes";
                let error = Diagnostic::error("docs::sizes", message).at_line(path, index + 1);
                errors.push(error.help("separate the four columns by tabs"));
            }
        }
    }
    fail_on(errors)?;
    Ok(Some(sizes))
}
