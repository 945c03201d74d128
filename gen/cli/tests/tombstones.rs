//! Removed names, which must never return: what `check` requires and rejects, and the ledger that `tombstones` writes.

mod past;

use std::fs;

use crate::support::{Place, Ran, api, assert_untouched, root};
use crd_bundle::Digest;
use crd_channels::api;
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

/// The API of the first release. Each module below is the same API after one edit.
mod whole {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);
    root!(Case, "v1", "Box");

    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        pub colour: Option<Colour>,
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
    }

    #[api]
    pub enum Colour {
        Red,
        Blue,
    }
}

/// The colour is removed.
mod lacking {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
    }
}

/// The colour is removed, with the line that `check` requires.
mod buried {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    /// +tombstone:name=colour,removed=v2.0.0,reason="not wanted"
    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
    }
}

/// Three fields are removed, two of them still without a reason.
mod hesitant {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    /// +tombstone:name=colour,removed=v2.0.0,reason="…"
    /// +tombstone:name=side,removed=v2.0.0,reason="TODO"
    /// +tombstone:name=size,removed=v2.0.0,reason="moved"
    #[api]
    pub struct ThingSpec {
        pub amount: Option<i32>,
    }
}

/// The colour under another name in Rust, in a type of another name, only in experimental, and as another type.
mod returned {
    use super::*;

    root!(NewThing, "v1", "Thing", Wishes);

    #[api]
    pub struct Wishes {
        pub size: Option<i32>,
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
        /// +experimental
        #[serde(rename = "colour")]
        pub paint: Option<i64>,
    }
}

/// The colour in another version, in a flattened struct.
mod versioned {
    use super::*;

    root!(Thing, "v2alpha1", "Thing", ThingSpec);
    root!(
        /// +kubebuilder:storageversion
        Stored, "v1", "Thing", buried::ThingSpec
    );

    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        #[serde(flatten)]
        pub looks: Looks,
    }

    #[api]
    pub struct Looks {
        pub colour: Option<String>,
    }
}

/// Values are removed: of a type, and of a field.
mod pale {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        pub colour: Option<Colour>,
        /// +kubebuilder:validation:Enum=Left
        pub side: Option<String>,
    }

    #[api]
    pub enum Colour {
        Red,
    }
}

/// Values are removed, with the line that `check` requires.
mod pale_buried {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        pub colour: Option<Colour>,
        /// +kubebuilder:validation:Enum=Left
        pub side: Option<String>,
    }

    /// +tombstone:name=Blue,removed=v2.0.0,reason="not wanted"
    #[api]
    pub enum Colour {
        Red,
    }
}

/// Any colour, and any side.
mod opened {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        pub colour: Option<String>,
        pub side: Option<String>,
    }
}

/// A type that is used three times, and its edits.
#[allow(unreachable_pub, reason = "the types are written as an author writes them")]
mod parts {
    use super::*;

    /// A module with this API and this type `Part`.
    macro_rules! api_with {
        ($name:ident { $($part:tt)+ }) => {
            pub mod $name {
                use super::*;

                root!(Thing, "v1", "Thing", ThingSpec);
                root!(Case, "v1", "Box", Part);

                #[api]
                pub struct ThingSpec {
                    pub parts: Option<Vec<Part>>,
                    pub spare: Option<Part>,
                }

                #[api]
                $($part)+
            }
        };
    }

    api_with!(whole { pub struct Part { pub name: Option<String>, pub note: Option<String> } });
    api_with!(lacking { pub struct Part { pub name: Option<String> } });
    api_with!(buried {
        /// +tombstone:name=note,removed=v2.0.0,reason="not wanted"
        pub struct Part { pub name: Option<String> }
    });
}

/// A kind that moves from an experimental group to the main group.
mod moved {
    use super::*;
    use crd_channels::ObjectMeta;

    /// +experimental
    #[api(group = "things.example-x.com", version = "v1alpha1", kind = "XShelf")]
    pub struct XShelf {
        pub metadata: ObjectMeta,
    }

    root!(
        /// +kubebuilder:resource:path=shelves
        Shelf, "v1", "Shelf"
    );
}

/// An older version, and which of the two stores objects.
mod older {
    use super::*;

    root!(Thing, "v1beta1", "Thing", whole::ThingSpec);
    root!(
        /// +kubebuilder:storageversion
        Newer, "v1", "Thing", whole::ThingSpec
    );
    root!(
        /// +kubebuilder:storageversion
        Stored, "v1beta1", "Thing", whole::ThingSpec
    );
}

/// Runs `check`, which writes nothing.
#[track_caller]
fn check(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    place.run_unchanged(catalogue, &[&["check"], arguments].concat())
}

fn place_with(catalogue: &Catalogue) -> Place {
    let place = Place::new();
    place.publish(catalogue);
    place
}

const LEDGER: &str = "bundles/tombstones.yaml";
const HEAD: &str = "# Names that were removed and must never return. Written by `cargo xtask tombstones add`; entries are never changed or removed.\n";
const CRD: &str = "things.things.example.com";

/// The line of this file, from `after` on, that contains a text.
#[track_caller]
fn line_of(after: &str, part: &str) -> usize {
    crate::support::line_of(include_str!("tombstones.rs"), after, part)
}

/// The diagnostics that `check` prints about names.
#[track_caller]
fn diagnostics(place: &Place, catalogue: &Catalogue) -> String {
    let ran = check(place, catalogue, &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Findings, ""), "{}", ran.out);
    let (_, rest) = ran.out.split_once("\nOther errors\n").unwrap_or_else(|| panic!("none: {}", ran.out));
    rest.split_once("\nSummary\n").unwrap().0.to_owned()
}

#[track_caller]
fn passes(place: &Place, catalogue: &Catalogue) {
    let ran = check(place, catalogue, &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{}", ran.out);
    // A name with a tombstone needs no other one.
    assert!(!ran.out.contains("needs a tombstone"), "{}", ran.out);
}

/// Runs the first command that a report of `check` recommends, with a reason.
#[track_caller]
fn obey(place: &Place, catalogue: &Catalogue, report: &str) -> Ran {
    let mut lines = report.lines().filter_map(|line| line.trim_start().strip_prefix("cargo xtask "));
    let line = lines.find(|line| line.starts_with("tombstones add ")).unwrap();
    let ran = place.run_line(catalogue, &line.replace('…', "not wanted"));
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{line}");
    ran
}

#[track_caller]
fn add(place: &Place, catalogue: &Catalogue) -> String {
    let ran = place.run(catalogue, &["tombstones", "add"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    ran.out
}

#[test]
fn a_removed_field_needs_the_line_that_check_prints() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let line = line_of("mod lacking", "pub struct ThingSpec");
    let expected = format!(
        "  {CRD} spec.colour
    error: the field `colour` is gone; v1.0.0 had it last, and it has no tombstone
      [tombstone-missing]
      fix: Take it back, or add this line above `ThingSpec` (gen/cli/tests/tombstones.rs:{line}), and
        run `cargo xtask tombstones add`:
      /// +tombstone:name=colour,removed=v2.0.0,reason=\"…\"
      gen/cli/tests/tombstones.rs:{line}
"
    );
    let lacking = api::<lacking::Thing>("v2.0.0");
    assert_eq!(diagnostics(&place, &lacking), expected);
    assert!(check(&place, &lacking, &[]).out.contains("      needs a tombstone\n"));
    // The line names the version of the candidate.
    assert!(diagnostics(&place, &api::<lacking::Thing>("v1.1.0")).contains("removed=v1.1.0,reason"));
    // The annotation is at the type that needs the line, and contains the line.
    let ran = check(&place, &lacking, &["--format", "github"]);
    let annotation =
        format!("::error file=gen/cli/tests/tombstones.rs,line={line},title=tombstone-missing%3A {CRD}::spec.colour: ");
    let first = ran.out.lines().next().unwrap();
    assert!(
        first.starts_with(&annotation) && first.ends_with("%0A/// +tombstone:name=colour,removed=v2.0.0,reason=\"…\""),
        "{first}"
    );
    let ran = check(&place, &lacking, &["--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let problem = &document["problems"][0];
    assert_eq!(
        (&problem["kind"], &problem["crd"], &problem["path"]),
        (&json!("tombstone-missing"), &json!(CRD), &json!("spec.colour"))
    );
    assert!(
        problem["fix"].as_str().unwrap().ends_with(":\n/// +tombstone:name=colour,removed=v2.0.0,reason=\"…\""),
        "{problem}"
    );
    assert_eq!(problem["source"], json!({"file": "gen/cli/tests/tombstones.rs", "line": line}));
    let ran = check(&place, &lacking, &["--format", "sarif"]);
    assert!(ran.out.contains(r#"\n/// +tombstone:name=colour,removed=v2.0.0,reason=\"…\""#), "{}", ran.out);

    // `buried` has the required line, with a reason.
    assert!(
        include_str!("tombstones.rs")
            .contains("\n    /// +tombstone:name=colour,removed=v2.0.0,reason=\"not wanted\"\n    #[api]\n")
    );
    let buried = api::<buried::Thing>("v2.0.0");
    let marker = line_of("mod buried", "/// +tombstone");
    assert_eq!(
        diagnostics(&place, &buried),
        format!(
            "  {CRD} spec.colour
    error: the types declare that the field `colour` was removed, and the ledger has no tombstone
      for it [tombstone-unrecorded]
      fix: Record it with `cargo xtask tombstones add`.
      gen/cli/tests/tombstones.rs:{marker}
"
        )
    );
    assert_eq!(
        add(&place, &buried),
        format!("field spec.colour of {CRD}: removed in v2.0.0: not wanted\n1 tombstone added\n")
    );
    passes(&place, &buried);
    // The removal still requires a major bundle.
    assert_eq!(check(&place, &api::<buried::Thing>("v1.1.0"), &[]).exit, Exit::Findings);
}

/// Any earlier bundle can have had the name, also one before the baseline.
#[test]
fn every_bundle_counts_and_not_only_the_baseline() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    place.publish(&api::<lacking::Thing>("v2.0.0"));
    let lacking = api::<lacking::Thing>("v2.0.1");
    assert!(
        diagnostics(&place, &lacking)
            .contains("error: the field `colour` is gone; v1.0.0 had it last, and it has no tombstone")
    );
    // v2.0.0 removed it, not the candidate.
    assert!(diagnostics(&place, &lacking).contains("name=colour,removed=v2.0.0,"));
    // A pre-release is never a baseline, but users can have installed it.
    let place = place_with(&api::<lacking::Thing>("v1.0.0"));
    place.publish(&api::<whole::Thing>("v1.1.0-rc.1"));
    let lacking = api::<lacking::Thing>("v1.1.0");
    assert!(diagnostics(&place, &lacking).contains("the field `colour` is gone; v1.1.0-rc.1 had it last"));
    // Only in experimental, and in a bundle that is above the candidate.
    let place = place_with(&api::<returned::NewThing>("v1.1.0"));
    let ran = check(&place, &api::<lacking::Thing>("v1.0.0"), &[]);
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.out.contains("the field `colour` is gone; v1.1.0 had it last"), "{}", ran.out);
}

#[test]
fn a_removed_value_needs_the_line_or_the_command() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let line = line_of("mod pale", "pub enum Colour");
    let report = diagnostics(&place, &api::<pale::Thing>("v2.0.0"));
    let expected = format!(
        "  {CRD} spec.colour
    error: the value `Blue` is gone; v1.0.0 had it last, and it has no tombstone [tombstone-missing]
      fix: Take it back, or add this line above `Colour` (gen/cli/tests/tombstones.rs:{line}), and run
        `cargo xtask tombstones add`:
      /// +tombstone:name=Blue,removed=v2.0.0,reason=\"…\"
      gen/cli/tests/tombstones.rs:{line}
  {CRD} spec.side
    error: the value `Right` is gone; v1.0.0 had it last, and it has no tombstone
      [tombstone-missing]
      fix: Take it back, or record it:
      cargo xtask tombstones add --kind value --crd {CRD} --path spec.side --name Right --removed v2.0.0 --reason '…'
"
    );
    assert_eq!(report, expected);
    let buried = api::<pale_buried::Thing>("v2.0.0");
    obey(&place, &buried, &report);
    assert_eq!(
        add(&place, &buried),
        format!("value Blue at spec.colour of {CRD}: removed in v2.0.0: not wanted\n1 tombstone added\n")
    );
    passes(&place, &buried);
    place.publish(&buried);
    // Both values return.
    let report = diagnostics(&place, &api::<whole::Thing>("v2.1.0"));
    assert!(
        report.contains(
            "error: the value `Blue` was removed in v2.0.0 (not wanted) and must not return\n      [tombstone-returned]"
        ),
        "{report}"
    );
    assert!(
        report.contains("error: the value `Right` was removed in v2.0.0 (not wanted) and must not return\n      [tombstone-returned]"),
        "{report}"
    );
}

/// A field that accepts any string still accepts the values of its former enum.
#[test]
fn an_enum_that_becomes_a_string_needs_no_tombstones() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    passes(&place, &api::<opened::Thing>("v1.1.0"));
}

#[test]
fn one_line_covers_every_use_of_a_type() {
    let place = place_with(&api::<parts::whole::Thing>("v1.0.0").resource::<parts::whole::Case>());
    let line = line_of("api_with!(lacking", "pub struct Part");
    let report = diagnostics(&place, &api::<parts::lacking::Thing>("v2.0.0").resource::<parts::lacking::Case>());
    let expected = format!(
        "  boxes.things.example.com spec.note
    error: the field `note` is gone; v1.0.0 had it last, and it has no tombstone; the same at
      {CRD} spec.parts[*].note, {CRD} spec.spare.note
      [tombstone-missing]
      fix: Take it back, or add this line above `Part` (gen/cli/tests/tombstones.rs:{line}), and run
        `cargo xtask tombstones add`:
      /// +tombstone:name=note,removed=v2.0.0,reason=\"…\"
      gen/cli/tests/tombstones.rs:{line}
"
    );
    assert_eq!(report, expected);
    let buried = api::<parts::buried::Thing>("v2.0.0").resource::<parts::buried::Case>();
    let report = diagnostics(&place, &buried);
    assert_eq!(report.matches("error: ").count(), 1, "{report}");
    assert!(report.contains("the ledger has no tombstone for\n      it; the same at"), "{report}");
    assert!(add(&place, &buried).ends_with("3 tombstones added\n"));
    passes(&place, &buried);
}

#[test]
fn a_removed_resource_needs_the_command() {
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<whole::Case>());
    let thing = api::<whole::Thing>("v2.0.0");
    let report = diagnostics(&place, &thing);
    let expected = "  boxes.things.example.com
    error: the resource is gone; v1.0.0 had it last, and it has no tombstone [tombstone-missing]
      fix: Take it back, or record it, with `--replacement CRD` if another one takes over:
      cargo xtask tombstones add --kind resource --crd boxes.things.example.com --removed v2.0.0 --reason '…'
";
    assert_eq!(report, expected);
    assert_eq!(
        obey(&place, &thing, &report).out,
        "resource boxes.things.example.com: removed in v2.0.0: not wanted\n1 tombstone added\n"
    );
    passes(&place, &thing);
    place.publish(&thing);
    let report = diagnostics(&place, &api::<whole::Thing>("v2.1.0").resource::<whole::Case>());
    assert!(
        report.contains(
            "error: the resource was removed in v2.0.0 (not wanted) and must not return [tombstone-returned]"
        ),
        "{report}"
    );
    let line = line_of("mod whole", "root!(Case");
    assert!(report.contains(&format!("      gen/cli/tests/tombstones.rs:{line}\n")), "{report}");
}

#[test]
fn a_removed_api_version_needs_the_command() {
    let place = place_with(&api::<older::Newer>("v1.0.0").resource::<older::Thing>());
    let thing = api::<whole::Thing>("v2.0.0");
    let report = diagnostics(&place, &thing);
    let command = format!(
        "      cargo xtask tombstones add --kind version --crd {CRD} --name v1beta1 --removed v2.0.0 --reason '…'\n"
    );
    assert!(report.ends_with(&format!("      fix: Take it back, or record it:\n{command}")), "{report}");
    obey(&place, &thing, &report);
    passes(&place, &thing);
    place.publish(&thing);
    let report = diagnostics(&place, &api::<older::Newer>("v2.1.0").resource::<older::Thing>());
    assert!(
        report.contains("error: the API version v1beta1 was removed in v2.0.0 (not wanted) and must not return"),
        "{report}"
    );
    let line = line_of("mod older", "root!(Thing");
    assert!(report.contains(&format!("      gen/cli/tests/tombstones.rs:{line}\n")), "{report}");
}

/// An earlier bundle stored objects in the version. The baseline does not, so a comparison of two bundles is not enough.
#[test]
fn the_removal_of_a_version_that_stored_objects_needs_a_migration() {
    let place = place_with(&api::<older::Stored>("v1.0.0").resource::<whole::Thing>());
    place.publish(&api::<older::Newer>("v1.1.0").resource::<older::Thing>());
    let thing = api::<whole::Thing>("v2.0.0");
    let ran = check(&place, &thing, &[]);
    assert!(
        ran.out.contains("    refused: the API version was removed, and releases stored objects in it: "),
        "{}",
        ran.out
    );
    let report = diagnostics(&place, &thing);
    assert!(
        report.contains(
            "      fix: Take it back, or record it, with `--migrated` once no object is stored in it any more:\n"
        ),
        "{report}"
    );
    let arguments =
        ["tombstones", "add", "--kind", "version", "--crd", CRD, "--name", "v1beta1", "--removed", "v2.0.0"];
    let ran = place.run(&thing, &[&arguments as &[&str], &["--reason", "v1 has all of it", "--migrated"]].concat());
    assert_eq!(
        ran.out,
        format!(
            "version v1beta1 of {CRD}: removed in v2.0.0: v1 has all of it; no object is\n  stored in it\n1 tombstone added\n"
        )
    );
    passes(&place, &thing);
}

/// The wire name counts. The name and type in Rust, the struct, the type of the value and the channel do not.
#[test]
fn a_removed_name_never_returns() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    add(&place, &api::<buried::Thing>("v2.0.0"));
    place.publish(&api::<buried::Thing>("v2.0.0"));
    let line = line_of("mod returned", "pub paint");
    assert_eq!(
        diagnostics(&place, &api::<returned::NewThing>("v2.1.0")),
        format!(
            "  {CRD} spec.colour
    error: the field `colour` was removed in v2.0.0 (not wanted) and must not return
      [tombstone-returned]
      fix: Choose another name.
      gen/cli/tests/tombstones.rs:{line}
"
        )
    );
    // The field as it was, without the marker.
    let report = diagnostics(&place, &api::<whole::Thing>("v2.1.0"));
    assert!(report.contains("the field `colour` was removed in v2.0.0 (not wanted) and must not return"), "{report}");
    // In another API version, in a flattened struct.
    let report = diagnostics(&place, &api::<versioned::Stored>("v2.1.0").resource::<versioned::Thing>());
    let line = line_of("mod versioned", "pub colour");
    let expected = format!(
        "must not return\n      [tombstone-returned]\n      fix: Choose another name.\n      gen/cli/tests/tombstones.rs:{line}\n"
    );
    assert!(report.ends_with(&expected), "{report}");
    // The ledger is enough: no bundle has the name.
    let place = Place::new();
    place.write(LEDGER, format!("tombstones:\n- {{kind: field, crd: {CRD}, path: spec, name: colour, removed: v0.1.0, reason: old, replacement: paint}}\n"));
    let ran = check(&place, &api::<whole::Thing>("v1.0.0"), &[]);
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.out.contains("the field `colour` was removed in v0.1.0 (old) and must not return"), "{}", ran.out);
    assert!(ran.out.contains("fix: Choose another name; `paint` took over from this one.\n"), "{}", ran.out);
    // A path can be part of the name. Another CRD or path is another field.
    for (crd, path, name, exit) in [
        (CRD, "", "spec.colour", Exit::Findings),
        ("boxes.things.example.com", "spec", "colour", Exit::Fine),
        (CRD, "status", "colour", Exit::Fine),
        (CRD, "spec", "colours", Exit::Fine),
    ] {
        let path = if path.is_empty() { String::new() } else { format!("path: {path}, ") };
        place.write(
            LEDGER,
            format!("tombstones:\n- {{kind: field, crd: {crd}, {path}name: {name}, removed: v0.1.0, reason: old}}\n"),
        );
        assert_eq!(check(&place, &api::<whole::Thing>("v1.0.0"), &[]).exit, exit, "{crd} {path}{name}");
    }
}

/// A tombstone of a field covers everything below the field.
#[test]
fn a_tombstone_covers_everything_below_its_field() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let lacking = api::<lacking::Thing>("v2.0.0");
    // The values of the colour need no tombstones of their own.
    assert_eq!(diagnostics(&place, &lacking).matches("error: ").count(), 1);
    place.write(
        LEDGER,
        format!("tombstones:\n- {{kind: field, crd: {CRD}, name: spec, removed: v2.0.0, reason: all of it}}\n"),
    );
    let report = diagnostics(&place, &lacking);
    assert!(report.contains("the field `spec` was removed in v2.0.0 (all of it) and must not return"), "{report}");
    assert_eq!(report.matches("error: ").count(), 1, "{report}");
}

#[test]
fn a_kind_that_graduates_into_another_group_is_replaced() {
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<moved::XShelf>());
    let shelf = api::<whole::Thing>("v1.1.0").resource::<moved::Shelf>();
    let report = diagnostics(&place, &shelf);
    let command = "      cargo xtask tombstones add --kind resource --crd xshelfs.things.example-x.com --removed v1.1.0 --reason '…'\n";
    assert!(
        report.contains("with `--replacement shelves.things.example.com` if that takes\n        over:\n"),
        "{report}"
    );
    assert!(report.ends_with(command), "{report}");
    // A rename is never assumed: without `--replacement`, the shelf is a resource that experimental never had.
    let ran = check(&place, &shelf, &[]);
    assert!(ran.out.contains("blocked: the resource was added, and experimental does not have it"), "{}", ran.out);
    let replaced = report.replace("--reason", "--replacement shelves.things.example.com --reason");
    let ran = obey(&place, &shelf, &replaced);
    assert_eq!(
        ran.out,
        "resource xshelfs.things.example-x.com: removed in v1.1.0: not wanted; replaced by\n  shelves.things.example.com\n1 tombstone added\n"
    );
    let ran = check(&place, &shelf, &[]);
    assert_eq!(ran.exit, Exit::Fine, "{}", ran.out);
    for part in [
        "    minor: the resource graduated: experimental already had it [graduated]\n",
        "    minor: the resource was replaced by shelves.things.example.com: its objects are not moved\n      [resource-moved]\n",
    ] {
        assert!(ran.out.contains(part), "{part}{}", ran.out);
    }
    place.publish(&shelf);
    let report =
        diagnostics(&place, &api::<whole::Thing>("v1.2.0").resource::<moved::Shelf>().resource::<moved::XShelf>());
    assert!(
        report.contains("fix: Choose another name; `shelves.things.example.com` took over from this one.\n"),
        "{report}"
    );
}

/// An imported history can lack names for a long time: the required line names the first bundle without the name.
#[test]
fn the_required_line_names_the_first_bundle_without_the_name() {
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<moved::XShelf>());
    place.publish(&api::<lacking::Thing>("v2.0.0-rc.1"));
    place.publish(&api::<lacking::Thing>("v2.0.0").resource::<moved::Shelf>());
    place.publish(&api::<lacking::Thing>("v2.1.0").resource::<moved::Shelf>());
    let report = diagnostics(&place, &api::<lacking::Thing>("v2.2.0").resource::<moved::Shelf>());
    assert!(
        report.contains("v1.0.0 had it last") && report.contains("/// +tombstone:name=colour,removed=v2.0.0,"),
        "{report}"
    );
    // No bundle has both shelves, so the new one can be the replacement.
    assert!(report.contains("`--replacement shelves.things.example.com` if that takes"), "{report}");
    assert!(report.contains("--crd xshelfs.things.example-x.com --removed v2.0.0 --reason '…'\n"), "{report}");
}

#[test]
fn marker_and_ledger_must_not_contradict_each_other() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    place.publish(&api::<lacking::Thing>("v2.0.0-rc.1"));
    let entry = |removed: &str, more: &str| {
        format!(
            "tombstones:\n- {{kind: field, crd: {CRD}, path: spec, name: colour, removed: {removed}, reason: worded otherwise{more}}}\n"
        )
    };
    let buried = api::<buried::Thing>("v2.0.0");
    place.write(LEDGER, entry("v2.0.0", ""));
    passes(&place, &buried);
    let marker = line_of("mod buried", "/// +tombstone");
    for (removed, more, words) in [
        ("v2.0.0-rc.1", "", "removed in v2.0.0-rc.1"),
        ("v2.0.0", ", replacement: paint", "removed in v2.0.0, replaced by paint"),
    ] {
        place.write(LEDGER, entry(removed, more));
        let report = diagnostics(&place, &buried).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            report,
            format!(
                "{CRD} spec.colour error: the types and the ledger contradict each other on `colour`: the marker has removed in v2.0.0, the ledger {words} [tombstone-unrecorded] fix: Change the marker to match bundles/tombstones.yaml: entries of the ledger never change. gen/cli/tests/tombstones.rs:{marker}"
            )
        );
        // `tombstones add` does not change the entry.
        assert_eq!(add(&place, &buried), "the ledger contains all tombstones that the types declare\n");
        assert_eq!(place.read(LEDGER), entry(removed, more));
    }
}

/// The digest of an entry, from its definition: a line for each key with its value as JSON, sorted by key.
fn digest(entry: &[(&str, &str)]) -> String {
    let mut lines = entry.iter().map(|(key, value)| format!("{key}={}\n", json!(value))).collect::<Vec<_>>();
    lines.sort();
    Digest::of(lines.concat()).to_string()
}

/// Adds the entries of the ledger to a manifest, as a release does.
fn released_with(place: &Place, version: &str, entries: &[(&str, &[(&str, &str)])]) {
    let path = format!("bundles/{version}/bundle.yaml");
    let mut text = place.read(&path).replace("imported: true", "imported: false");
    text.push_str("tombstones:\n  entries:\n");
    for (id, entry) in entries {
        text.push_str(&format!("  - id: {id}\n    sha256: {}\n", digest(entry)));
    }
    text.push_str(&format!("  sha256: {}\n", Digest::of("")));
    place.write(&path, text);
}

#[test]
fn the_ledger_only_grows() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let buried = api::<buried::Thing>("v2.0.1");
    add(&place, &api::<buried::Thing>("v2.0.0"));
    let ledger = place.read(LEDGER);
    place.publish(&api::<buried::Thing>("v2.0.0"));
    let entry = [
        ("crd", CRD),
        ("kind", "field"),
        ("path", "spec"),
        ("name", "colour"),
        ("removed", "v2.0.0"),
        ("reason", "not wanted"),
    ];
    released_with(&place, "v2.0.0", &[(&format!("field spec.colour of {CRD}"), &entry)]);
    passes(&place, &buried);
    // A later bundle lists the same entry, and nothing is reported twice.
    place.publish(&buried);
    released_with(&place, "v2.0.1", &[(&format!("field spec.colour of {CRD}"), &entry)]);
    let buried = api::<buried::Thing>("v2.0.2");
    passes(&place, &buried);

    // The layout of the ledger can change, and entries can be added.
    let flow = format!(
        "tombstones: [{{removed: v2.0.0, name: colour, path: spec, kind: field, crd: {CRD}, reason: not wanted}}, {{kind: resource, crd: a.b, removed: v0.2.0, reason: c}}]\n"
    );
    place.write(LEDGER, flow);
    passes(&place, &buried);

    let id = format!("the tombstone of the field spec.colour of {CRD}");
    let put_back = "[tombstone-altered] fix: Put the entry back as it was. bundles/tombstones.yaml:1";
    let altered = format!("error: {id} is not the one that v2.0.0 was released with {put_back}");
    let unwrapped = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (from, to) in
        [("reason: not wanted", "reason: .."), ("reason: not wanted", "reason: not wanted\n  replacement: paint")]
    {
        place.write(LEDGER, ledger.replace(from, to));
        let report = unwrapped(diagnostics(&place, &buried));
        assert!(report.starts_with(&altered), "{report}");
        assert_eq!(report.matches(&id).count(), 1, "{report}");
    }
    let lost = format!(
        "error: {id} is gone from the ledger; v2.0.0 was released with it [tombstone-lost] fix: Put the entry back as it was. bundles/tombstones.yaml:1"
    );
    place.write(LEDGER, "tombstones: []\n");
    let report = unwrapped(diagnostics(&place, &buried));
    assert!(report.contains(&lost), "{report}");
    fs::remove_file(place.path().join(LEDGER)).unwrap();
    assert!(unwrapped(diagnostics(&place, &buried)).contains(&lost));
    // `tombstones add` restores the entry from the marker.
    add(&place, &buried);
    passes(&place, &buried);
}

#[test]
fn the_ledger_is_listed() {
    let place = Place::new();
    let thing = api::<whole::Thing>("v1.0.0");
    let list = |arguments: &[&str]| {
        let ran = place.run_unchanged(&thing, &[&["tombstones", "list"], arguments].concat());
        assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
        ran.out
    };
    assert_eq!(list(&[]), "there are no tombstones\n");
    assert_eq!(list(&["--format", "json"]), "{\"errors\":[],\"notes\":[],\"schemaVersion\":1,\"tombstones\":[]}\n");
    place.write(
        LEDGER,
        "\
tombstones:
- {kind: field, crd: a.example.com, path: 'spec.rules[*]', name: b, removed: v1.0.0, reason: c, replacement: d}
- {kind: value, crd: a.example.com, path: spec.mode, name: 'Off', removed: v1.1.0, reason: 'e: f'}
- {kind: version, crd: a.example.com, name: v1alpha1, removed: v1.2.0, reason: g, migrated: true}
- {kind: resource, crd: x.example.com, removed: v2.0.0, reason: h, replacement: a.example.com}
",
    );
    assert_eq!(
        list(&[]),
        "\
field spec.rules[*].b of a.example.com: removed in v1.0.0: c; replaced by d
value Off at spec.mode of a.example.com: removed in v1.1.0: e: f
version v1alpha1 of a.example.com: removed in v1.2.0: g; no object is stored in it
resource x.example.com: removed in v2.0.0: h; replaced by a.example.com
4 tombstones
"
    );
    let document: Value = serde_json::from_str(&list(&["--format", "json"])).unwrap();
    assert_eq!(
        document,
        json!({
            "schemaVersion": 1,
            "tombstones": [
                {"kind": "field", "crd": "a.example.com", "path": "spec.rules[*]", "name": "b", "removed": "v1.0.0", "reason": "c", "replacement": "d"},
                {"kind": "value", "crd": "a.example.com", "path": "spec.mode", "name": "Off", "removed": "v1.1.0", "reason": "e: f"},
                {"kind": "version", "crd": "a.example.com", "name": "v1alpha1", "removed": "v1.2.0", "reason": "g", "migrated": true},
                {"kind": "resource", "crd": "x.example.com", "removed": "v2.0.0", "reason": "h", "replacement": "a.example.com"},
            ],
            "notes": [],
            "errors": [],
        })
    );
}

#[test]
fn errors_in_the_ledger_name_their_lines() {
    let place = Place::new();
    let thing = api::<whole::Thing>("v1.0.0");
    let bad = "\
# The ledger.
tombstones:
- kind: feeld
  crd: things
  removed: 1.0
  reason: ''
- kind: field
  crd: a.example.com
  path: .spec
  nmae: b
  removed: v1
  reason: c
- {kind: value, crd: a.example.com, name: d, removed: v1.0.0, reason: e, migrated: 1}
- {kind: version, crd: a.example.com, name: v1, path: spec, removed: v1.0.0, reason: e, replacement: v1, migrated: true}
- {kind: resource, crd: a.example.com, name: f, removed: v1.0.0, reason: e, replacement: g}
- {kind: version, crd: a.example.com, name: v3, removed: v1.1.0, reason: once}
- {kind: version, crd: a.example.com, name: v3, removed: v1.2.0, reason: again}
- {kind: field, crd: a.example.com, name: 3, removed: v1.2.0, reason: again}
- v2
";
    place.write(LEDGER, bad);
    let expected = [
        "3: `feeld` is not a kind of name: the kinds are resource, version, field, value",
        "4: `things` is not the name of a CRD: write its plural and group, such as httproutes.gateway.networking.k8s.io",
        "5: `removed` must be a text, and YAML reads this as 1: put it into quotes",
        "6: the reason is empty: write why the name must not return",
        "7: a field needs a `name`",
        "9: `.spec` is not a schema path: write it as in findings, for example spec.rules[*].matches",
        "10: unknown key `nmae` of an entry: did you mean `name`?",
        "11: `v1` is not a bundle version: write one such as v1.4.0",
        "13: `migrated` must be true or false, not 1",
        "13: a value needs a `path`: the path of its field",
        "14: `v1` cannot replace itself",
        "14: a version has no `path`",
        "15: `g` is not the name of a CRD: write its plural and group, such as httproutes.gateway.networking.k8s.io",
        "15: a resource has no `name`: `crd` is its name",
        "17: the version v3 of a.example.com already has a tombstone",
        "18: `name` must be a text, and YAML reads this as 3: put it into quotes",
        "19: an entry must have keys, such as `reason: …`",
    ];
    for arguments in [&["tombstones", "list"] as &[&str], &["tombstones", "add"], &["check"]] {
        let ran = place.run_unchanged(&thing, arguments);
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{arguments:?}");
        let expected = expected.map(|line| format!("error: {LEDGER}:{line}"));
        assert_eq!(ran.err.lines().collect::<Vec<_>>(), expected, "{arguments:?}");
    }
    let ran = place.run(&thing, &["tombstones", "list", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &document["tombstones"]), (Exit::Unusable, &json!([])));
    let error = &document["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&json!(LEDGER), &json!(3)));
    // In CI, the annotation is at the line.
    let ran = check(&place, &thing, &["--format", "github"]);
    assert!(
        ran.out.starts_with("::error file=bundles/tombstones.yaml,line=3,title=tombstone-malformed::"),
        "{}",
        ran.out
    );
}

#[test]
fn arguments_that_do_not_describe_a_tombstone() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let thing = api::<whole::Thing>("v2.0.0");
    let refused = |arguments: &str, words: &[&str]| {
        let before = place.tree();
        let ran = place.run_line(&thing, &format!("tombstones add {arguments}"));
        assert_untouched(&before, &place.tree());
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{arguments:?}");
        for part in words {
            assert!(ran.err.contains(part), "{part} is not in {}", ran.err);
        }
        if !ran.err.contains("Usage: ") && !ran.err.contains("For more information") {
            assert_eq!(ran.err.lines().count(), words.len(), "{}", ran.err);
        }
    };
    let no = "error: the arguments do not describe a tombstone: ";
    let end = "--crd things.things.example.com --removed v2.0.0 --reason x";
    refused(&format!("--kind field {end}"), &[&format!("{no}a field needs a `name`\n")]);
    refused(
        &format!("--kind value --name x {end}"),
        &[&format!("{no}a value needs a `path`: the path of its field\n")],
    );
    refused(&format!("--kind version --name v1 --path spec {end}"), &[&format!("{no}a version has no `path`\n")]);
    refused(
        &format!("--kind resource --name x {end}"),
        &[&format!("{no}a resource has no `name`: `crd` is its name\n")],
    );
    refused(
        &format!("--kind field --name x --migrated {end}"),
        &[&format!("{no}only an API version can be migrated\n")],
    );
    refused(&format!("--kind field --name x --replacement x {end}"), &[&format!("{no}`x` cannot replace itself\n")]);
    refused(
        &format!("--kind field --name x --path 'spec.rules[0]' {end}"),
        &[&format!("{no}`spec.rules[0]` is not a schema path: ")],
    );
    refused(&format!("--kind field --name x {end}").replace(" x", " ' '"), &[&format!("{no}the reason is empty")]);
    refused(
        &format!("--kind field --name x {end}").replace("things.things", "Things"),
        &[&format!("{no}`Things.example.com` is not the name of a CRD")],
    );
    refused(
        &format!("--kind feild --name x {end}"),
        &["invalid value 'feild' for '--kind <KIND>'", "[possible values: resource, version, field, value]"],
    );
    refused(
        &format!("--kind field --name x {end}").replace("v2.0.0", "2.0.0"),
        &[
            "invalid value '2.0.0' for '--removed <VERSION>': `2.0.0` is not a bundle version: it does not begin with `v`",
        ],
    );
    refused("--kind field --name x", &["--crd <CRD>", "--removed <VERSION>", "--reason <TEXT>"]);
    refused(end, &["--kind <KIND>"]);
    let ran = place.run(&thing, &["tombstones"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert!(ran.err.contains("Usage: cargo xtask tombstones [OPTIONS] <COMMAND>"), "{}", ran.err);
}

#[test]
fn a_tombstone_is_added_once() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let lacking = api::<lacking::Thing>("v2.0.0");
    let add = |name: &str, path: &str, more: &[&str]| {
        let arguments = ["tombstones", "add", "--kind", "field", "--crd", CRD, "--path", path, "--name", name];
        place.run(&lacking, &[&arguments as &[&str], &["--removed", "v2.0.0", "--reason", "none"], more].concat())
    };
    let ran = add("colour", "spec", &["--format", "json"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let entry =
        json!({"kind": "field", "crd": CRD, "path": "spec", "name": "colour", "removed": "v2.0.0", "reason": "none"});
    assert_eq!(document, json!({"schemaVersion": 1, "added": [entry], "notes": [], "errors": []}));
    passes(&place, &lacking);
    let ledger = place.read(LEDGER);
    let entry =
        format!("- crd: {CRD}\n  kind: field\n  name: colour\n  path: spec\n  reason: none\n  removed: v2.0.0\n");
    assert_eq!(ledger, format!("{HEAD}tombstones:\n{entry}"));
    // The second time is an error.
    let before = place.tree();
    let ran = add("colour", "spec", &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert_eq!(ran.err, format!("error: {LEDGER}: already has a tombstone for the field spec.colour of {CRD}\n"));
    // The same field with its path in the name.
    let ran = add("spec.colour", "", &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert!(ran.err.contains(&format!("already has a tombstone for the field spec.colour of {CRD}")), "{}", ran.err);
    let ran = add("colour", "spec", &["--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &document["added"]), (Exit::Unusable, &json!([])));
    assert!(document["errors"][0]["message"].as_str().unwrap().contains("already has a tombstone"), "{document}");
    assert_untouched(&before, &place.tree());
}

#[test]
fn comments_in_the_ledger_stay_when_an_entry_is_added() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let buried = api::<buried::Thing>("v2.0.0");
    let mine = "# Ours.\ntombstones:\n# The first one, see issue 12.\n- {kind: resource, crd: a.example.com, removed: v0.5.0, reason: b}";
    place.write(LEDGER, mine);
    add(&place, &buried);
    let entry =
        format!("- crd: {CRD}\n  kind: field\n  name: colour\n  path: spec\n  reason: not wanted\n  removed: v2.0.0\n");
    assert_eq!(place.read(LEDGER), format!("{mine}\n{entry}"));
    // Other layouts are rewritten: comments and layout are lost, entries are not.
    for mine in [
        "tombstones: [{kind: resource, crd: a.example.com, removed: v0.5.0, reason: b}]\n",
        "tombstones:\n  - {kind: resource, crd: a.example.com, removed: v0.5.0, reason: b}\n",
        "{\"tombstones\": [{\"kind\": \"resource\", \"crd\": \"a.example.com\", \"removed\": \"v0.5.0\", \"reason\": \"b\"}]}",
    ] {
        place.write(LEDGER, mine);
        add(&place, &buried);
        let first = "- crd: a.example.com\n  kind: resource\n  reason: b\n  removed: v0.5.0\n";
        assert_eq!(place.read(LEDGER), format!("{HEAD}tombstones:\n{first}{entry}"), "{mine}");
    }
    for mine in ["", "# None yet.\n", "tombstones:\n", "tombstones: []\n"] {
        place.write(LEDGER, mine);
        add(&place, &buried);
        assert!(place.read(LEDGER).ends_with(&format!("tombstones:\n{entry}")), "{mine:?} {}", place.read(LEDGER));
    }
}

/// The line that `check` prints has a placeholder instead of a reason.
#[test]
fn a_placeholder_is_not_a_reason() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let hesitant = api::<hesitant::Thing>("v2.0.0");
    let before = place.tree();
    let ran = place.run(&hesitant, &["tombstones", "add"]);
    let line = |field: &str| line_of("mod hesitant", &format!("/// +tombstone:name={field}"));
    let error = |field: &str, reason: &str| {
        format!(
            "error: gen/cli/tests/tombstones.rs:{}: the tombstone of the field spec.{field} of {CRD}: `{reason}` is not a reason; write why the name must not return\n",
            line(field)
        )
    };
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert_eq!(ran.err, format!("{}{}", error("colour", "…"), error("side", "TODO")));
    let ran = place.run(&hesitant, &["tombstones", "add", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &document["added"]), (Exit::Unusable, &json!([])));
    let lines = document["errors"].as_array().unwrap().iter().map(|error| &error["line"]).collect::<Vec<_>>();
    assert_eq!(lines, [&json!(line("colour")), &json!(line("side"))]);
    let add = |reason: &str| {
        let arguments = ["tombstones", "add", "--kind", "field", "--crd", CRD, "--path", "spec", "--name", "colour"];
        let lacking = api::<lacking::Thing>("v2.0.0");
        place.run(&lacking, &[&arguments as &[&str], &["--removed", "v2.0.0", "--reason", reason]].concat())
    };
    for reason in ["…", "...", "TODO", "tbd", "-", "—", "Todo: …"] {
        let ran = add(reason);
        let words = format!(
            "the arguments do not describe a tombstone: `{reason}` is not a reason; write why the name must not return"
        );
        assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: {words}\n")));
    }
    assert_untouched(&before, &place.tree());
    // Existing entries with such reasons are read, and stay.
    let entry = format!("crd: {CRD}, path: spec, removed: v2.0.0");
    place.write(
        LEDGER,
        format!("tombstones:\n- {{kind: field, name: colour, reason: …, {entry}}}\n- {{kind: field, name: side, reason: TODO, {entry}}}\n"),
    );
    let ran = place.run(&hesitant, &["tombstones", "list"]);
    assert!((ran.exit, &*ran.err) == (Exit::Fine, "") && ran.out.ends_with("\n2 tombstones\n"), "{ran:?}");
    let added = self::add(&place, &hesitant);
    assert_eq!(added, format!("field spec.size of {CRD}: removed in v2.0.0: moved\n1 tombstone added\n"));
}

/// The ledger only grows, so it must not record mistakes.
#[test]
fn existing_names_and_unknown_crds_are_not_recorded() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let lacking = api::<lacking::Thing>("v2.0.0");
    let refused = |arguments: &[&str], (message, help): (&str, &str)| {
        let before = place.tree();
        let add = ["tombstones", "add", "--removed", "v2.0.0", "--reason", "none"];
        let ran = place.run(&lacking, &[&add as &[&str], arguments].concat());
        assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", &*format!("error: {message}. {help}\n")));
        let ran = place.run(&lacking, &[&add as &[&str], arguments, &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.exit, &document["added"], &document["notes"]), (Exit::Unusable, &json!([]), &json!([])));
        let error = &document["errors"][0];
        assert_eq!((&error["message"], &error["help"]), (&json!(message), &json!(help)));
        assert_untouched(&before, &place.tree());
    };
    let existing = |arguments: &[&str], name: &str| {
        let help = "remove it from the types first; a tombstone cannot be removed again";
        refused(arguments, (&format!("the types still have the {name}"), help));
    };
    let field = ["--kind", "field", "--crd", CRD];
    existing(&[&field[..], &["--path", "spec", "--name", "size"]].concat(), &format!("field spec.size of {CRD}"));
    // The path as part of the name.
    existing(&[&field[..], &["--name", "spec.size"]].concat(), &format!("field spec.size of {CRD}"));
    existing(&["--kind", "version", "--crd", CRD, "--name", "v1"], &format!("version v1 of {CRD}"));
    existing(&["--kind", "resource", "--crd", CRD], &format!("resource {CRD}"));
    let unknown = |crd: &str| format!("no bundle in `bundles` and no type had the CRD `{crd}`");
    let crd = "thing.things.example.com";
    refused(
        &["--kind", "field", "--crd", crd, "--path", "spec", "--name", "colour"],
        (&unknown(crd), &format!("did you mean `{CRD}`?")),
    );
    let help = "write its plural and its group, or `import` a bundle that had it";
    refused(&["--kind", "resource", "--crd", "pods.elsewhere.org"], (&unknown("pods.elsewhere.org"), help));
    // A CRD of an older bundle is accepted.
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<whole::Case>());
    place.publish(&api::<whole::Thing>("v2.0.0"));
    let arguments =
        ["--kind", "resource", "--crd", "boxes.things.example.com", "--removed", "v2.0.0", "--reason", "none"];
    let ran = place.run(&api::<whole::Thing>("v2.0.1"), &[&["tombstones", "add"], &arguments[..]].concat());
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
}

/// Releases the types of a catalogue as its next version, without git.
#[track_caller]
fn release(place: &Place, catalogue: &Catalogue) -> Ran {
    assert_eq!(place.run(catalogue, &["generate"]).exit, Exit::Fine);
    place.run(catalogue, &["release", &catalogue.next_version().to_string(), "--date", "2026-01-01"])
}

/// Adds the tombstone of a field of the spec. Returns the exit and stderr.
fn add_field(place: &Place, catalogue: &Catalogue, name: &str, removed: &str) -> (Exit, String) {
    let line = format!("tombstones add --kind field --crd {CRD} --path spec --name {name} --removed {removed}");
    let ran = place.run_line(catalogue, &format!("{line} --reason 'not wanted'"));
    (ran.exit, ran.err)
}

#[test]
fn a_version_that_no_bundle_has_is_neither_recorded_nor_released() {
    // The marker names v2.0.0.
    let (first, second) = (api::<buried::Thing>("v1.0.0"), api::<buried::Thing>("v2.0.0"));
    let place = Place::with(&first);
    let marker = line_of("mod buried", "/// +tombstone");
    let problem = "the tombstone of the field `colour` names v2.0.0, and no bundle has this version";
    let ran = place.run_unchanged(&first, &["tombstones", "add"]);
    let fix = "Name v1.0.0, the first bundle without it.";
    let error = format!(
        "error: gen/cli/tests/tombstones.rs:{marker}: {CRD} spec.colour: {problem} [tombstone-version]. {fix}\n"
    );
    assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", &*error));
    // The entry exists already.
    add(&place, &second);
    let problems = |catalogue: &Catalogue| {
        let ran = check(&place, catalogue, &[]);
        let (_, problems) = ran.out.split_once("\nOther errors\n").unwrap();
        problems.split_once("\nSummary\n").unwrap().0.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let fix = format!("{fix} Change its entry in `{LEDGER}` too: no bundle was released with it.");
    let place_of = format!("gen/cli/tests/tombstones.rs:{marker}");
    assert_eq!(
        problems(&first),
        format!("{CRD} spec.colour error: {problem} [tombstone-version] fix: {fix} {place_of}")
    );
    let before = place.tree();
    let ran = release(&place, &first);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    assert!(ran.out.contains("names v2.0.0, and no bundle has this version"), "{}", ran.out);
    assert_untouched(&before, &place.tree());
    // Without the marker, the error is at the line of the entry.
    let of_entry = problems(&api::<lacking::Thing>("v1.0.0"));
    let end = "The entry can still change: no bundle was released with it. bundles/tombstones.yaml:3";
    assert!(of_entry.ends_with(end), "{of_entry}");
    // With the version that is named, also as a pre-release, and again from its tag.
    assert_eq!(place.run(&second, &["generate"]).exit, Exit::Fine);
    let ran = place.run(&second, &["release", "v2.0.0-rc.1", "--date", "2026-01-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    for _ in 0..2 {
        let ran = release(&place, &second);
        assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    }
    passes(&place, &api::<buried::Thing>("v2.0.1"));
}

#[test]
fn a_name_that_no_bundle_had_is_not_recorded() {
    let place = Place::new();
    assert_eq!(release(&place, &api::<whole::Thing>("v1.0.0")).exit, Exit::Fine);
    let lacking = api::<lacking::Thing>("v2.0.0");
    let unknown = |kind: &str, path: &str, name: &str, help: &str| {
        let path = if path.is_empty() { String::new() } else { format!("--path {path} ") };
        let line =
            format!("tombstones add --kind {kind} --crd {CRD} {path}--name {name} --removed v9.0.0 --reason gone");
        let before = place.tree();
        let ran = place.run_line(&lacking, &line);
        assert_untouched(&before, &place.tree());
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
        assert!(
            ran.err.contains("no bundle in `bundles/` had the ") && ran.err.contains("[tombstone-unknown]"),
            "{}",
            ran.err
        );
        assert!(ran.err.ends_with(&format!(". {help}\n")), "{}", ran.err);
    };
    unknown("field", "spec", "colur", "Did you mean `colour`?");
    unknown("field", "status", "colour", "Did you mean `spec.colour`?");
    unknown("value", "spec.colour", "Bleu", "Did you mean `Blue`?");
    unknown("value", "spec.side", "Blue", "Did you mean `Blue at spec.colour`?");
    let none = "A name that no bundle had needs no tombstone. Leave it out, or `import` the bundle that had it.";
    // A name that the types have is not removed.
    unknown("field", "spec", "sizes", none);
    unknown("version", "", "v2", none);
    let problem = |removed: &str, why: &str| {
        format!(
            "error: {CRD} spec.colour: the tombstone of the field `colour` names {removed}, and {why} [tombstone-version]. Name v2.0.0, the first bundle without it.\n"
        )
    };
    let error = |removed: &str, why: &str| (Exit::Unusable, problem(removed, why));
    assert_eq!(add_field(&place, &lacking, "colour", "v9.0.0"), error("v9.0.0", "no bundle has this version"));
    assert_eq!(add_field(&place, &lacking, "colour", "v1.5.0"), error("v1.5.0", "no bundle has this version"));
    assert_eq!(add_field(&place, &lacking, "colour", "v1.0.0"), error("v1.0.0", "v1.0.0 still has it"));
    assert_eq!(add_field(&place, &lacking, "colour", "v0.5.0"), error("v0.5.0", "v1.0.0 still has it"));
    assert!(!place.path().join(LEDGER).exists());
    assert_eq!(add_field(&place, &lacking, "colour", "v2.0.0"), (Exit::Fine, String::new()));
    // `check` reports an entry that was written by hand, and proposes the same.
    place.write(LEDGER, place.read(LEDGER).replace("colour", "colur"));
    let report = diagnostics(&place, &lacking);
    assert!(report.contains("no bundle in `bundles/` had the field `colur` [tombstone-unknown]"), "{report}");
    // After v1.0.0 is released with a change of the types, the next version is not fixed yet.
    for next in ["v1.0.1", "v1.1.0", "v2.0.0"] {
        fs::remove_file(place.path().join(LEDGER)).unwrap();
        assert_eq!(add_field(&place, &api::<lacking::Thing>("v1.0.0"), "colour", next), (Exit::Fine, String::new()));
    }
}

/// Older bundles may never be imported, and an imported history may have gaps.
#[test]
fn a_history_may_begin_late_and_have_gaps() {
    let note = |removed: &str, name: &str| {
        format!(
            "note: no bundle in `bundles` is below {removed}, so nothing shows that the field spec.{name} of {CRD} existed; check its spelling\n"
        )
    };
    // The first release of a repository.
    let place = Place::new();
    let first = api::<lacking::Thing>("v1.0.0");
    for (name, removed) in [("a", "v0.3.0"), ("b", "v1.0.0")] {
        assert_eq!(add_field(&place, &first, name, removed), (Exit::Fine, note(removed, name)));
    }
    assert_eq!(add_field(&place, &first, "c", "v1.0.1").0, Exit::Unusable);
    assert_eq!(check(&place, &first, &[]).exit, Exit::Fine);
    assert_eq!(release(&place, &first).exit, Exit::Fine);
    // Between two imported bundles, a bundle may be missing.
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    place.publish(&api::<lacking::Thing>("v2.4.0"));
    let next = api::<lacking::Thing>("v2.5.0");
    assert_eq!(add_field(&place, &next, "old", "v0.9.0"), (Exit::Fine, note("v0.9.0", "old")));
    assert_eq!(add_field(&place, &next, "colour", "v2.4.1").0, Exit::Unusable);
    assert_eq!(add_field(&place, &next, "colour", "v2.0.0"), (Exit::Fine, String::new()));
    passes(&place, &next);
    // A bundle that was released here comes directly after the previous one.
    let manifest = "bundles/v2.4.0/bundle.yaml";
    place.write(manifest, place.read(manifest).replace("imported: true", "imported: false"));
    let report = diagnostics(&place, &next);
    assert!(report.contains("names v2.0.0, and no bundle has this version"), "{report}");
    assert!(report.contains("fix: Name v2.4.0, the first bundle without it."), "{report}");
    // An entry that was released stays.
    let entry = |name| [("crd", CRD), ("kind", "field"), ("path", "spec"), ("name", name), ("reason", "not wanted")];
    let [old, colour] = [("old", "v0.9.0"), ("colour", "v2.0.0")].map(|(name, removed)| {
        (format!("field spec.{name} of {CRD}"), [&entry(name) as &[_], &[("removed", removed)]].concat())
    });
    released_with(&place, "v2.4.0", &[(&old.0, &old.1), (&colour.0, &colour.1)]);
    passes(&place, &next);
}

/// The names of two types that no bundle had: a field that was never released, and a new use of a type with a marker.
#[test]
fn a_marker_needs_one_name_that_a_bundle_had() {
    let place = place_with(&api::<lacking::Thing>("v1.0.0"));
    let marker = line_of("mod buried", "/// +tombstone");
    let ran = place.run_unchanged(&api::<buried::Thing>("v2.0.0"), &["tombstones", "add"]);
    let error = format!(
        "error: gen/cli/tests/tombstones.rs:{marker}: {CRD} spec.colour: no bundle in `bundles/` had the field `colour` [tombstone-unknown]. A name that no bundle had needs no tombstone. Leave it out, or `import` the bundle that had it.\n"
    );
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*error));
    let report = diagnostics(&place, &api::<buried::Thing>("v2.0.0"));
    assert!(report.contains("[tombstone-unknown]") && !report.contains("[tombstone-unrecorded]"), "{report}");
    // Box did not exist.
    let place = place_with(&api::<parts::whole::Thing>("v1.0.0"));
    let buried = api::<parts::buried::Thing>("v2.0.0").resource::<parts::buried::Case>();
    assert!(add(&place, &buried).ends_with("3 tombstones added\n"));
    let ran = check(&place, &buried, &[]);
    assert!(!ran.out.contains("tombstone-"), "{}", ran.out);
}

/// YAML reads some names as other types, so they are quoted.
#[test]
fn any_name_is_read_back_as_it_was_written() {
    let place = Place::new();
    let thing = api::<whole::Thing>("v1.0.0");
    let names = ["Off", "-1", "null", "1.0", "0x1", "- a", "é: \"b\" # c", " ", "{}", "~"];
    for name in names {
        let arguments = ["tombstones", "add", "--kind", "value", "--crd", CRD, "--path", "spec.mode", "--name", name];
        let ran = place.run(&thing, &[&arguments as &[&str], &["--removed", "v1.0.0", "--reason", "true"]].concat());
        assert_eq!(ran.exit, Exit::Fine, "{name}: {}", ran.err);
    }
    let ran = place.run(&thing, &["tombstones", "list", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let read = document["tombstones"].as_array().unwrap().iter();
    assert_eq!(
        read.map(|entry| (&entry["name"], &entry["reason"])).collect::<Vec<_>>(),
        names.map(|name| (json!(name), json!("true"))).iter().map(|(name, reason)| (name, reason)).collect::<Vec<_>>()
    );
}

#[test]
fn concurrent_additions_are_all_recorded() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                let name = format!("field{number}");
                let line = format!("tombstones add --kind field --crd {CRD} --name {name} --removed v2.0.0 --reason x");
                let ran = place.run_line(&api::<whole::Thing>("v2.0.0"), &line);
                assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
            });
        }
    });
    let ran = place.run(&api::<whole::Thing>("v2.0.0"), &["tombstones", "list"]);
    assert!(ran.out.ends_with("\n8 tombstones\n"), "{}", ran.out);
}
