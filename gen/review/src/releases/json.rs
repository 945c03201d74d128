//! Releases as a JSON document.
//!
//! Invariants: every documented key is always present; findings are those of `diff`, and of each comparison those that decide.

use crd_diagnostics::json::{SCHEMA_VERSION, error};
use serde_json::{Map, Value, json};

use super::{Compared, MARK, Outcome, Project, Row};

/// The document of projects.
pub fn document(projects: &[Project]) -> Value {
    let compared = || projects.iter().flat_map(Project::compared);
    let left_out = |project: &Project| {
        project
            .left_out
            .iter()
            .map(|left_out| json!({"name": left_out.name, "reason": left_out.reason}))
            .collect::<Vec<_>>()
    };
    let each = projects.iter().map(|project| {
        json!({
            "name": project.name,
            "releases": project.rows.iter().map(row).collect::<Vec<_>>(),
            "leftOut": left_out(project),
            "undated": project.undated,
        })
    });
    json!({
        "schemaVersion": SCHEMA_VERSION,
        "generator": MARK,
        "projects": each.collect::<Vec<_>>(),
        "compared": compared().count(),
        "crds": compared().map(|compared| compared.crds).sum::<usize>(),
        "fitting": compared().filter(|compared| compared.fits()).count(),
        "unread": projects.iter().flat_map(|project| &project.rows).filter(|row| matches!(row.outcome, Outcome::Unread(_))).count(),
    })
}

fn row(row: &Row) -> Value {
    let compared = match &row.outcome {
        Outcome::Compared(compared) => Some(&**compared),
        Outcome::First | Outcome::Unread(_) => None,
    };
    let errors = match &row.outcome {
        Outcome::Unread(errors) => errors.iter().map(error).collect::<Vec<_>>(),
        Outcome::First | Outcome::Compared(_) => Vec::new(),
    };
    json!({ "version": row.tag, "comparison": compared.map(comparison), "errors": errors })
}

fn comparison(compared: &Compared) -> Value {
    let mut report = compared.report.document();
    let mut take = |key: &str| report.get_mut(key).map(Value::take).unwrap_or_default();
    let kept = ["channels", "findings", "fits", "needed", "profile", "profileReason", "verdict"];
    let mut document = kept.map(|key| (key.to_owned(), take(key))).into_iter().collect::<Map<_, _>>();
    document.insert("baseline".to_owned(), json!(compared.baseline));
    document.insert("declared".to_owned(), json!(compared.declared.word()));
    document.insert("crds".to_owned(), json!(compared.crds));
    document.insert("rules".to_owned(), json!(compared.rules));
    document.insert("decided".to_owned(), json!(compared.decided));
    Value::Object(document)
}
