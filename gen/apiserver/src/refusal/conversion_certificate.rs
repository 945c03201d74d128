//! `conversion-certificate`: the `caBundle` of a conversion webhook holds a certificate.
//!
//! Ours. The server takes any bytes when the CRD is created (1.32 to 1.37), and then never establishes it (reason `InvalidCABundle`). Whether
//! the certificate itself can be read is not looked at.

use crd_model::base64::decoded;
use serde_json::Value;

use super::{Examined, Report};

const BEGINNING: &[u8] = b"-----BEGIN CERTIFICATE-----";

pub(super) fn check(examined: &Examined<'_>, report: &mut Report) {
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
