//! `document-storage`: etcd stores objects of 1.5 MiB at most, unless it is configured otherwise.

use super::{Authority, Check, Examined, Report, Rule};
use crate::objects::{REQUEST_LIMIT, STORAGE_LIMIT};

pub(super) const RULE: Rule = Rule {
    id: "document-storage",
    authority: Authority::Advice,
    refused: &[r#"{"bytes": 1572864}"#],
    accepted: &[r#"{"bytes": 1500000}"#],
    check: Check::Document(check),
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    let bytes = examined.crd.request_bytes();
    if bytes > STORAGE_LIMIT && bytes <= REQUEST_LIMIT {
        let message =
            format!("the CRD has {bytes} bytes as JSON, and etcd stores {STORAGE_LIMIT} in its default configuration");
        report.document("", message);
    }
}
