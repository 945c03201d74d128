//! Why a CRD cannot be migrated.

use crd_cluster::InstalledCrd;
use crd_diagnostics::{Code, Diagnostic};

use crate::migrate::codes;

/// Why a CRD cannot be migrated. Everything that is wrong is in it.
pub type Blocked = Vec<Diagnostic>;

/// A diagnostic about a CRD.
pub(crate) fn about(code: &Code, crd: &str, message: impl Into<String>) -> Diagnostic {
    code.finding(message).of_crd(crd.to_owned(), None, "")
}

/// A CRD that converts its versions with a webhook.
pub(crate) fn converted_by_webhook(name: &str) -> Diagnostic {
    let message = "it converts its versions with a webhook, so what a migration would lose cannot be foreseen";
    about(&codes::WEBHOOK, name, message).help("apply a CRD with the conversion strategy `None`")
}

/// Why the objects of a CRD cannot be written.
pub(crate) fn unready(installed: &InstalledCrd) -> Blocked {
    let name = &*installed.metadata.name;
    let mut blocked = Vec::new();
    if installed.metadata.deletion_timestamp.is_some() {
        let help = "wait for the end of the deletion, and install the CRD again";
        blocked.push(about(&codes::UNREADY, name, "it is being deleted, with all of its objects").help(help));
    }
    if let Some(condition) = installed.condition("Established").filter(|condition| condition.status != "True") {
        let message = format!("the server does not serve it: {}", condition.message);
        blocked.push(about(&codes::UNREADY, name, message).help("`kubectl describe crd` shows the reason"));
    }
    blocked
}

/// The CRD was changed by another client.
pub(crate) fn changed(name: &str) -> Diagnostic {
    let help = "run the migration again, and let one program manage the CRDs";
    about(&codes::CHANGED, name, "it was changed during the migration").help(help)
}
