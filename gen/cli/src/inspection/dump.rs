//! What files show of a cluster: CRDs and objects that `kubectl get --output yaml` wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_of;
use crd_generator::session::Session;
use serde_json::Value;

use crate::objects;

/// How many kinds a note names.
const MOST_NAMED: usize = 3;
/// The groups of kinds that no CRD declares: CRDs, policies and webhooks.
const OF_SERVERS: [&str; 2] = ["apiextensions.k8s.io", "admissionregistration.k8s.io"];

/// A name for messages, and the objects.
pub(crate) type Dump = (String, Vec<Value>);

/// Reads the files; nothing without any. A note counts the objects whose CRD is not in them.
///
/// # Errors
/// Everything that cannot be read, and if there is no CRD.
pub(crate) fn read(files: &[OsString], session: &mut Session<'_>) -> Result<Option<Dump>, Vec<Diagnostic>> {
    let Some(first) = files.first() else { return Ok(None) };
    session.begin("reading the files");
    let objects = objects::values(files, session)?;
    let crds = objects.iter().filter(|object| is_crd(object));
    let kinds = crds.map(|crd| (text(crd, "/spec/group"), text(crd, "/spec/names/kind"))).collect::<BTreeSet<_>>();
    if kinds.is_empty() {
        let error = Diagnostic::error("object::none", "the files contain no CRD, so no object can be compared");
        return Err(error.help("add what `kubectl get crds --output yaml` writes").into());
    }
    if let Some(note) = not_compared(&objects, &kinds) {
        session.note(note);
    }
    session.note("what the files do not show, such as policies and the version of the server, is not known");
    Ok(Some((first.to_string_lossy().into_owned(), objects)))
}

/// Whether an object is a CRD.
pub(crate) fn is_crd(object: &Value) -> bool {
    text(object, "/kind") == "CustomResourceDefinition"
}

/// A note that counts the objects of which no CRD has the group and the kind; nothing without such objects.
pub(crate) fn not_compared(objects: &[Value], kinds: &BTreeSet<(String, String)>) -> Option<String> {
    let group =
        |object| text(object, "/apiVersion").split_once('/').map_or(String::new(), |(group, _)| group.to_owned());
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for object in objects {
        let (group, kind) = (group(object), text(object, "/kind"));
        if !OF_SERVERS.contains(&&*group) && !kinds.contains(&(group, kind.clone())) {
            *unknown.entry(format!("{} {kind}", text(object, "/apiVersion"))).or_default() += 1;
        }
    }
    let listed = unknown.iter().map(|(kind, number)| format!("{kind} ({number})")).collect::<Vec<_>>();
    let listed = (!listed.is_empty()).then(|| some_of(&listed, MOST_NAMED))?;
    Some(format!("not compared, because their CRDs are not in the files: {listed}"))
}

fn text(object: &Value, at: &str) -> String {
    object.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned()
}
