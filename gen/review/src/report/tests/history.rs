//! Every format on the published bundles of Gateway API.

use std::sync::Arc;

use anstream::adapter::strip_str;
use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, states};
use crd_diagnostics::Format;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use super::documents::schema;
use super::sample::{located, report};
use super::{sarif_schema, shape};
use crate::report::fold::{Over, fold};
use crate::report::{Report, github, sarif, text};

const VERSIONS: [&str; 9] = ["v0.5.0", "v0.6.0", "v0.8.1", "v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v1.4.0", "v1.6.0"];

fn channels(version: &str) -> Channels {
    let crds = |channel: Channel| {
        let files = crd_testdata::gateway_api(version, channel.name());
        (
            channel,
            files.iter().map(|file| Arc::new(CustomResourceDefinition::from_value(&file.json()).unwrap())).collect(),
        )
    };
    Channel::ALL.into_iter().map(crds).collect()
}

/// The reports of neighbouring bundles.
fn reports() -> Vec<Report> {
    let declared = Declared::default();
    let pair = |pair: &[&str]| {
        let (old, new) = (channels(pair[0]), channels(pair[1]));
        let mut findings = Comparison::new(&old, &new, Profile::Gep922, &declared).findings();
        findings.extend(states(Some(&old), &new, Profile::Gep922, &std::sync::Arc::default(), false));
        let mut report = report(findings.into_iter().map(located).collect(), None);
        let baseline = report.baseline.as_mut().unwrap();
        (baseline.name, baseline.version) = (pair[0].to_owned(), Some(pair[0].to_owned()));
        (report.candidate.name, report.candidate.version) = (pair[1].to_owned(), Some(pair[1].to_owned()));
        report
    };
    VERSIONS.windows(2).map(pair).collect()
}

#[test]
fn published_bundles_are_rendered_in_every_format() {
    let reports = reports();
    let mut documents = Vec::new();
    for report in &reports {
        let title = format!("{} → {}", report.baseline.as_ref().unwrap().name, report.candidate.name);
        let folds = fold(&report.findings, Over::Bundle);
        assert_eq!(folds.iter().map(super::super::fold::Fold::count).sum::<usize>(), report.findings.len());
        assert_eq!(super::folding::counted(report), [report.findings.len(); 2], "{title}");
        println!("{title}: {} findings, {} folded", report.findings.len(), folds.len());

        let comment = report.render(Format::Markdown, 100, true).chars().count();
        assert!(comment <= 65_536, "{title}: {comment} characters");

        for width in [40, 100] {
            let page = strip_str(&text::render(report, width, false)).to_string();
            for line in page.lines().filter(|line| line.chars().count() > width) {
                let is_place = line.starts_with("  standard") || line.starts_with("  experimental");
                // Paths and names stay whole; a place that is counted is a name and a path.
                let most = if line.starts_with("      ") { 2 } else { 1 };
                assert!(is_place || line.split_whitespace().count() <= most, "{title}: {line}");
            }
        }
        // Unfolded, every finding has a line of its own: as many as there are rules named.
        let all = strip_str(&text::render(report, 120, true)).to_string();
        let named = report.findings.iter().map(|located| format!("[{}]", located.finding.rule));
        let named = named.collect::<std::collections::BTreeSet<_>>();
        let lines = named.iter().map(|name| all.matches(&**name).count()).sum::<usize>();
        assert_eq!(lines, report.findings.len(), "{title}");

        assert!(github::render(report).lines().all(|line| line.chars().count() < 4000), "{title}");
        let document = serde_json::json!(report.document());
        assert_eq!(shape::errors(&schema(), &document), [] as [&str; 0], "{title}");
        documents.push(crd_diagnostics::json::line(&sarif::document(report)));
    }
    if let Some(errors) = sarif_schema::errors(&documents) {
        assert_eq!(errors, [] as [&str; 0]);
    }
}
