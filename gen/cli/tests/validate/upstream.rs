//! The examples of Gateway API, and this repository's own objects: a server accepts all of them.

use std::path::Path;

use super::run;
use crate::support::Place;
use crd_channels_cli::Exit;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The channels, and the number of upstream's examples.
const EXAMPLES: [(&str, usize); 2] = [("standard", 0), ("experimental", 0)];

#[test]
fn the_examples_of_gateway_api_are_valid() {
    for (channel, _) in EXAMPLES {
        let place = Place::new();
        let examples = crd_testdata::gateway_api_examples(channel);
        for file in &examples {
            place.write(&format!("examples/{}", file.path), file.text);
        }
        let crds = Path::new(ROOT).join("bundles/unreleased").join(channel).display().to_string();
        let printed = run(&place, b"", &["examples", "--crds", &crds, "--kubernetes", "1.32..1.37"]);
        assert_eq!(printed.exit, Exit::Fine, "{channel}: {}{}", printed.err, printed.out);
        println!("{channel}: {}", printed.out);
    }
}

/// What upstream calls invalid. Each file is refused, in its own channel.
#[test]
fn the_invalid_examples_of_gateway_api_are_refused() {
    let mut refused = 0;
    for (channel, _) in EXAMPLES {
        let crds = Path::new(ROOT).join("bundles/unreleased").join(channel).display().to_string();
        for file in crd_testdata::gateway_api_invalid_examples(channel) {
            let place = Place::new();
            place.write("object.yaml", file.text);
            let printed = run(&place, b"", &["object.yaml", "--crds", &crds]);
            assert_eq!(printed.exit, Exit::Findings, "{channel}/{}: {}{}", file.path, printed.err, printed.out);
            refused += 1;
        }
    }
    assert_eq!(refused, 36);
}

#[test]
fn the_objects_of_this_repository_are_valid() {
    for channel in ["standard", "experimental"] {
        let place = Place::new();
        let objects = Path::new(ROOT).join("api-types/tests/manifests").join(channel).display().to_string();
        let crds = Path::new(ROOT).join("bundles/unreleased").join(channel).display().to_string();
        let arguments = [&*objects, "--crds", &*crds];
        let printed = run(&place, b"", &arguments);
        assert_eq!(printed.exit, Exit::Fine, "{channel}: {}{}", printed.err, printed.out);
    }
}
