//! The page `xtask/testbed/SWITCHING.md`: what the journey found, for people.
//!
//! Invariants: every row of every table is something that the server did; the committed page is what is written today.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crd_channels::Channel;

use crate::documents::{Place, crds};

use super::difference::{is_in_standard, only_experimental_values};
use super::journey::{Journey, Made, Role, journey};

/// Rows of a table: the versions, by the resource and what is said of it.
type Rows = BTreeMap<(String, String), BTreeSet<String>>;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/SWITCHING.md");

/// Indices of lists taken out: `spec.rules[0].filters[0].type` becomes `spec.rules[].filters[].type`.
pub(super) fn without_indices(path: &str) -> String {
    path.split_inclusive('[')
        .map(|part| part.trim_start_matches(|character: char| character.is_ascii_digit()))
        .collect()
}

/// A table of the page: rows by what they have in common, versions joined.
fn table(heads: [&str; 3], rows: Rows) -> String {
    let mut text = format!("| {} |\n|---|---|---|\n", heads.join(" | "));
    for ((kind, what), versions) in rows {
        let versions = versions.into_iter().collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| {kind} | {versions} | {what} |");
    }
    text
}

fn kind(resource: &str) -> String {
    let crd = crds(Channel::Experimental).iter().find(|crd| crd.name == resource).expect("a CRD of ours");
    crd.names.kind.to_string()
}

/// What the page says, from what the server did.
fn page(journey: &Journey) -> String {
    let [mut hidden, mut values, mut unserved, mut looser, mut alone, mut stricter] = [const { Rows::new() }; 6];
    let row = |made: &Made, field: &str| (made.place.kind().to_owned(), format!("`{}`", without_indices(field)));
    for ((resource, version), paths) in journey.hidden() {
        for path in paths {
            hidden.entry((kind(resource), format!("`{}`", &path[1..]))).or_default().insert(version.to_owned());
        }
    }
    for (made, changed, _) in journey.held_up(Role::Left) {
        for (field, _) in changed.causes().iter().filter(|(_, message)| message.starts_with("Unsupported value")) {
            values.entry(row(made, field)).or_default().insert(made.place.version.name.to_string());
        }
    }
    for (made, changed, _) in journey.held_up(Role::Older) {
        for (field, _) in changed.causes().iter().filter(|(field, _)| field.starts_with("spec")) {
            looser.entry(row(made, field)).or_default().insert(made.place.version.name.to_string());
        }
    }
    for (index, _, changed) in &journey.stricter {
        let made = &journey.made[*index];
        for (field, _) in changed.causes().iter().filter(|(field, _)| field.starts_with("spec")) {
            stricter.entry(row(made, field)).or_default().insert(made.place.version.name.to_string());
        }
    }
    for place in Place::all(Channel::Experimental) {
        let listed_as = (place.crd.name.as_ref(), place.version.name.as_ref());
        let version = || place.version.name.to_string();
        match &journey.back.seen[&listed_as] {
            Err(code) => {
                let rest = place
                    .crd
                    .versions
                    .iter()
                    .filter(|version| journey.back.listed(&place.crd.name, &version.name).is_some());
                let rest = rest.map(|version| version.name.as_ref()).collect::<Vec<_>>().join(", ");
                let what = format!("{code}; read and write {rest}");
                unserved.entry((place.kind().to_owned(), what)).or_default().insert(version());
            }
            Ok(objects) if !is_in_standard(&place.crd.name) => {
                assert_eq!(Some(objects), journey.during.listed(&place.crd.name, &place.version.name));
                alone.entry((place.kind().to_owned(), "none".to_owned())).or_default().insert(version());
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
         <!-- Written by `{command}` from what an API server did. -->\n\n\
         Both bundles can be put on top of the other with plain `kubectl apply -f`, without a refusal and without a warning: they store the same\n\
         version of each resource, and no CRD is made anew. What the switch changes is all here.\n\n\
         ## From standard to experimental\n\n\
         No object changes. In these fields experimental is stricter: header values are visible ASCII with single spaces or tabs in between, and\n\
         no two rules of a route have one name. An object that says otherwise is read and annotated as ever; a change of the list that the field\n\
         is in is refused until the whole list is right.\n\n{}\n\
         ## From experimental back to standard\n\n\
         Objects that were made on standard before, and not written on experimental, are what they were, metadata included.\n\n\
         ### Fields that are hidden at once and lost with the next write\n\n{}\n\
         Nobody sees them on standard. etcd has them until the object is written the next time; then they are gone for good, whatever is\n\
         written: an annotation is enough, and so is the status that a controller reports. Objects that nobody wrote have them all again on\n\
         the experimental bundle. So back up first: `kubectl get -o yaml` while the experimental bundle is installed.\n\n\
         ### Values that stay and hold up changes\n\n{}\n\
         {} is no value of these enums on standard. An object that has it is read as ever and takes annotations and status. A change of\n\
         the list that holds it is refused until it is taken out. Its settings are among the fields above: only the type is left of it.\n\n\
         ### Versions that are not served any more\n\n{}\n\
         All objects are there in the version that is left. Some could only be written through the older version, whose rules are looser. They\n\
         stay, too, and can be annotated; a change is refused until these fields suit the newer version:\n\n{}\n\
         ### Resources that standard does not have\n\n{}\n\
         `kubectl apply` removes nothing. Their CRDs stay, still stamped `channel: experimental`, and take new objects. Whoever wants them gone\n\
         deletes the CRDs, and their objects with them.\n",
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
fn the_page_says_what_happened() {
    let Some(journey) = journey() else { return };
    let expected = page(journey);
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::create_dir_all(std::path::Path::new(PAGE).parent().expect("a folder")).expect("docs/");
        std::fs::write(PAGE, &expected).expect("the page is written");
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        found == expected,
        "xtask/testbed/SWITCHING.md is stale; `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs switching` writes it"
    );
}
