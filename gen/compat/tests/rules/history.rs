//! The published bundles of Gateway API, where they are: `../shared/oracle` beside the workspace.

use std::fs;
use std::path::{Path, PathBuf};

use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, RULES, UNCLAIMED};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

/// The bundles by version, or nothing and a word.
pub(crate) fn bundles() -> Vec<(String, Channels)> {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle");
    let Ok(entries) = fs::read_dir(oracle.join("gateway-api-history")) else {
        println!("skipped: there is no history in {}", oracle.display());
        return Vec::new();
    };
    let mut folders = entries.map(|entry| entry.expect("a folder can be read").path()).collect::<Vec<PathBuf>>();
    folders.push(oracle.join("gateway-api-v1.6.1"));
    folders.sort_by_key(|folder| numbers(folder));
    folders.iter().filter(|folder| folder.is_dir()).map(|folder| (version(folder), bundle(folder))).collect()
}

fn version(folder: &Path) -> String {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.trim_start_matches("gateway-api-").to_owned()
}

fn numbers(folder: &Path) -> Vec<u32> {
    version(folder).trim_start_matches('v').split('.').map(|number| number.parse().expect("a version")).collect()
}

fn bundle(folder: &Path) -> Channels {
    let crds = |channel: Channel| {
        let mut files = fs::read_dir(folder.join(channel.name()))
            .expect("every bundle has both channels")
            .map(|entry| entry.expect("a folder can be read").path())
            .collect::<Vec<_>>();
        files.sort();
        let read = |path: &PathBuf| {
            let text = fs::read_to_string(path).expect("a file can be read");
            let value = serde_json::from_str(&text).expect("the file is JSON");
            CustomResourceDefinition::from_value(&value)
                .unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()))
        };
        (channel, files.iter().map(read).collect::<Vec<_>>())
    };
    Channel::ALL.into_iter().map(crds).collect()
}

#[test]
fn all_of_it_is_claimed_by_one_rule() {
    let bundles = bundles();
    let declared = Declared::default();
    let (mut count, mut pairs) = (0, 0);
    for (old, new) in bundles.iter().zip(bundles.iter().skip(1)) {
        for profile in [Profile::Gep922, Profile::ApiGuide] {
            let findings = Comparison::new(&old.1, &new.1, profile, &declared).findings();
            let differences = Channel::ALL.into_iter().map(|channel| {
                crd_compat::differences(channel, &old.1[&channel], &new.1[&channel], &declared.renames).len()
            });
            assert_eq!(findings.len(), differences.sum::<usize>(), "{} to {}", old.0, new.0);
            for finding in &findings {
                let known = RULES.iter().find(|rule| rule.id == finding.rule);
                assert!(known.is_some() && finding.rule != UNCLAIMED.id, "{} to {}: {finding:?}", old.0, new.0);
            }
            count += findings.len();
        }
        pairs += 1;
    }
    println!("{count} findings in {pairs} pairs of neighbours, by both profiles");
    assert!(bundles.is_empty() || (pairs + 1 == bundles.len() && count > 2000), "{pairs} pairs, {count} findings");
}

#[test]
fn what_only_changes_its_writing_asks_for_nothing_much() {
    // v1.6.1 is a patch of v1.6.0 by its number, and v1.4 wrote out list types without any effect.
    let bundles = bundles();
    let find = |version: &str| bundles.iter().find(|(known, _)| known == version).map(|(_, bundle)| bundle);
    let (Some(old), Some(new)) = (find("v1.3.0"), find("v1.4.0")) else { return };
    let declared = Declared::default();
    let findings = Comparison::new(old, new, Profile::Gep922, &declared).findings();
    assert!(findings.iter().all(|finding| finding.rule != "list-type"), "{findings:#?}");
}
