//! `names-missing`: a resource has a plural and a kind.
//!
//! The server makes up the singular (the kind in lower case) and the list kind (the kind and `List`) where they are
//! missing.

use super::{Authority, Check, Examined, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "names-missing",
    authority: Authority::Server,
    refused: &[
        r#"{"document": {"spec": {"names": {"kind": ""}}}}"#,
        r#"{"document": {"spec": {"names": {"plural": null}}, "metadata": {"name": ".example.com"}}}"#,
    ],
    accepted: &[r#"{"document": {"spec": {"names": {"singular": "", "listKind": ""}}}}"#],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    let names = &examined.crd.names;
    for (field, value) in [("plural", &names.plural), ("kind", &names.kind)] {
        if value.is_empty() {
            report.document(
                format!("spec.names.{field}"),
                format!("`{field}` is missing; clients could not request the resource"),
            );
        }
    }
}
