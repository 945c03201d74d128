//! The page `docs/evidence/safe-upgrades.md`: the decisions behind the policy, and the table.
//!
//! Invariants: every row of the page is tested on a server.

use std::fmt::Write as _;

use crd_bundle::admission::safe_upgrades::probe;
use serde_json::Value;

use crate::pages::{compare, filled};

use super::journey::{EXAMPLE, gateway_api};
use super::rows::{Name, Owner, Refusal, Request, Row, SECTIONS, Section, Stamps};

fn request(row: &Row) -> String {
    let request = match row.request {
        Request::New => "new",
        Request::NewThatClaimsToBeDeleted => "new, with a `deletionTimestamp`",
        Request::Update => "update",
        Request::UpdateThatClaimsToBeNone => "update of the spec, with the previous generation",
        Request::Annotate => "update of stamps only",
        Request::Spec => "update of the spec",
        Request::Label => "update of a label",
        Request::Finalizers => "update of finalizers",
        Request::Status => "update of the status",
        Request::UpdateOfDeleted => "update of a CRD that is being deleted",
        Request::FinalizersOfDeleted => "removal of finalizers from a CRD that is being deleted",
    };
    match row.name {
        Name::InBundle => request.to_owned(),
        Name::Other => format!("{request}; the bundle has no CRD of this name"),
    }
}

fn stamps(stamps: Stamps) -> String {
    let shown = |text: &str| {
        let escaped = Value::from(text).to_string();
        // Quotes only around texts with characters that are hard to see.
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
        Owner::Itself => "the installed CRD",
        Owner::Reference => "the reference",
    };
    let refusals: Vec<String> = row
        .refusals
        .iter()
        .map(|refusal| match refusal {
            Refusal::NoVersion => "no version".to_owned(),
            Refusal::BadVersion => "malformed version".to_owned(),
            Refusal::NoChannel => "no channel".to_owned(),
            Refusal::BadChannel => "malformed channel".to_owned(),
            Refusal::Older(of, _) => format!("older than {}", owner(*of)),
            Refusal::NoOrder(of, _) => format!("a month, and {} has a version", owner(*of)),
            Refusal::LessStable(of) => format!("less stable than {}", owner(*of)),
        })
        .collect();
    if refusals.is_empty() { "accepted".to_owned() } else { format!("**refused**: {}", refusals.join(", ")) }
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
    for row in &section.rows {
        let installed = row.installed.map_or_else(|| "–".to_owned(), stamps);
        let _ = writeln!(page, "| {} | {installed} | {} | {} |", request(row), stamps(row.candidate), answer(row));
    }
}

fn page() -> String {
    let minors = crd_testbed::MINORS.iter().map(|minor| minor.name).collect::<Vec<_>>().join(", ");
    let rows: usize = SECTIONS.iter().map(|section| section.rows.len()).sum();
    let mut tables = String::new();
    for section in &*SECTIONS {
        table(&mut tables, section);
    }
    filled(
        include_str!("page.md"),
        &[
            ("example", EXAMPLE),
            ("probe", &probe(&gateway_api()).unwrap_or_default()),
            ("rows", &rows.to_string()),
            ("minors", &minors),
            ("tables", &tables),
        ],
    )
}

#[test]
fn the_page_is_up_to_date() {
    compare(&page(), "evidence/safe-upgrades.md", "safe_upgrades::page");
}
