//! One kind of a client on an offer: whether it works, and why not.
//!
//! Invariant: the first version of the client that is served counts. A field below a missing field is not listed.

use crate::BundleVersion;
use crd_model::Schema;
use crd_model::channel::Channel;
use crd_model::crd::priority;
use crd_model::schema::{keeps_unknown, missing_fields};
use crd_model::words;

use crate::skew::client::ClientKind;
use crate::skew::offer::OfferedKind;

/// How many fields a text names.
const MOST_NAMED: usize = 3;

/// What a client finds of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KindVerdict {
    /// The client reads this version.
    Works {
        /// The version.
        version: String,
    },
    /// The client reads this version, which lacks fields that the client uses.
    WithoutFields {
        /// The version.
        version: String,
        /// The paths of the fields.
        fields: Vec<String>,
    },
    /// The kind does not exist.
    Absent,
    /// The kind exists, and none of the client's versions is served.
    NotServed {
        /// The versions that are served, in the order of the server.
        served: Vec<String>,
        /// Whether one of them is later than all versions of the client.
        is_newer: bool,
    },
}

impl KindVerdict {
    /// The verdict about a kind, with what the bundle of the client has of it, and what the client finds.
    #[must_use]
    pub fn of(kind: &ClientKind, own: Option<&OfferedKind>, found: Option<&OfferedKind>) -> Self {
        let Some(found) = found else { return Self::Absent };
        let Some(version) = kind.versions.iter().find(|version| found.served.contains(version)) else {
            let is_later = |served: &String| kind.versions.iter().all(|known| priority(served) > priority(known));
            return Self::NotServed { served: found.served.clone(), is_newer: found.served.iter().any(is_later) };
        };
        let version = version.clone();
        let fields = found.schema(&version).map(|schema| missing(kind, own, &version, schema)).unwrap_or_default();
        if fields.is_empty() { Self::Works { version } } else { Self::WithoutFields { version, fields } }
    }

    /// Its word in documents.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Works { .. } => "works",
            Self::WithoutFields { .. } => "without-fields",
            Self::Absent => "absent",
            Self::NotServed { .. } => "not-served",
        }
    }
}

/// The fields that the client needs and that a schema lacks.
fn missing(kind: &ClientKind, own: Option<&OfferedKind>, version: &str, schema: &Schema) -> Vec<String> {
    if let Some(fields) = &kind.fields {
        return fields.iter().filter(|path| !keeps(schema, path)).cloned().collect();
    }
    let Some(own) = own else { return Vec::new() };
    let read = || own.schema(kind.versions.iter().find(|version| own.served.contains(version))?);
    let own = own.schema(version).or_else(read);
    own.map(|own| missing_fields(schema, own)).unwrap_or_default()
}

/// Whether a server keeps the field at a path. Each object has metadata, whatever the schema.
fn keeps(schema: &Schema, path: &str) -> bool {
    let mut at = schema;
    for name in path.split(['.', '[']).take_while(|name| *name != "metadata" || !std::ptr::eq(at, schema)) {
        let below = match name {
            "*]" => at.items.as_deref().or_else(|| at.values()),
            _ => at.properties.get(name),
        };
        match below {
            Some(below) => at = below,
            None => return keeps_unknown(at),
        }
    }
    true
}

words! {
    /// What happens to a client: the worst of its kinds.
    pub enum Verdict {
        /// Everything works.
        Works = "works",
        /// Fields that it uses do not exist: servers drop them.
        WithoutFields = "without-fields",
        /// Kinds that it can be without cannot be read.
        Skips = "skips",
        /// Kinds that it needs cannot be read.
        Fails = "fails",
    }
}

impl Verdict {
    /// The verdict about one kind.
    #[must_use]
    pub fn of(kind: &ClientKind, verdict: &KindVerdict) -> Self {
        match verdict {
            KindVerdict::Works { .. } => Self::Works,
            KindVerdict::WithoutFields { .. } => Self::WithoutFields,
            KindVerdict::Absent | KindVerdict::NotServed { .. } if kind.is_optional => Self::Skips,
            KindVerdict::Absent | KindVerdict::NotServed { .. } => Self::Fails,
        }
    }

    /// Its words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::WithoutFields => "works without fields",
            Self::Skips => "skips kinds",
            Self::Fails => "fails",
        }
    }
}

/// The release, or the channel, that causes a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// This release of the channel is the first one without what the client needs.
    Since(BundleVersion, Channel),
    /// This release of the channel is the first one with what the client needs.
    From(BundleVersion, Channel),
    /// The kind that is absent comes earlier, in the second release, and the first one is the first of the channel that serves what the client
    /// reads of it.
    ServedFrom(BundleVersion, BundleVersion, Channel),
    /// Only this channel has what the client needs.
    OnlyIn(Channel),
}

/// Something that a client needs and does not find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the CRD; `KIND.GROUP` if no known bundle has it.
    pub crd: String,
    /// The kind.
    pub kind: ClientKind,
    /// What the client finds of the kind. Of fields, only those with this cause.
    pub verdict: KindVerdict,
    /// Why; nothing if it is not known.
    pub cause: Option<Cause>,
}

impl Finding {
    /// The finding in one sentence, such as `TLSRoute v1alpha2 is not served in standard since v1.5.0; served: v1`.
    #[must_use]
    pub fn text(&self) -> String {
        let kind = &self.kind.kind;
        let versions = || format!("{kind} {}", self.kind.versions.join(" or "));
        let (subject, is, verb) = match &self.verdict {
            KindVerdict::NotServed { .. } => (versions(), "is", " served"),
            KindVerdict::Absent if matches!(self.cause, Some(Cause::ServedFrom(..))) => (versions(), "is", " served"),
            KindVerdict::WithoutFields { version, fields } => {
                let named = crd_diagnostics::layout::some_of(fields, MOST_NAMED);
                (format!("{named} of {kind} {version}"), if fields.len() == 1 { "is" } else { "are" }, "")
            }
            KindVerdict::Absent | KindVerdict::Works { .. } => (kind.clone(), "is", ""),
        };
        let text = match self.cause {
            Some(Cause::Since(release, channel)) => format!("{subject} {is} not{verb} in {channel} since {release}"),
            Some(Cause::From(release, channel)) => format!("{subject} {is}{verb} in {channel} from {release} on"),
            Some(Cause::ServedFrom(release, kind, channel)) => {
                format!("{subject} is served in {channel} from {release} on; the kind is there since {kind}")
            }
            Some(Cause::OnlyIn(channel)) => {
                format!("only {channel} {} {subject}", if verb.is_empty() { "has" } else { "serves" })
            }
            None if verb.is_empty() => format!("{subject} {is} absent"),
            None => format!("{subject} {is} not{verb}"),
        };
        match &self.verdict {
            KindVerdict::NotServed { served, .. } => format!("{text}; served: {}", served.join(", ")),
            _ => text,
        }
    }
}
