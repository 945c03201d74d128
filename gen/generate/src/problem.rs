//! Problems of types, as diagnostics: their codes, their locations, and how equal ones are merged.
//!
//! Invariants: a diagnostic has the Rust type and field as far as they are known, and the channel if it applies to one channel only.

use std::collections::HashMap;

use crd_apiserver::refusal::Refusal;
use crd_cel::SchemaProblem;
use crd_descriptors::channel::Channel;
use crd_descriptors::descriptor::{Field, Location, TypeDescriptor};
use crd_diagnostics::Diagnostic;

/// Every code of this crate: the code, a sentence that explains it, how to fix it, and an example, sorted by code.
///
/// Generation also reports the rules of [`crd_apiserver::refusal::RULES`] and the codes of [`crd_cel::CODES`].
pub const CODES: [(&str, &str, &str, &str); 23] = [
    (
        "catalogue::channels",
        "The profile needs a channel that the settings do not have.",
        "In the profile `gep-922`, every name starts in experimental. Choose another profile, or add the channel.",
        "profile: gep-922\nchannels: [standard]",
    ),
    (
        "catalogue::lens",
        "A lens of the settings is not valid, or does not fit the other lenses.",
        "Write it as in `conversions.json`. Its schema is `gen/convert/schemas/conversions.json`.",
        "lenses:\n- name: leaf\n  steps: []",
    ),
    (
        "generate::client-side-apply",
        "A CRD is too large for `kubectl apply` without `--server-side`, which copies it into an annotation. All annotations together may have 262,144 bytes.",
        "Shorten descriptions with `description-limit` in the settings, leave out the text of a foreign type with `#[api(foreign, descriptions = false)]`, or use `--server-side`.",
        "/// The pod that runs the job.\n#[api(foreign)]\npub template: PodTemplateSpec,",
    ),
    (
        "settings::missing",
        "A project with types lacks its settings, or one of the keys that it needs.",
        "Write `crd-channels.yaml` in the root of the workspace, with `prefix` and `version`.",
        "profile: semver",
    ),
    (
        "settings::syntax",
        "The file of the settings is not one YAML map.",
        "Write each key once, at the beginning of its line, followed by a colon and its value.",
        "prefix: example.com\nprefix: example.org",
    ),
    (
        "settings::unknown-key",
        "The settings have a key that does not exist.",
        "`settings` lists all keys.",
        "prefix: example.com\nverison: v1.0.0",
    ),
    (
        "settings::value",
        "A value of the settings is not valid, or does not fit another one.",
        "`settings` lists what each key takes.",
        "profile: semvr",
    ),
    (
        "types::default",
        "An absent field reads as one value in Rust, and the server fills in another one.",
        "Make the function and the marker equal. For an enum or a struct, the comparison needs the feature `serde` of crd-channels in the build of the `xtask`.",
        "fn three() -> i32 { 3 }\n\n/// +kubebuilder:default=4\n#[serde(default = \"three\")]\npub count: i32,",
    ),
    (
        "types::duplicate-version",
        "Two types are the same version of the same kind.",
        "Give one of them another version or kind.",
        "#[api(group = \"example.com\", version = \"v1\", kind = \"Tree\")]\npub struct Tree { … }\n\n\
         #[api(group = \"example.com\", version = \"v1\", kind = \"Tree\")]\npub struct OldTree { … }",
    ),
    (
        "types::flattened-names",
        "Two fields have one name on the wire, because a struct is flattened into another.",
        "Rename one of the fields.",
        "pub struct Tree {\n    pub name: String,\n    #[serde(flatten)]\n    pub label: Label, // has a field `name`\n}",
    ),
    (
        "types::foreign-schema",
        "The JSON schema of a foreign type cannot be written as a structural schema.",
        "Change the type, or use `AnyJson` or `RawExtension`.",
        "#[api(foreign)]\npub point: (i32, i32),",
    ),
    (
        "types::graduation",
        "Without a `+experimental`, a marker would apply twice in standard. The macro would reject the type.",
        "Remove the marker that was for standard only.",
        "/// +standard:kubebuilder:validation:MaxLength=10\n/// +experimental:kubebuilder:validation:MaxLength=20\npub name: String,",
    ),
    (
        "types::items-marker",
        "A marker for items is on a field or type that is not a list.",
        "Remove the marker, or make the type a list.",
        "/// +kubebuilder:validation:items:MaxLength=10\npub name: String,",
    ),
    (
        "types::leftover-marker",
        "A description contains a marker, or text that looks like one. The macro rejects both, so the type does not have `#[api]`.",
        "Put `#[api]` above the type. If the text is prose, write a backslash before the plus.",
        "pub struct Leaf {\n    /// +experimental\n    pub color: Option<String>,\n}",
    ),
    (
        "types::lens",
        "A lens of the types is not valid, or does not fit the other lenses.",
        "Fix the marker. Both places of a lens must be in the same lists and maps, and an old name never becomes a new one again.",
        "pub struct TreeSpec {\n    /// +lens:move:from=\"branches[*].leaf\",since=v1.1.0\n    pub leaf: Option<String>, // which branch had it?\n}",
    ),
    (
        "types::metadata",
        "Two versions of a resource give one annotation or label different values.",
        "Give it one value, or put it on one version only.",
        "/// +kubebuilder:metadata:labels=\"stage=beta\"\npub struct TreeV1 { … }\n\n\
         /// +kubebuilder:metadata:labels=\"stage=alpha\"\npub struct TreeV2 { … }",
    ),
    (
        "types::names",
        "Two versions of a resource have different names or scopes.",
        "Make their `+kubebuilder:resource` markers equal.",
        "/// +kubebuilder:resource:scope=Cluster\npub struct TreeV1 { … }\n\n\
         /// +kubebuilder:resource:scope=Namespaced\npub struct TreeV2 { … }",
    ),
    (
        "types::no-channel",
        "A type, field, value or marker is only in a channel that the settings do not have.",
        "Remove the channel from the marker, or add it to `channels` in the settings.",
        "# crd-channels.yaml\nchannels: [standard]\n\n\
         pub struct TreeSpec {\n    /// +experimental\n    pub color: Option<String>,\n}",
    ),
    (
        "types::not-a-resource",
        "The catalogue lists a type without a group, version and kind.",
        "Add `#[api(group = …, version = …, kind = …)]` to the type.",
        "Catalogue::default().resources(&[Leaf::DESCRIPTOR])",
    ),
    (
        "types::plural",
        "Two kinds of one group have the same plural.",
        "Set another plural with `+kubebuilder:resource:path=…`.",
        "/// +kubebuilder:resource:path=trees\npub struct Shrub { … }",
    ),
    (
        "types::recursion",
        "A type contains itself. A structural schema cannot be recursive.",
        "End the recursion with a field of type `RawExtension` or `AnyJson`.",
        "pub struct Branch {\n    pub twigs: Option<Vec<Branch>>,\n}",
    ),
    (
        "types::schema-marker",
        "The value of a `+schema:…` marker is not a list of value validations.",
        "Use only keywords that validate values.",
        "/// +schema:anyOf=[{minimum: \"one\"}]\npub count: i32,",
    ),
    (
        "types::variants",
        "An enum with data has no schema: its variants contradict each other, or rules cannot name a field.",
        "Rename a field, or make an enum without `tag`, whose variants are objects of their own.",
        "#[serde(tag = \"type\")]\npub enum Shape {\n    Circle { size: i32 },\n    Text { size: String }, // another schema of `size`\n}",
    ),
];

/// The reason for a diagnostic of a projection, as data.
pub(crate) enum Cause {
    /// A CEL expression.
    Cel(SchemaProblem),
    /// A rule of the API server.
    Refusal(Refusal),
    /// The types.
    Types,
}

impl Cause {
    /// Whether it is about a name or value that another channel may have.
    pub(crate) fn is_about_a_name(&self) -> bool {
        match self {
            Cause::Cel(_) => true,
            Cause::Refusal(refusal) => refusal.subject.is_some(),
            Cause::Types => false,
        }
    }

    /// Whether both have the same reason, although the channels may have different candidates for a name.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Cause::Cel(one), Cause::Cel(other)) => one.is_same_problem(other),
            (Cause::Refusal(one), Cause::Refusal(other)) => one.is_same_refusal(other),
            (Cause::Types, Cause::Types) => true,
            _ => false,
        }
    }
}

/// An error of a type.
pub(crate) fn of_type(code: &'static str, descriptor: &TypeDescriptor, message: impl Into<String>) -> Diagnostic {
    at(Diagnostic::error(code, message), descriptor.location).of_rust(descriptor.name, None)
}

/// An error of a field.
pub(crate) fn of_field(
    code: &'static str,
    descriptor: &TypeDescriptor,
    field: &Field,
    message: impl Into<String>,
) -> Diagnostic {
    let location = Location { file: descriptor.location.file, line: field.line };
    at(Diagnostic::error(code, message), location).of_rust(descriptor.name, Some(field.name.to_owned()))
}

/// An error of a field, or of the type without a field.
pub(crate) fn of_owner(
    code: &'static str,
    descriptor: &TypeDescriptor,
    field: Option<&Field>,
    message: impl Into<String>,
) -> Diagnostic {
    match field {
        Some(field) => of_field(code, descriptor, field, message),
        None => of_type(code, descriptor, message),
    }
}

/// The diagnostic at a line of the source.
pub(crate) fn at(diagnostic: Diagnostic, location: Location) -> Diagnostic {
    diagnostic.at_line(location.file, usize::try_from(location.line).ok())
}

/// Each diagnostic once: several resources share types. Without a channel where it applies to all channels.
pub fn merged(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut merged: Vec<(Diagnostic, Vec<Channel>)> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for mut diagnostic in diagnostics {
        let channel = diagnostic.location.channel.take();
        let position = *positions.entry(identity(&diagnostic)).or_insert_with(|| {
            merged.push((diagnostic, Vec::new()));
            merged.len() - 1
        });
        merged[position].1.extend(channel);
    }
    let mut all = Vec::new();
    for (diagnostic, mut channels) in merged {
        channels.sort_unstable();
        channels.dedup();
        if channels.is_empty() || channels == Channel::ALL {
            all.push(diagnostic);
        } else {
            all.extend(channels.into_iter().map(|channel| diagnostic.clone().in_channel(channel)));
        }
    }
    all
}

/// What two equal diagnostics have in common: everything except the CRD and its version.
fn identity(diagnostic: &Diagnostic) -> String {
    let path = diagnostic.location.crd.as_ref().map(|crd| crd.path.as_str());
    let Diagnostic { code, message, help, location, .. } = diagnostic;
    format!("{code} {message} {help:?} {location} {:?} {path:?}", location.rust)
}
