//! CRDs that are fitted into the limits of their installers: the largest of all projects in `testdata`, with descriptions as their authors write them.

use std::collections::BTreeMap;

use crd_bundle::published::{Input, choice::Choice, join, read_one, refused};
use crd_model::CustomResourceDefinition;
use crd_model::fit::{Descriptions, Limit, fit};
use crd_model::yaml::{SharedSchemas, Start, YamlWriter};
use crd_release::chart::{LARGEST, stored_crds};
use crd_testdata::{HISTORIES, history_files};

/// The largest CRDs of the archives, each in the release where it is largest. They have no descriptions.
fn largest(number: usize) -> Vec<CustomResourceDefinition> {
    let mut files = BTreeMap::<_, (usize, _)>::new();
    for file in HISTORIES.iter().flat_map(|project| history_files(project)) {
        let name = file.path.rsplit('/').next().unwrap();
        let largest = files.entry(name).or_insert((0, file));
        if file.text.len() > largest.0 {
            *largest = (file.text.len(), file);
        }
    }
    let mut files = files.into_values().collect::<Vec<_>>();
    files.sort_by_key(|(bytes, file)| (std::cmp::Reverse(*bytes), file.path));
    let read = |file: crd_testdata::File| {
        let (crd, _) = CustomResourceDefinition::from_published(&file.json());
        crd
    };
    files.into_iter().map(|(_, file)| read(file)).take(number).collect()
}

/// The CRD with a description of 20 to 400 bytes at each node, so that each has more than an annotation takes.
fn described(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    let mut number = 0_usize;
    for version in &mut crd.versions {
        version.schema.each_mut(&mut |_| number += 1);
    }
    // Some CRDs have few nodes.
    let words = 300_000 / number / 8;
    for (index, version) in crd.versions.iter_mut().enumerate() {
        let mut place = index;
        described_below(&mut version.schema, words, &mut place);
        // Servers take only a type of it.
        if let Some(metadata) = version.schema.properties.get_mut("metadata") {
            metadata.description = None;
        }
    }
    crd
}

fn described_below(schema: &mut crd_model::Schema, words: usize, place: &mut usize) {
    *place += 1;
    let text = (0..words.max(1) + *place % 17).map(|word| format!("text{} ", (word * 7919 + *place * 104_729) % 9973));
    schema.description = Some(text.collect::<String>().into());
    for node in schema.below_mut() {
        described_below(node, words, place);
    }
}

fn yaml(crd: &CustomResourceDefinition) -> String {
    let mut writer = YamlWriter::new(Start::Marker);
    crd.send(&mut writer);
    writer.finish()
}

/// What a server refuses of a CRD.
fn refusals(crd: &CustomResourceDefinition) -> Vec<String> {
    let part = read_one(Input::new("crd.yaml", yaml(crd)), &SharedSchemas::default());
    let published = Choice::default().all_used(join("crd.yaml", vec![part], &Choice::default())).unwrap();
    let [read] = &published.crds[..] else { panic!("{published:?}") };
    assert_eq!(read.crd, *crd, "{}", crd.name);
    refused(&read.crd, &read.origin).into_iter().map(|refusal| refusal.message).collect()
}

#[test]
fn the_largest_crds_fit_where_their_structure_does_and_servers_accept_them() {
    let largest = largest(40);
    assert_eq!(largest.len(), 40);
    let mut fitting = 0;
    for structure in &largest {
        let crd = described(structure.clone());
        for limit in [Limit::Apply, Limit::Bytes(100_000)] {
            let fitted = fit(std::slice::from_ref(&crd), limit.most(), |crds| limit.bytes(&crds[0])).unwrap();
            let least = limit.bytes(structure);
            let [fitted_crd] = &fitted.crds[..] else { panic!("{fitted:?}") };
            assert!(fitted.before > limit.most(), "{}: {}", crd.name, fitted.before);
            // Texts that only print columns and versions have stay.
            assert_eq!(fitted_crd.without_descriptions(), *structure, "{}", crd.name);
            assert_eq!(fitted.after, limit.bytes(fitted_crd));
            assert_eq!(limit.fit(&crd, Clone::clone).is_ok(), least <= limit.most(), "{}", crd.name);
            assert_eq!(fitted.after <= limit.most(), least <= limit.most(), "{}: {least}", crd.name);
            let [all, kept] = [&crd, fitted_crd].map(|crd| Descriptions::from(std::slice::from_ref(crd)));
            if least > limit.most() {
                assert_eq!((fitted.after, kept), (least, Descriptions { foreign: 0, own: 0 }), "{}", crd.name);
                continue;
            }
            // No description is left of Kubernetes' types while one of the project is removed; and what is left fills most of the limit.
            assert!(kept.own == all.own || kept.foreign == 0, "{}: {kept:?} of {all:?}", crd.name);
            let texts = crd.versions.iter().flat_map(|version| version.schema.all_nodes());
            let longest = texts.filter_map(|node| Some(node.description.as_ref()?.len())).max().unwrap();
            assert!(fitted.after + 2 * longest > limit.most(), "{}: {}", crd.name, fitted.after);
            if limit == Limit::Apply {
                fitting += 1;
                assert_eq!(refusals(fitted_crd), refusals(structure), "{}", crd.name);
            }
        }
    }
    println!("the structure of {fitting} of {} CRDs fits into the annotation of kubectl", largest.len());
    assert_eq!(fitting, 40);
}

#[test]
fn crds_of_one_chart_fit_into_what_helm_stores() {
    let crds = largest(6).into_iter().map(described).collect::<Vec<_>>();
    let fitted = fit(&crds, LARGEST, stored_crds).unwrap();
    assert!(fitted.before > LARGEST, "{}", fitted.before);
    assert!((LARGEST * 95 / 100..=LARGEST).contains(&fitted.after), "{}", fitted.after);
    let [kept, all] = [&fitted.crds, &crds].map(|crds| Descriptions::from(&crds[..]));
    println!("descriptions in the chart: {kept:?} of {all:?}");
    for (old, new) in crds.iter().zip(&fitted.crds) {
        assert_eq!(old.without_descriptions(), new.without_descriptions());
    }
}
