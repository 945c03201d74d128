//! Folding.

use crd_compat::{Finding, RequiredBump};
use crd_descriptors::channel::Channel;

use super::sample::{added, at, finding, located};
use crate::report::Located;
use crate::report::fold::fold;

fn elsewhere(findings: &[Finding]) -> Vec<Option<String>> {
    let located = findings.iter().cloned().map(located).collect::<Vec<_>>();
    fold(&located, false).iter().map(|fold| fold.elsewhere(2)).collect()
}

fn loosened(version: &str, path: &str) -> Finding {
    finding("loosened", RequiredBump::Minor, version, path, "it was loosened")
}

#[test]
fn versions_and_paths_are_folded_and_named() {
    let also = |words: &str| vec![Some(words.to_owned())];
    assert_eq!(elsewhere(&[loosened("v1", "spec")]), [None]);
    assert_eq!(elsewhere(&[loosened("v1", "spec"), loosened("v1beta1", "spec")]), also("also in v1beta1"));
    assert_eq!(elsewhere(&[loosened("v1", "spec"), loosened("v1", "")]), also("also at the top"));
    let even = [("v1", "a"), ("v1", "b"), ("v2", "a"), ("v2", "b")].map(|(version, path)| loosened(version, path));
    assert_eq!(elsewhere(&even), also("also in v2 and at b"));
    // Where the versions of the paths differ, they stand behind each.
    let uneven = [("v1", "a"), ("v1", "b"), ("v2", "b"), ("v2", "c")].map(|(version, path)| loosened(version, path));
    assert_eq!(elsewhere(&uneven), also("also at b (v1, v2), c (v2)"));
    let many = ["a", "b", "c", "d"].map(|path| loosened("v1", path));
    assert_eq!(elsewhere(&many), also("also at b, c and 1 more"));
    // Of a resource there is one place only.
    assert_eq!(elsewhere(&[loosened("", ""), loosened("", "")]), [None]);
}

/// Anything that a reader would read keeps two findings apart.
#[test]
fn what_differs_in_anything_is_not_folded() {
    let first = added("v1", "spec.size");
    let others: Vec<Finding> = vec![
        Finding { channel: Channel::Experimental, ..first.clone() },
        Finding { crd: "boxes.example.com".to_owned(), ..first.clone() },
        Finding { rule: "name-added", ..first.clone() },
        Finding { required_bump: RequiredBump::Patch, ..first.clone() },
        Finding { warning: true, ..first.clone() },
        Finding { known: true, ..first.clone() },
        Finding { message: "other".to_owned(), ..first.clone() },
        Finding { fix: Some("other".to_owned()), ..first.clone() },
        Finding { before: Some(serde_json::json!(null)), ..first.clone() },
        Finding { after: None, ..first.clone() },
        Finding { needs: vec![crd_compat::policy::Need::Tombstone], ..first.clone() },
        Finding {
            waived: Some(crd_compat::Waived { to: RequiredBump::Patch, reason: String::new() }),
            ..first.clone()
        },
    ];
    for other in others {
        let both = [located(first.clone()), located(other)];
        assert_eq!(fold(&both, false).len(), 2, "{:?}", both[1]);
    }
}

#[test]
fn lines_count_only_where_they_are_shown() {
    let here = |line| Located { finding: added("v1", "spec.size"), source: at("a.rs", line) };
    let both = [here(1), here(2)];
    assert_eq!((fold(&both, false).len(), fold(&both, true).len()), (1, 2));
    assert_eq!(fold(&both, false)[0].count(), 2);
}
