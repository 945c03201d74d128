//! The page `docs/evidence/channel-switching.md`: the results of the journey.
//!
//! Invariants: every row of a table is an answer of the server. The committed page is up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crd_channels::Channel;

use crate::documents::{VersionedKind, crds};

use super::difference::{is_in_standard, only_experimental_values};
use super::journey::{Journey, Made, Role, journey};

/// Rows of a table: the versions, by resource and statement.
type Rows = BTreeMap<(String, String), BTreeSet<String>>;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence/channel-switching.md");

/// A path without list indices: `spec.rules[0].filters[0].type` becomes `spec.rules[].filters[].type`.
pub(super) fn without_indices(path: &str) -> String {
    path.split_inclusive('[')
        .map(|part| part.trim_start_matches(|character: char| character.is_ascii_digit()))
        .collect()
}

/// A table of the page; versions of equal rows are joined.
fn table(heads: [&str; 3], rows: Rows) -> String {
    let mut text = format!("| {} |\n|---|---|---|\n", heads.join(" | "));
    for ((kind, what), versions) in rows {
        let versions = versions.into_iter().collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| {kind} | {versions} | {what} |");
    }
    text
}

fn kind(resource: &str) -> String {
    let crd = crds(Channel::Experimental).iter().find(|crd| crd.name == resource).expect("a CRD of the bundle");
    crd.names.kind.to_string()
}

/// The page, from the answers of the server.
fn page(journey: &Journey) -> String {
    let [mut hidden, mut values, mut unserved, mut looser, mut alone, mut stricter] = [const { Rows::new() }; 6];
    let row = |made: &Made, field: &str| (made.versioned.kind().to_owned(), format!("`{}`", without_indices(field)));
    for ((resource, version), paths) in journey.hidden() {
        for path in paths {
            hidden.entry((kind(resource), format!("`{}`", &path[1..]))).or_default().insert(version.to_owned());
        }
    }
    for (made, changed, _) in journey.blocked(Role::Left) {
        for (field, _) in changed.causes().iter().filter(|(_, message)| message.starts_with("Unsupported value")) {
            values.entry(row(made, field)).or_default().insert(made.versioned.version.name.to_string());
        }
    }
    for (made, changed, _) in journey.blocked(Role::Older) {
        for (field, _) in changed.causes().iter().filter(|(field, _)| field.starts_with("spec")) {
            looser.entry(row(made, field)).or_default().insert(made.versioned.version.name.to_string());
        }
    }
    for (index, _, changed) in &journey.stricter {
        let made = &journey.made[*index];
        for (field, _) in changed.causes().iter().filter(|(field, _)| field.starts_with("spec")) {
            stricter.entry(row(made, field)).or_default().insert(made.versioned.version.name.to_string());
        }
    }
    for versioned in VersionedKind::all(Channel::Experimental) {
        let listed_as = (versioned.crd.name.as_ref(), versioned.version.name.as_ref());
        let version = || versioned.version.name.to_string();
        match &journey.back.seen[&listed_as] {
            Err(code) => {
                let rest = versioned
                    .crd
                    .versions
                    .iter()
                    .filter(|version| journey.back.listed(&versioned.crd.name, &version.name).is_some());
                let rest = rest.map(|version| version.name.as_ref()).collect::<Vec<_>>().join(", ");
                let what = format!("{code}; read and write {rest}");
                unserved.entry((versioned.kind().to_owned(), what)).or_default().insert(version());
            }
            Ok(objects) if !is_in_standard(&versioned.crd.name) => {
                assert_eq!(Some(objects), journey.during.listed(&versioned.crd.name, &versioned.version.name));
                alone.entry((versioned.kind().to_owned(), "none".to_owned())).or_default().insert(version());
            }
            Ok(_) => {}
        }
    }
    let value_names: BTreeSet<String> = only_experimental_values()
        .iter()
        .map(|(.., value)| format!("`{}`", value.as_str().unwrap_or_default()))
        .collect();
    let value_names: Vec<String> = value_names.into_iter().collect();
    let command = "CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs switching";
    format!(
        "# Switching channels\n\n\
         <!-- Written by `{command}` from the answers of an API server. -->\n\n\
         Each bundle can be installed over the other with `kubectl apply -f`, without refusals or warnings. Both store the same version of each\n\
         resource, and no CRD is created again. This page lists all effects of the switch.\n\n\
         ## From standard to experimental\n\n\
         No object changes. Experimental is stricter in these fields: header values are visible ASCII with single spaces or tabs in between, and\n\
         the rules of a route have different names. An object that violates this can still be read and annotated. A change of the list with the\n\
         field is refused until the whole list is valid.\n\n{}\n\
         ## From experimental back to standard\n\n\
         Objects that were created on standard, and not written on experimental, are unchanged, including their metadata.\n\n\
         ### Fields that are hidden immediately and lost with the next write\n\n{}\n\
         Standard does not show these fields. etcd keeps them until the next write of the object, which removes them permanently. An annotation is\n\
         such a write, and so is the status that a controller reports. Objects without a write show all fields again on the experimental bundle.\n\
         Make a backup first: `kubectl get -o yaml` while the experimental bundle is installed.\n\n\
         ### Values that remain and block changes\n\n{}\n\
         {} is not a value of these enums on standard. An object with this value can still be read, and its annotations and status can be\n\
         written. A change of the list with the value is refused until the value is removed. The table above lists its settings, which are hidden;\n\
         only the type remains.\n\n\
         ### Versions that are no longer served\n\n{}\n\
         All objects are available in the remaining version. Some could only be written through the older version, which has fewer rules. They\n\
         remain too, and can be annotated. A change is refused until these fields are valid in the newer version:\n\n{}\n\
         ### Resources that standard does not have\n\n{}\n\
         `kubectl apply` does not remove CRDs. These CRDs remain with the stamp `channel: experimental`, and accept new objects. To remove them,\n\
         delete the CRDs; this also deletes their objects.\n",
        table(["resource", "versions", "field"], stricter),
        table(["resource", "versions", "field"], hidden),
        table(["resource", "versions", "field"], values),
        value_names.join(", "),
        table(["resource", "versions", "answer"], unserved),
        table(["resource", "written through", "field"], looser),
        table(["resource", "versions", "lost"], alone),
    )
}

#[test]
fn the_page_is_up_to_date() {
    let Some(journey) = journey() else { return };
    let expected = page(journey);
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::create_dir_all(std::path::Path::new(PAGE).parent().expect("a folder")).expect("docs/");
        std::fs::write(PAGE, &expected).expect("the page is written");
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        found == expected,
        "docs/evidence/channel-switching.md is stale; `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs switching` writes it"
    );
}
