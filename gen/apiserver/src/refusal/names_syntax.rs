//! `names-syntax`: every name of the resource is a DNS-1035 label; kinds may have upper case.
//!
//! That holds for the names that the server makes up too: a kind of 60 characters has a list kind of 64, which is too
//! long.

use super::{Examined, Report};
use crate::names::dns_1035_label_problem;

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
    let names = &examined.crd.names;
    let kind = names.kind.as_ref();
    let given = |name: &Option<crd_model::schema::Text>| {
        name.as_ref().filter(|name| !name.is_empty()).map(|name| name.to_string())
    };
    let singular = given(&names.singular).unwrap_or_else(|| kind.to_lowercase());
    let list_kind =
        given(&names.list_kind).unwrap_or_else(|| if kind.is_empty() { String::new() } else { format!("{kind}List") });
    let mut all = vec![
        ("plural".to_owned(), names.plural.to_string(), false),
        ("singular".to_owned(), singular, false),
        ("kind".to_owned(), kind.to_owned(), true),
        ("listKind".to_owned(), list_kind, true),
    ];
    for (field, list) in [("shortNames", &names.short_names), ("categories", &names.categories)] {
        all.extend(list.iter().enumerate().map(|(index, name)| (format!("{field}[{index}]"), name.to_string(), false)));
    }
    for (field, name, may_have_upper_case) in all {
        // Another rule reports missing names; an empty entry of a list is not a label.
        if name.is_empty() && !field.contains('[') {
            continue;
        }
        let checked = if may_have_upper_case { name.to_lowercase() } else { name.clone() };
        if let Some(problem) = dns_1035_label_problem(&checked) {
            let case = if may_have_upper_case { " (upper case apart)" } else { "" };
            report.document(format!("spec.names.{field}"), format!("{name:?} is not a resource name{case}: {problem}"));
        }
    }
}
