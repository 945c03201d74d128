//! `watched-version-unserved`: a resource graduates, and standard does not serve an API version that experimental served.
//!
//! Where a channel stops serving a version of its own, `version-unserved` and `version-removed` report it.

use crd_model::crd::Version;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::Minor;
use crate::rule::{Rule, Section};
use crate::state::{Occurrence, State, Subject};

const CELL: Cell = Cell::of(&[Minor]).warned();

pub(super) const STATE: State = State {
    rule: Rule {
        id: "watched-version-unserved",
        row: "watched-version-unserved",
        cells: Cells::of(CELL, Cell::EMPTY, CELL),
        one: "watched API version not served in standard",
        many: "watched API versions not served in standard",
        section: Section::Versions,
        summary: "A resource graduates, and standard does not serve an API version that experimental served.",
        explanation: "\
            Controllers that were built for experimental watch this version. Where standard is installed, \
            servers answer them with 404: their caches never sync, and most of them restart again and again. \
            Serve the version in standard for one more bundle, marked as deprecated, or state the break in the \
            release notes with the version to watch instead. In the profiles `gep-922` and `api-guide`, \
            `generate` does not serve alpha versions in standard, so only the second remains. It hurts less if \
            experimental serves the new version for a bundle before the resource graduates: controllers that \
            find both versions can move first. It is reported in the bundle in which the resource graduates. \
            Later, and in experimental, it is `version-unserved` or `version-removed`.",
        example: "\
            old: { absent: true }\n\
            old-experimental: { versions: [{ name: v1alpha2 }] }\n\
            new: { versions: [{ name: v1 }, { name: v1alpha2, served: false, storage: false }] }",
    },
    found,
};

fn found<'a>(&Subject { crd, graduates_from, .. }: &Subject<'a>) -> Vec<Occurrence<'a>> {
    let served = |version: &&'a Version| version.served;
    let here = crd.versions.iter().filter(served).map(|version| &*version.name).collect::<Vec<_>>();
    let watched = graduates_from.into_iter().flat_map(|former| former.versions.iter().filter(served));
    let lost = watched.filter(|version| !here.contains(&&*version.name));
    lost.map(|Version { name, .. }| Occurrence {
        crd: crd.name.to_string(),
        version: Some(name.to_string()),
        message: format!(
            "controllers that watch {} {name} never sync in standard: the experimental channel of the baseline serves this version, and standard does not",
            crd.names.plural
        ),
        fix: Some(format!(
            "Serve {name} in standard for one more bundle, or state the break in the release notes: such controllers have to watch {} first.",
            here.join(" or ")
        )),
        ..Occurrence::default()
    })
    .collect()
}
