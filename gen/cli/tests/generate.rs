//! `generate`: the bytes of its files, what it does not touch, its root, and runs at the same time. The rest are sessions.

use std::fs;

use crate::support::{
    Place, SHELF, THING, Tree, api, assert_untouched, edited, edited_things, good, let_time_pass, run_at, thing_alone,
    things, things_with_another_limit, tree,
};
use crd_bundle::{files, stamp};
use crd_channels::Channel;
use crd_channels_cli::{Catalogue, Exit, Session, run_in};
use crd_model::yaml;

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
