//! Assembly: the versions of a resource become one CustomResourceDefinition per channel.
//!
//! Fed with a [`Catalogue`]. Read by the bundle, which stamps and writes what comes out.
//!
//! Invariants: a CRD is what controller-gen would write for the same facts (versions sorted by name, `subresources` always
//! there); versions with `alpha` in their name are unserved in channels that say so ([`crd_channels::channel::CHANNELS`]), and
//! a resource with nothing but such versions is absent there; what an API server would refuse is an error with type, field and
//! reason; all errors are reported at once.

use std::collections::BTreeMap;

use crd_channels::channel::Channel;
use crd_channels::descriptor::TypeDescriptor;
use crd_channels::rule::{Marker, ResourceNames, Rule};

use crate::annotated::{Core, DeclaredTombstone, Node, Origin, annotate};
use crate::catalogue::Catalogue;
use crate::generation::GenerationError;
use crate::project::{Place, project, unreadable_branches};
use crd_apiserver::refusal;
use crd_cel as cel;
use crd_model::crd::{CustomResourceDefinition, Names, PrinterColumn, Scale, Scope, Subresources, Version};
use crd_model::schema::{Schema, Text};

/// What `apiVersion` says, on the root of every resource.
const API_VERSION: &str = "The API group and version that this object is written in, as GROUP/VERSION. The server converts\nbetween versions, and refuses a version that it does not serve.";
/// What `kind` says, on the root of every resource.
const KIND: &str = "The kind of resource that this object is, in CamelCase. It cannot be changed.";

/// A resource with all its versions, of which there is at least one, ready for projection.
#[derive(Debug)]
pub struct AnnotatedResource {
    kind: &'static str,
    plural: &'static str,
    group: &'static str,
    versions: Vec<AnnotatedVersion>,
}

#[derive(Debug)]
struct AnnotatedVersion {
    name: &'static str,
    descriptor: &'static TypeDescriptor,
    node: Node,
}

/// Reads the types of a catalogue into annotated schemas.
///
/// # Errors
/// Everything that is wrong with the types whatever the channel.
pub fn annotated(catalogue: &Catalogue) -> Result<Vec<AnnotatedResource>, Vec<GenerationError>> {
    let mut errors = Vec::new();
    let mut resources: BTreeMap<(&str, &str), AnnotatedResource> = BTreeMap::new();
    for descriptor in catalogue.descriptors() {
        let Some(identity) = descriptor.resource else {
            errors.push(GenerationError::of_type(
                descriptor,
                "the catalogue lists it as a resource, and it has no `#[api(group = \"…\", version = \"…\", kind = \"…\")]`".to_owned(),
            ));
            continue;
        };
        let resource = resources.entry((identity.group, identity.kind)).or_insert_with(|| AnnotatedResource {
            kind: identity.kind,
            plural: identity.plural,
            group: identity.group,
            versions: Vec::new(),
        });
        if let Some(other) = resource.versions.iter().find(|version| version.name == identity.version) {
            errors.push(GenerationError::of_type(
                descriptor,
                format!(
                    "{} {}/{} is `{}` at {} too: one type is one version of one kind",
                    identity.kind, identity.group, identity.version, other.descriptor.name, other.descriptor.location
                ),
            ));
            continue;
        }
        if descriptor.markers.iter().any(|marker| marker.rule == Rule::SkipVersion) {
            continue;
        }
        let node = annotate(descriptor, &mut errors);
        resource.versions.push(AnnotatedVersion { name: identity.version, descriptor, node });
    }
    let mut resources: Vec<AnnotatedResource> =
        resources.into_values().filter(|resource| !resource.versions.is_empty()).collect();
    for resource in &mut resources {
        resource.versions.sort_by(|left, right| left.name.cmp(right.name));
        for version in &resource.versions {
            for marker in markers_of(&version.node) {
                for reason in unreadable_branches(&marker.rule) {
                    errors.push(GenerationError::of_type(
                        version.descriptor,
                        format!("a `+schema:…` marker at line {} is no value validation: {reason}", marker.line),
                    ));
                }
            }
        }
    }
    plurals(&resources, &mut errors);
    if errors.is_empty() { Ok(resources) } else { Err(deduplicated(errors)) }
}

/// A type that several resources share is reported once.
fn deduplicated(errors: Vec<GenerationError>) -> Vec<GenerationError> {
    let mut seen = std::collections::HashSet::new();
    errors.into_iter().filter(|error| seen.insert(error.to_string())).collect()
}

fn markers_of(node: &Node) -> Vec<&'static Marker> {
    let mut markers: Vec<&'static Marker> = node.own.clone();
    for layer in &node.layers {
        markers.extend(&layer.markers);
    }
    match &node.core {
        Core::List(inner) | Core::Map(inner) => markers.extend(markers_of(inner)),
        Core::Object { properties, inlined, .. } => {
            for property in properties {
                markers.extend(markers_of(&property.node));
            }
            for inner in inlined {
                markers.extend(markers_of(inner));
            }
        }
        _ => {}
    }
    markers
}

/// Two kinds of one group must not have one plural, or their files and URLs would be one.
fn plurals(resources: &[AnnotatedResource], errors: &mut Vec<GenerationError>) {
    let mut seen: BTreeMap<(&str, String), &AnnotatedResource> = BTreeMap::new();
    for resource in resources {
        let plural = resource.names().plural.into_owned();
        if let Some(other) = seen.insert((resource.group, plural.clone()), resource) {
            errors.push(GenerationError::of_type(
                resource.versions[0].descriptor,
                format!(
                    "{} and {} are both `{plural}` in {}: give one another plural with `+kubebuilder:resource:path=…`",
                    other.kind, resource.kind, resource.group
                ),
            ));
        }
    }
}

impl AnnotatedResource {
    /// The CRD of this resource in a channel; `None`: it is absent there.
    ///
    /// # Errors
    /// Everything that an API server would refuse, and more than one opinion about one thing.
    pub fn project(
        &self,
        catalogue: &Catalogue,
        channel: Channel,
    ) -> Result<Option<CustomResourceDefinition>, Vec<GenerationError>> {
        let mut errors = Vec::new();
        let present: Vec<&AnnotatedVersion> =
            self.versions.iter().filter(|version| version.descriptor.channels.contains(channel)).collect();
        let alpha = |version: &AnnotatedVersion| version.name.contains("alpha");
        if present.is_empty() || (!channel.row().serves_alpha && present.iter().all(|version| alpha(version))) {
            return Ok(None);
        }
        let mut crd = CustomResourceDefinition {
            group: Text::Borrowed(self.group),
            names: self.names(),
            scope: self.scope(),
            ..CustomResourceDefinition::default()
        };
        crd.name = format!("{}.{}", crd.names.plural, crd.group).into();
        for (key, value) in catalogue.annotations() {
            crd.annotations.insert(key.clone().into(), value.clone().into());
        }
        self.agree_on_names(&mut errors);
        for version in &present {
            self.metadata(version, channel, &mut crd, &mut errors);
            let mut projected = version.project(channel, present.len() == 1);
            projected.served &= channel.row().serves_alpha || !alpha(version);
            crd.versions.push(projected);
        }
        for refusal in refusal::refusals(&crd) {
            errors.push(self.explain(&refusal, channel));
        }
        for (version, projected) in present.iter().zip(&crd.versions) {
            for finding in cel::check_schema(&projected.schema) {
                errors.push(version.error(&finding.path, None, finding.to_string()).in_channel(channel));
            }
        }
        if errors.is_empty() {
            return Ok(Some(crd));
        }
        if channel == Channel::Standard {
            self.point_to_experimental(catalogue, &mut errors);
        }
        Err(deduplicated(errors))
    }

    /// Says of what only standard is refused for that it may be about something which only experimental has.
    fn point_to_experimental(&self, catalogue: &Catalogue, errors: &mut [GenerationError]) {
        let others = self.project(catalogue, Channel::Experimental).err().unwrap_or_default();
        // What the channel has instead is listed behind it, and differs.
        let gist = |error: &GenerationError| {
            let gist = error.message.split("; it has ").next().and_then(|gist| gist.split(" is none of ").next());
            gist.unwrap_or_default().to_owned()
        };
        let is_there_too = |error: &GenerationError| {
            others.iter().any(|other| {
                (&other.type_name, &other.field, other.rule, gist(other))
                    == (&error.type_name, &error.field, error.rule, gist(error))
            })
        };
        // Those that name a field or a value which the schema lacks. The errors of CEL have no rule.
        let names_something = |error: &GenerationError| {
            error.rule.is_none_or(|rule| ["default-invalid", "list-map-keys", "selectable-field"].contains(&rule))
        };
        for error in errors.iter_mut().filter(|error| names_something(error) && !is_there_too(error)) {
            error.message.push_str(
                ". Experimental is not refused for this: if it is about something that only experimental has, write \
                 `+experimental:` before the marker that says it",
            );
        }
    }

    /// The name of the CRD: `<plural>.<group>`.
    pub fn crd_name(&self) -> String {
        format!("{}.{}", self.names().plural, self.group)
    }

    /// Every tombstone that the types declare, at each path where they stand, over all versions.
    pub fn tombstones(&self) -> Vec<DeclaredTombstone> {
        let mut found = Vec::new();
        for version in &self.versions {
            version.node.tombstones("", &mut found);
        }
        found
    }

    /// The names of its API versions.
    pub fn version_names(&self) -> impl Iterator<Item = &'static str> {
        self.versions.iter().map(|version| version.name)
    }

    /// The type that stands at a path of a version's schema; none if the path leads nowhere, or to what has no type of its own.
    pub fn type_at(&self, version: &str, path: &str) -> Option<Origin> {
        self.versions.iter().find(|known| known.name == version)?.node.type_at(path)
    }

    /// Where a path of a version's schema comes from in the source.
    pub fn origin(&self, version: &str, path: &str) -> Option<Origin> {
        self.versions.iter().find(|known| known.name == version)?.node.origin(path)
    }

    fn explain(&self, refusal: &refusal::Refusal, channel: Channel) -> GenerationError {
        let version = refusal
            .version
            .as_ref()
            .and_then(|name| self.versions.iter().find(|version| version.name == *name))
            .unwrap_or(&self.versions[0]);
        let error = match refusal.part {
            refusal::Part::Schema => version.error(&refusal.path, Some(refusal.rule), refusal.message.clone()),
            refusal::Part::Document | refusal::Part::Version => {
                let message = format!("{} (at `{}`)", refusal.message, refusal.path);
                GenerationError { rule: Some(refusal.rule), ..GenerationError::of_type(version.descriptor, message) }
            }
        };
        error.in_channel(channel)
    }

    fn named(&self) -> impl Iterator<Item = (&AnnotatedVersion, &'static ResourceNames)> {
        self.versions.iter().flat_map(|version| {
            version.descriptor.markers.iter().filter_map(move |marker| match &marker.rule {
                Rule::Resource(names) => Some((version, names)),
                _ => None,
            })
        })
    }

    fn names(&self) -> Names {
        let marked = self.named().next().map(|(_, names)| names);
        let texts = |list: Option<&'static [&'static str]>| {
            list.unwrap_or_default().iter().map(|text| Text::Borrowed(*text)).collect()
        };
        Names {
            kind: Text::Borrowed(self.kind),
            list_kind: Some(format!("{}List", self.kind).into()),
            plural: match marked.and_then(|names| names.path) {
                Some(path) => Text::Borrowed(path),
                None => Text::Borrowed(self.plural),
            },
            singular: Some(match marked.and_then(|names| names.singular) {
                Some(singular) => Text::Borrowed(singular),
                None => self.kind.to_lowercase().into(),
            }),
            categories: texts(marked.and_then(|names| names.categories)),
            short_names: texts(marked.and_then(|names| names.short_names)),
        }
    }

    fn scope(&self) -> Scope {
        match self.named().next().and_then(|(_, names)| names.scope) {
            Some("Cluster") => Scope::Cluster,
            _ => Scope::Namespaced,
        }
    }

    fn agree_on_names(&self, errors: &mut Vec<GenerationError>) {
        let mut named = self.named();
        let Some((first, names)) = named.next() else { return };
        for (version, others) in named {
            if others != names {
                errors.push(GenerationError::of_type(
                    version.descriptor,
                    format!(
                        "its `+kubebuilder:resource` and that of `{}` at {} differ, but names and scope belong to all versions: make them equal",
                        first.descriptor.name, first.descriptor.location
                    ),
                ));
            }
        }
    }

    fn metadata(
        &self,
        version: &AnnotatedVersion,
        channel: Channel,
        crd: &mut CustomResourceDefinition,
        errors: &mut Vec<GenerationError>,
    ) {
        for marker in version.markers(channel) {
            let Rule::Metadata(metadata) = marker.rule else { continue };
            for (list, target) in [(metadata.annotations, &mut crd.annotations), (metadata.labels, &mut crd.labels)] {
                for entry in list.unwrap_or_default() {
                    let Some((key, value)) = entry.split_once('=') else { continue };
                    let earlier = target.insert(Text::Borrowed(key), Text::Borrowed(value));
                    if earlier.as_ref().is_some_and(|earlier| *earlier != value) {
                        errors.push(GenerationError::of_type(
                            version.descriptor,
                            format!(
                                "`{key}` is `{value}` here and `{}` elsewhere, but annotations and labels belong to the CRD as a whole",
                                earlier.unwrap_or_default()
                            ),
                        ));
                    }
                }
            }
        }
    }
}

impl AnnotatedVersion {
    fn markers(&self, channel: Channel) -> impl Iterator<Item = &'static Marker> {
        self.descriptor.markers.iter().filter(move |marker| marker.channels.contains(channel))
    }

    fn error(&self, path: &str, rule: Option<&'static str>, message: String) -> GenerationError {
        let message = if path.is_empty() { message } else { format!("{message} (at `{path}`)") };
        match self.node.origin(path) {
            Some(origin) => GenerationError {
                location: Some(origin.location),
                type_name: origin.type_name.to_owned(),
                field: origin.field.map(str::to_owned),
                channel: None,
                rule,
                message,
            },
            None => GenerationError { rule, ..GenerationError::of_type(self.descriptor, message) },
        }
    }

    fn project(&self, channel: Channel, alone: bool) -> Version {
        let mut version = Version {
            name: Text::Borrowed(self.name),
            served: true,
            storage: alone,
            subresources: Some(Subresources::default()),
            schema: self.root(channel),
            ..Version::default()
        };
        for marker in self.markers(channel) {
            match marker.rule {
                Rule::StorageVersion => version.storage = true,
                Rule::UnservedVersion => version.served = false,
                Rule::DeprecatedVersion(deprecated) => {
                    version.deprecated = true;
                    version.deprecation_warning = deprecated.warning.map(Text::Borrowed);
                }
                Rule::PrintColumn(column) => version.columns.push(PrinterColumn {
                    description: column.description.map(Text::Borrowed),
                    format: column.format.map(Text::Borrowed),
                    json_path: column.json_path.into(),
                    name: column.name.into(),
                    priority: column.priority,
                    kind: column.kind.into(),
                }),
                Rule::SelectableField(field) => version.selectable_fields.push(field.json_path.into()),
                Rule::SubresourceStatus => subresources(&mut version).status = true,
                Rule::SubresourceScale(scale) => {
                    subresources(&mut version).scale = Some(Scale {
                        label_selector_path: scale.selector_path.map(Text::Borrowed),
                        spec_replicas_path: scale.spec_path.into(),
                        status_replicas_path: scale.status_path.into(),
                    });
                }
                _ => {}
            }
        }
        version
    }

    fn root(&self, channel: Channel) -> Schema {
        let mut schema = project(&self.node, channel, Place::Root);
        for (name, description) in [("apiVersion", API_VERSION), ("kind", KIND)] {
            schema.properties.insert(
                name.into(),
                Schema { description: Some(description.into()), kind: Some("string".into()), ..Schema::default() },
            );
        }
        // A server refuses anything but a type there, a description too: metadata is its own business. Its presence is too.
        schema.properties.insert("metadata".into(), Schema { kind: Some("object".into()), ..Schema::default() });
        schema.required.retain(|name| name != "metadata");
        schema
    }
}

fn subresources(version: &mut Version) -> &mut Subresources {
    version.subresources.get_or_insert_with(Subresources::default)
}

/// The schema of one type in a channel, without the checks that need a whole CRD.
///
/// # Errors
/// Everything that is wrong with the type and the types below it.
pub fn schema_of(descriptor: &'static TypeDescriptor, channel: Channel) -> Result<Schema, Vec<GenerationError>> {
    let mut errors = Vec::new();
    let node = annotate(descriptor, &mut errors);
    if errors.is_empty() { Ok(project(&node, channel, Place::Inside)) } else { Err(deduplicated(errors)) }
}

/// All CRDs of a catalogue in one channel, sorted by group and plural.
///
/// # Errors
/// Everything that is wrong, in the order of the resources.
pub fn generate(
    catalogue: &Catalogue,
    channel: Channel,
) -> Result<Vec<CustomResourceDefinition>, Vec<GenerationError>> {
    let resources = annotated(catalogue)?;
    let mut crds = Vec::new();
    let mut errors = Vec::new();
    for resource in &resources {
        match resource.project(catalogue, channel) {
            Ok(crd) => crds.extend(crd),
            Err(more) => errors.extend(more),
        }
    }
    if !errors.is_empty() {
        return Err(deduplicated(errors));
    }
    crds.sort_by(|left, right| (&left.group, &left.names.plural).cmp(&(&right.group, &right.names.plural)));
    Ok(crds)
}
