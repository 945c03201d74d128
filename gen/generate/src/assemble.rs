//! Assembly: the versions of a resource become one CustomResourceDefinition per channel.
//!
//! Invariants: a CRD is what controller-gen would write for the same facts: versions are sorted by name, and `subresources` is always
//! written. Versions with `alpha` in their name are not served in channels that do not serve alpha versions
//! ([`Profile::serves_alpha`](crd_model::profile::Profile::serves_alpha)); a resource with only such versions is absent there. Everything that
//! an API server would refuse is an error with type and field. All errors are reported together.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_diagnostics::{Diagnostic, Severity, all};
use crd_markers::descriptor::{Location, ResourceDescriptor, TypeDescriptor};
use crd_markers::rule::{Marker, ResourceNames, Rule};
use crd_names::channel::{Channel, ChannelSet};

use crate::annotated::{Applied, Core, Declared, Node, Origin, Removed, annotate, applied};
use crate::catalogue::Catalogue;
use crate::graduated;
use crate::marks::{self, DeclaredException, DeclaredFeature, ExperimentalMark};
use crate::problem::{Cause, at, merged, of_type};
use crate::project::{Position, View, alone, obstacles, project, unreadable_branches, validation};
use crate::settings::ControllerGen;
use crate::size;
use crate::unpublished;
use crate::written::{self, WrittenCrds, overlay, without_tags};
use crd_apiserver::refusal::{Part, Refusal, advice, refusals};
use crd_cel::{Expression, SchemaProblem};
use crd_model::crd::{
    ANNOTATIONS_LIMIT, CustomResourceDefinition, Names, PrinterColumn, Scale, Scope, Subresources, Version, is_alpha,
};
use crd_model::fit::Limit;
use crd_model::schema::{Schema, Text};
use crd_stamps::stamp;

/// The description of `apiVersion` on the root of every resource.
const API_VERSION: &str = "The API group and version that this object is written in, as GROUP/VERSION. The server converts\nbetween versions, and refuses a version that it does not serve.";
/// The description of `kind` on the root of every resource.
const KIND: &str = "The kind of resource that this object is, in CamelCase. It cannot be changed.";

/// The CRDs of a resource without stamps, in the channels that have it, the most stable first.
pub type InChannels = Vec<(Channel, Arc<CustomResourceDefinition>)>;

/// A resource with all its versions, of which there is at least one, ready for projection.
#[derive(Debug)]
pub struct AnnotatedResource {
    kind: &'static str,
    plural: &'static str,
    group: &'static str,
    versions: Vec<AnnotatedVersion>,
    controller_gen: ControllerGen,
    /// The CRD that another generator wrote of types that are not in Rust.
    written: Option<Arc<CustomResourceDefinition>>,
    /// All CRDs that it wrote.
    all: Arc<WrittenCrds>,
    /// The marks that are read as if the source did not have them.
    removed: Removed,
    /// What is wrong with the types without these marks.
    contradictions: Vec<Diagnostic>,
}

#[derive(Debug)]
struct AnnotatedVersion {
    name: &'static str,
    descriptor: &'static TypeDescriptor,
    channels: ChannelSet,
    /// The channels that the settings permit.
    of_settings: ChannelSet,
    markers: Vec<Applied>,
    node: Node,
}

/// Reads the types of a catalogue into annotated schemas.
///
/// # Errors
/// All errors that do not depend on the channel.
pub fn annotated(catalogue: &Catalogue) -> Result<Vec<AnnotatedResource>, Vec<Diagnostic>> {
    let mut errors = catalogue.unknown_roots().collect::<Vec<_>>();
    let mut resources: BTreeMap<(&str, &str), AnnotatedResource> = BTreeMap::new();
    for descriptor in catalogue.descriptors() {
        let Some(identity) = descriptor.resource else {
            errors.push(of_type(
"types::not-a-resource",
                descriptor,
                "the catalogue lists this type as a resource, but it does not have `#[api(group = \"…\", version = \"…\", kind = \"…\")]`",
            ));
            continue;
        };
        let resource = resources
            .entry((identity.group, identity.kind))
            .or_insert_with(|| AnnotatedResource::without_versions(identity, catalogue));
        if let Some(other) = resource.versions.iter().find(|version| version.name == identity.version) {
            errors.push(of_type(
                "types::duplicate-version",
                descriptor,
                format!(
                    "{} {}/{} is also `{}` at {}: each type is one version of one kind",
                    identity.kind, identity.group, identity.version, other.descriptor.name, other.descriptor.location
                ),
            ));
            continue;
        }
        if descriptor.markers.iter().any(|marker| marker.rule == Rule::SkipVersion) {
            continue;
        }
        let of_settings = catalogue.channels_of(descriptor);
        let version = AnnotatedVersion::new(identity.version, descriptor, of_settings, &Removed::new(), &mut errors);
        errors.extend(resource.misfits(&version));
        resource.versions.push(version);
    }
    let mut resources: Vec<AnnotatedResource> =
        resources.into_values().filter(|resource| !resource.versions.is_empty()).collect();
    for resource in &mut resources {
        resource.versions.sort_by(|left, right| left.name.cmp(right.name));
        for version in &resource.versions {
            version.node.each(&mut |node| {
                for marker in node.markers().map(|applied| applied.marker) {
                    for reason in unreadable_branches(&marker.rule) {
                        errors.push(of_type(
                            "types::schema-marker",
                            version.descriptor,
                            format!(
                                "the `+schema:…` marker at line {} is not a value validation: {reason}",
                                marker.line
                            ),
                        ));
                    }
                }
            });
        }
    }
    plurals(&resources, &mut errors);
    unpublished::check(catalogue, &mut errors);
    if errors.is_empty() { Ok(resources) } else { Err(merged(errors)) }
}

/// Two kinds of one group cannot have the same plural, because their files and URLs would be the same.
fn plurals(resources: &[AnnotatedResource], errors: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<(&str, String), &AnnotatedResource> = BTreeMap::new();
    for resource in resources {
        let plural = resource.names().plural.into_owned();
        if let Some(other) = seen.insert((resource.group, plural.clone()), resource) {
            errors.push(of_type(
"types::plural",
                resource.versions[0].descriptor,
                format!(
                    "{} and {} have the same plural `{plural}` in {}: set another one with `+kubebuilder:resource:path=…`",
                    other.kind, resource.kind, resource.group
                ),
            ));
        }
    }
}

impl AnnotatedResource {
    fn without_versions(identity: ResourceDescriptor, catalogue: &Catalogue) -> Self {
        let ResourceDescriptor { kind, plural, group, .. } = identity;
        let all = catalogue.written_crds().cloned().unwrap_or_default();
        let written = all.of_kind(group, kind).cloned();
        let controller_gen = written.as_deref().and_then(written::controller_gen);
        Self {
            kind,
            plural,
            group,
            versions: Vec::new(),
            controller_gen: controller_gen.unwrap_or(catalogue.settings().controller_gen),
            written,
            all,
            removed: Removed::new(),
            contradictions: Vec::new(),
        }
    }

    /// The CRD of this resource in a channel; `None` where the channel does not have the resource.
    ///
    /// # Errors
    /// Everything that an API server would refuse, and versions that contradict each other.
    pub fn project(
        &self,
        catalogue: &Catalogue,
        channel: Channel,
    ) -> Result<Option<CustomResourceDefinition>, Vec<Diagnostic>> {
        let mut errors = match self.projected(catalogue, channel) {
            Ok(crd) => return Ok(crd),
            Err(errors) => errors,
        };
        if channel == Channel::Standard && catalogue.channels().contains(&Channel::Experimental) {
            self.point_to_experimental(catalogue, &mut errors);
        }
        Err(merged(errors.into_iter().map(|(diagnostic, _)| diagnostic).collect()))
    }

    /// The number of nodes of its schemas, to which the work on it is roughly proportional.
    pub fn nodes(&self) -> usize {
        let mut nodes = 0;
        self.versions.iter().for_each(|version| version.node.each(&mut |_| nodes += 1));
        nodes
    }

    /// The CRDs of this resource in the channels of the catalogue, the most stable first.
    ///
    /// # Errors
    /// Those of all channels.
    pub(crate) fn in_channels(&self, catalogue: &Catalogue) -> Result<InChannels, Vec<Diagnostic>> {
        let project = |channel| self.project(catalogue, channel).map(|crd| crd.map(|crd| (channel, Arc::new(crd))));
        Ok(all(catalogue.channels().iter().copied().map(project))?.into_iter().flatten().collect())
    }

    fn projected(
        &self,
        catalogue: &Catalogue,
        channel: Channel,
    ) -> Result<Option<CustomResourceDefinition>, Vec<(Diagnostic, Cause)>> {
        let present: Vec<&AnnotatedVersion> =
            self.versions.iter().filter(|version| version.channels.contains(channel)).collect();
        let serves =
            |version: &AnnotatedVersion| catalogue.policy_profile().serves_alpha(channel) || !is_alpha(version.name);
        if !present.iter().any(|version| serves(version)) {
            return Ok(None);
        }
        let mut crd = self.header();
        for (key, value) in &catalogue.settings().annotations {
            crd.annotations.insert(key.clone().into(), value.clone().into());
        }
        let mut contradictions = self.contradictions.clone();
        self.agree_on_names(&mut contradictions);
        for version in &present {
            self.metadata(version, channel, &mut crd, &mut contradictions);
            let view = View { channel, controller_gen: self.controller_gen };
            let mut projected = version.project(view, present.len() == 1, self.written_version(version.name));
            if catalogue.settings().division.has_tags {
                without_tags(&mut projected.schema, channel);
            }
            if let Some(longest) = catalogue.settings().description_limit {
                projected.schema.each_mut(&mut |schema| shorten(&mut schema.description, longest));
            }
            projected.served &= serves(version) && !catalogue.is_unserved(version.descriptor, channel);
            crd.versions.push(projected);
        }
        match catalogue.settings().size.map(|limit| self.fitted(&crd, limit, catalogue, channel)) {
            Some(Ok(fitted)) => crd = fitted,
            Some(Err(error)) => contradictions.push(error),
            None => {}
        }
        contradictions.extend(self.too_large(&crd, channel));
        let mut errors: Vec<(Diagnostic, Cause)> =
            contradictions.into_iter().map(|diagnostic| (diagnostic, Cause::Types)).collect();
        for refusal in refusals(&crd) {
            errors.push((self.refused(&refusal).in_channel(channel), Cause::Refusal(refusal)));
        }
        // Versions have most of their nodes in common.
        let mut rules = crd_cel::SchemaChecks::default();
        for (version, projected) in present.iter().zip(&crd.versions) {
            for problem in rules.check(&projected.schema) {
                let kind = &problem.problem.kind;
                let diagnostic =
                    Diagnostic::error(kind.code(), problem.to_string()).help(kind.help().unwrap_or_default());
                let diagnostic = self.at_rule(diagnostic, version, &problem).in_channel(channel);
                errors.push((diagnostic, Cause::Cel(problem)));
            }
        }
        if errors.is_empty() { Ok(Some(crd)) } else { Err(errors) }
    }

    /// The CRD without its versions.
    fn header(&self) -> CustomResourceDefinition {
        if let Some(written) = &self.written {
            return written::header(written);
        }
        let names = self.names();
        CustomResourceDefinition {
            name: format!("{}.{}", names.plural, self.group).into(),
            group: Text::Borrowed(self.group),
            names,
            scope: self.scope(),
            ..CustomResourceDefinition::default()
        }
    }

    /// The version as another generator wrote it.
    fn written_version(&self, name: &str) -> Option<&Version> {
        self.written.as_deref().and_then(|crd| written::version(crd, name))
    }

    /// Where a version's types and its written schema do not belong together.
    fn misfits(&self, version: &AnnotatedVersion) -> Vec<Diagnostic> {
        let Some(written) = self.written_version(version.name) else { return Vec::new() };
        let mut misfits = written::join(version.descriptor, &version.node, &written.schema, &self.all);
        let is_of_crd = |rule: &Rule| matches!(rule, Rule::Resource(_) | Rule::SkipVersion);
        let limited = version.markers.iter().filter(|applied| !applied.marker.channels.is_all());
        for applied in limited.filter(|applied| is_of_crd(&applied.marker.rule)) {
            let message = format!("`+{}` holds in all channels or in none", marks::name(applied.marker));
            let error = at(of_type("types::no-place", version.descriptor, message), applied.location());
            misfits.push(error.help("remove the channel from the marker"));
        }
        version.node.each(&mut |node| {
            let limited = node.markers().filter(|applied| !applied.marker.channels.is_all());
            for applied in limited.filter(|applied| applied.marker.rule == Rule::Immutable) {
                let message =
                    "`+k8s:immutable` cannot be limited to a channel: it is also a rule of the struct around the field";
                let error = at(of_type("types::no-place", applied.owner, message), applied.location());
                misfits.push(error.help("write its rules with `+CHANNEL:kubebuilder:validation:XValidation:rule=…`"));
            }
        });
        misfits
    }

    /// The CRD in the size of the settings, with its stamps before and after the release.
    fn fitted(
        &self,
        crd: &CustomResourceDefinition,
        limit: Limit,
        catalogue: &Catalogue,
        channel: Channel,
    ) -> Result<CustomResourceDefinition, Diagnostic> {
        let next = catalogue.next_version();
        let longest = [next, next.unreleased()].into_iter().max_by_key(|version| version.to_string().len());
        let stamped = |crd: &CustomResourceDefinition| {
            let mut crd = crd.clone();
            stamp(&mut crd, catalogue.prefix(), longest.unwrap_or(next), channel);
            crd
        };
        limit.fit(crd, stamped).map_err(|message| {
            let error = of_type("generate::unfit", self.versions[0].descriptor, message).in_channel(channel);
            error.help(format!("{}, or change `size` in the settings", size::HELP))
        })
    }

    /// Why no server can store the CRD.
    fn too_large(&self, crd: &CustomResourceDefinition, channel: Channel) -> Option<Diagnostic> {
        let mut bytes = size::Bytes::default();
        crd.send(&mut bytes);
        let largest = || crd.versions.iter().map(|version| (version, size::largest(&version.schema)));
        let (version, (path, part)) = Some(bytes.0)
            .filter(|bytes| *bytes > size::MOST_BYTES)
            .and_then(|_| largest().max_by_key(|(_, (_, part))| *part))?;
        let message = format!(
            "{} is larger than a server can store: it has {} bytes of JSON, and etcd takes {} in one request. `{path}` in {} has {part} of them",
            self.crd_name(),
            bytes.0,
            size::MOST_BYTES,
            version.name
        );
        let error = of_type(size::CODE, self.versions[0].descriptor, message).help(size::HELP);
        Some(error.in_channel(channel))
    }

    /// Warnings about a CRD of this resource: what every server accepts and few APIs want, and what `kubectl apply` cannot install.
    pub fn warnings(&self, crd: &CustomResourceDefinition, channel: Channel) -> Vec<Diagnostic> {
        let mut warnings: Vec<Diagnostic> = advice(crd).iter().map(|refusal| self.refused(refusal)).collect();
        let size = crd.client_side_bytes();
        if size > ANNOTATIONS_LIMIT {
            let text = size - crd.without_descriptions().client_side_bytes();
            let version = &self.versions[0];
            warnings.push(
                of_type(
                    "generate::client-side-apply",
                    version.descriptor,
                    format!(
                        "{} is too large for `kubectl apply` without `--server-side`: it needs {size} bytes of annotations, and \
                         {ANNOTATIONS_LIMIT} are allowed. Descriptions have {text} bytes of them",
                        self.crd_name()
                    ),
                )
                .help(
                    "set `size: apply` or `description-limit` in the settings, leave out the text of a foreign type with \
                     `#[api(foreign, descriptions = false)]`, or document that users write `--server-side`",
                ),
            );
        }
        for warning in &mut warnings {
            warning.severity = Severity::Warning;
        }
        warnings.into_iter().map(|warning| warning.in_channel(channel)).collect()
    }

    /// Explains errors of standard about names and values that only experimental has.
    fn point_to_experimental(&self, catalogue: &Catalogue, errors: &mut [(Diagnostic, Cause)]) {
        let in_experimental = self.projected(catalogue, Channel::Experimental).err().unwrap_or_default();
        for (diagnostic, cause) in errors.iter_mut().filter(|(_, cause)| cause.is_about_a_name()) {
            let in_both = in_experimental.iter().find(|(other, other_cause)| {
                diagnostic.location.rust == other.location.rust && cause.is_same(other_cause)
            });
            if let Some((other, _)) = in_both {
                // The candidates for a name are those of experimental, so that both are one diagnostic.
                diagnostic.help.clone_from(&other.help);
            } else {
                let help = diagnostic.help.take().map(|help| format!("{help}\n")).unwrap_or_default();
                diagnostic.help = Some(format!(
                    "{help}The experimental channel does not have this error. If only experimental has what the marker names, write \
                     `+experimental:` before the marker."
                ));
            }
        }
    }

    /// Whether another generator wrote its CRD.
    pub(crate) fn is_written(&self) -> bool {
        self.written.is_some()
    }

    /// The name of the CRD: `<plural>.<group>`.
    pub fn crd_name(&self) -> String {
        format!("{}.{}", self.names().plural, self.group)
    }

    /// Its versions: the root type and the schema of each.
    pub(crate) fn roots(&self) -> impl Iterator<Item = (&'static TypeDescriptor, &Node)> {
        self.versions.iter().map(|version| (version.descriptor, &version.node))
    }

    /// The API group and the kind.
    pub(crate) fn identity(&self) -> (&'static str, &'static str) {
        (self.group, self.kind)
    }

    /// The names of its API versions.
    pub fn version_names(&self) -> impl Iterator<Item = &'static str> {
        self.versions.iter().map(|version| version.name)
    }

    /// The type at a path of a version's schema; `None` if the path does not exist or its node does not have a Rust type.
    pub fn type_at(&self, version: &str, path: &str) -> Option<Origin> {
        self.versions.iter().find(|candidate| candidate.name == version && !candidate.is_of_marks())?.node.type_at(path)
    }

    /// Whether an API version has something at a path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.versions.iter().any(|version| version.node.at(path).is_some())
    }

    /// The conformance features of the resource, at each path where something has one.
    pub fn features(&self) -> Vec<DeclaredFeature> {
        let of_versions = self.versions.iter().map(|version| marks::features(version.name, self.kind, &version.node).0);
        marks::in_all_versions(of_versions, DeclaredFeature::is_same, |feature| &mut feature.versions)
    }

    /// The conventions that elements of the resource need not keep, at each path of each API version.
    pub fn exceptions(&self) -> Vec<DeclaredException> {
        let of_version = |version: &AnnotatedVersion| marks::features(version.name, self.kind, &version.node).1;
        self.versions.iter().flat_map(of_version).collect()
    }

    /// Every `+experimental` of the resource, at each path where it keeps something out of standard.
    pub fn experimental_marks(&self) -> Vec<ExperimentalMark> {
        let of_version = |version: &AnnotatedVersion| {
            marks::experimental(version.name, &version.node, &self.removed, self.controller_gen, &self.all)
        };
        let of_versions = self.versions.iter().map(of_version);
        marks::in_all_versions(of_versions, ExperimentalMark::is_same, |mark| &mut mark.versions)
    }

    /// The resource as if the source did not have these marks. [`Self::project`] gives the CRD that `generate` would write, or its
    /// errors, and errors of the macro about what the marks kept apart.
    ///
    /// A mark is one line of the source: without the line, every path where its type is used graduates.
    #[must_use]
    pub fn graduated(&self, marks: &dyn Fn(&ExperimentalMark) -> bool) -> Self {
        let mut removed = self.removed.clone();
        removed.extend(self.experimental_marks().iter().filter(|mark| marks(mark)).map(|mark| mark.marker));
        let mut contradictions = Vec::new();
        let version = |version: &AnnotatedVersion| {
            let AnnotatedVersion { name, descriptor, of_settings, .. } = *version;
            let version = AnnotatedVersion::new(name, descriptor, of_settings, &removed, &mut contradictions);
            version.node.each(&mut |node| graduated::contradictions(node, &removed, &mut contradictions));
            version
        };
        let versions = self.versions.iter().map(version).collect();
        let (written, all) = (self.written.clone(), self.all.clone());
        Self { versions, removed, contradictions, written, all, ..*self }
    }

    /// Where a path of a version's schema comes from in the source.
    pub fn origin(&self, version: &str, path: &str) -> Option<Origin> {
        self.versions.iter().find(|candidate| candidate.name == version)?.origin(path)
    }

    /// What a path of a version's schema declares: each marker and enum value with the schema that it alone makes.
    pub fn declarations(&self, version: &str, path: &str) -> Vec<(Schema, Location)> {
        let version = self.versions.iter().find(|candidate| candidate.name == version);
        let Some(node) = version.and_then(|version| version.node.at(path)) else { return Vec::new() };
        let of_marker = |applied: &Applied| (alone(&applied.marker.rule, self.controller_gen), applied.location());
        let mut found: Vec<_> = node.markers().map(of_marker).collect();
        if let Core::Enum { owner, values, .. } = &node.core {
            found.extend(values.iter().map(|value| {
                let enumeration = Some(vec![value.variant.wire_name.into()]);
                let location = Location { file: owner.location.file, line: value.variant.line };
                (Schema { enumeration, ..Schema::default() }, location)
            }));
        }
        found
    }

    fn refused(&self, refusal: &Refusal) -> Diagnostic {
        let version = refusal
            .version
            .as_ref()
            .and_then(|name| self.versions.iter().find(|version| version.name == *name))
            .unwrap_or(&self.versions[0]);
        let diagnostic = Diagnostic::error(refusal.rule, &refusal.message);
        match refusal.part {
            Part::Schema => self.at_path(diagnostic, version, &refusal.path),
            Part::Document | Part::Version => {
                let diagnostic = at(diagnostic, version.descriptor.location).of_rust(version.descriptor.name, None);
                let version = refusal.version.as_ref().map(|name| name.to_string());
                diagnostic.of_crd(self.crd_name(), version, &refusal.path)
            }
        }
    }

    /// The diagnostic at the marker of a CEL rule, or at the path of a rule that has none.
    fn at_rule(&self, diagnostic: Diagnostic, version: &AnnotatedVersion, problem: &SchemaProblem) -> Diagnostic {
        let has_it = |applied: &Applied| {
            validation(&applied.marker.rule, self.controller_gen).is_some_and(|rule| match problem.expression {
                Expression::Rule => rule.rule == problem.source,
                Expression::Message => rule.message_expression.is_some_and(|text| text == problem.source),
            })
        };
        let diagnostic = self.at_path(diagnostic, version, &problem.path);
        match version.node.at(&problem.path).and_then(|node| node.marker(&has_it)) {
            Some(applied) => {
                let field = applied.field.map(|field| field.name.to_owned());
                at(diagnostic, applied.location()).of_rust(applied.owner.name, field)
            }
            None => diagnostic,
        }
    }

    /// The diagnostic at a path of a version's schema, and at the Rust field that the path comes from.
    fn at_path(&self, diagnostic: Diagnostic, version: &AnnotatedVersion, path: &str) -> Diagnostic {
        let diagnostic = diagnostic.of_crd(self.crd_name(), Some(version.name.to_owned()), path);
        match version.origin(path) {
            Some(origin) => at(diagnostic, origin.location).of_rust(origin.type_name, origin.field.map(str::to_owned)),
            None if version.is_of_marks() => diagnostic,
            None => at(diagnostic, version.descriptor.location).of_rust(version.descriptor.name, None),
        }
    }

    fn named(&self) -> impl Iterator<Item = (&AnnotatedVersion, &'static ResourceNames)> {
        let of_types = if self.written.is_some() { &[][..] } else { &self.versions };
        of_types.iter().flat_map(|version| {
            version.descriptor.markers.iter().filter_map(move |marker| match &marker.rule {
                Rule::Resource(names) => Some((version, names)),
                _ => None,
            })
        })
    }

    fn names(&self) -> Names {
        if let Some(written) = &self.written {
            return written.names.clone();
        }
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

    fn agree_on_names(&self, errors: &mut Vec<Diagnostic>) {
        let mut named = self.named();
        let Some((first, names)) = named.next() else { return };
        for (version, other) in named {
            if other != names {
                errors.push(of_type(
"types::names",
                    version.descriptor,
                    format!(
                        "its `+kubebuilder:resource` differs from that of `{}` at {}: all versions share names and scope, so make them equal",
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
        errors: &mut Vec<Diagnostic>,
    ) {
        for marker in version.markers(channel, self.written.is_some()) {
            let Rule::Metadata(metadata) = marker.rule else { continue };
            for (list, target) in [(metadata.annotations, &mut crd.annotations), (metadata.labels, &mut crd.labels)] {
                for entry in list.unwrap_or_default() {
                    let Some((key, value)) = entry.split_once('=') else { continue };
                    let earlier = target.insert(Text::Borrowed(key), Text::Borrowed(value));
                    if earlier.as_ref().is_some_and(|earlier| *earlier != value) {
                        errors.push(of_type(
"types::metadata",
                            version.descriptor,
                            format!(
                                "`{key}` is `{value}` here and `{}` in another version: all versions share annotations and labels",
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
    fn new(
        name: &'static str,
        descriptor: &'static TypeDescriptor,
        of_settings: ChannelSet,
        removed: &Removed,
        errors: &mut Vec<Diagnostic>,
    ) -> Self {
        let node = annotate(descriptor, removed, errors);
        obstacles(&node, errors);
        let markers = applied(descriptor, None, removed).collect();
        let channels = Declared::of_type(descriptor).channels(removed).and(of_settings);
        Self { name, descriptor, channels, of_settings, markers, node }
    }

    /// Whether a file of marks has it: then only what is marked has a line.
    fn is_of_marks(&self) -> bool {
        self.descriptor.module.is_empty()
    }

    /// Where a path comes from.
    fn origin(&self, path: &str) -> Option<Origin> {
        let is_known = !self.is_of_marks() || !path.is_empty() && self.node.at(path).is_some();
        is_known.then(|| self.node.origin(path)).flatten()
    }

    /// The markers of the channel. A written CRD has those of all channels already.
    fn markers(&self, channel: Channel, is_written: bool) -> impl Iterator<Item = &'static Marker> {
        let is_here = move |applied: &&Applied| {
            applied.channels.contains(channel) && !(is_written && applied.marker.channels.is_all())
        };
        self.markers.iter().filter(is_here).map(|applied| applied.marker)
    }

    fn project(&self, view: View, alone: bool, written: Option<&Version>) -> Version {
        let mut version = match written {
            Some(written) => {
                let mut version = Version { storage: written.storage || alone, ..written.clone() };
                overlay(&self.node, &mut version.schema, view);
                version
            }
            None => Version {
                name: Text::Borrowed(self.name),
                served: true,
                storage: alone,
                subresources: Some(Subresources::default()),
                schema: self.root(view),
                ..Version::default()
            },
        };
        for marker in self.markers(view.channel, written.is_some()) {
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

    fn root(&self, view: View) -> Schema {
        let mut schema = project(&self.node, view, Position::Root);
        for (name, description) in [("apiVersion", API_VERSION), ("kind", KIND)] {
            schema.properties.insert(
                name.into(),
                Schema { description: Some(description.into()), kind: Some("string".into()), ..Schema::default() },
            );
        }
        // A server accepts only a type for `metadata`, not even a description, and it checks the presence of `metadata` itself.
        schema.properties.insert("metadata".into(), Schema { kind: Some("object".into()), ..Schema::default() });
        schema.required.retain(|name| name != "metadata");
        schema
    }
}

/// Shortens a description: at the end of a sentence in its second half, else at a word.
fn shorten(description: &mut Option<Text>, longest: usize) {
    let Some(text) = description.as_mut() else { return };
    let Some((limit, _)) = text.char_indices().nth(longest) else { return };
    let (start, is_end) = (&text[..limit], |end: &usize| text[*end..].starts_with([' ', '\n']));
    let sentence = start.rmatch_indices(['.', '\n']).map(|(at, found)| if found == "." { at + 1 } else { at });
    let sentence = sentence.filter(is_end).find(|end| *end > limit / 2);
    let word = || start.rfind(char::is_whitespace).filter(|end| *end > 0);
    let shortened = match sentence {
        Some(end) => start[..end].trim_end().to_owned(),
        // One character is for the ellipsis.
        None => match word() {
            Some(end) => format!("{}…", start[..end].trim_end()),
            None => String::new(),
        },
    };
    *description = (!shortened.is_empty()).then(|| shortened.into());
}

fn subresources(version: &mut Version) -> &mut Subresources {
    version.subresources.get_or_insert_with(Subresources::default)
}

/// The schema of one type in a channel, without the checks that need a whole CRD.
///
/// # Errors
/// All errors of the type and of the types that it contains.
pub fn schema_of(descriptor: &'static TypeDescriptor, channel: Channel) -> Result<Schema, Vec<Diagnostic>> {
    schema_by(descriptor, channel, ControllerGen::default())
}

/// [`schema_of`], as a release of controller-gen writes it.
///
/// # Errors
/// All errors of the type and of the types that it contains.
pub fn schema_by(
    descriptor: &'static TypeDescriptor,
    channel: Channel,
    controller_gen: ControllerGen,
) -> Result<Schema, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let node = annotate(descriptor, &Removed::new(), &mut errors);
    obstacles(&node, &mut errors);
    if errors.is_empty() {
        Ok(project(&node, View { channel, controller_gen }, Position::Inside))
    } else {
        Err(merged(errors))
    }
}

/// All CRDs of a catalogue in one channel, sorted by group and plural.
///
/// # Errors
/// All errors, in the order of the resources.
pub fn generate(catalogue: &Catalogue, channel: Channel) -> Result<Vec<CustomResourceDefinition>, Vec<Diagnostic>> {
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
        return Err(merged(errors));
    }
    crds.sort_by(|left, right| (&left.group, &left.names.plural).cmp(&(&right.group, &right.names.plural)));
    Ok(crds)
}
