//! `version-unserved`: API versions that are no longer served.
//!
//! The step before `version-removed`, which can be reverted.

use crd_model::channel::Channel;
use crd_model::crd::Version;

use crate::policy::{Cell, Cells, Column};
use crate::required_bump::RequiredBump::{self, Major, Minor};
use crate::rule::{Assessment, Rule, Section};
use crate::stability::is_ga;

pub(crate) const RULE: Rule = Rule {
    id: "version-unserved",
    row: "version-unserved",
    cells: Cells::of(Cell::of(&[Major, Minor]), Cell::of(&[Minor]).warned(), Cell::of(&[Minor]).warned()),
    one: "API version no longer served",
    many: "API versions no longer served",
    section: Section::Versions,
    summary: "An API version is no longer served.",
    explanation: "\
        Servers answer requests for it with 404. Objects are not lost, because other versions serve them. In \
        standard a GA version needs a major bundle, and so does any other version that the baseline does not \
        deprecate. In experimental it is a warning: controllers that watch the version never sync. Serve it \
        for one more bundle, or state the break in the release notes. A version that standard lacks when its \
        resource graduates is `watched-version-unserved`.",
    example: "\
        old: { version: { name: v1beta1, deprecated: true } }\n\
        new: { version: { name: v1beta1, deprecated: true, served: false } }",
};

pub(crate) fn assess(version: &Version, column: Column, channel: Channel) -> Assessment {
    let assessment =
        Assessment::new(&RULE, "the API version is no longer served: servers answer requests for it with 404");
    let assessment = warned(assessment, version, channel);
    if !column.is_stable() || is_ga(&version.name) {
        return assessment;
    }
    match version.deprecated {
        true => assessment.requires(RequiredBump::Minor),
        false => {
            assessment.fix("Deprecate it first (`+kubebuilder:deprecatedversion`): then a minor release is enough.")
        }
    }
}

/// The warning about a version of the experimental channel that controllers may watch. Standard has its own bumps for that.
pub(super) fn warned(assessment: Assessment, version: &Version, channel: Channel) -> Assessment {
    match channel == Channel::Experimental && version.served {
        true => assessment.fix(format!(
            "Controllers that watch {} never sync: serve it for one more bundle, or state the break in the release notes.",
            version.name
        )),
        false => assessment.without_warning(),
    }
}
