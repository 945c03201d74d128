//! `document-size`: a server reads requests of 3 MiB at most.

use super::{Authority, Check, Examined, Report, Rule};
use crate::objects::REQUEST_LIMIT;

pub(super) const RULE: Rule = Rule {
    id: "document-size",
    authority: Authority::Server,
    refused: &[r#"{"bytes": 3145728}"#],
    accepted: &[r#"{"bytes": 1000000}"#],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    let bytes = examined.crd.request_bytes();
    if bytes > REQUEST_LIMIT {
        let message = format!(
            "the CRD has {bytes} bytes as JSON, and a server reads {REQUEST_LIMIT}; shorten descriptions, or split the kind"
        );
        report.document("", message);
    }
}
