//! `conversion-certificate`: the `caBundle` of a conversion webhook holds a certificate.
//!
//! Ours. The server takes any bytes when the CRD is created (1.32 to 1.37), and then never establishes it (reason `InvalidCABundle`). Whether
//! the certificate itself can be read is not looked at.

use crd_model::base64::decoded;
use serde_json::Value;

use super::{Authority, Check, Examined, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "conversion-certificate",
    authority: Authority::House,
    refused: &[
        // "abc"
        r#"{"document": {"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://a", "caBundle": "YWJj"}}}}}}"#,
    ],
    accepted: &[
        r#"{"document": {"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://a", "caBundle": ""}}}}}}"#,
        concat!(
            r#"{"document": {"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://a", "caBundle": ""#,
            "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJiakNDQVJXZ0F3SUJBZ0lVRmFVMXAzYitOM1JqWG94VHFDRGd6WnBib0Nnd0NnWUlLb1pJemowRUF3",
            "SXcKRERFS01BZ0dBMVVFQXd3QllUQWdGdzB5TmpFeE1qRXhORE0zTXpKYUdBOHlNVEkyTVRBeU9ERTBNemN6TWxvdwpEREVLTUFnR0ExVUVBd3dCWVRCWk1C",
            "TUdCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQkZVaGlXN0pmQklPCnVwWkZSNmZVZDlwYWpZWFpoOTF0SEtmWGQzREtaR3ZoSE9hcHFBdExlSnc0L0Q0",
            "N1FIOXZIV3ZFTyt0ZmdNdjQKWnY4ckMwNndUbWVqVXpCUk1CMEdBMVVkRGdRV0JCVElWSGhQOGZPbzZGT2FNUGNhRjUxRnVlVnY1akFmQmdOVgpIU01FR0RB",
            "V2dCVElWSGhQOGZPbzZGT2FNUGNhRjUxRnVlVnY1akFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQW9HCkNDcUdTTTQ5QkFNQ0EwY0FNRVFDSUJrVTd5VGFLTXp3",
            "MGlJT1QzZWlrVEV3SlA0UFdoNU1Jb0ZhcFJSUm5ZOC8KQWlCMWt3K1U1ZlBSdmRIRWRlZmQ1dGtXZURzTENWR2RSS09oUUNtZWJXdnJuUT09Ci0tLS0tRU5E",
            "IENFUlRJRklDQVRFLS0tLS0K",
            r#""}}}}}}"#
        ),
    ],
    check: Check::Document(check),
};

const BEGINNING: &[u8] = b"-----BEGIN CERTIFICATE-----";

fn check(examined: &Examined<'_>, report: &mut Report) {
    let bundle = examined.crd.conversion.as_ref().and_then(|conversion| conversion.pointer(POINTER));
    // Another rule reports text that is not base64.
    let Some(bytes) = bundle.and_then(Value::as_str).and_then(decoded) else { return };
    if !bytes.is_empty() && !bytes.windows(BEGINNING.len()).any(|window| window == BEGINNING) {
        let message =
            "there is no certificate in it (PEM, in base64); the server would accept this and never serve the resource";
        report.document("spec.conversion.webhook.clientConfig.caBundle", message);
    }
}

const POINTER: &str = "/webhook/clientConfig/caBundle";
