//! The pages of all codes, for `explain`.
//!
//! Invariants: a crate has the pages of its codes as a document in Markdown, and the pages of rules from their tables. A test checks that each code
//! that a diagnostic uses has exactly one page.

use crd_apiserver::refusal::{self, Authority};
use crd_bundle::published::{IMPORT_RULES, codes as reading};
use crd_compat::rule_pages;
use crd_diagnostics::page::{self, Page};
use crd_model::CustomResourceDefinition;
use crd_review::report::PROBLEM_PAGES;
use crd_suite::codes::PAGES as SUITE_PAGES;

pub(crate) const OBJECT_PAGES: &str = include_str!("codes/object.md");

/// Every page of this crate, and those of other documents, by area.
pub fn pages(others: &[&'static str]) -> Vec<Page> {
    let baseline = "`import` reports it, because the bundle would not be a correct baseline.";
    let imports = IMPORT_RULES.iter().map(|rule| Page {
        area: "Import of bundles",
        code: rule.id,
        summary: rule.summary.to_owned(),
        explanation: baseline.to_owned(),
        example: String::new(),
    });
    let of =
        |documents: &[&'static str]| documents.iter().flat_map(|document| page::pages(document)).collect::<Vec<_>>();
    let mut pages = of(&[crd_generate::PAGES, crd_go::PAGES, include_str!("codes/catalogue.md"), crd_cel::PAGES]);
    pages.extend(rule_pages());
    pages.extend(of(&[PROBLEM_PAGES, include_str!("codes/command_line.md"), crd_bindings::PAGES, reading::PAGES]));
    pages.extend(of(&[crd_oci::signature::PAGES, crd_oci::PAGES, include_str!("codes/verification.md")]));
    pages.extend(imports);
    pages.extend(crd_lint::pages());
    pages.extend(of(&[OBJECT_PAGES, include_str!("codes/conversion.md")]));
    pages.extend(of(&[OBJECT_PAGES, SUITE_PAGES, include_str!("codes/conversion.md")]));
    pages.extend(of(others));
    pages.extend(refusal::RULES.iter().map(of_refusal));
    pages
}

/// The page of a refusal: its message for the first example.
fn of_refusal(rule: &refusal::Rule) -> Page {
    let example = rule.refused().next().unwrap_or_default();
    let crd = refusal::example(example).and_then(|value| CustomResourceDefinition::from_value(&value).ok());
    let refusals = crd.map(|crd| (refusal::refusals(&crd), refusal::advice(&crd))).unwrap_or_default();
    let message =
        refusals.0.into_iter().chain(refusals.1).find(|refusal| refusal.rule == rule.id).map(|refusal| refusal.message);
    let who = match rule.authority {
        Authority::Server => "An API server rejects such a CRD.",
        Authority::House => "An API server accepts such a CRD, although it can only be a mistake.",
        Authority::Advice => {
            "An API server accepts such a CRD, and some APIs have a reason for it. `generate` reports a warning."
        }
    };
    Page {
        area: "Refusals of CRDs",
        code: rule.id,
        summary: message.unwrap_or_else(|| "The CRD is not valid.".to_owned()),
        explanation: format!(
            "{who} The example edits a small valid CRD: `document` and `version` are merge patches, `root` is the schema, and `field` is the \
             schema of `spec.field`."
        ),
        example: example.to_owned(),
    }
}
