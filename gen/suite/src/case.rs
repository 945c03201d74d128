//! A suite and its cases, as they are asked of a server. The forms of files become these values.

use std::ops::RangeInclusive;

use crd_model::channel::Channel;
use crd_model::path::Step;
use serde_json::{Value, json};

/// The cases of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// The file, for messages.
    pub file: String,
    /// The name; the name of the file if it has none.
    pub name: String,
    /// The cases.
    pub cases: Vec<Case>,
    /// The CRDs to which a suite of OpenShift applies; none for a suite of our form.
    pub selection: Option<Selection>,
}

/// The CRDs to which a suite of OpenShift applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The name of the CRD.
    pub crd: String,
    /// The API version; none: the only one.
    pub version: Option<String>,
    /// The feature gates that must be enabled, or disabled if they begin with `-`.
    pub gates: Vec<String>,
}

/// One request and the answer that is expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What the case shows, in a few words; unique in its suite.
    pub name: String,
    /// The line of the case in its file.
    pub line: usize,
    /// The channel to which it applies; none: to every channel.
    pub channel: Option<Channel>,
    /// The Kubernetes minors (1.x) to which it applies; none: to every minor.
    pub minors: Option<RangeInclusive<u32>>,
    /// The stored object, which the request replaces; none for a creation.
    pub old: Option<Value>,
    /// The object of the request.
    pub object: Value,
    /// Whether the request goes to the status.
    pub is_status: bool,
    /// The answer.
    pub expected: Expected,
}

/// The expected answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// The object is stored.
    Accepted {
        /// The object as it is read after the request; none: not compared.
        stored: Option<Value>,
        /// Parts of it by their paths; none: nothing is stored at the path.
        parts: Vec<(Vec<Step>, Option<Value>)>,
        /// Parts of the warnings, one for each; none: not compared, and no unknown fields.
        warnings: Option<Vec<String>>,
    },
    /// The object is refused; each text is a part of a reason (`FIELD: MESSAGE`), and each reason contains one of the texts.
    Refused(Vec<String>),
    /// The object is refused with a message that contains this text, as suites of OpenShift have it.
    RefusedWith(String),
}

impl Expected {
    /// An object is stored, and nothing is compared.
    pub const ACCEPTED: Self = Self::Accepted { stored: None, parts: Vec::new(), warnings: None };

    /// Whether the object is stored.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted { .. })
    }
}

/// The name of objects that have none.
pub const NAME: &str = "example";

/// An object with the parts that every object has.
pub(crate) fn completed(mut object: Value, api_version: &str, kind: &str) -> Value {
    if let Some(map) = object.as_object_mut() {
        map.entry("apiVersion").or_insert_with(|| Value::from(api_version));
        map.entry("kind").or_insert_with(|| Value::from(kind));
        let metadata = map.entry("metadata").or_insert_with(|| json!({})).as_object_mut();
        metadata.map(|metadata| metadata.entry("name").or_insert_with(|| Value::from(NAME)));
    }
    object
}
