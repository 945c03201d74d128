//! The page `xtask/testbed/SAFE_UPGRADES.md`: the table and the decisions behind it, for people.
//!
//! Invariants: every row of the page is a row that a server was asked; the committed page is what is written today.

use std::fmt::Write as _;

use crd_release::admission::safe_upgrades::{DECISIONS, probe};
use serde_json::Value;

use super::journey::gateway_api;
use super::rows::{Fault, Name, Owner, Request, Row, SECTIONS, Section, Stamps};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/SAFE_UPGRADES.md");

const COMMAND: &str = "CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs safe_upgrades::page";

/// What the journey is told on its way down.
pub(super) const EXAMPLE: &str = "bundle v1.6.1 is older than what is installed: httproutes.gateway.networking.k8s.io is of v1.7.0. Install \
                                  that or a newer one. To do it all the same: kubectl delete validatingadmissionpolicy \
                                  safe-upgrades.gateway.networking.k8s.io, install, and apply the policy again.";

fn request(row: &Row) -> String {
    let request = match row.request {
        Request::New => "new",
        Request::NewThatClaimsToBeDeleted => "new, with a `deletionTimestamp` of its own",
        Request::Update => "update",
        Request::UpdateThatClaimsToBeNone => "update of the spec, with the generation of before",
        Request::Annotate => "update of nothing but stamps",
        Request::Spec => "update of the spec",
        Request::Label => "update of a label",
        Request::Finalizers => "update of finalizers",
        Request::Status => "update of the status",
        Request::UpdateOfDeleted => "update of one that is being deleted",
        Request::FinalizersOfDeleted => "its finalizers are taken from one that is being deleted",
    };
    match row.name {
        Name::Ours => request.to_owned(),
        Name::Stranger => format!("{request}; the bundle has no CRD of this name"),
    }
}

fn stamps(stamps: Stamps) -> String {
    let shown = |text: &str| {
        let escaped = Value::from(text).to_string();
        // Quotes only where the eye would miss something.
        let is_plain = !text.is_empty() && !text.contains([' ', '"']) && escaped.len() == text.len() + 2;
        format!("`{}`", if is_plain { text } else { &escaped })
    };
    match (stamps.version, stamps.channel) {
        (None, None) => "no stamps".to_owned(),
        (Some(version), None) => format!("{}, no channel", shown(version)),
        (None, Some(channel)) => format!("no version, {}", shown(channel)),
        (Some(version), Some(channel)) if matches!(channel, "standard" | "experimental") => {
            format!("{} {channel}", shown(version))
        }
        (Some(version), Some(channel)) => format!("{}, {}", shown(version), shown(channel)),
    }
}

fn answer(row: &Row) -> String {
    let owner = |owner: Owner| match owner {
        Owner::Itself => "what is installed",
        Owner::Reference => "the reference",
    };
    let faults: Vec<String> = row
        .faults
        .iter()
        .map(|fault| match fault {
            Fault::NoVersion => "no version".to_owned(),
            Fault::BadVersion => "malformed version".to_owned(),
            Fault::NoChannel => "no channel".to_owned(),
            Fault::BadChannel => "malformed channel".to_owned(),
            Fault::Older(of, _) => format!("older than {}", owner(*of)),
            Fault::LessStable(of) => format!("less stable than {}", owner(*of)),
        })
        .collect();
    if faults.is_empty() { "passes".to_owned() } else { format!("**refused**: {}", faults.join(", ")) }
}

fn table(page: &mut String, section: &Section) {
    let reference = match section.reference {
        Some(reference) => format!("The reference is installed: {}.", stamps(reference)),
        None => "The reference is not installed.".to_owned(),
    };
    let _ = write!(
        page,
        "\n### {}\n\n{reference}\n\n| request | installed | candidate | answer |\n|---|---|---|---|\n",
        section.title
    );
    for row in section.rows {
        let installed = row.installed.map_or_else(|| "–".to_owned(), stamps);
        let _ = writeln!(page, "| {} | {installed} | {} | {} |", request(row), stamps(row.candidate), answer(row));
    }
}

fn page() -> String {
    let minors = crd_testbed::MINORS.iter().map(|minor| minor.name).collect::<Vec<_>>().join(", ");
    let rows: usize = SECTIONS.iter().map(|section| section.rows.len()).sum();
    let mut page = format!(
        "<!-- Written by `{COMMAND}`;\n\
         the rows are in tests/proofs/safe_upgrades/rows.rs, the decisions in gen/artefacts/src/admission/safe_upgrades.rs. -->\n\
         # Safe upgrades\n\n\
         An admission policy comes with every bundle. It refuses to put a bundle over a newer one, and a channel over a more stable one, and\n\
         says so:\n\n\
         > {EXAMPLE}\n\n\
         After the policy is applied it takes about a second until the server asks it. This changes nothing, and is refused as soon as the\n\
         policy acts:\n\n\
         ```\n\
         {}\n\
         ```\n\n\
         ## What was decided\n\n",
        probe(&gateway_api()).unwrap_or_default()
    );
    for decision in DECISIONS {
        let _ = writeln!(page, "* {decision}");
    }
    let _ = write!(
        page,
        "\n## Row by row\n\n\
         {rows} requests, each of them made to a real server as a dry run. They hold on Kubernetes {minors}; `cargo xtask testbed matrix safe_upgrades`\n\
         asks all of these.\n"
    );
    for section in SECTIONS {
        table(&mut page, section);
    }
    page
}

#[test]
fn the_page_is_up_to_date() {
    let page = page();
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(PAGE, &page).expect("the page is writable");
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    let first = page.lines().zip(found.lines()).find(|(now, committed)| now != committed);
    assert!(found == page, "{PAGE} is stale; `{COMMAND}` writes it. First difference: {first:#?}");
}
