//! The page `docs/evidence/safe-upgrades.md`: the decisions behind the policy, and the table.
//!
//! Invariants: every row of the page is tested on a server. The committed page is up to date.

use std::fmt::Write as _;

use crd_release::admission::safe_upgrades::probe;
use serde_json::Value;

use super::journey::{EXAMPLE, gateway_api};
use super::rows::{Name, Owner, Refusal, Request, Row, SECTIONS, Section, Stamps};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence/safe-upgrades.md");

const COMMAND: &str = "CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs safe_upgrades::page";

/// The decisions behind the policy, with their reasons: one paragraph each, in Markdown.
const DECISIONS: &[&str] = &[
    "**Which CRDs are checked.** CRDs whose names the bundle has in any channel, and CRDs with one of its stamps, before or after the request. \
     The policy does not check a whole group, because other projects add their CRDs to `x-k8s.io` groups. Stamps identify CRDs that the policy \
     does not name: CRDs of older and of newer bundles. The policy also reads the stamps before the request, so removing stamps does not avoid \
     it.",
    "**What counts as a change.** A new CRD, and an update of the spec or of a stamp. An update of labels, owners or other annotations is \
     always accepted, whatever the stamps are. (The server counts changes of the spec in `metadata.generation` before it evaluates policies; \
     clients cannot set it.) The policy does not match the status subresource. It accepts all updates of a CRD that is being deleted, so that \
     finalizers can be removed.",
    "**Both stamps must exist and be well-formed.** Otherwise neither this request nor the next upgrade could be compared. The version is \
     `vMAJOR.MINOR.PATCH`, optionally with `-alpha`, `-beta`, `-dev` or `-rc`, with or without a number (`-rc.1`). Numbers have no leading \
     zeros and at most four digits. The channel is one that the generator supports.",
    "**An update is compared with the previous CRD**, stamp by stamp, because only the object in the cluster shows what is installed. The same \
     version is accepted again, so that an interrupted upgrade can be repeated.",
    "**A new CRD is compared with the *reference***, an installed CRD that is a parameter of the policy. A CRD that only experimental has would \
     mix the channels of a standard installation. It is refused like an experimental CRD over a standard one. A new CRD of a bundle that is \
     older than the reference is refused too. During an installation the reference may be old or new. Both work, because an upgrade is newer \
     than both.",
    "**The choice of the reference.** Candidates are the CRDs that every channel of the bundle has. The policy uses the one with the most \
     versions served in the most stable channel, then the first by name. A resource with many versions has existed for a long time, so older \
     bundles have it too. (For Gateway API it is `gatewayclasses`, which every release has. The first by name, `backendtlspolicies`, was added \
     to standard in v1.4.)",
    "**There are two bindings.** With `parameterNotFoundAction: Allow`, the server skips a binding without its parameter. Without the reference, \
     all checks of updates would be skipped too. So one binding has no parameter and makes the checks that do not need the reference. The other \
     binding makes the remaining checks.",
    "**Unreadable installed stamps.** A stamp such as `dev`, a git hash, `v1.6`, or a missing stamp does not show what is installed. Such CRDs \
     are older than the stamps, were built locally, or lost their stamps while the policy was not installed. The policy then uses the stamp of \
     the reference. If that is missing or unreadable too, every well-formed stamp is accepted: otherwise the only way to a released bundle \
     would be to delete the CRD with all its objects. Version and channel are compared separately, so a CRD of version `dev` and channel \
     standard refuses an experimental one.",
    "**Installed versions of another form.** A version that starts with three numbers, such as `v1.0.0-rc1` or `v1.4.0+vendor`, counts as the \
     lowest version with these numbers, if it has at most 64 characters. v1.0.0-alpha may replace v1.0.0-rc1; v0.9.9 may not. A request with \
     such a version is refused as malformed.",
    "**Standard over experimental is accepted.** It hides the fields that only experimental has ([switching channels](channel-switching.md)), \
     but users need a way back. It must be an upgrade: an older standard bundle over a newer experimental one is refused. CRDs that only \
     experimental has remain, and accept later versions, because each is compared with itself.",
    "**A downgrade on purpose** needs one explicit step: `kubectl delete validatingadmissionpolicy NAME`. The bindings have no effect without \
     the policy. Then install the other bundle. Install files and charts contain the policy, after the CRDs. A policy becomes active or \
     inactive after about a second: wait until a dry run has the expected answer.",
    "**A refused `kubectl apply` still applies the policy of its file.** kubectl continues after a refusal, and the policy follows the CRDs in \
     the same file. The policy has no version, so an older one is not refused. It checks with the names and the reference of its own release. \
     It identifies the other CRDs by their stamps, so the installed CRDs remain protected. Apply the installed bundle, or a newer one, again \
     to restore its policy. Helm behaves in the same way if changes of CRDs are refused. If a new CRD is refused, Helm stops the upgrade before \
     the policy.",
    "**One message contains all reasons** that concern the CRD itself and its previous state. Only requests that pass these checks are compared \
     with the reference, because the server shows the message of only one refusing binding, and the choice is random. Client-side \
     `kubectl apply` prints the complete patch before the message, some hundred thousand characters; `apply --server-side` prints only the \
     message.",
    "**The policy prevents accidents.** It does not stop users who may change CRDs, because they may also delete the policy. The server reads the \
     reference from a cache, which may be some milliseconds old.",
];

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
         the rows are in xtask/testbed/tests/proofs/safe_upgrades/rows.rs. -->\n\
         # Safe upgrades\n\n\
         Every bundle contains an admission policy. It refuses to install a bundle over a newer one, and a channel over a more stable one. Its\n\
         message contains the reason:\n\n\
         > {EXAMPLE}\n\n\
         The policy becomes active about a second after it is applied. This command changes nothing, and is refused as soon as the policy is\n\
         active:\n\n\
         ```\n\
         {}\n\
         ```\n\n\
         ## Decisions\n\n",
        probe(&gateway_api()).unwrap_or_default()
    );
    for decision in DECISIONS {
        let _ = writeln!(page, "* {decision}");
    }
    let _ = write!(
        page,
        "\n## Requests and answers\n\n\
         The table has {rows} requests. A test sends each of them to a real server as a dry run. The answers are the same on Kubernetes {minors};\n\
         `cargo xtask testbed matrix safe_upgrades` tests all of these.\n"
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
