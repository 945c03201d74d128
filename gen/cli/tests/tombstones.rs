//! Names that went and must never return: what `check` asks for, what it refuses, and the ledger that `tombstones` keeps.

use std::fs;

use crate::support::{Place, Ran, assert_untouched};
use crd_bundle::Digest;
use crd_channels::typed::Resource;
use crd_channels_cli::{Catalogue, Exit};
use serde_json::{Value, json};

/// The API that the others come from.
mod whole {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// What it looks like.
        pub colour: Option<Colour>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<Part>>,
        /// What lies beside it.
        pub spare: Option<Part>,
    }

    /// What a thing looks like.
    #[api]
    pub enum Colour {
        /// As fire.
        Red,
        /// As the sky.
        Blue,
    }

    /// A part of a thing.
    #[api]
    pub struct Part {
        /// What it is called.
        pub name: Option<String>,
        /// What is to be said of it.
        pub note: Option<String>,
    }

    /// A box of parts.
    #[api(group = "things.example.com", version = "v1", kind = "Box")]
    pub struct Case {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is in it.
        pub spec: Part,
    }
}

/// Without the colour.
mod lacking {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<super::whole::Part>>,
        /// What lies beside it.
        pub spare: Option<super::whole::Part>,
    }
}

/// The same with the line that is asked for.
mod buried {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    /// +tombstone:name=colour,removed=v2.0.0,reason="not wanted"
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<super::whole::Part>>,
        /// What lies beside it.
        pub spare: Option<super::whole::Part>,
    }
}

/// Two fields went, and nobody has said yet why.
mod hesitant {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    ///
    /// +tombstone:name=colour,removed=v2.0.0,reason="…"
    /// +tombstone:name=side,removed=v2.0.0,reason="TODO"
    /// +tombstone:name=note,removed=v2.0.0,reason="moved"
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
    }
}

/// The colour under another name in Rust, in a type of another name, only in experimental, and as another type.
mod returned {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct NewThing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: Wishes,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct Wishes {
        /// How large it is.
        pub size: Option<i32>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<super::whole::Part>>,
        /// What lies beside it.
        pub spare: Option<super::whole::Part>,
        /// What it is painted with.
        ///
        /// +experimental
        #[serde(rename = "colour")]
        pub paint: Option<i64>,
    }
}

/// The colour in another version, which is flattened into its struct.
mod versioned {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v2alpha1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// The version beside it, which objects are stored in.
    ///
    /// +kubebuilder:storageversion
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Stored {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: super::buried::ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// What it looks like.
        #[serde(flatten)]
        pub looks: Looks,
    }

    /// What a thing looks like.
    #[api]
    pub struct Looks {
        /// Its colour.
        pub colour: Option<String>,
    }
}

/// Values are gone: of a type, and of a field.
mod pale {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// What it looks like.
        pub colour: Option<Colour>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<super::whole::Part>>,
        /// What lies beside it.
        pub spare: Option<super::whole::Part>,
    }

    /// What a thing looks like.
    #[api]
    pub enum Colour {
        /// As fire.
        Red,
    }
}

/// The same with the lines that are asked for.
mod pale_buried {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// What it looks like.
        pub colour: Option<Colour>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<super::whole::Part>>,
        /// What lies beside it.
        pub spare: Option<super::whole::Part>,
    }

    /// What a thing looks like.
    /// +tombstone:name=Blue,removed=v2.0.0,reason="not wanted"
    #[api]
    pub enum Colour {
        /// As fire.
        Red,
    }
}

/// Any colour, and any side.
mod opened {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// What it looks like.
        pub colour: Option<String>,
        /// How it is held.
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<super::whole::Part>>,
        /// What lies beside it.
        pub spare: Option<super::whole::Part>,
    }
}

/// Parts without notes, wherever they stand.
mod terse {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// What it looks like.
        pub colour: Option<super::whole::Colour>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<Part>>,
        /// What lies beside it.
        pub spare: Option<Part>,
    }

    /// A part of a thing.
    #[api]
    pub struct Part {
        /// What it is called.
        pub name: Option<String>,
    }

    /// A box of parts.
    #[api(group = "things.example.com", version = "v1", kind = "Box")]
    pub struct Case {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is in it.
        pub spec: Part,
    }
}

/// The same with the line that is asked for.
mod terse_buried {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: ThingSpec,
    }

    /// What is wanted of a thing.
    #[api]
    pub struct ThingSpec {
        /// How large it is.
        pub size: Option<i32>,
        /// What it looks like.
        pub colour: Option<super::whole::Colour>,
        /// How it is held.
        ///
        /// +kubebuilder:validation:Enum=Left;Right
        pub side: Option<String>,
        /// What it is made of.
        pub parts: Option<Vec<Part>>,
        /// What lies beside it.
        pub spare: Option<Part>,
    }

    /// A part of a thing.
    /// +tombstone:name=note,removed=v2.0.0,reason="not wanted"
    #[api]
    pub struct Part {
        /// What it is called.
        pub name: Option<String>,
    }

    /// A box of parts.
    #[api(group = "things.example.com", version = "v1", kind = "Box")]
    pub struct Case {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is in it.
        pub spec: Part,
    }
}

/// A kind that goes from an experimental group to the main one.
mod moved {
    use crd_channels::{ObjectMeta, api};

    /// A shelf that may not come to stay.
    ///
    /// +experimental
    #[api(group = "things.example-x.com", version = "v1alpha1", kind = "XShelf")]
    pub struct XShelf {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
    }

    /// A shelf.
    ///
    /// +kubebuilder:resource:path=shelves
    #[api(group = "things.example.com", version = "v1", kind = "Shelf")]
    pub struct Shelf {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
    }
}

/// An older version of the same thing.
mod older {
    use crd_channels::{ObjectMeta, api};

    /// A thing.
    #[api(group = "things.example.com", version = "v1beta1", kind = "Thing")]
    pub struct Thing {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: super::whole::ThingSpec,
    }

    /// The newer version, which objects are stored in.
    ///
    /// +kubebuilder:storageversion
    #[api(group = "things.example.com", version = "v1", kind = "Thing")]
    pub struct Newer {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: super::whole::ThingSpec,
    }

    /// The same, where objects are stored in this one.
    ///
    /// +kubebuilder:storageversion
    #[api(group = "things.example.com", version = "v1beta1", kind = "Thing")]
    pub struct Stored {
        /// Standard object metadata.
        pub metadata: ObjectMeta,
        /// What is wanted.
        pub spec: super::whole::ThingSpec,
    }
}

/// An API of one type.
fn api<T: Resource>(version: &str) -> Catalogue {
    Catalogue::new("things.example.com", version).resource::<T>()
}

/// Runs `check`, and sees to it that nothing is written.
#[track_caller]
fn check(place: &Place, catalogue: &Catalogue, arguments: &[&str]) -> Ran {
    let before = place.tree();
    let ran = place.run(catalogue, &[&["check"], arguments].concat());
    assert_untouched(&before, &place.tree());
    ran
}

fn place_with(catalogue: &Catalogue) -> Place {
    let place = Place::new();
    place.publish(catalogue);
    place
}

const LEDGER: &str = "bundles/tombstones.yaml";
const HEAD: &str = "# Names that were removed and must never return. Written by `cargo xtask tombstones add`; entries are never changed or removed.\n";
const CRD: &str = "things.things.example.com";

/// The line of this file, from `after` on, that holds a text.
#[track_caller]
fn line_of(after: &str, text: &str) -> usize {
    let source = include_str!("tombstones.rs");
    let start = source.find(after).unwrap();
    let found = start + source[start..].find(text).unwrap();
    source[..found].matches('\n').count() + 1
}

/// What `check` says is wrong with names.
#[track_caller]
fn wrong(place: &Place, catalogue: &Catalogue) -> String {
    let ran = check(place, catalogue, &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Findings, ""), "{}", ran.out);
    let (_, rest) = ran.out.split_once("\nWhat is wrong beside\n").unwrap_or_else(|| panic!("nothing: {}", ran.out));
    rest.split_once("\nSummary\n").unwrap().0.to_owned()
}

#[track_caller]
fn passes(place: &Place, catalogue: &Catalogue) {
    let ran = check(place, catalogue, &[]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{}", ran.out);
    // Who has a tombstone is not asked for one.
    assert!(!ran.out.contains("needs a tombstone"), "{}", ran.out);
}

/// A command line as a shell would split it.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words
}

/// Does what `check` says to do: the command in the last line, with a reason.
#[track_caller]
fn obey(place: &Place, catalogue: &Catalogue, wrong: &str) -> Ran {
    let line = wrong.lines().map(str::trim_start).find(|line| line.starts_with("cargo xtask tombstones add ")).unwrap();
    let arguments = words(&line.strip_prefix("cargo xtask ").unwrap().replace('…', "not wanted"));
    let ran = place.run(catalogue, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
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
fn a_field_that_is_gone_needs_the_line_that_is_named() {
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
    assert_eq!(wrong(&place, &lacking), expected);
    assert!(check(&place, &lacking, &[]).out.contains("      needs a tombstone\n"));
    // Whatever bundle it is to be.
    assert!(wrong(&place, &api::<lacking::Thing>("v1.1.0")).contains("removed=v1.1.0,reason"));
    // An annotation stands where the line goes, and holds it.
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

    // The line that `buried` has is the one that was asked for, with a reason.
    assert!(
        include_str!("tombstones.rs")
            .contains("\n    /// +tombstone:name=colour,removed=v2.0.0,reason=\"not wanted\"\n    #[api]\n")
    );
    let buried = api::<buried::Thing>("v2.0.0");
    let marker = line_of("mod buried", "/// +tombstone");
    assert_eq!(
        wrong(&place, &buried),
        format!(
            "  {CRD} spec.colour
    error: the types declare that the field `colour` was removed, and the ledger does not know it
      [tombstone-unrecorded]
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
    // It still asks for a major bundle.
    assert_eq!(check(&place, &api::<buried::Thing>("v1.1.0"), &[]).exit, Exit::Findings);
}

/// Whichever bundle had it, and whether or not the next one had it still.
#[test]
fn every_bundle_counts_and_not_only_the_baseline() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    place.publish(&api::<lacking::Thing>("v2.0.0"));
    let lacking = api::<lacking::Thing>("v2.0.1");
    assert!(
        wrong(&place, &lacking)
            .contains("error: the field `colour` is gone; v1.0.0 had it last, and it has no tombstone")
    );
    // It went with v2.0.0, whatever comes next.
    assert!(wrong(&place, &lacking).contains("name=colour,removed=v2.0.0,"));
    // A pre-release is nobody's baseline, and may have been installed.
    let place = place_with(&api::<lacking::Thing>("v1.0.0"));
    place.publish(&api::<whole::Thing>("v1.1.0-rc.1"));
    let lacking = api::<lacking::Thing>("v1.1.0");
    assert!(wrong(&place, &lacking).contains("the field `colour` is gone; v1.1.0-rc.1 had it last"));
    // Only in experimental, and in a bundle that lies there alone.
    let place = place_with(&api::<returned::NewThing>("v1.1.0"));
    let ran = check(&place, &api::<lacking::Thing>("v1.0.0"), &[]);
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.out.contains("the field `colour` is gone; v1.1.0 had it last"), "{}", ran.out);
}

#[test]
fn a_value_that_is_gone_needs_the_line_or_the_command() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let line = line_of("mod pale", "pub enum Colour");
    let said = wrong(&place, &api::<pale::Thing>("v2.0.0"));
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
    assert_eq!(said, expected);
    let buried = api::<pale_buried::Thing>("v2.0.0");
    obey(&place, &buried, &said);
    assert_eq!(
        add(&place, &buried),
        format!("value Blue at spec.colour of {CRD}: removed in v2.0.0: not wanted\n1 tombstone added\n")
    );
    passes(&place, &buried);
    place.publish(&buried);
    // Both are back.
    let said = wrong(&place, &api::<whole::Thing>("v2.1.0"));
    assert!(
        said.contains(
            "error: the value `Blue` was removed in v2.0.0 (not wanted) and must not return\n      [tombstone-returned]"
        ),
        "{said}"
    );
    assert!(
        said.contains("error: the value `Right` was removed in v2.0.0 (not wanted) and must not return\n      [tombstone-returned]"),
        "{said}"
    );
}

/// Every value is taken still, and the policy calls it loosened.
#[test]
fn no_value_is_gone_from_where_any_value_is_taken() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    passes(&place, &api::<opened::Thing>("v1.1.0"));
}

#[test]
fn one_line_serves_every_place_where_a_type_stands() {
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<whole::Case>());
    let line = line_of("mod terse ", "pub struct Part");
    let said = wrong(&place, &api::<terse::Thing>("v2.0.0").resource::<terse::Case>());
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
    assert_eq!(said, expected);
    let buried = api::<terse_buried::Thing>("v2.0.0").resource::<terse_buried::Case>();
    let said = wrong(&place, &buried);
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(said.contains("the ledger does not know it; the\n      same at"), "{said}");
    assert!(add(&place, &buried).ends_with("3 tombstones added\n"));
    passes(&place, &buried);
}

#[test]
fn a_resource_that_is_gone_needs_the_command() {
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<whole::Case>());
    let thing = api::<whole::Thing>("v2.0.0");
    let said = wrong(&place, &thing);
    let expected = "  boxes.things.example.com
    error: the resource is gone; v1.0.0 had it last, and it has no tombstone [tombstone-missing]
      fix: Take it back, or record it, with `--replacement CRD` if another one takes over:
      cargo xtask tombstones add --kind resource --crd boxes.things.example.com --removed v2.0.0 --reason '…'
";
    assert_eq!(said, expected);
    assert_eq!(
        obey(&place, &thing, &said).out,
        "resource boxes.things.example.com: removed in v2.0.0: not wanted\n1 tombstone added\n"
    );
    passes(&place, &thing);
    place.publish(&thing);
    let said = wrong(&place, &api::<whole::Thing>("v2.1.0").resource::<whole::Case>());
    assert!(
        said.contains(
            "error: the resource was removed in v2.0.0 (not wanted) and must not return [tombstone-returned]"
        ),
        "{said}"
    );
    let line = line_of("mod whole", "pub struct Case");
    assert!(said.contains(&format!("      gen/cli/tests/tombstones.rs:{line}\n")), "{said}");
}

#[test]
fn an_api_version_that_is_gone_needs_the_command() {
    let place = place_with(&api::<older::Newer>("v1.0.0").resource::<older::Thing>());
    let thing = api::<whole::Thing>("v2.0.0");
    let said = wrong(&place, &thing);
    let command = format!(
        "      cargo xtask tombstones add --kind version --crd {CRD} --name v1beta1 --removed v2.0.0 --reason '…'\n"
    );
    assert!(said.ends_with(&format!("      fix: Take it back, or record it:\n{command}")), "{said}");
    obey(&place, &thing, &said);
    passes(&place, &thing);
    place.publish(&thing);
    let said = wrong(&place, &api::<older::Newer>("v2.1.0").resource::<older::Thing>());
    assert!(
        said.contains("error: the API version v1beta1 was removed in v2.0.0 (not wanted) and must not return"),
        "{said}"
    );
    let line = line_of("mod older", "pub struct Thing");
    assert!(said.contains(&format!("      gen/cli/tests/tombstones.rs:{line}\n")), "{said}");
}

/// Some bundle of the history stored objects in it: not the baseline, which is what a comparison of two bundles would see.
#[test]
fn a_version_that_was_stored_once_goes_with_a_declared_migration_only() {
    let place = place_with(&api::<older::Stored>("v1.0.0").resource::<whole::Thing>());
    place.publish(&api::<older::Newer>("v1.1.0").resource::<older::Thing>());
    let thing = api::<whole::Thing>("v2.0.0");
    let ran = check(&place, &thing, &[]);
    assert!(
        ran.out.contains("    refused: the API version was removed, and bundles stored objects in it: "),
        "{}",
        ran.out
    );
    let said = wrong(&place, &thing);
    assert!(
        said.contains(
            "      fix: Take it back, or record it, with `--migrated` once no object is stored in it any more:\n"
        ),
        "{said}"
    );
    let arguments =
        ["tombstones", "add", "--kind", "version", "--crd", CRD, "--name", "v1beta1", "--removed", "v2.0.0"];
    let ran = place.run(&thing, &[&arguments as &[&str], &["--reason", "v1 has all of it", "--migrated"]].concat());
    assert_eq!(
        ran.out,
        format!(
            "version v1beta1 of {CRD}: removed in v2.0.0: v1 has all of it; nothing is stored in it\n1 tombstone added\n"
        )
    );
    passes(&place, &thing);
}

/// The same name on the wire, whatever else is new: the name and type in Rust, the struct, the type of the value, the channel.
#[test]
fn a_removed_name_never_comes_back() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    add(&place, &api::<buried::Thing>("v2.0.0"));
    place.publish(&api::<buried::Thing>("v2.0.0"));
    let line = line_of("mod returned", "pub paint");
    assert_eq!(
        wrong(&place, &api::<returned::NewThing>("v2.1.0")),
        format!(
            "  {CRD} spec.colour
    error: the field `colour` was removed in v2.0.0 (not wanted) and must not return
      [tombstone-returned]
      fix: Choose another name.
      gen/cli/tests/tombstones.rs:{line}
"
        )
    );
    // As it was, where the marker is forgotten.
    let said = wrong(&place, &api::<whole::Thing>("v2.1.0"));
    assert!(said.contains("the field `colour` was removed in v2.0.0 (not wanted) and must not return"), "{said}");
    // In another API version, by a struct that is flattened into the one that had it.
    let said = wrong(&place, &api::<versioned::Stored>("v2.1.0").resource::<versioned::Thing>());
    let line = line_of("mod versioned", "pub colour");
    let expected = format!(
        "must not return\n      [tombstone-returned]\n      fix: Choose another name.\n      gen/cli/tests/tombstones.rs:{line}\n"
    );
    assert!(said.ends_with(&expected), "{said}");
    // Ten bundles later too, and without any bundle that had it.
    let place = Place::new();
    place.write(LEDGER, format!("tombstones:\n- {{kind: field, crd: {CRD}, path: spec, name: colour, removed: v0.1.0, reason: old, replacement: paint}}\n"));
    let ran = check(&place, &api::<whole::Thing>("v1.0.0"), &[]);
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.out.contains("the field `colour` was removed in v0.1.0 (old) and must not return"), "{}", ran.out);
    assert!(ran.out.contains("fix: Choose another name; `paint` took over from this one.\n"), "{}", ran.out);
    // Where the path ends and the name begins does not matter; another CRD or path does.
    for (crd, path, name, exit) in [
        (CRD, "", "spec.colour", Exit::Findings),
        ("others.things.example.com", "spec", "colour", Exit::Fine),
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

/// A tombstone of a field serves for all that stood below it; what comes back below another name is another name.
#[test]
fn what_stood_below_goes_with_it() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let lacking = api::<lacking::Thing>("v2.0.0");
    // The values of the colour are not asked for.
    assert_eq!(wrong(&place, &lacking).matches("error: ").count(), 1);
    place.write(
        LEDGER,
        format!("tombstones:\n- {{kind: field, crd: {CRD}, name: spec, removed: v2.0.0, reason: all of it}}\n"),
    );
    let said = wrong(&place, &lacking);
    assert!(said.contains("the field `spec` was removed in v2.0.0 (all of it) and must not return"), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
}

#[test]
fn a_kind_that_graduates_into_another_group_is_replaced() {
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<moved::XShelf>());
    let shelf = api::<whole::Thing>("v1.1.0").resource::<moved::Shelf>();
    let said = wrong(&place, &shelf);
    let command = "      cargo xtask tombstones add --kind resource --crd xshelfs.things.example-x.com --removed v1.1.0 --reason '…'\n";
    assert!(said.contains("with `--replacement shelves.things.example.com` if that takes\n        over:\n"), "{said}");
    assert!(said.ends_with(command), "{said}");
    // A rename is never assumed: without the replacement the shelf is a resource that experimental never had.
    let ran = check(&place, &shelf, &[]);
    assert!(ran.out.contains("finding: the resource was added, and experimental does not have it"), "{}", ran.out);
    let replaced = said.replace("--reason", "--replacement shelves.things.example.com --reason");
    let ran = obey(&place, &shelf, &replaced);
    assert_eq!(
        ran.out,
        "resource xshelfs.things.example-x.com: removed in v1.1.0: not wanted; replaced by shelves.things.example.com\n1 tombstone added\n"
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
    let said = wrong(&place, &api::<whole::Thing>("v1.2.0").resource::<moved::Shelf>().resource::<moved::XShelf>());
    assert!(
        said.contains("fix: Choose another name; `shelves.things.example.com` took over from this one.\n"),
        "{said}"
    );
}

/// A history that was imported has lost names long ago: what is asked for says when.
#[test]
fn what_went_long_ago_is_dated_by_the_bundle_that_lacked_it_first() {
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<moved::XShelf>());
    place.publish(&api::<lacking::Thing>("v2.0.0-rc.1"));
    place.publish(&api::<lacking::Thing>("v2.0.0").resource::<moved::Shelf>());
    place.publish(&api::<lacking::Thing>("v2.1.0").resource::<moved::Shelf>());
    let said = wrong(&place, &api::<lacking::Thing>("v2.2.0").resource::<moved::Shelf>());
    assert!(
        said.contains("v1.0.0 had it last") && said.contains("/// +tombstone:name=colour,removed=v2.0.0,"),
        "{said}"
    );
    // The shelf was not there when the old one was, so it may have taken over.
    assert!(said.contains("`--replacement shelves.things.example.com` if that takes"), "{said}");
    assert!(said.contains("--crd xshelfs.things.example-x.com --removed v2.0.0 --reason '…'\n"), "{said}");
}

#[test]
fn marker_and_ledger_must_not_contradict_each_other() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let entry = |removed: &str, more: &str| {
        format!(
            "tombstones:\n- {{kind: field, crd: {CRD}, path: spec, name: colour, removed: {removed}, reason: worded otherwise{more}}}\n"
        )
    };
    let buried = api::<buried::Thing>("v2.0.0");
    place.write(LEDGER, entry("v2.0.0", ""));
    passes(&place, &buried);
    let marker = line_of("mod buried", "/// +tombstone");
    for (removed, more, said) in [
        ("v1.5.0", "", "removed in v1.5.0"),
        ("v2.0.0", ", replacement: paint", "removed in v2.0.0, replaced by paint"),
    ] {
        place.write(LEDGER, entry(removed, more));
        let words = wrong(&place, &buried).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words,
            format!(
                "{CRD} spec.colour error: the types and the ledger contradict each other on `colour`: the marker has removed in v2.0.0, the ledger {said} [tombstone-unrecorded] fix: Change the marker to match bundles/tombstones.yaml: entries of the ledger never change. gen/cli/tests/tombstones.rs:{marker}"
            )
        );
        // Adding changes nothing of it.
        assert_eq!(add(&place, &buried), "the ledger has all that the types declare\n");
        assert_eq!(place.read(LEDGER), entry(removed, more));
    }
}

/// The digest of an entry, by its definition: its keys with their values as JSON, one to a line, by key.
fn digest(entry: &[(&str, &str)]) -> String {
    let mut lines = entry.iter().map(|(key, value)| format!("{key}={}\n", json!(value))).collect::<Vec<_>>();
    lines.sort();
    Digest::of(lines.concat()).to_string()
}

/// What a release will do, which is not there yet: the manifest of a bundle says how the ledger was.
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
    // A later bundle says the same, and is not told again.
    place.publish(&buried);
    released_with(&place, "v2.0.1", &[(&format!("field spec.colour of {CRD}"), &entry)]);
    let buried = api::<buried::Thing>("v2.0.2");
    passes(&place, &buried);

    // How it is laid out does not matter, and more may come.
    let flow = format!(
        "tombstones: [{{removed: v2.0.0, name: colour, path: spec, kind: field, crd: {CRD}, reason: not wanted}}, {{kind: resource, crd: a.b, removed: v2.0.1, reason: c}}]\n"
    );
    place.write(LEDGER, flow);
    passes(&place, &buried);

    let id = format!("the tombstone of the field spec.colour of {CRD}");
    let put_back = "[tombstone-altered] fix: Put the entry back as it was. bundles/tombstones.yaml:1";
    let altered = format!("error: {id} says something else than when v2.0.0 was released with it {put_back}");
    let unwrapped = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (from, to) in
        [("reason: not wanted", "reason: .."), ("reason: not wanted", "reason: not wanted\n  replacement: paint")]
    {
        place.write(LEDGER, ledger.replace(from, to));
        let said = unwrapped(wrong(&place, &buried));
        assert!(said.starts_with(&altered), "{said}");
        assert_eq!(said.matches(&id).count(), 1, "{said}");
    }
    let lost = format!(
        "error: {id} is gone from the ledger; v2.0.0 was released with it [tombstone-lost] fix: Put the entry back as it was. bundles/tombstones.yaml:1"
    );
    place.write(LEDGER, "tombstones: []\n");
    let said = unwrapped(wrong(&place, &buried));
    assert!(said.contains(&lost), "{said}");
    fs::remove_file(place.path().join(LEDGER)).unwrap();
    assert!(unwrapped(wrong(&place, &buried)).contains(&lost));
    // Adding it anew by the marker is putting it back.
    add(&place, &buried);
    passes(&place, &buried);
}

#[test]
fn the_ledger_is_listed() {
    let place = Place::new();
    let thing = api::<whole::Thing>("v1.0.0");
    let list = |arguments: &[&str]| {
        let before = place.tree();
        let ran = place.run(&thing, &[&["tombstones", "list"], arguments].concat());
        assert_untouched(&before, &place.tree());
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
version v1alpha1 of a.example.com: removed in v1.2.0: g; nothing is stored in it
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
fn a_ledger_that_cannot_be_read_is_told_by_line() {
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
        "5: `removed` must be a text: put 1.0 into quotes",
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
        "18: `name` must be a text: put 3 into quotes",
        "19: an entry must have keys, such as `reason: …`",
    ];
    for arguments in [&["tombstones", "list"] as &[&str], &["tombstones", "add"], &["check"]] {
        let before = place.tree();
        let ran = place.run(&thing, arguments);
        assert_untouched(&before, &place.tree());
        assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{arguments:?}");
        let expected = expected.map(|line| format!("error: {LEDGER}:{line}"));
        assert_eq!(ran.err.lines().collect::<Vec<_>>(), expected, "{arguments:?}");
    }
    let ran = place.run(&thing, &["tombstones", "list", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &document["tombstones"]), (Exit::Unusable, &json!([])));
    let error = &document["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&json!(LEDGER), &json!(3)));
    // In CI it stands at its line.
    let ran = check(&place, &thing, &["--format", "github"]);
    assert!(
        ran.out.starts_with("::error file=bundles/tombstones.yaml,line=3,title=tombstone-malformed::"),
        "{}",
        ran.out
    );
}

#[test]
fn arguments_that_describe_no_tombstone() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let thing = api::<whole::Thing>("v2.0.0");
    let refused = |arguments: &str, words: &[&str]| {
        let before = place.tree();
        let arguments =
            ["tombstones", "add"].into_iter().map(str::to_owned).chain(self::words(arguments)).collect::<Vec<_>>();
        let ran = place.run(&thing, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
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
    assert!(ran.err.contains("Usage: cargo xtask tombstones <COMMAND>"), "{}", ran.err);
}

#[test]
fn tombstones_are_added_once_and_what_nobody_ever_had_is_noted() {
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
    // Twice is once.
    let before = place.tree();
    let ran = add("colour", "spec", &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert_eq!(ran.err, format!("error: {LEDGER}: already has a tombstone for the field spec.colour of {CRD}\n"));
    // So it is where the name is said to begin further up.
    let ran = add("spec.colour", "", &[]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert!(ran.err.contains(&format!("already has a tombstone for the field spec.colour of {CRD}")), "{}", ran.err);
    let ran = add("colour", "spec", &["--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &document["added"]), (Exit::Unusable, &json!([])));
    assert!(document["errors"][0]["message"].as_str().unwrap().contains("already has a tombstone"), "{document}");
    assert_untouched(&before, &place.tree());
    // What nobody ever had is added and noted: a bundle that is not here may have had it.
    let ran = add("color", "spec", &[]);
    let note = format!(
        "note: no bundle in `bundles` ever had the field spec.color of {CRD}: see that it is spelt as on the wire\n"
    );
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, &*note));
    // What stands there stays as it is.
    assert!(place.read(LEDGER).starts_with(&ledger));
}

#[test]
fn comments_in_the_ledger_stay_when_something_is_added() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let buried = api::<buried::Thing>("v2.0.0");
    let mine = "# Ours.\ntombstones:\n# The first one, see issue 12.\n- {kind: resource, crd: a.example.com, removed: v0.5.0, reason: b}";
    place.write(LEDGER, mine);
    add(&place, &buried);
    let entry =
        format!("- crd: {CRD}\n  kind: field\n  name: colour\n  path: spec\n  reason: not wanted\n  removed: v2.0.0\n");
    assert_eq!(place.read(LEDGER), format!("{mine}\n{entry}"));
    // Where that is not possible it is written as we write it; nothing is lost but comments and layout.
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

/// The line that `check` suggests has no reason yet.
#[test]
fn a_reason_that_says_nothing_is_not_recorded() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let hesitant = api::<hesitant::Thing>("v2.0.0");
    let before = place.tree();
    let ran = place.run(&hesitant, &["tombstones", "add"]);
    let line = |field: &str| line_of("mod hesitant", &format!("/// +tombstone:name={field}"));
    let told = |field: &str, reason: &str| {
        format!(
            "error: gen/cli/tests/tombstones.rs:{}: the tombstone of the field spec.{field} of {CRD}: the reason `{reason}` says nothing: say why the name must not return\n",
            line(field)
        )
    };
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    assert_eq!(ran.err, format!("{}{}", told("colour", "…"), told("side", "TODO")));
    let ran = place.run(&hesitant, &["tombstones", "add", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.exit, &document["added"]), (Exit::Unusable, &json!([])));
    let places = document["errors"].as_array().unwrap().iter().map(|error| &error["line"]).collect::<Vec<_>>();
    assert_eq!(places, [&json!(line("colour")), &json!(line("side"))]);
    let add = |reason: &str| {
        let arguments = ["tombstones", "add", "--kind", "field", "--crd", CRD, "--path", "spec", "--name", "colour"];
        let lacking = api::<lacking::Thing>("v2.0.0");
        place.run(&lacking, &[&arguments as &[&str], &["--removed", "v2.0.0", "--reason", reason]].concat())
    };
    for reason in ["…", "...", "TODO", "tbd", "-", "—", "Todo: …"] {
        let ran = add(reason);
        let words = format!(
            "the arguments do not describe a tombstone: the reason `{reason}` says nothing: say why the name must not return"
        );
        assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: {words}\n")));
    }
    assert_untouched(&before, &place.tree());
    // What is in the ledger already stays, and is read.
    let entry = format!("crd: {CRD}, path: spec, removed: v2.0.0");
    place.write(
        LEDGER,
        format!("tombstones:\n- {{kind: field, name: colour, reason: …, {entry}}}\n- {{kind: field, name: side, reason: TODO, {entry}}}\n"),
    );
    let ran = place.run(&hesitant, &["tombstones", "list"]);
    assert!((ran.exit, &*ran.err) == (Exit::Fine, "") && ran.out.ends_with("\n2 tombstones\n"), "{ran:?}");
    let added = self::add(&place, &hesitant);
    assert_eq!(added, format!("field spec.note of {CRD}: removed in v2.0.0: moved\n1 tombstone added\n"));
}

/// The ledger only grows, so what cannot be meant must not come into it.
#[test]
fn what_is_there_and_what_never_was_is_not_recorded() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    let lacking = api::<lacking::Thing>("v2.0.0");
    let refused = |arguments: &[&str], words: &str| {
        let before = place.tree();
        let add = ["tombstones", "add", "--removed", "v2.0.0", "--reason", "none"];
        let ran = place.run(&lacking, &[&add as &[&str], arguments].concat());
        assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", &*format!("error: {words}\n")));
        let ran = place.run(&lacking, &[&add as &[&str], arguments, &["--format", "json"]].concat());
        let document: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.exit, &document["added"], &document["notes"]), (Exit::Unusable, &json!([]), &json!([])));
        assert_eq!(document["errors"][0]["message"], words);
        assert_untouched(&before, &place.tree());
    };
    let there = |name: &str| {
        format!(
            "the types still have the {name}, and a tombstone, which is never removed again, is for what is gone: take it out of the types first"
        )
    };
    let field = ["--kind", "field", "--crd", CRD];
    refused(
        &[&field[..], &["--path", "spec", "--name", "size"]].concat(),
        &there(&format!("field spec.size of {CRD}")),
    );
    // Wherever its path ends.
    refused(&[&field[..], &["--name", "spec.size"]].concat(), &there(&format!("field spec.size of {CRD}")));
    refused(&["--kind", "version", "--crd", CRD, "--name", "v1"], &there(&format!("version v1 of {CRD}")));
    refused(&["--kind", "resource", "--crd", CRD], &there(&format!("resource {CRD}")));
    let never = |crd: &str, meant: &str| {
        format!(
            "no bundle in `bundles` and no type ever had the CRD {crd}: see that it is spelt as on the wire, its plural and group, or `import` a bundle that had it{meant}"
        )
    };
    let crd = "thing.things.example.com";
    refused(
        &["--kind", "field", "--crd", crd, "--path", "spec", "--name", "colour"],
        &never(crd, &format!(". Did you mean {CRD}?")),
    );
    refused(&["--kind", "resource", "--crd", "pods.elsewhere.org"], &never("pods.elsewhere.org", ""));
    // One that only an older bundle had is known.
    let place = place_with(&api::<whole::Thing>("v1.0.0").resource::<whole::Case>());
    place.publish(&api::<whole::Thing>("v2.0.0"));
    let arguments =
        ["--kind", "resource", "--crd", "boxes.things.example.com", "--removed", "v2.0.0", "--reason", "none"];
    let ran = place.run(&api::<whole::Thing>("v2.0.1"), &[&["tombstones", "add"], &arguments[..]].concat());
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
}

/// YAML takes some texts for something else, which is why they are quoted.
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
fn two_additions_at_once_do_not_lose_each_other() {
    let place = place_with(&api::<whole::Thing>("v1.0.0"));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                let name = format!("field{number}");
                let arguments = [
                    "tombstones",
                    "add",
                    "--kind",
                    "field",
                    "--crd",
                    CRD,
                    "--name",
                    &name,
                    "--removed",
                    "v2.0.0",
                    "--reason",
                    "x",
                ];
                let ran = place.run(&api::<whole::Thing>("v2.0.0"), &arguments);
                assert_eq!(ran.exit, Exit::Fine, "{}", ran.err);
            });
        }
    });
    let ran = place.run(&api::<whole::Thing>("v2.0.0"), &["tombstones", "list"]);
    assert!(ran.out.ends_with("\n8 tombstones\n"), "{}", ran.out);
}
