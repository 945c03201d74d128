//! From experimental to standard and back: what standard does not have is announced, is gone, and returns.

use std::collections::BTreeSet;

use crd_apiserver::objects::MINORS;
use crd_apiserver::prune;
use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_model::schema::{Step, nodes};
use crd_upgrade::migrate::{BundlePlan, Forms};
use gateway_api_types::conversions::FUNCTIONS;
use serde_json::{Value, json};

use super::{FAST, collection, connect, content, create, has_all, run, target};
use crate::documents::crds;
use crate::lenses::document;
use crate::requests::{send, wait_for};
use crate::served::Served;
use crate::server::{Crds, start};

/// Objects that the experimental CRD accepts, with values at the places that standard does not have.
fn objects(crd: &CustomResourceDefinition, standard: &CustomResourceDefinition) -> Vec<Value> {
    let version = crd.versions.iter().find(|version| version.storage).expect("a storage version");
    let served = Served::new(crd, version, MINORS.1).expect("rules");
    let mut search = served.search(crd, version, Vec::new());
    let narrow = standard.versions.iter().find(|version| version.storage).expect("a storage version");
    let is_user = |step: Option<&Step>| matches!(step, Some(Step::Field(name)) if &**name == "spec");
    let paths = nodes(&version.schema).into_iter().map(|(path, _)| path);
    let absent = paths.filter(|path| is_user(path.steps().first()) && path.node(&narrow.schema).is_none());
    // Each search takes a moment.
    let absent = crd_testdata::sample_of(absent.collect::<Vec<_>>(), |_| false);
    absent.iter().filter_map(|path| Some(search.accepted(path).first()?.object.clone())).collect()
}

/// The fields, without the indices of lists.
fn fields(paths: &[String]) -> BTreeSet<String> {
    let without = |path: &String| path.split('[').map(|part| part.split(']').next_back().unwrap_or_default()).collect();
    paths.iter().map(without).collect()
}

#[test]
fn what_standard_does_not_have_is_announced_and_returns() {
    let Some(server) = start(Crds::Experimental) else { return };
    let document = document();
    let of = |channel: Channel, wider: &[CustomResourceDefinition]| {
        let (name, crds) = (format!("v1.7.0 {channel}"), crds(channel).to_vec());
        let mut target = target(&name, crds, Vec::new(), &document, &FUNCTIONS);
        target.experimental = wider.to_vec();
        target
    };
    let standard = of(Channel::Standard, crds(Channel::Experimental));
    let experimental = of(Channel::Experimental, &[]);
    let (client, mut number) = (server.client(), 0);
    for narrow in &standard.crds {
        let wide = experimental.crd(&narrow.name).expect("experimental contains standard");
        let version = narrow.versions.iter().find(|version| version.storage).expect("a storage version");
        let place = collection(narrow, &version.name);
        let made = objects(wide, narrow);
        if made.is_empty() {
            continue;
        }
        server.block_on(async {
            let mut before = Vec::new();
            for (index, mut object) in made.into_iter().enumerate() {
                object["metadata"]["name"] = json!(format!("object-{index}"));
                before.push(create(&client, &place, &object).await);
            }
            let cluster = connect(client.clone()).await;
            let plan = BundlePlan::new(&cluster, narrow, &standard).await.expect("a plan");
            let announced = plan.survey(&cluster, &FAST, &mut |_| {}).await.expect("read").forms;
            let done = run(&cluster, &standard, narrow).await.forms;
            assert_eq!(announced, done, "{}", narrow.name);
            let Forms { kept, dropped, .. } = announced;
            assert!(dropped.is_empty());
            let mut expected = BTreeSet::new();
            for before in &before {
                let path = format!("{place}/{}", before["metadata"]["name"].as_str().expect("a name"));
                let now = send(&client, "GET", &path, None).await.expect("read");
                let mut pruned = before.clone();
                expected.extend(fields(&prune(&version.schema, &mut pruned)));
                assert_eq!(content(&now)["spec"], content(&pruned)["spec"], "{path}");
                number += 1;
            }
            assert_eq!(kept.keys().cloned().collect::<BTreeSet<_>>(), expected, "{}", narrow.name);
            run(&cluster, &experimental, wide).await;
            wait_for(&client, std::slice::from_ref(&place)).await;
            for before in &before {
                let path = format!("{place}/{}", before["metadata"]["name"].as_str().expect("a name"));
                let now = send(&client, "GET", &path, None).await.expect("read");
                assert!(has_all(&content(before)["spec"], &content(&now)["spec"]), "{before:#}\n{now:#}");
                assert_eq!(now["metadata"]["annotations"], Value::Null, "{now:#}");
            }
        });
    }
    println!("Kubernetes {}: {number} objects to standard and back", server.minor());
    assert!(number > 0);
}
