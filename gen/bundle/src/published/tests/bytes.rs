//! Any bytes: no panic, no endless work, and what is read can be written and read again.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// The most time for one input. Each takes milliseconds without optimisation; the rest is for a busy machine.
const LONGEST: Duration = Duration::from_secs(600);

fn examine(bytes: &[u8]) {
    let start = Instant::now();
    let result = read("bundle", [Input::new("x", bytes)]);
    assert!(start.elapsed() < LONGEST, "{:?}", start.elapsed());
    match result {
        Ok(published) => {
            for crd in &published.crds {
                let value = crd.crd.to_value();
                assert_eq!(CustomResourceDefinition::from_value(&value), Ok(crd.crd.clone()));
            }
            let _ = check_bundle(&published, &Expected::default());
        }
        Err(errors) => {
            assert!(!errors.is_empty() && errors.len() <= limits::MOST_ERRORS + 2);
            assert!(errors.iter().all(|error| !error.message.is_empty() && error.location.file.is_some()));
        }
    }
}

/// A real CRD, but a small one.
fn real() -> Vec<u8> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles/unreleased/standard");
    std::fs::read(folder.join("gateway.networking.k8s.io_referencegrants.yaml")).unwrap()
}

/// A change of a text: cut out, put in, exchange.
#[derive(Clone, Debug)]
enum Change {
    Remove(prop::sample::Index, usize),
    Insert(prop::sample::Index, Vec<u8>),
    Flip(prop::sample::Index, u8),
    Repeat(prop::sample::Index, usize),
}

fn token() -> impl Strategy<Value = Vec<u8>> {
    let tokens = [
        "a",
        "b: ",
        "- ",
        "? ",
        ": ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        "\n  ",
        "\n    ",
        "&a ",
        "*a ",
        "<<: ",
        "!!str ",
        "! ",
        "'",
        "\"",
        "|\n",
        ">-\n",
        "#",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "\t",
        "~",
        "{{",
        "\u{feff}",
        "\0",
        "é",
        "1e9",
        ".inf",
        "kind: List\nitems:\n",
        "kind: CustomResourceDefinition\n",
        "apiVersion: apiextensions.k8s.io/v1\n",
    ];
    prop::sample::select(tokens.to_vec()).prop_map(|token| token.as_bytes().to_vec())
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), 1..200usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (index(), token()).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (index(), 1..=255u8).prop_map(|(at, bits)| Change::Flip(at, bits)),
        (index(), 1..300usize).prop_map(|(at, length)| Change::Repeat(at, length)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        let range = |at: usize, length: usize| at..(at + length).min(bytes.len());
        match change {
            Change::Remove(at, length) => drop(bytes.drain(range(at.index(bytes.len()), *length))),
            Change::Insert(at, token) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, token.iter().copied());
            }
            Change::Flip(at, bits) => {
                let at = at.index(bytes.len());
                bytes[at] ^= bits;
            }
            Change::Repeat(at, length) => {
                let at = at.index(bytes.len());
                let part = bytes[range(at, *length)].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}

// `PROPTEST_CASES` asks for more than the 256 cases of each.
proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_crds(changes in prop::collection::vec(change(), 1..6)) {
        examine(&changed(real(), &changes));
        examine(&changed(THING.as_bytes().to_vec(), &changes));
    }

    #[test]
    fn changed_archives(changes in prop::collection::vec(change(), 1..4)) {
        let archive = tar(&[("a.yaml", THING), ("b.json", "{}")]);
        examine(&changed(archive.clone(), &changes));
        examine(&changed(gzip(&archive), &changes));
        examine(&gzip(changed(archive, &changes)));
    }

    #[test]
    fn random_tokens(tokens in prop::collection::vec(token(), 0..200)) {
        examine(&tokens.concat());
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        examine(&bytes);
        examine(&[b"\x1f\x8b\x08\0".as_slice(), &bytes].concat());
    }
}
