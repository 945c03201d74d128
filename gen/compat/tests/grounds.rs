//! What proofs need of the old schema: pairs of `verdicts.yaml`, with the keywords without which each is not decided.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, Evidence};
use crd_model::channel::Channel;
use crd_model::{CustomResourceDefinition, yaml};

/// Pairs, with the path of a finding that is proven and its grounds.
const CASES: &[(&str, &str, &[&str])] = &[
    ("bounds-move-from-branches-to-a-rule-of-the-field", "spec.most", &["`anyOf` of spec", "`format` of spec.most"]),
    (
        "values-move-from-branches-to-an-enum-below-other-branches",
        "spec.tls.policy",
        &["`allOf` of spec.tls", "`enum` of spec.tls.kind"],
    ),
    (
        "as-many-items-as-keys-have-values",
        "spec.list",
        &[
            "the list type of spec.list",
            "`enum` of spec.list[*].a",
            "`required: a` of spec.list[*]",
            "`required: b` of spec.list[*]",
        ],
    ),
];

#[test]
fn proofs_name_what_they_need() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/verdicts.yaml");
    let documents = yaml::read(&fs::read_to_string(file).expect("a file")).expect("YAML");
    let cases = documents[0].as_array().expect("a list");
    for (name, path, expected) in CASES {
        let case = cases.iter().find(|case| case["case"] == *name).expect(name);
        let [old, new] = ["old", "new"].map(|side| {
            let (crd, _) = CustomResourceDefinition::from_published(&crd_testdata::side_crd(&case[side]));
            Channels::from([(Channel::Standard, vec![Arc::new(crd)])])
        });
        let declared = Declared::default();
        let findings =
            |evidence| Comparison { evidence, ..Comparison::new(&old, &new, Profile::Semver, &declared) }.findings();
        assert!(findings(Evidence::default()).iter().all(|finding| finding.grounds.is_empty()), "{name}: not asked");
        let found = findings(Evidence { witnesses: false, grounds: true });
        let found = found.iter().filter(|finding| finding.path == *path);
        let mut found = found.flat_map(|finding| finding.grounds.iter().map(ToString::to_string)).collect::<Vec<_>>();
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{name}");
    }
}
