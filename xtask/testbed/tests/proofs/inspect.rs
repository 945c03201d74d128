//! `inspect` finds what was planted on a server, and nothing else. Each row of the table is an API of its own, with a healthy bundle and at most one defect.
//!
//! Invariants: a row lists all findings, of the installation and of each object, so an invented one fails as a missing one does. The rows are in their own
//! groups, with their own policies, so they do not disturb each other. The minor of the server changes no row.

mod api;
mod policies;
mod table;
mod take_over;

use std::collections::BTreeSet;
use std::sync::Mutex;

use crd_cluster::{Cluster, Limits};
use crd_convert::{Conversions, Document};
use crd_diagnostics::Diagnostic;
use crd_upgrade::inspect::{ObjectReport, Question, inspect};
use kube::Client;
use serde_json::json;

use crate::server::{Crds, server};
use api::Api;
use table::{ROWS, Row};

/// How many rows are planted at the same time.
const WORKERS: usize = 4;

#[test]
fn planted_defects_are_found_and_none_is_invented() {
    let Some(server) = server(Crds::Nothing) else { return };
    let rows = ROWS.iter().enumerate().collect::<Vec<_>>();
    let names = ROWS.iter().map(|row| row.name).collect::<BTreeSet<_>>();
    assert_eq!(names.len(), ROWS.len(), "two rows have one name");
    let rows = crd_testdata::sample_of(rows, |(_, row)| row.is_in_sample);
    let number = rows.len();
    let kinds = rows.iter().flat_map(|(_, row)| &row.expected).map(|line| table::kind(line)).collect::<BTreeSet<_>>();
    let (left, wrong) = (Mutex::new(rows), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let next = left.lock().expect("no panic").pop();
                    let Some((index, row)) = next else { break };
                    let api = Api { server, client: server.client(), group: format!("p{index}.{}", row.domain) };
                    let found = found(&api, row);
                    let mut expected = row.expected.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
                    expected.sort();
                    let lines = found.iter().map(|(line, _)| line.clone()).collect::<Vec<_>>();
                    if lines != expected {
                        let found = found.iter().map(|(line, text)| format!("\n    {line}    ({text})"));
                        let found = found.collect::<String>();
                        wrong
                            .lock()
                            .expect("no panic")
                            .push(format!("{}: expected {expected:?}, found{found}", row.name));
                    }
                }
            });
        }
    });
    println!("Kubernetes {}: {number} of {} rows, {} kinds of findings", server.minor(), ROWS.len(), kinds.len());
    let mut wrong = wrong.into_inner().expect("no panic");
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The shared server has several APIs.
    let api = Api { server, client: server.client(), group: "none.test".to_owned() };
    let found = read(&api, &server.client(), None).expect_err("it is not clear which API");
    assert_eq!(found.code, "inspect::no-prefix", "{}", found.message);
}

/// Installs the bundle of a row with its defect, and inspects it. The sorted findings, each with its message.
fn found(api: &Api<'_>, row: &Row) -> Vec<(String, String)> {
    row.crds(api).iter().for_each(|crd| api.install(crd));
    row.change(api);
    api.policies().iter().for_each(|policy| api.install_policy(policy));
    api.wait();
    let client = match row.user {
        Some(user) => api.client_of(user),
        None => api.client.clone(),
    };
    match read(api, &client, Some(&api.group)) {
        Ok(found) => found,
        Err(error) => vec![(format!("error {}", error.code), error.message)],
    }
}

fn read(api: &Api<'_>, client: &Client, prefix: Option<&str>) -> Result<Vec<(String, String)>, Diagnostic> {
    let known = api.known();
    let document = json!({
        "schemaVersion": 1, "generator": "test", "prefix": api.group,
        "lenses": [{
            "name": "old-mode", "resource": format!("alphas.{}", api.group), "group": api.group, "kind": "Alpha", "since": "v1.1.0",
            "steps": [{"operation": "rename", "from": "spec.oldMode", "to": "spec.newMode"}]
        }]
    });
    let document = Document::from_value(&document).expect("lenses");
    let conversions = Conversions::new(&document).expect("lenses");
    let lenses = Some(&conversions);
    let question = Question {
        prefix: prefix.map(str::to_owned),
        known: &known,
        lenses,
        features: None,
        target: None,
        reads_objects: true,
        redaction: crd_upgrade::inspect::Redaction::None,
    };
    let mut found = Vec::new();
    let mut on_object = |report: ObjectReport| {
        for finding in report.findings {
            let line = format!("{}: {} {}", report.object.name, short(finding.code), finding.path);
            found.push((line.trim_end().to_owned(), finding.detail));
        }
    };
    let report = api.server.block_on(async {
        let cluster = Cluster::of_client(client.clone(), "https://localhost", Limits::default()).await?;
        inspect(&cluster, &question, &mut on_object, &mut |_, _| {}).await
    })?;
    for finding in report.findings() {
        found.push((line(api, finding), finding.message.clone()));
    }
    found.extend(
        report.failures.iter().map(|failure| (format!("failure {}", line(api, failure)), failure.message.clone())),
    );
    found.sort();
    Ok(found)
}

fn short(code: &str) -> &str {
    code.strip_prefix("inspect::").unwrap_or(code)
}

/// The code of a finding, and what it is about.
fn line(api: &Api<'_>, finding: &Diagnostic) -> String {
    let mut line = short(finding.code).to_owned();
    if let Some(crd) = &finding.location.crd {
        let plural = crd.name.strip_suffix(&api.group).and_then(|name| name.strip_suffix('.')).unwrap_or(&crd.name);
        for part in [Some(plural), crd.version.as_deref(), Some(&*crd.path)].into_iter().flatten() {
            line += if part.is_empty() { "" } else { " " };
            line += part;
        }
    }
    line
}
