//! The pages of all codes, for `explain`.
//!
//! Invariants: a rule has its page from its own table; [`command_line::CODES`] has the codes of the command line, [`object::CODES`] those of `validate`. A test checks that each code that a
//! diagnostic uses has exactly one page.

mod command_line;
mod conversion;
mod object;

use crd_apiserver::refusal::{self, Authority};
use crd_bundle::published::IMPORT_RULES;
use crd_bundle::published::codes::READ_CODES;
use crd_compat::all_rules;
use crd_diagnostics::page::Page;
use crd_model::CustomResourceDefinition;

use crd_review::report::PROBLEMS;

pub(crate) use object::CODES as OBJECT_CODES;

/// A page with the area that it belongs to.
pub(crate) struct Listed {
    /// The heading of the list.
    pub(crate) area: &'static str,
    /// The page.
    pub(crate) page: Page,
}

/// Every page, by area.
pub(crate) fn pages() -> Vec<Listed> {
    let mut pages = Vec::new();
    let mut add = |area, page| pages.push(Listed { area, page });
    for rule in all_rules() {
        let (id, summary, explanation, example) = (rule.id, rule.summary, rule.explanation, rule.example);
        add("Rules of the policy", Page::new(id, summary, explanation, example));
    }
    for (code, summary, fix, example) in &crd_generate::CODES {
        add("Types and catalogue", Page::new(code, summary, fix, example));
    }
    for (code, summary, example) in &crd_cel::CODES {
        add("CEL rules", Page::new(code, summary, "", example));
    }
    for (code, summary, explanation, example) in command_line::CODES {
        let area = match code.split_once("::").map(|(area, _)| area) {
            Some("catalogue") => "Types and catalogue",
            _ => "Files, bundles and usage",
        };
        add(area, Page::new(code, summary, explanation, example));
    }
    for (code, summary, explanation, example) in OBJECT_CODES {
        add("Findings about objects", Page::new(code, summary, explanation, example));
    }
    for (code, summary, explanation, example) in conversion::CODES {
        add("Conversion of objects", Page::new(code, summary, explanation, example));
    }
    #[cfg(feature = "clusters")]
    for (code, summary, explanation, example) in crd_cluster::CODES {
        add("Reading of clusters", Page::new(code, summary, explanation, example));
    }
    #[cfg(feature = "clusters")]
    for code in crd_inspect::CODES {
        add("Findings about clusters", Page::new(code.name, code.summary, code.explanation, code.example));
    }
    #[cfg(feature = "clusters")]
    for code in crd_migrate::CODES {
        add("Migration of clusters", Page::new(code.name, code.summary, code.explanation, code.example));
    }
    for row in &PROBLEMS {
        add("Versions, waivers and tombstones", Page::new(row.id, row.summary, row.explanation, row.example));
    }
    for (code, summary, example) in &READ_CODES {
        add("Reading of bundles", Page::new(code, summary, "The bundle is not read.", example));
    }
    for rule in IMPORT_RULES {
        let explanation = "`import` reports it, because the bundle would not be a correct baseline.";
        add("Import of bundles", Page::new(rule.id, rule.summary, explanation, ""));
    }
    for rule in refusal::RULES {
        add("Refusals of CRDs", of_refusal(rule));
    }
    pages.sort_by_key(|listed| AREAS.iter().position(|area| *area == listed.area).unwrap_or(AREAS.len()));
    pages
}

/// The areas in the order of the list.
const AREAS: [&str; 11] = [
    "Types and catalogue",
    "CEL rules",
    "Rules of the policy",
    "Versions, waivers and tombstones",
    "Files, bundles and usage",
    "Reading of bundles",
    "Import of bundles",
    "Findings about objects",
    "Conversion of objects",
    "Reading of clusters",
    "Findings about clusters",
];

/// The page of a refusal: its message for the first example.
fn of_refusal(rule: &refusal::Rule) -> Page {
    let example = rule.refused.first().copied().unwrap_or_default();
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
        code: rule.id,
        summary: message.unwrap_or_else(|| "The CRD is not valid.".to_owned()),
        explanation: format!(
            "{who} The example edits a small valid CRD: `document` and `version` are merge patches, `root` is the schema, and `field` is the \
             schema of `spec.field`."
        ),
        example: example.to_owned(),
    }
}
