//! Rules: what the webhook checks in addition to the CRDs, as functions over the types of a kind.
//!
//! Invariants:
//! * A rule reads one request and the cached objects. It has no clock, and sends nothing.
//! * A refusal of an update that the stored object deserves too becomes a warning, so that an object which is older than the webhook can
//!   still be changed.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::objects::Objects;

/// A request to create or update an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<T> {
    /// The object as it will be stored.
    pub object: T,
    /// The object as it is stored; nothing for a creation.
    pub old: Option<T>,
    /// The namespace of the request; nothing for an object of the whole cluster.
    pub namespace: Option<String>,
    /// Whether nothing will be stored.
    pub is_dry_run: bool,
}

/// What a rule reports. It has no influence on what other rules report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Why the request is refused.
    pub refusals: Vec<Remark>,
    /// What the user should read, although the request is accepted.
    pub warnings: Vec<Remark>,
}

/// One message of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The path of the field, such as `spec.rules[0].matches[1].headers[2].name`.
    pub field: String,
    /// What is wrong, and how to fix it. It names the values, not their indexes: the same message about the stored object is the same reason.
    pub message: String,
}

impl Report {
    /// Refuses the request.
    pub fn refuse(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.refusals.push(Remark { field: field.into(), message: message.into() });
    }

    /// Accepts the request with a warning.
    pub fn warn(&mut self, field: impl Into<String>, message: impl Into<String>) {
        self.warnings.push(Remark { field: field.into(), message: message.into() });
    }
}

/// The function of a rule.
pub type Check<T> = fn(&Change<T>, &Objects, &mut Report);

/// A rule about the objects of one kind. It is a constant, in a file of its own.
#[derive(Clone, Copy, Debug)]
pub struct Rule<T: 'static> {
    /// The name, in lower case with hyphens: the end of each message, and a label of metrics.
    pub name: &'static str,
    /// What the rule checks, in one sentence.
    pub about: &'static str,
    /// Why neither CRDs nor admission policies can check it, in one sentence.
    pub why: &'static str,
    /// What is checked when an object is created.
    pub create: Option<Check<T>>,
    /// What is checked when an object is updated.
    pub update: Option<Check<T>>,
}

/// What a rule is, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Described {
    /// The kind of the objects.
    pub kind: &'static str,
    /// As in [`Rule::name`].
    pub name: &'static str,
    /// As in [`Rule::about`].
    pub about: &'static str,
    /// As in [`Rule::why`].
    pub why: &'static str,
}

/// A request with its objects as values.
pub(crate) type Written<'r> = Change<&'r Value>;

/// The rules of a type, without the type: what each of them reports about a request.
pub(crate) type AnyRules = Box<dyn Fn(&Written<'_>, &Objects) -> Vec<(&'static str, Report)> + Send + Sync>;

impl<T: Clone> Rule<T> {
    /// What the rule reports about a request; nothing if it has no check for creations or for updates.
    ///
    /// A refusal of an update becomes a warning if the stored object deserves the same message.
    #[must_use]
    pub fn apply(&self, change: &Change<T>, objects: &Objects) -> Option<Report> {
        let check = self.check(change.old.is_some())?;
        let mut report = Report::default();
        check(change, objects, &mut report);
        if let Some(old) = change.old.as_ref().filter(|_| !report.refusals.is_empty()) {
            let stored = Change { object: old.clone(), old: Some(old.clone()), ..change.clone() };
            let mut before = Report::default();
            check(&stored, objects, &mut before);
            let is_known = |remark: &Remark| before.refusals.iter().any(|known| known.message == remark.message);
            let (known, new) = report.refusals.into_iter().partition(is_known);
            report.refusals = new;
            report.warnings.extend::<Vec<_>>(known);
        }
        Some(report)
    }

    fn check(&self, is_update: bool) -> Option<Check<T>> {
        if is_update { self.update } else { self.create }
    }
}

/// Applies rules to requests for objects of their kind. A type reads objects of its own API version only.
pub(crate) fn apply<T: DeserializeOwned + Clone>(
    rules: &[Rule<T>],
    api_version: &str,
    request: &Written<'_>,
    objects: &Objects,
) -> Vec<(&'static str, Report)> {
    let applies = |rule: &&Rule<T>| rule.check(request.old.is_some()).is_some();
    let mut rules = rules.iter().filter(applies).peekable();
    if rules.peek().is_none() {
        return Vec::new();
    }
    match read(request, api_version) {
        Ok(change) => rules.filter_map(|rule| Some((rule.name, rule.apply(&change, objects)?))).collect(),
        Err(error) => {
            // Readers are lenient, so only an object that its CRD refuses comes here.
            let mut report = Report::default();
            report.warn("", format!("it was not checked, because the object cannot be read: {error}"));
            rules.map(|rule| (rule.name, report.clone())).collect()
        }
    }
}

fn read<T: DeserializeOwned>(request: &Written<'_>, api_version: &str) -> Result<Change<T>, serde_json::Error> {
    let read = |object: &Value| match object.get("apiVersion").and_then(Value::as_str) {
        Some(version) if version != api_version => {
            let mut object = object.clone();
            object["apiVersion"] = api_version.into();
            T::deserialize(&object)
        }
        _ => T::deserialize(object),
    };
    Ok(Change {
        object: read(request.object)?,
        old: request.old.map(read).transpose()?,
        namespace: request.namespace.clone(),
        is_dry_run: request.is_dry_run,
    })
}
