//! The profile `semver`, and catalogues with one channel: `generate`, `check`, `release`, `import` and `diff`.
//!
//! The API is an operator's: Lamp in `v1` and `v1alpha1`, with one set of CRDs.

use std::fs;

use crd_channels::api;
use crd_channels_cli::{Catalogue, Exit};
use crd_generate::settings::{FILE_NAME, Settings};
use serde_json::{Value, json};

use crate::support::{Place, Ran, good, line_of, program, published, root, things_of, with};

/// An operator's API: the specs of its two versions.
macro_rules! lamp {
    ($name:ident, $(#[$owner:meta])* { $($stable:tt)* } { $($alpha:tt)* }) => {
        #[allow(unreachable_pub, reason = "the types are written as an author writes them")]
        mod $name {
            use super::*;

            root!(
                /// A lamp.
                ///
                /// +kubebuilder:storageversion
                Lamp, "v1", "Lamp", LampSpec
            );

            $(#[$owner])*
            #[api]
            pub struct LampSpec { $($stable)* }

            root!(
                /// A lamp.
                AlphaLamp, "v1alpha1", "Lamp", AlphaLampSpec
            );

            $(#[$owner])*
            #[api]
            pub struct AlphaLampSpec { $($alpha)* }

            pub fn catalogue(version: &str) -> Catalogue {
                one_channel(version).resource::<Lamp>().resource::<AlphaLamp>()
            }
        }
    };
}

lamp!(first, {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
} {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
});

lamp!(coloured, {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
    pub colour: Option<String>,
} {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
    pub colour: Option<String>,
});

lamp!(tighter, {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
    pub colour: Option<String>,
} {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
    pub colour: Option<String>,
});

lamp!(without_colour, {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
} {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
});

lamp!(buried,
    /// +tombstone:name=colour,removed=v0.3.0,reason="light has none"
    {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
} {
    /// +kubebuilder:validation:Maximum=60
    /// +kubebuilder:default=40
    pub watts: Option<i32>,
});

lamp!(wider_later,
    /// +tombstone:name=colour,removed=v0.3.0,reason="light has none"
    {
    /// +kubebuilder:validation:Maximum=70
    pub watts: Option<i32>,
} {
    /// +kubebuilder:validation:Maximum=70
    /// +kubebuilder:default=40
    pub watts: Option<i32>,
});

lamp!(tighter_later,
    /// +tombstone:name=colour,removed=v0.3.0,reason="light has none"
    {
    /// +kubebuilder:validation:Maximum=50
    pub watts: Option<i32>,
} {
    /// +kubebuilder:validation:Maximum=50
    /// +kubebuilder:default=40
    pub watts: Option<i32>,
});

lamp!(alpha_default_later,
    /// +tombstone:name=colour,removed=v0.3.0,reason="light has none"
    {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
} {
    /// +kubebuilder:validation:Maximum=60
    /// +kubebuilder:default=50
    pub watts: Option<i32>,
});

lamp!(retyped, {
    pub watts: Option<String>,
    pub colour: Option<String>,
} {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
    pub colour: Option<String>,
});

/// What a catalogue with one channel does not publish.
mod marked {
    use super::*;

    root!(
        /// A lamp.
        Lamp, "v1", "Lamp", LampSpec
    );

    #[api]
    pub struct LampSpec {
        /// +experimental
        pub colour: Option<String>,
        pub shape: Option<Shape>,
        /// +experimental:kubebuilder:validation:Maximum=10
        /// +standard:kubebuilder:validation:Minimum=1
        pub watts: Option<i32>,
        pub parts: Option<Vec<Part>>,
    }

    #[api]
    pub enum Shape {
        Bulb,
        /// +experimental
        Tube,
    }

    /// +experimental
    #[api]
    pub struct Part {
        pub name: Option<String>,
    }

    root!(
        /// A lamp.
        ///
        /// +experimental
        Lantern, "v1", "Lantern"
    );
}

const LAMPS: &str = "things.example.com_lamps.yaml";

const ONE_CHANNEL: &str = "profile: semver\nchannels: [standard]\n";

fn nothing(version: &str) -> Catalogue {
    Catalogue::new(Settings::new("things.example.com", version.parse().unwrap()))
}

/// The catalogue of an ordinary project.
fn one_channel(version: &str) -> Catalogue {
    with(&nothing(version), ONE_CHANNEL)
}

#[track_caller]
fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// The report of `check`.
#[track_caller]
fn check(place: &Place, catalogue: &Catalogue) -> (Exit, Value) {
    let ran = place.run_unchanged(catalogue, &["check", "--format", "json"]);
    (ran.exit, document(&ran))
}

#[track_caller]
fn generate(place: &Place, catalogue: &Catalogue) {
    let ran = place.run(catalogue, &["generate"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""), "{ran:?}");
}

/// Generates the CRDs and releases them.
#[track_caller]
fn release(place: &Place, catalogue: &Catalogue, version: &str, arguments: &[&str]) -> Ran {
    generate(place, catalogue);
    let arguments = [&["release", version, "--date", "2026-01-01"], arguments].concat();
    place.run(catalogue, &arguments)
}

#[track_caller]
fn released(place: &Place, catalogue: &Catalogue, version: &str) -> Ran {
    let ran = release(place, catalogue, version, &[]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    ran
}

#[test]
fn one_channel_is_generated_with_its_alpha_versions() {
    let place = Place::with(&first::catalogue("v0.1.0"));
    assert!(place.file("standard", LAMPS).is_file() && !place.file("experimental", "").exists());
    let crd = crd_model::yaml::read(&fs::read_to_string(place.file("standard", LAMPS)).unwrap()).unwrap().remove(0);
    let versions = crd["spec"]["versions"].as_array().unwrap().iter();
    let versions = versions.map(|version| json!([version["name"], version["served"], version["storage"]]));
    assert_eq!(versions.collect::<Vec<_>>(), [json!(["v1", true, true]), json!(["v1alpha1", true, false])]);
    let ran = place.run_unchanged(&first::catalogue("v0.1.0"), &["generate", "--check", "--format", "json"]);
    assert_eq!((ran.exit, document(&ran)["channels"].as_array().unwrap().len()), (Exit::Fine, 1));

    // A resource with alpha versions only is in standard. With the default profile it is in experimental only.
    let alpha = nothing("v0.1.0").resource::<good::Shelf>();
    let place = Place::with(&alpha);
    let shelf = "things.example.com_shelves.yaml";
    assert!(!place.file("standard", shelf).exists() && place.file("experimental", shelf).is_file());
    generate(&place, &with(&alpha, "profile: api-guide"));
    assert!(!place.file("standard", shelf).exists());
    generate(&place, &with(&alpha, "profile: semver"));
    assert!(place.file("standard", shelf).is_file() && place.file("experimental", shelf).is_file());
    // Files of a channel that the settings no longer have are removed.
    let ran = place.run_unchanged(&with(&alpha, ONE_CHANNEL), &["generate", "--check"]);
    assert_eq!(ran.exit, Exit::Stale, "{ran:?}");
    assert!(ran.out.contains(&format!("bundles/unreleased/experimental/{shelf} belongs to no type\n")), "{ran:?}");
    generate(&place, &with(&alpha, ONE_CHANNEL));
    assert!(place.file("standard", shelf).is_file() && !place.file("experimental", shelf).exists());
}

#[test]
fn what_no_channel_has_is_an_error_at_its_line() {
    let place = Place::new();
    let ran = place
        .run_unchanged(&one_channel("v0.1.0").resource::<marked::Lamp>().resource::<marked::Lantern>(), &["generate"]);
    assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""));
    let line = |part: &str| line_of(include_str!("semver.rs"), "mod marked {", part);
    let help = "remove the channel from the marker, or add it to `channels` in the settings";
    let expected = [
        (line("pub colour"), "LampSpec.colour: the field `colour` is in no channel of the settings"),
        (line("+experimental:kube"), "LampSpec: the marker applies in no channel of the settings"),
        (line("Tube,"), "Shape: the value `Tube` is in no channel of the settings"),
        (line("pub struct Part"), "Part: the type `Part` is in no channel of the settings"),
        (line("Lantern, "), "Lantern: the type `Lantern` is in no channel of the settings"),
    ];
    let mut lines = ran.err.lines().collect::<Vec<_>>();
    lines.sort_unstable();
    let mut expected =
        expected.map(|(line, words)| format!("error: gen/cli/tests/semver.rs:{line}: {words}. {help}")).to_vec();
    expected.sort_unstable();
    assert_eq!(lines, expected);
    // With two channels, all of it is published.
    let two = with(&nothing("v0.1.0"), "profile: semver");
    let ran = place.run(&two.resource::<marked::Lamp>().resource::<marked::Lantern>(), &["generate"]);
    assert!(ran.exit == Exit::Fine && ran.out.contains("experimental  2 CRDs, 2 versions"), "{ran:?}");
}

#[test]
fn channels_and_profile_must_fit() {
    let place = Place::new();
    let from_file = Catalogue::default().resource::<first::Lamp>();
    place.write(FILE_NAME, "prefix: things.example.com\nversion: v0.1.0\nchannels: [standard]\n");
    let words = "error: crd-channels.yaml:3: the profile `gep-922` needs the channel experimental. add `profile: semver`, or the channel experimental\n";
    for command in [&["generate"] as &[&str], &["check"], &["release", "v0.1.0", "--date", "2026-01-01"]] {
        let ran = place.run_unchanged(&from_file, command);
        assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Unusable, "", words), "{command:?} {ran:?}");
    }
    place.write(FILE_NAME, format!("prefix: things.example.com\nversion: v0.1.0\n{ONE_CHANNEL}"));
    generate(&place, &from_file);
    let ran = place.run_unchanged(&first::catalogue("v0.1.0"), &["generate", "--channel", "experimental"]);
    let words = "the settings do not have the channel experimental. add it to `channels` in `crd-channels.yaml`";
    assert_eq!((ran.exit, &*ran.err), (Exit::Unusable, &*format!("error: {words}\n")));
    generate(&place, &first::catalogue("v0.1.0"));
    let ran = place.run_unchanged(&first::catalogue("v0.1.0"), &["generate", "--channel", "standard", "--check"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}

/// From the first release to v2.0.0: each step has the version that it needs, and a smaller one is refused.
#[test]
fn a_project_with_one_channel_from_v0_1_0_to_v2_0_0() {
    let place = Place::new();
    let ran = released(&place, &first::catalogue("v0.1.0"), "v0.1.0");
    assert!(ran.out.starts_with("v0.1.0  the first bundle: there is no baseline; released 2026-01-01"), "{ran:?}");
    let manifest = place.read("bundles/v0.1.0/bundle.yaml");
    assert!(
        manifest.contains("channels:\n- standard\nfiles:\n") && manifest.contains("\nprofile: semver\n"),
        "{manifest}"
    );
    let mut dist =
        fs::read_dir(place.path().join("dist")).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    dist.sort();
    assert_eq!(
        dist,
        [
            "SHA256SUMS",
            "reference.html",
            "release-notes.md",
            "standard-install.yaml",
            "things-standard-0.1.0.tgz",
            "things-v0.1.0.cdx.json",
            "things-v0.1.0.tar.gz",
        ]
    );
    let install = place.read("dist/standard-install.yaml");
    let head = install.split("---").next().unwrap();
    let notes = place.read("dist/release-notes.md");
    for text in [head, &notes] {
        assert!(!text.contains("less stable channel") && !text.contains("takes one channel"), "{text}");
        assert!(text.contains("the whole API"), "{text}");
    }
    assert!(head.contains("# The policies refuse an older bundle over a newer one."), "{head}");
    // The same again is the same bundle.
    let ran = released(&place, &first::catalogue("v0.1.0"), "v0.1.0");
    assert!(ran.out.contains("bundles/v0.1.0: 3 files, ") && ran.out.contains(", unchanged\n"), "{ran:?}");

    // Below v1.0.0, an addition is a patch.
    let (exit, report) = check(&place, &coloured::catalogue("v0.1.1"));
    assert_eq!((exit, &report["verdict"], &report["needed"]), (Exit::Fine, &json!("patch"), &json!("v0.1.1")));
    assert_eq!(
        (&report["profile"], &report["profileReason"]),
        (&json!("semver"), &json!("`crd-channels.yaml` declares it"))
    );
    let channels = json!([{"channel": "standard", "judged": true, "reason": null, "verdict": "patch"}]);
    assert_eq!((&report["channels"], &report["notes"]), (&channels, &json!([])));
    released(&place, &coloured::catalogue("v0.1.1"), "v0.1.1");
    // A change that breaks users is a minor. `--allow-major` is not needed.
    let (exit, report) = check(&place, &tighter::catalogue("v0.1.2"));
    assert_eq!((exit, &report["verdict"], &report["needed"]), (Exit::Findings, &json!("minor"), &json!("v0.2.0")));
    let ran = release(&place, &tighter::catalogue("v0.1.2"), "v0.1.2", &[]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    assert!(
        ran.err.contains("error: `check` reports errors for v0.1.2. fix or waive the findings, or release v0.2.0\n")
    );
    // `--profile` overrides the catalogue.
    let ran = release(&place, &tighter::catalogue("v0.2.0"), "v0.2.0", &["--profile", "gep-922"]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    assert!(
        ran.err.contains("error: `check` reports errors for v0.2.0. fix or waive the findings, or release v1.0.0\n")
    );
    let ran = released(&place, &tighter::catalogue("v0.2.0"), "v0.2.0");
    assert!(ran.out.starts_with("v0.2.0  over v0.1.1: minor, standard minor; released 2026-01-01"), "{ran:?}");
    // What is refused stays refused.
    let (exit, report) = check(&place, &retyped::catalogue("v0.3.0"));
    assert_eq!((exit, &report["verdict"], &report["needed"]), (Exit::Findings, &json!("refused"), &Value::Null));

    // A removed name needs a tombstone, also here.
    let (exit, report) = check(&place, &without_colour::catalogue("v0.3.0"));
    let problems = report["problems"].as_array().unwrap().iter().map(|problem| &problem["kind"]).collect::<Vec<_>>();
    assert_eq!((exit, &report["verdict"]), (Exit::Findings, &json!("minor")));
    assert!(!problems.is_empty() && problems.iter().all(|kind| **kind == json!("tombstone-missing")), "{problems:?}");
    let ran = release(&place, &without_colour::catalogue("v0.3.0"), "v0.3.0", &[]);
    assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
    let ran = place.run(&buried::catalogue("v0.3.0"), &["tombstones", "add"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    released(&place, &buried::catalogue("v0.3.0"), "v0.3.0");
    // A name with a tombstone never returns.
    let (exit, report) = check(&place, &tighter::catalogue("v0.4.0"));
    let returned = |problem: &Value| problem["kind"] == "tombstone-returned";
    assert!(exit == Exit::Findings && report["problems"].as_array().unwrap().iter().any(returned), "{report}");

    // From v1.0.0 on, the same changes need a minor and a major.
    released(&place, &buried::catalogue("v1.0.0"), "v1.0.0");
    let (_, report) = check(&place, &wider_later::catalogue("v1.0.1"));
    assert_eq!((&report["verdict"], &report["needed"]), (&json!("minor"), &json!("v1.1.0")));
    let (exit, report) = check(&place, &tighter_later::catalogue("v1.1.0"));
    assert_eq!((exit, &report["verdict"], &report["needed"]), (Exit::Findings, &json!("major"), &json!("v2.0.0")));
    // In an alpha version, a minor is enough.
    let (exit, report) = check(&place, &alpha_default_later::catalogue("v1.1.0"));
    assert_eq!((exit, &report["verdict"], &report["needed"]), (Exit::Fine, &json!("minor"), &json!("v1.1.0")));
    let ran = release(&place, &tighter_later::catalogue("v2.0.0"), "v2.0.0", &[]);
    assert_eq!(ran.exit, Exit::Findings);
    assert!(ran.err.contains("error: v2.0.0 breaks users: the change requires a major bundle"), "{ran:?}");
    let ran = release(&place, &tighter_later::catalogue("v2.0.0"), "v2.0.0", &["--allow-major"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}

/// A file with the CRDs of a catalogue in standard. Without `stamps`, it has no annotations.
fn file(place: &Place, name: &str, catalogue: &Catalogue, stamps: bool) {
    let bundle = published(catalogue);
    let text = fs::read_to_string(bundle.path().join("standard").join(LAMPS)).unwrap();
    let is_stamp = |line: &&str| {
        line.contains("/bundle-version: ") || line.contains("/channel: ") || line.contains("annotations:")
    };
    place.write(
        name,
        text.lines().filter(|line| stamps || !is_stamp(line)).map(|line| format!("{line}\n")).collect::<String>(),
    );
}

#[test]
fn diff_names_the_profile_and_why_it_applies() {
    let place = Place::new();
    for (name, catalogue, stamps) in [
        ("old.yaml", coloured::catalogue("v1.0.0"), false),
        ("new.yaml", tighter::catalogue("v1.1.0"), false),
        ("old-stamped.yaml", coloured::catalogue("v1.0.0"), true),
        ("new-stamped.yaml", tighter::catalogue("v1.1.0"), true),
    ] {
        file(&place, name, &catalogue, stamps);
    }
    released(&place, &coloured::catalogue("v0.1.0"), "v0.1.0");
    released(&place, &tighter::catalogue("v0.2.0"), "v0.2.0");
    place.publish(&things_of("v0.9.0"));
    let catalogue = tighter::catalogue("v0.2.0");
    let is_noted = |ran: &Ran| ran.err.contains("note: profile ");
    let declares = |bundle: &str| format!("the manifest of {bundle} declares it");
    let stamped = "most CRDs are annotated with a channel, as those of Gateway API are";
    let without = "most CRDs are not annotated with a channel";
    for (catalogue, arguments, profile, reason, verdict, noted) in [
        // The CRDs of another project.
        (None, &["old.yaml", "new.yaml"] as &[&str], "semver", without.to_owned(), "major", true),
        (None, &["old-stamped.yaml", "new-stamped.yaml"], "gep-922", stamped.to_owned(), "major", true),
        (
            None,
            &["old.yaml", "new.yaml", "--profile", "api-guide"],
            "api-guide",
            "`--profile` selects it".to_owned(),
            "minor",
            false,
        ),
        // Manifests; the default profile has no key.
        (None, &["v0.1.0", "v0.2.0"], "semver", declares("v0.2.0"), "minor", true),
        (None, &["v0.9.0", "v0.9.0"], "gep-922", declares("v0.9.0"), "none", false),
        (None, &["v0.1.0", "new.yaml"], "semver", declares("v0.1.0"), "minor", true),
        (
            None,
            &["v0.1.0", "v0.2.0", "--profile", "gep-922"],
            "gep-922",
            "`--profile` selects it".to_owned(),
            "major",
            false,
        ),
        // The settings are for CRDs with their stamps.
        (
            Some(&catalogue),
            &["v0.1.0", "bundles/unreleased"],
            "semver",
            "`crd-channels.yaml` declares it".to_owned(),
            "minor",
            false,
        ),
        (
            Some(&catalogue),
            &["old-stamped.yaml", "new-stamped.yaml"],
            "semver",
            "`crd-channels.yaml` declares it".to_owned(),
            "major",
            false,
        ),
        (Some(&catalogue), &["old.yaml", "new.yaml"], "semver", without.to_owned(), "major", true),
    ] {
        let run = |format: &[&str]| {
            let arguments = [&["diff"], arguments, format].concat();
            match catalogue {
                Some(catalogue) => place.run_unchanged(catalogue, &arguments),
                None => program(&place, &arguments),
            }
        };
        let report = document(&run(&["--format", "json"]));
        let found = [&report["profile"], &report["profileReason"], &report["verdict"]];
        assert_eq!(found, [&json!(profile), &json!(reason), &json!(verdict)], "{arguments:?}");
        let text = run(&[]);
        assert!(text.out.lines().next().unwrap().contains(&format!(", profile {profile}")), "{arguments:?} {text:?}");
        assert_eq!(is_noted(&text), noted, "{arguments:?} {text:?}");
        let note = format!("profile {profile}, because {reason}; `--profile` selects another");
        assert_eq!(text.err.contains(&format!("note: {note}\n")), noted, "{arguments:?} {text:?}");
        assert_eq!(report["notes"].as_array().unwrap().contains(&json!(note)), noted, "{arguments:?} {report}");
        let github = run(&["--format", "github"]);
        assert!(
            github.out.lines().any(|line| line == format!("profile {profile}: {reason}")),
            "{arguments:?} {github:?}"
        );
    }
}

/// The profile of the candidate counts, and the difference is reported.
#[test]
fn diff_reports_another_profile_of_the_baseline() {
    let place = Place::new();
    released(&place, &tighter::catalogue("v0.2.0"), "v0.2.0");
    place.publish(&things_of("v0.9.0"));
    let ran = program(&place, &["diff", "v0.2.0", "v0.9.0"]);
    assert_eq!(ran.err, "note: the profile changed from semver in v0.2.0 to gep-922, which applies here\n");
    assert!(ran.out.starts_with("v0.2.0 → v0.9.0, profile gep-922\n"), "{ran:?}");
}

/// CRDs without a channel stamp belong to standard.
#[test]
fn crds_of_other_projects_need_no_channel() {
    let place = Place::new();
    file(&place, "old.yaml", &coloured::catalogue("v1.0.0"), false);
    file(&place, "new.yaml", &tighter::catalogue("v1.1.0"), false);
    for (ran, channel) in [
        (program(&place, &["diff", "old.yaml", "new.yaml"]), ""),
        (place.run_unchanged(&first::catalogue("v1.1.0"), &["diff", "old.yaml", "new.yaml"]), "standard "),
    ] {
        assert_eq!(ran.exit, Exit::Findings, "{ran:?}");
        let part = format!("  {channel}v1 spec.watts\n    major: the maximum was tightened");
        assert!(ran.out.contains(&part), "{ran:?}");
    }
    // A CRD with a channel next to one without.
    let two = fs::read_to_string(place.path().join("old.yaml")).unwrap().replace("lamps", "lanterns");
    file(&place, "stamped.yaml", &coloured::catalogue("v1.0.0"), true);
    place.write("mixed.yaml", format!("{two}---\n{}", place.read("stamped.yaml")));
    let ran = program(&place, &["diff", "mixed.yaml", "mixed.yaml", "--expect", "none"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}

#[test]
fn an_import_records_the_profile() {
    let place = Place::new();
    let catalogue = first::catalogue("v1.1.0");
    file(&place, "crds.yaml", &first::catalogue("v1.0.0"), false);
    file(&place, "stamped.yaml", &first::catalogue("v1.0.0"), true);
    let manifest = |version: &str| place.read(&format!("bundles/{version}/bundle.yaml"));
    // With one channel, its name is not needed.
    let ran = place.run(&catalogue, &["import", "stamped.yaml", "--version", "v1.0.0"]);
    assert_eq!((ran.exit, &*ran.out, &*ran.err), (Exit::Fine, "bundles/v1.0.0/standard: 1 CRD imported\n", ""));
    assert!(
        manifest("v1.0.0").contains("imported: true\nprofile: semver\nversion: v1.0.0\n"),
        "{}",
        manifest("v1.0.0")
    );
    let (exit, report) = check(&place, &catalogue);
    assert_eq!((exit, &report["baseline"]["version"], &report["notes"]), (Exit::Fine, &json!("v1.0.0"), &json!([])));
    let ran = program(&place, &["import", "crds.yaml", "--version", "v0.9.0"]);
    assert_eq!(ran.exit, Exit::Unusable);
    assert!(ran.err.contains("the channel of the CRDs is required. pass `--channel <CHANNEL>`"), "{ran:?}");
    // Without a catalogue: as for `diff`.
    let import = |path: &str, version: &str, more: &[&str]| {
        let arguments = [&["import", path, "--version", version, "--channel", "standard"], more].concat();
        program(&place, &arguments)
    };
    for (path, version, more, profile) in [
        ("crds.yaml", "v0.1.0", &[] as &[&str], Some("semver")),
        ("stamped.yaml", "v1.0.0", &[], Some("semver")),
        ("crds.yaml", "v0.2.0", &["--profile", "gep-922"], None),
        ("crds.yaml", "v0.3.0", &["--profile", "api-guide"], Some("api-guide")),
        // The manifest exists already.
        ("crds.yaml", "v0.2.0", &[], None),
        ("crds.yaml", "v0.3.0", &[], Some("api-guide")),
    ] {
        let ran = import(path, version, more);
        assert_eq!(ran.exit, Exit::Fine, "{version} {ran:?}");
        let line = manifest(version).lines().find_map(|line| line.strip_prefix("profile: ").map(str::to_owned));
        assert_eq!(line.as_deref(), profile, "{version}");
    }
    fs::remove_dir_all(place.path().join("bundles/v1.0.0")).unwrap();
    assert_eq!(import("stamped.yaml", "v1.0.0", &[]).exit, Exit::Fine);
    assert!(!manifest("v1.0.0").contains("profile"));
    // A bundle never changes.
    let ran = import("stamped.yaml", "v1.0.0", &["--profile", "semver"]);
    assert_eq!(ran.exit, Exit::Unusable, "{ran:?}");
    assert!(ran.err.contains("an existing bundle never changes"), "{ran:?}");
}

#[test]
fn another_profile_than_that_of_the_baseline_is_reported() {
    let place = Place::new();
    place.publish(&things_of("v1.2.0"));
    let semver = with(&things_of("v1.3.0"), "profile: semver");
    let ran = place.run_unchanged(&semver, &["check"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert_eq!(ran.err, "note: the profile changed from gep-922 in v1.2.0 to semver, which applies here\n");
    // Shelf, which has an alpha version only, is in standard now.
    assert!(ran.out.starts_with("v1.2.0 → the types (v1.3.0), profile semver\n"), "{ran:?}");
    assert!(
        ran.out.contains("shelves.things.example.com\n  standard\n    minor: the resource was added [name-added]\n"),
        "{ran:?}"
    );
    // The user names it, so there is no note.
    let ran = place.run_unchanged(&semver, &["check", "--profile", "gep-922"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Findings, ""), "{ran:?}");
    assert!(ran.out.contains("blocked: the resource is in standard and has only alpha versions"), "{ran:?}");
}

/// What only experimental had is removed, and needs tombstones.
#[test]
fn an_experimental_channel_does_not_end_unnoticed() {
    let place = Place::new();
    let two = with(&nothing("v1.0.0"), "profile: semver");
    place.publish(&two.resource::<good::Thing>());
    let only = one_channel("v1.1.0").resource::<plain::Thing>();
    let (exit, report) = check(&place, &only);
    assert_eq!(
        report["channels"],
        json!([
            {"channel": "standard", "judged": true, "reason": null, "verdict": "none"},
            {"channel": "experimental", "judged": false, "reason": "the candidate has no such channel", "verdict": null},
        ])
    );
    let problem = &report["problems"][0];
    assert_eq!(
        (exit, &problem["kind"], &problem["path"]),
        (Exit::Findings, &json!("tombstone-missing"), &json!("spec.volume"))
    );
}

/// `good` without its experimental field.
mod plain {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    #[api]
    pub struct ThingSpec {
        /// +kubebuilder:validation:Maximum=10
        pub size: Option<i32>,
    }
}
