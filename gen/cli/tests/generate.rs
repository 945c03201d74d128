//! `generate`: the files that it writes, the files that it leaves alone, and its output.

use std::fs;

use crate::support::{
    BOX, Place, SHELF, THING, Tree, api, assert_untouched, edited, edited_things, good, let_time_pass, root, run_at,
    thing_alone, things, things_with_another_limit, tree,
};
use crd_bundle::{files, stamp};
use crd_channels::Channel;
use crd_channels_cli::{Catalogue, Exit, Session, run_in};
use crd_generate::settings::Settings;
use crd_model::yaml;
use serde_json::Value;

/// The text of every file, made one after the other and without the command line.
fn expected(catalogue: &Catalogue, channel: Channel) -> Vec<(String, String)> {
    let version = catalogue.next_version();
    let mut crds = crd_generate::generate(catalogue, channel).unwrap();
    for crd in &mut crds {
        stamp(crd, catalogue.prefix(), version.unreleased(), channel);
    }
    files(crds).into_iter().map(|file| (file.name, file.text)).collect()
}

fn texts(tree: &Tree) -> Vec<(String, String)> {
    tree.iter().map(|(path, entry)| (path.display().to_string(), entry.content.clone())).collect()
}

#[test]
fn every_channel_has_its_folder_and_every_crd_its_file() {
    let place = Place::new();
    let ran = place.run(&things(), &["generate"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    for channel in Channel::ALL {
        let written = tree(&place.path().join("bundles/unreleased").join(channel.name()));
        assert_eq!(texts(&written), expected(&things(), channel), "{channel}");
    }
    assert!(place.file("experimental", SHELF).exists() && !place.file("standard", SHELF).exists());
    let text = fs::read_to_string(place.file("standard", THING)).unwrap();
    let crd = &yaml::read(&text).unwrap()[0];
    let annotations = &crd["metadata"]["annotations"];
    assert_eq!(annotations["things.example.com/bundle-version"], "v1.2.0-dev");
    assert_eq!(annotations["things.example.com/channel"], "standard");
    // Only the output was written.
    let names: Vec<String> = place.tree().keys().map(|path| path.display().to_string()).collect();
    assert_eq!(names.len(), 1 + 4 + 2 + 3, "{names:?}");
}

#[test]
fn one_line_per_channel_sums_up_the_output() {
    let place = Place::new();
    let bytes = |channel| expected(&things(), channel).iter().map(|(_, text)| text.len()).sum::<usize>();
    let (standard, experimental) = (bytes(Channel::Standard), bytes(Channel::Experimental));
    let commas = |number: usize| format!("{},{:03}", number / 1000, number % 1000);
    let (standard, experimental) = (commas(standard), commas(experimental));
    let lines = |standard_changes: &str, experimental_changes: &str| {
        format!(
            "standard      2 CRDs, 2 versions, {standard} bytes, {standard_changes} → bundles/unreleased/standard\n\
             experimental  3 CRDs, 3 versions, {experimental} bytes, {experimental_changes} → bundles/unreleased/experimental\n"
        )
    };
    assert_eq!(place.run(&things(), &["generate"]).out, lines("2 files changed", "3 files changed"));
    assert_eq!(place.run(&things(), &["generate"]).out, lines("nothing changed", "nothing changed"));
    fs::remove_file(place.file("experimental", SHELF)).unwrap();
    assert_eq!(place.run(&things(), &["generate"]).out, lines("nothing changed", "1 file changed"));
    assert_eq!(place.run(&things(), &["generate", "--check"]).out, lines("up to date", "up to date"));
    // One file of standard and two files of experimental are removed.
    let ran = place.run(&thing_alone(), &["generate"]);
    assert!(ran.out.starts_with("standard      1 CRD, 1 version, "), "{}", ran.out);
    assert!(
        ran.out.contains(" bytes, 1 file removed → ") && ran.out.contains(" bytes, 2 files removed → "),
        "{}",
        ran.out
    );
}

#[test]
fn files_that_stay_the_same_are_not_touched() {
    let place = Place::with(&things());
    let before = place.tree();
    let_time_pass();
    assert_eq!(place.run(&things(), &["generate"]).exit, Exit::Fine);
    assert_untouched(&before, &place.tree());

    let_time_pass();
    assert_eq!(place.run(&things_with_another_limit(), &["generate"]).exit, Exit::Fine);
    let after = place.tree();
    let touched: Vec<String> = before
        .iter()
        .filter(|(path, entry)| after.get(*path) != Some(entry))
        .map(|(path, _)| path.display().to_string())
        .collect();
    let both = ["experimental", "standard"].map(|channel| format!("bundles/unreleased/{channel}/{THING}"));
    assert_eq!(touched, both);
    assert_eq!(before.keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
}

#[test]
fn the_permissions_of_a_file_survive() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::with(&things());
    let path = place.file("standard", THING);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(place.run(&edited_things(), &["generate"]).exit, Exit::Fine);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(fs::read_to_string(path).unwrap().contains("maximum: 11"));
}

#[test]
fn check_is_silent_about_fresh_files_and_writes_nothing() {
    let place = Place::with(&things());
    let before = place.tree();
    let ran = place.run(&things(), &["generate", "--check"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    assert_untouched(&before, &place.tree());
}

#[test]
fn check_prints_what_is_stale_and_how_to_fix_it() {
    let place = Place::with(&things());
    fs::remove_file(place.file("standard", BOX)).unwrap();
    let before = place.tree();
    let ran = place.run(&things_with_another_limit(), &["generate", "--check"]);
    assert_eq!(ran.exit, Exit::Stale);
    assert_untouched(&before, &place.tree());
    assert!(ran.out.contains("2 files stale → bundles/unreleased/standard\n"), "{}", ran.out);
    assert!(ran.out.contains("1 file stale → bundles/unreleased/experimental\n"), "{}", ran.out);
    assert!(ran.out.contains(&format!("\nbundles/unreleased/standard/{BOX} is missing\n")), "{}", ran.out);
    let header = format!(
        "\n--- bundles/unreleased/standard/{THING} (current)\n+++ bundles/unreleased/standard/{THING} (expected)\n@@ "
    );
    assert!(ran.out.contains(&header), "{}", ran.out);
    for line in ["\n-                maximum: 10\n", "\n+                maximum: 11\n"] {
        assert!(ran.out.contains(line), "{line:?} in {}", ran.out);
    }
    assert_eq!(ran.err, "error: 3 files are out of date. run `cargo xtask generate`\n");
    // The command that it names fixes it.
    assert_eq!(place.run(&things_with_another_limit(), &["generate"]).exit, Exit::Fine);
    assert_eq!(place.run(&things_with_another_limit(), &["generate", "--check"]).exit, Exit::Fine);
}

#[test]
fn check_cuts_long_differences_short() {
    let place = Place::with(&things());
    let long: String = (0..500).map(|line| format!("line {line}\n")).collect();
    fs::write(place.file("standard", THING), long).unwrap();
    let ran = place.run(&things(), &["generate", "--check"]);
    assert_eq!(ran.exit, Exit::Stale);
    assert!(ran.out.lines().count() < 30, "{}", ran.out);
    assert!(ran.out.contains(" more lines of this difference\n"), "{}", ran.out);
}

#[test]
fn check_of_an_empty_tree_makes_no_folder() {
    let place = Place::new();
    let before = place.tree();
    let ran = place.run(&things(), &["generate", "--check"]);
    assert_eq!(ran.exit, Exit::Stale);
    assert_eq!(ran.out.matches(" is missing\n").count(), 5, "{}", ran.out);
    assert_untouched(&before, &place.tree());
    assert_eq!(place.run(&things(), &["generate", "--check", "--out", "not-there"]).exit, Exit::Stale);
    assert_untouched(&before, &place.tree());
}

#[test]
fn the_command_in_the_help_repeats_the_options() {
    let place = Place::new();
    let arguments = ["generate", "--check", "--channel", "standard", "--out", "my crds"];
    let ran = place.run(&things(), &arguments);
    assert!(ran.err.ends_with("`cargo xtask generate --channel standard --out 'my crds'`\n"), "{}", ran.err);
}

#[test]
fn files_without_a_type_are_removed() {
    let place = Place::with(&things());
    let folder = place.path().join("bundles/unreleased/standard");
    // This tool did not write these files.
    fs::write(folder.join("README.md"), "Hand-written.\n").unwrap();
    fs::write(folder.join("other.example.com_others.yaml"), "kind: CustomResourceDefinition\n").unwrap();
    fs::copy(folder.join(BOX), folder.join("boxes.yaml.bak")).unwrap();
    fs::write(folder.join(".gitkeep"), "").unwrap();
    fs::create_dir(folder.join("notes_of_mine.yaml")).unwrap();

    let before = place.tree();
    let ran = place.run(&thing_alone(), &["generate", "--check"]);
    assert_eq!(ran.exit, Exit::Stale);
    assert!(ran.out.contains(&format!("\nbundles/unreleased/standard/{BOX} belongs to no type\n")), "{}", ran.out);
    assert_untouched(&before, &place.tree());

    let ran = place.run(&thing_alone(), &["generate"]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(!folder.join(BOX).exists() && !place.file("experimental", SHELF).exists());
    let notes: Vec<&str> = ran.err.lines().collect();
    let note = |name: &str| format!("note: bundles/unreleased/standard/{name} was not generated and is not changed");
    let expected = ["README.md", "boxes.yaml.bak", "notes_of_mine.yaml", "other.example.com_others.yaml"].map(note);
    assert_eq!(notes, expected);
    let after = place.tree();
    for name in
        ["README.md", "other.example.com_others.yaml", "boxes.yaml.bak", ".gitkeep", "notes_of_mine.yaml", THING]
    {
        let path = std::path::Path::new("bundles/unreleased/standard").join(name);
        assert_eq!(before.get(&path), after.get(&path), "{name}");
    }
    assert_eq!(place.run(&thing_alone(), &["generate", "--check"]).exit, Exit::Fine);
}

#[test]
fn files_with_stamps_of_another_prefix_stay() {
    let place = Place::with(&things());
    let another =
        Catalogue::new(Settings::new("lamps.example.com", "v1.0.0".parse().unwrap())).resource::<good::Thing>();
    assert_eq!(place.run(&another, &["generate"]).exit, Exit::Fine);
    assert!(place.file("standard", BOX).exists() && place.file("experimental", SHELF).exists());
}

#[test]
fn one_channel_can_be_written_alone() {
    let place = Place::with(&things());
    let before = place.tree();
    let ran = place.run(&edited_things(), &["generate", "--channel", "standard"]);
    assert_eq!((ran.exit, ran.out.lines().count()), (Exit::Fine, 1), "{ran:?}");
    let after = place.tree();
    for (path, entry) in &before {
        let is_standard = path.starts_with("bundles/unreleased/standard/") && entry.content != "a folder";
        assert_eq!(after.get(path) != Some(entry), is_standard, "{}", path.display());
    }
    assert_eq!(place.run(&edited_things(), &["generate", "--check", "--channel", "standard"]).exit, Exit::Fine);
    assert_eq!(place.run(&edited_things(), &["generate", "--check"]).exit, Exit::Stale);
}

#[test]
fn the_output_can_be_anywhere() {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let out = elsewhere.path().join("deep/down");
    let ran = place.run(&things(), &["generate", "--out", out.to_str().unwrap()]);
    assert_eq!(ran.exit, Exit::Fine);
    assert!(ran.out.contains(&format!("→ {}\n", out.join("standard").display())), "{}", ran.out);
    assert_eq!(texts(&tree(&out.join("standard"))), expected(&things(), Channel::Standard));
    assert_eq!(texts(&tree(&out.join("experimental"))), expected(&things(), Channel::Experimental));
    assert!(!place.path().join("bundles").exists());
    // Relative to the working directory, and printed as given.
    let ran = place.run(&things(), &["generate", "--out", "crds"]);
    assert!(ran.out.contains("→ crds/standard\n"), "{}", ran.out);
    assert!(place.path().join("crds/standard").join(THING).exists());
    // `--out` needs no workspace.
    let ran = run_at(elsewhere.path(), &things(), &["generate", "--out", "here"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
}

/// The user named the folder, so it may be a symlink: it is theirs.
#[test]
fn the_named_folder_may_be_a_symlink() {
    let place = Place::new();
    fs::create_dir(place.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", place.path().join("link")).unwrap();
    assert_eq!(place.run(&things(), &["generate", "--out", "link"]).exit, Exit::Fine);
    assert!(place.path().join("real/standard").join(THING).exists());
}

#[test]
fn the_root_is_the_workspace_wherever_the_user_is() {
    let place = Place::new();
    let package = place.path().join("tools/xtask");
    fs::create_dir_all(package.join("src")).unwrap();
    fs::write(package.join("Cargo.toml"), "[package]\nname = \"xtask\"\n").unwrap();
    let generated = place.file("standard", THING);

    assert_eq!(run_at(&package.join("src"), &things(), &["generate"]).exit, Exit::Fine);
    assert!(generated.exists());

    // Cargo sets the package, whatever the working directory is.
    fs::remove_dir_all(place.path().join("bundles")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(elsewhere.path(), &mut out, &mut err).package(Some(package.clone().into()));
    assert_eq!(run_in(&things(), ["generate"], &mut session), Exit::Fine);
    assert!(generated.exists());

    // Without a workspace, the nearest package.
    fs::remove_dir_all(place.path().join("bundles")).unwrap();
    fs::write(place.path().join("Cargo.toml"), "[package]\nname = \"outer\"\n").unwrap();
    assert_eq!(run_at(&package.join("src"), &things(), &["generate"]).exit, Exit::Fine);
    assert!(package.join("bundles/unreleased/standard").join(THING).exists() && !generated.exists());

    // With `--root`.
    assert_eq!(run_at(&package, &things(), &["generate", "--root", "../.."]).exit, Exit::Fine);
    assert!(generated.exists());
}

#[test]
fn json_contains_the_same() {
    let place = Place::new();
    let run = |catalogue: &Catalogue, arguments: &[&str], exit: Exit| -> Value {
        let ran = place.run(catalogue, &[&["generate", "--format", "json"], arguments].concat());
        assert_eq!((ran.exit, &*ran.err), (exit, ""), "{}", ran.out);
        assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
        serde_json::from_str(&ran.out).unwrap()
    };
    let document = run(&things(), &["--check"], Exit::Stale);
    assert_eq!(document["schemaVersion"], 1);
    assert_eq!(document["channels"][0]["stale"], true);
    assert!(!place.path().join("bundles").exists());

    let document = run(&things(), &[], Exit::Fine);
    let standard = &document["channels"][0];
    assert_eq!(standard["channel"], "standard");
    assert_eq!(standard["folder"], "bundles/unreleased/standard");
    assert_eq!((&standard["crds"], &standard["versions"]), (&2.into(), &2.into()));
    let bytes: usize = expected(&things(), Channel::Standard).iter().map(|(_, text)| text.len()).sum();
    assert_eq!(standard["bytes"], bytes);
    assert_eq!(standard["changed"], serde_json::json!([BOX, THING]));
    assert_eq!(standard["removed"], serde_json::json!([]));
    assert_eq!(standard["stale"], false);
    assert_eq!(document["channels"][1]["channel"], "experimental");
    assert_eq!(document["errors"], serde_json::json!([]));

    let document = run(&thing_alone(), &["--check"], Exit::Stale);
    assert_eq!(document["channels"][1]["removed"], serde_json::json!([BOX, SHELF]));
    let document = run(&thing_alone(), &["--channel", "experimental"], Exit::Fine);
    assert_eq!(document["channels"].as_array().unwrap().len(), 1);
}

#[test]
fn an_old_file_may_contain_any_bytes() {
    let place = Place::with(&things());
    fs::write(place.file("standard", THING), b"\xff\xfe\x00not text\n").unwrap();
    fs::write(place.file("standard", "stray_file.yaml"), b"\xff\xfe").unwrap();
    let ran = place.run(&things(), &["generate", "--check"]);
    assert_eq!(ran.exit, Exit::Stale, "{ran:?}");
    let ran = place.run(&things(), &["generate"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    assert_eq!(fs::read_to_string(place.file("standard", THING)).unwrap(), expected(&things(), Channel::Standard)[1].1);
    assert!(place.file("standard", "stray_file.yaml").exists());
}

#[test]
fn temporary_files_of_a_killed_run_are_removed() {
    let place = Place::with(&things());
    let before = place.tree();
    let left = place.file("standard", ".crd-channels-1-4711-0.tmp");
    fs::write(&left, "half a fi").unwrap();
    // `--check` does not write, so it does not remove.
    assert_eq!(place.run(&things(), &["generate", "--check"]).exit, Exit::Fine);
    assert!(left.exists());
    let ran = place.run(&things(), &["generate"]);
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, ""));
    assert_untouched(&before, &place.tree());
}

#[test]
fn reading_back_can_be_turned_off() {
    let place = Place::new();
    assert_eq!(place.run(&things(), &["generate", "--no-read-back"]).exit, Exit::Fine);
    assert_eq!(place.run(&things(), &["generate", "--check"]).exit, Exit::Fine);
}

/// Concurrent runs of two builds: afterwards all files are from the same build.
#[test]
fn runs_at_the_same_time_do_not_mix() {
    let wanted: Vec<_> = [things(), edited_things()]
        .iter()
        .map(|catalogue| Channel::ALL.map(|channel| expected(catalogue, channel)))
        .collect();
    for round in 0..20 {
        let place = Place::new();
        if round % 2 == 0 {
            assert_eq!(place.run(&thing_alone(), &["generate"]).exit, Exit::Fine);
        }
        std::thread::scope(|scope| {
            for catalogue in [things(), edited_things(), things(), edited_things()] {
                let place = &place;
                scope.spawn(move || {
                    let ran = place.run(&catalogue, &["generate"]);
                    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
                });
            }
        });
        let found =
            Channel::ALL.map(|channel| texts(&tree(&place.path().join("bundles/unreleased").join(channel.name()))));
        assert!(wanted.contains(&found), "round {round}: a mixture");
    }
}

/// A run that fails removes the folders that it made, also while another run waits for them.
#[test]
fn runs_succeed_while_other_runs_fail() {
    let refused = api::<good::Thing>("v1.2.0").resource::<edited::Thing>();
    for _ in 0..20 {
        let place = Place::new();
        std::thread::scope(|scope| {
            for index in 0..6 {
                let (place, refused) = (&place, &refused);
                scope.spawn(move || {
                    let (catalogue, exit) =
                        if index % 2 == 0 { (refused, Exit::Unusable) } else { (&things(), Exit::Fine) };
                    let ran = place.run(catalogue, &["generate"]);
                    assert_eq!(ran.exit, exit, "{ran:?}");
                });
            }
        });
        assert_eq!(place.run(&things(), &["generate", "--check"]).exit, Exit::Fine);
    }
}

/// Experimental is stricter than standard, in one field or in seven.
#[allow(dead_code, unreachable_pub, reason = "only the descriptors are read")]
mod stricter {
    use super::*;

    macro_rules! spec {
        ($($field:ident)*) => {
            root!(Thing, "v1", "Thing", Spec);

            #[crd_channels::api]
            pub struct Spec {
                $(
                    /// +standard:kubebuilder:validation:MaxLength=10
                    /// +experimental:kubebuilder:validation:MaxLength=5
                    pub $field: Option<String>,
                )*
            }
        };
    }

    pub mod once {
        use super::*;
        spec!(one);
    }

    pub mod often {
        use super::*;
        spec!(one two three four five six seven);
    }
}

#[test]
fn notes_name_where_standard_is_not_contained_in_experimental() {
    let place = Place::new();
    let once = api::<stricter::once::Thing>("v1.2.0");
    let ran = place.run(&once, &["generate"]);
    assert_eq!((ran.exit, ran.err.lines().count()), (Exit::Fine, 1), "{}", ran.err);
    let beginning = "note: containment: things.things.example.com v1, spec.one: ";
    assert!(ran.err.starts_with(beginning), "{}", ran.err);

    // More than a few are listed with `--verbose` only.
    let often = api::<stricter::often::Thing>("v1.2.0");
    let ran = place.run(&often, &["generate"]);
    let summary = "note: standard is not, or may not be, contained in experimental in 7 places of 1 CRD; `cargo xtask generate --check --verbose` lists them\n";
    assert_eq!((ran.exit, &*ran.err), (Exit::Fine, summary));
    let ran = place.run(&often, &["generate", "--check", "--verbose"]);
    assert_eq!((ran.exit, ran.err.lines().count()), (Exit::Fine, 7), "{}", ran.err);
    let ran = place.run(&often, &["generate", "--format", "json"]);
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["containment"].as_array().unwrap().len(), 7);
    assert_eq!(document["containment"][0]["crd"], "things.things.example.com");
}

/// By its name, by a link to it, or in a folder of it; released or imported.
#[test]
fn long_lists_are_cut_and_counted() {
    let place = Place::with(&things());
    for number in 0..70 {
        place.write(&format!("bundles/unreleased/standard/notes-{number:02}.md"), "");
    }
    let ran = place.run(&things(), &["generate"]);
    assert_eq!((ran.exit, ran.err.lines().count()), (Exit::Fine, 51), "{}", ran.err);
    assert!(ran.err.ends_with("notes-49.md was not generated and is not changed\nnote: 20 more notes are not shown; `--format json` lists all\n"), "{}", ran.err);
    let ran = place.run(&things(), &["generate", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["notes"].as_array().unwrap().len(), 70);
    // Generated files without a type.
    let shelf = fs::read_to_string(place.file("experimental", SHELF)).unwrap();
    for number in 0..70 {
        let name = format!("things.example.com_shelves{number:02}.yaml");
        fs::write(place.file("experimental", &name), &shelf).unwrap();
    }
    let ran = place.run_unchanged(&things(), &["generate", "--check"]);
    assert_eq!((ran.exit, ran.out.matches(" belongs to no type\n").count()), (Exit::Stale, 50));
    assert!(ran.out.ends_with("\n20 more files are not shown; `--format json` lists all\n"), "{}", ran.out);
    assert!(ran.err.contains("70 files are out of date"), "{}", ran.err);
}

#[test]
fn a_committed_bundle_cannot_be_the_output_directory() {
    let place = Place::with(&things());
    let ran = place.run(&things(), &["release", "v1.2.0", "--date", "2026-03-01"]);
    assert_eq!(ran.exit, Exit::Fine, "{ran:?}");
    place.publish(&api::<good::Thing>("v1.1.0"));
    std::os::unix::fs::symlink("bundles/v1.2.0", place.path().join("link")).unwrap();
    let before = place.tree();
    for (out, bundle) in [
        ("bundles/v1.2.0", "bundles/v1.2.0"),
        ("./bundles/../bundles/v1.2.0/", "bundles/v1.2.0"),
        ("link", "bundles/v1.2.0"),
        ("bundles/v1.2.0/standard", "bundles/v1.2.0"),
        ("bundles/v1.2.0/new", "bundles/v1.2.0"),
        ("bundles/v1.1.0", "bundles/v1.1.0"),
    ] {
        for more in [&[] as &[&str], &["--check"], &["--channel", "standard"]] {
            let ran = place.run(&edited_things(), &[&["generate", "--out", out], more].concat());
            assert_eq!((ran.exit, &*ran.out), (Exit::Unusable, ""), "{out} {more:?} {}", ran.err);
            let words = "is a released or imported bundle (bundle.yaml exists), which never changes. choose another folder with `--out DIR`\n";
            assert!(ran.err.starts_with("error: ") && ran.err.ends_with(&format!("{bundle}: {words}")), "{}", ran.err);
            assert_eq!(ran.err.lines().count(), 1);
        }
    }
    assert_untouched(&before, &place.tree());
    // A folder next to bundles is accepted, also below another file named `bundle.yaml`.
    place.write("bundle.yaml", "theirs: true\n");
    assert_eq!(place.run(&things(), &["generate", "--out", "bundles/other"]).exit, Exit::Fine);
    assert_eq!(place.run(&things(), &["generate"]).exit, Exit::Fine);
}
