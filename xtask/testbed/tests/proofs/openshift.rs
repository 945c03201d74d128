//! Suites of OpenShift on Kubernetes' own code: each request of `gen/suite/tests/openshift` is answered as the API server's libraries answer it,
//! and a server confirms each answer that is listed as another one than its suite expects.

#[path = "../../../../gen/suite/tests/openshift/selection.rs"]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod selection;

use crd_channels::Channel;
use crd_model::CustomResourceDefinition;
use crd_suite::{Case, Kinds, run};
use serde_json::{Value, json};

use self::selection::{Module, Run, differences};
use crate::objects::{oracles, ours};
use crate::oracle::Oracle;
use crate::requests::CRDS;
use crate::server::{Crds, number, start};

/// The suites, in a proof only: Go downloads their module.
fn runs() -> Option<Vec<Run>> {
    if !crd_testdata::is_proof() {
        eprintln!("skipped: `cargo xtask prove openshift-server` reads the suites of OpenShift from their Go module");
        return None;
    }
    Some(Module::read().runs().0)
}

/// The object as the request has it: in a namespace exactly if its kind needs one.
fn placed(object: &Value, crd: &CustomResourceDefinition, is_update: bool) -> Value {
    let mut object = object.clone();
    let metadata = object["metadata"].as_object_mut().expect("metadata");
    metadata.remove("namespace");
    if crd.scope == crd_model::crd::Scope::Namespaced {
        metadata.insert("namespace".to_owned(), json!("default"));
    }
    if is_update {
        metadata.insert("resourceVersion".to_owned(), json!("1"));
    }
    object
}

fn line(case: &Case, crd: &CustomResourceDefinition) -> String {
    let version = &crd.versions[0].name;
    let new = placed(&case.object, crd, case.old.is_some());
    let mut line = json!({"crd": crd.name, "version": version, "new": new, "status": case.is_status});
    if let Some(old) = &case.old {
        line["old"] = placed(old, crd, true);
    }
    line.to_string()
}

#[test]
fn requests_of_the_suites_are_answered_as_by_kubernetes() {
    let Some(runs) = runs() else { return };
    if !crate::oracle::is_available() {
        return;
    }
    let minor = crd_testbed::Minor::named(crd_testbed::DEFAULT_MINOR).expect("the default minor");
    let mut oracle = Oracle::start(minor);
    let (mut requests, mut accepted, mut different) = (0, 0, Vec::new());
    for Run { suite, crd } in &runs {
        let defined = oracle.ask(&json!({"define": crd.name, "crd": crd.to_value()}));
        assert!(defined.get("errors").is_none() && defined.get("refused").is_none(), "{}: {defined}", crd.name);
        let kinds = Kinds::prepare(std::slice::from_ref(crd), number(minor)).expect("its rules compile");
        let results = run(suite, &kinds, Channel::Standard, number(minor));
        let lines = suite.cases.iter().map(|case| line(case, crd)).collect::<Vec<_>>();
        for ((case, result), theirs) in suite.cases.iter().zip(results).zip(oracle.ask_all(&lines)) {
            let answer = result.answer.expect("its kind is served");
            requests += 1;
            accepted += usize::from(answer.is_accepted());
            let (ours, theirs) = (ours(&answer), oracles(&theirs));
            if ours != theirs {
                different.push(format!("{}: {}\n  {ours}\n  {theirs}", suite.file, case.name));
            }
        }
    }
    println!("{}: {requests} requests, {accepted} accepted, {} answered in another way", minor.name, different.len());
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(accepted > 1000 && requests > accepted + 1000);
}

#[test]
fn a_server_gives_the_answers_that_the_suites_do_not_expect() {
    let Some(runs) = runs() else { return };
    let Some(server) = start(Crds::Nothing) else { return };
    for listed in differences() {
        let is_listed = |case: &&Case| case.name == listed.case;
        let found = runs.iter().filter(|run| run.suite.file == listed.file);
        let (crd, case) = found
            .filter_map(|run| Some((&run.crd, run.suite.cases.iter().find(is_listed)?)))
            .next()
            .unwrap_or_else(|| panic!("{}: {}", listed.file, listed.case));
        let crd = crd.to_value();
        let answer = server.send("POST", CRDS, Some(&crd));
        let name = crd["metadata"]["name"].as_str().expect("a name");
        answer.expect(name);
        server.kubectl(&["wait", "--for=condition=Established", &format!("crd/{name}")]).expect("it is established");
        let namespace = if crd["spec"]["scope"] == "Namespaced" { "/namespaces/default" } else { "" };
        let (api_version, plural) = (&case.object["apiVersion"], &crd["spec"]["names"]["plural"]);
        let collection = format!(
            "/apis/{}{namespace}/{}",
            api_version.as_str().unwrap_or_default(),
            plural.as_str().unwrap_or_default()
        );
        let mut object = case.object.clone();
        let answer = match &case.old {
            None => server.send("POST", &collection, Some(&object)),
            Some(old) => {
                let stored = server.send("POST", &collection, Some(old)).expect("the object before");
                object["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
                let name = object["metadata"]["name"].as_str().unwrap_or_default();
                let subresource = if case.is_status { "/status" } else { "" };
                server.send("PUT", &format!("{collection}/{name}{subresource}"), Some(&object))
            }
        };
        println!("{}: {}\n  {}", listed.file, listed.case, answer.message());
        answer.refuses(422, &listed.answer);
        server.send("DELETE", &format!("{CRDS}/{name}"), None).expect("the CRD is removed");
        crate::requests::wait("the CRD is removed", || server.send("GET", &format!("{CRDS}/{name}"), None).code == 404);
    }
}
