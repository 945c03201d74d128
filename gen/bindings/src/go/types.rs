//! From the types of a catalogue to a Go module: what of each type is in a channel, and how Go expresses it.
//!
//! Invariants: only what the channel has is in the module; every type has one name in one package; packages do not import each other in a cycle.
//! Whatever Go cannot express is an error at the type or the field, and no module is made. All errors are reported together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_generate::{Catalogue, Export, at, merged};
use crd_markers::descriptor::{BaseType, Field as Source, Location, Presence, Shape, TypeDescriptor, TypeRef, Variant};
use crd_markers::rule::{Marker, Rule};
use crd_model::crd::is_alpha;
use crd_names::channel::{Channel, ChannelSet};

use crd_names::wire::is_go_name;

use super::constants;
use super::elements::{Options, fields, imported, meta, of_channels};
use super::markers::{enumeration, markers};
use super::model::{Body, Constant, Field, File, GoType, Module, Omit, Package, Type};
use super::named::Named;
use super::names;
use super::packages::Packages;

/// The Go module of a catalogue.
///
/// # Errors
/// Everything that Go cannot express.
pub fn module(catalogue: &Catalogue, options: &Options<'_>) -> Result<Module, Vec<Diagnostic>> {
    let roots = roots(catalogue, options.channel);
    let packages = Packages::of(catalogue, &roots, options);
    let mut writer = Writer {
        catalogue,
        options,
        packages: &packages,
        named: Named::of(&packages, options),
        errors: packages.errors.clone(),
        files: BTreeMap::new(),
    };
    for (descriptor, package) in &packages.types {
        writer.declare(descriptor, package);
    }
    for export in catalogue.exports() {
        writer.alias(export);
    }
    match constants::files(catalogue, &packages) {
        Ok(files) => files.into_iter().for_each(|(package, file)| writer.add_file(&package, file)),
        Err(errors) => writer.errors.extend(errors),
    }
    writer.clashes();
    let Writer { errors, mut files, named, .. } = writer;
    if !errors.is_empty() {
        return Err(merged(errors));
    }
    let packages = packages.all().map(|(folder, group, version)| Package {
        description: String::new(),
        files: files.remove(folder).unwrap_or_default().into_values().collect(),
        folder: folder.to_owned(),
        client: options.clients.get(group).cloned(),
        group: group.to_owned(),
        version: version.to_owned(),
    });
    Ok(Module { path: options.module.to_owned(), packages: packages.collect(), names: named.names })
}

/// The root types of a channel. A resource that the channel does not serve is absent.
fn roots(catalogue: &Catalogue, channel: Channel) -> Vec<&'static TypeDescriptor> {
    let is_served =
        |root: &TypeDescriptor| root.resource.is_some_and(|resource| serves(catalogue, channel, resource.version));
    let identity = |root: &TypeDescriptor| root.resource.map(|resource| (resource.group, resource.kind));
    let present: Vec<&TypeDescriptor> =
        catalogue.descriptors().filter(|root| root.channels.contains(channel)).collect();
    let has_served =
        |root: &TypeDescriptor| present.iter().any(|other| identity(other) == identity(root) && is_served(other));
    present.iter().copied().filter(|root| has_served(root)).collect()
}

fn serves(catalogue: &Catalogue, channel: Channel, version: &str) -> bool {
    catalogue.policy_profile().serves_alpha(channel) || !is_alpha(version)
}

/// The name that a marker gives.
pub(super) fn named(markers: &[Marker]) -> Option<&'static str> {
    markers.iter().find_map(|marker| match marker.rule {
        Rule::GoName(name) => Some(name),
        _ => None,
    })
}

/// How a type behaves as a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A list, a map or bytes: nil is absent.
    Nil,
    /// A string with constants and further values.
    OpenEnum,
    Value,
}

pub(super) fn class(kind: TypeRef) -> Class {
    match kind {
        TypeRef::List(_) | TypeRef::Map(..) | TypeRef::Base(BaseType::Bytes) => Class::Nil,
        TypeRef::Named(named) => match named.get().shape {
            Shape::Newtype(inner) => class(inner),
            Shape::Enum { open: true, .. } => Class::OpenEnum,
            _ => Class::Value,
        },
        _ => Class::Value,
    }
}

const ANY: GoType = imported("k8s.io/apimachinery/pkg/runtime", "runtime", "RawExtension");
/// What makes a schema without a type of [`ANY`].
const ANY_MARKERS: [&str; 2] = ["kubebuilder:validation:Schemaless", "kubebuilder:pruning:PreserveUnknownFields"];

fn scalar(kind: TypeRef) -> Option<&'static str> {
    const INTEGERS: [(&str, &str); 5] =
        [("i8", "int8"), ("i16", "int16"), ("i32", "int32"), ("i64", "int64"), ("isize", "int")];
    match kind {
        TypeRef::String => Some("string"),
        TypeRef::Boolean => Some("bool"),
        TypeRef::Number(_) => Some("float64"),
        TypeRef::Integer { rust, .. } => INTEGERS.iter().find(|(name, _)| *name == rust).map(|(_, go)| *go),
        _ => None,
    }
}

fn base(base: BaseType) -> GoType {
    match base {
        BaseType::Bytes => GoType::Slice(Box::new(GoType::Plain("byte"))),
        BaseType::AnyJson | BaseType::RawExtension => ANY,
        BaseType::IntOrString => imported("k8s.io/apimachinery/pkg/util/intstr", "intstr", "IntOrString"),
        BaseType::ObjectMeta => meta("ObjectMeta"),
        BaseType::Quantity => imported("k8s.io/apimachinery/pkg/api/resource", "resource", "Quantity"),
        BaseType::Time => meta("Time"),
        BaseType::Duration => meta("Duration"),
    }
}

/// The description of something that only experimental has.
pub(super) fn described(description: &str, channels: ChannelSet) -> String {
    if channels.contains(Channel::Standard) {
        return description.to_owned();
    }
    format!("{description}\n\nChannel: experimental.").trim_start().to_owned()
}

pub(super) struct Writer<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) options: &'a Options<'a>,
    packages: &'a Packages,
    named: Named,
    errors: Vec<Diagnostic>,
    /// The files of each package.
    files: BTreeMap<String, BTreeMap<String, File>>,
}

impl Writer<'_> {
    /// The Go name of a type.
    fn type_name(&self, descriptor: &TypeDescriptor) -> String {
        let given = named(descriptor.markers).map(str::to_owned).or_else(|| self.named.of_type(descriptor));
        given.unwrap_or_else(|| names::type_name(descriptor.name))
    }

    pub(super) fn error(
        &mut self,
        descriptor: &TypeDescriptor,
        field: Option<&Source>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let line = field.map_or(descriptor.location.line, |field| field.line);
        let error = Diagnostic::error("bindings::go", message);
        let field = field.map(|field| field.name.to_owned());
        self.errors.push(at(error, Location { line, ..descriptor.location }).of_rust(descriptor.name, field));
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }

    pub(super) fn add(&mut self, package: &str, file: &str, declared: Type) {
        self.add_file(package, File { name: format!("{file}_types.go"), types: vec![declared], constants: Vec::new() });
    }

    fn add_file(&mut self, package: &str, file: File) {
        let files = self.files.entry(package.to_owned()).or_default();
        let known = files.entry(file.name.clone());
        let known = known.or_insert(File { name: file.name, types: Vec::new(), constants: Vec::new() });
        known.types.extend(file.types);
        known.constants.extend(file.constants);
    }

    /// Adds an alias, once: several modules of a version can have it.
    fn add_alias(&mut self, package: &str, file: &str, declared: Type) {
        let files = self.files.get(package);
        let mut known = files.into_iter().flat_map(BTreeMap::values).flat_map(|file| &file.types);
        if !known.any(|known| known.name == declared.name && known.body == declared.body) {
            self.add(package, file, declared);
        }
    }

    fn declare(&mut self, descriptor: &'static TypeDescriptor, package: &str) {
        let name = self.type_name(descriptor);
        let mut lines = markers(descriptor.markers, self.options.channel);
        let mut constants = Vec::new();
        let body = match descriptor.shape {
            Shape::Struct(fields) => {
                if fields.iter().any(Source::keeps_unknown_fields) {
                    lines.push("kubebuilder:pruning:PreserveUnknownFields".to_owned());
                }
                Body::Struct(self.structure(descriptor))
            }
            Shape::Newtype(inner) => match self.reference(descriptor, None, inner) {
                // A defined type has none of the methods of the type that it is made of.
                go @ GoType::Imported { .. } => Body::Alias(go),
                go => Body::Defined(go),
            },
            Shape::Enum { variants, open } => {
                constants = self.constants(descriptor, package, &name, variants.iter().map(value));
                if !open {
                    lines.insert(0, enumeration(&constants));
                }
                Body::Defined(GoType::Plain("string"))
            }
            Shape::Union { tag, .. } => {
                self.rules(descriptor, &mut lines);
                Body::Struct(self.union(descriptor, package, &name, tag))
            }
        };
        if matches!(body, Body::Alias(_)) {
            lines.clear();
        }
        let is_root = descriptor.resource.is_some();
        if is_root {
            lines.splice(0..0, self.root_markers(descriptor));
        }
        let description = described(descriptor.description, descriptor.channels);
        self.add(package, &stem(descriptor), Type { name, description, markers: lines, body, is_root, constants });
    }

    fn root_markers(&self, root: &'static TypeDescriptor) -> Vec<String> {
        let has = |rule: &dyn Fn(&Rule) -> bool| root.markers.iter().any(|marker| rule(&marker.rule));
        let mut lines = vec!["genclient".to_owned()];
        if has(&|rule| matches!(rule, Rule::Resource(names) if names.scope == Some("Cluster"))) {
            lines.push("genclient:nonNamespaced".to_owned());
        }
        if !has(&|rule| *rule == Rule::SubresourceStatus)
            && fields(root, self.options.channel).any(|field| field.wire_name == "status")
        {
            lines.push("genclient:noStatus".to_owned());
        }
        let is_served =
            root.resource.is_none_or(|resource| serves(self.catalogue, self.options.channel, resource.version));
        if !is_served && !has(&|rule| *rule == Rule::UnservedVersion) {
            lines.push("kubebuilder:unservedversion".to_owned());
        }
        lines
    }

    fn structure(&mut self, owner: &'static TypeDescriptor) -> Vec<Field> {
        let mut all = Vec::new();
        if owner.resource.is_some() {
            all.push(embedded(meta("TypeMeta"), ""));
        }
        for field in fields(owner, self.options.channel) {
            all.extend(self.field(owner, field));
        }
        all
    }

    pub(super) fn field(&mut self, owner: &'static TypeDescriptor, field: &'static Source) -> Option<Field> {
        let is_root = owner.resource.is_some();
        let mut kind = self.reference(owner, Some(field), field.kind);
        let mut lines = self.field_markers(field);
        if is_root && field.wire_name == "metadata" {
            return Some(Field {
                omit: Omit::Empty,
                markers: vec!["optional".to_owned()],
                ..embedded(kind, "metadata")
            });
        }
        if field.flatten {
            // Go has no field for what a type does not declare: see the comment of the type.
            return (!field.keeps_unknown_fields()).then(|| embedded(kind, ""));
        }
        let given = named(field.markers).map(str::to_owned).or_else(|| self.named.of_part(owner, field.wire_name));
        let name = given.or_else(|| names::field(field.wire_name));
        let Some(name) = name else {
            self.error(owner, Some(field), format!("no Go name follows from the wire name `{}`", field.wire_name))
                .help = Some("name the field with `+go:name=Name`".to_owned());
            return None;
        };
        self.list_map_keys(owner, field);
        let is_required = field.presence == Presence::Required;
        let class = class(field.kind);
        let is_value = is_root && field.wire_name == "status" || class != Class::Value;
        let is_pointer = go_type(field.markers)
            .map_or(class != Class::Nil && field.nullable || !is_required && !is_value, |word| word == "pointer");
        let omit = match (is_required, is_pointer, class) {
            (true, ..) => Omit::Never,
            (false, true, _) | (false, _, Class::OpenEnum) => Omit::Empty,
            // The zero of a string or a number, as authors of Go APIs write it.
            (false, false, Class::Value) if is_scalar(field.kind) => Omit::Empty,
            (false, ..) => Omit::Zero,
        };
        if is_pointer && !matches!(kind, GoType::Pointer(_)) {
            kind = GoType::Pointer(Box::new(kind));
        }
        if any_json(field.kind) {
            let missing = ANY_MARKERS.iter().filter(|marker| !lines.iter().any(|line| line == *marker));
            lines.extend(missing.map(|marker| (*marker).to_owned()).collect::<Vec<_>>());
        }
        let description = described(field.description, field.channels);
        Some(Field { name: Some(name), description, markers: lines, kind, wire_name: field.wire_name.to_owned(), omit })
    }

    /// Presence, and the rules of the field. An alias has no markers: its uses have them.
    fn field_markers(&self, field: &Source) -> Vec<String> {
        let mut lines = vec![if field.presence == Presence::Required { "required" } else { "optional" }.to_owned()];
        if field.nullable {
            lines.push("nullable".to_owned());
        }
        let mut kind = field.kind;
        while let TypeRef::Named(named) = kind {
            let named = named.get();
            let Shape::Newtype(inner) = named.shape else { break };
            if matches!(inner, TypeRef::Base(_))
                || matches!(inner, TypeRef::Named(of) if of_channels(of.get()).is_some())
            {
                lines.extend(markers(named.markers, self.options.channel));
            }
            kind = inner;
        }
        lines.extend(markers(field.markers, self.options.channel));
        // controller-gen applies markers of strings only where it reads that the type can be one.
        let is_of_text = |line: &String| {
            ["Pattern=", "MinLength=", "MaxLength="].iter().any(|rule| line.contains(&format!(":{rule}")))
        };
        if matches!(kind, TypeRef::Base(BaseType::IntOrString | BaseType::Quantity)) && lines.iter().any(is_of_text) {
            lines.push("kubebuilder:validation:XIntOrString".to_owned());
        }
        lines
    }

    /// A list cannot be merged by a number that has many texts.
    fn list_map_keys(&mut self, owner: &'static TypeDescriptor, field: &'static Source) {
        let TypeRef::List(TypeRef::Named(items)) = field.kind else { return };
        let items = items.get();
        for marker in field.markers {
            let Rule::ListMapKey(key) = marker.rule else { continue };
            let is_float = |field: &&Source| field.wire_name == key && matches!(field.kind, TypeRef::Number(_));
            if fields(items, self.options.channel).any(|field| is_float(&field)) {
                self.error(
                    owner,
                    Some(field),
                    format!(
                        "the key `{key}` of this list is a floating-point number, which cannot be compared reliably"
                    ),
                )
                .help = Some("make the key a string or an integer".to_owned());
            }
        }
    }

    /// The Go type of a reference.
    fn reference(&mut self, owner: &'static TypeDescriptor, field: Option<&'static Source>, kind: TypeRef) -> GoType {
        let mut boxed = |kind| Box::new(self.reference(owner, field, kind));
        match kind {
            TypeRef::String | TypeRef::Boolean | TypeRef::Number(_) | TypeRef::Integer { .. } => {
                if let (None, TypeRef::Integer { rust, .. }) = (scalar(kind), kind) {
                    self.error(owner, field, format!("Go types of Kubernetes APIs have no integer `{rust}`")).help =
                        Some("use `i32` or `i64` with `+kubebuilder:validation:Minimum=0`".to_owned());
                }
                GoType::Plain(scalar(kind).unwrap_or("int64"))
            }
            TypeRef::List(items) => GoType::Slice(boxed(*items)),
            TypeRef::Map(keys, values) => {
                let keys = boxed(*keys);
                GoType::Map(keys, boxed(*values))
            }
            TypeRef::Base(of) => base(of),
            TypeRef::Foreign { .. } => ANY,
            TypeRef::Named(named) => self.named(named.get()),
        }
    }

    fn named(&self, descriptor: &'static TypeDescriptor) -> GoType {
        of_channels(descriptor).unwrap_or_else(|| {
            let package = self.packages.of_type(descriptor).unwrap_or_default().to_owned();
            GoType::Named { package, name: self.type_name(descriptor) }
        })
    }

    pub(super) fn constants(
        &mut self,
        owner: &'static TypeDescriptor,
        package: &str,
        name: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Vec<Constant> {
        let kind = Some(GoType::Named { package: package.to_owned(), name: name.to_owned() });
        let mut constants = Vec::new();
        for (wire_name, description, markers, channels) in values {
            if !channels.contains(self.options.channel) {
                continue;
            }
            let given = named(markers).map(str::to_owned).or_else(|| self.named.of_part(owner, wire_name));
            let mut own = given.or_else(|| names::value(name, wire_name));
            // Two values that differ in their capital letters only.
            if own.as_ref().is_some_and(|own| constants.iter().any(|other: &Constant| other.name == *own)) {
                own = Some(format!("{name}_{wire_name}")).filter(|name| is_go_name(name));
            }
            match own {
                Some(name) => constants.push(Constant {
                    name,
                    description: described(description, channels),
                    kind: kind.clone(),
                    value: wire_name.to_owned(),
                }),
                None => {
                    let message = format!("no Go name follows from the value `{wire_name}`");
                    self.error(owner, None, message).help =
                        Some("name it with `+go:name=Name` on the variant".to_owned());
                }
            }
        }
        constants
    }

    /// A further name of a type in another package, or in the same one.
    fn alias(&mut self, export: &Export) {
        let Some(package) = self.packages.of_module(&export.module).map(str::to_owned) else { return };
        let alias = |name: String, description, target| Type {
            name,
            description,
            markers: Vec::new(),
            body: Body::Alias(target),
            is_root: false,
            constants: Vec::new(),
        };
        let Some(target) = export.descriptor() else {
            let Some(go) = scalar(export.target) else { return };
            let own = names::type_name(&export.name);
            let description = format!("{own} is another name of {go}.");
            return self.add_alias(&package, "scalar", alias(own, description, GoType::Plain(go)));
        };
        let Some(of) = self.packages.of_type(target).map(str::to_owned) else { return };
        let go = self.type_name(target);
        let own = if export.name == target.name { go.clone() } else { names::type_name(&export.name) };
        if package == of && own == go {
            return;
        }
        let description = format!("The type of {} with that name.", of.rsplit('/').next().unwrap_or_default());
        let named = |name| GoType::Named { package: of.clone(), name };
        let list = alias(format!("{own}List"), description.clone(), named(format!("{go}List")));
        // A second name has no constants of its own.
        let is_renamed = own != go;
        let mut declared = alias(own, description, named(go));
        if let (Shape::Enum { variants, .. }, false) = (target.shape, is_renamed) {
            declared.constants = self.constants(target, &package, &declared.name, variants.iter().map(value));
        }
        let is_root = target.resource.is_some();
        if is_root {
            // controller-gen would read it as a version of the resource.
            declared.markers.push("kubebuilder:skipversion".to_owned());
        }
        self.add_alias(&package, &stem(target), declared);
        if is_root {
            self.add_alias(&package, &stem(target), list);
        }
    }

    /// Two types, fields or constants with one name.
    fn clashes(&mut self) {
        let mut errors = Vec::new();
        for (package, files) in &self.files {
            let declared: Vec<&Type> = files.values().flat_map(|file| &file.types).collect();
            let lists = declared.iter().filter(|of| of.is_root).map(|of| format!("{}List", of.name));
            let constants = files.values().flat_map(|file| &file.constants);
            let constants = declared.iter().flat_map(|of| &of.constants).chain(constants);
            let all = declared.iter().map(|of| &of.name).chain(constants.map(|constant| &constant.name));
            let mut seen: BTreeSet<String> = names::OF_PACKAGES.into_iter().map(str::to_owned).chain(lists).collect();
            let twice = all.filter(|name| !seen.insert((*name).clone()));
            errors.extend(twice.map(|name| (package.clone(), name.clone(), None)));
            for declared in declared {
                let Body::Struct(fields) = &declared.body else { continue };
                let mut seen: BTreeSet<&str> = names::OF_STRUCTS.into_iter().collect();
                let twice = fields.iter().filter_map(|field| field.name.as_deref()).filter(|name| !seen.insert(name));
                errors.extend(twice.map(|name| (package.clone(), declared.name.clone(), Some(name.to_owned()))));
            }
        }
        for (package, name, field) in errors {
            let owner = self
                .packages
                .types
                .iter()
                .find(|(descriptor, of)| **of == package && self.type_name(descriptor) == name);
            let message = match &field {
                Some(field) => format!("two fields of `{name}` have the Go name `{field}`"),
                None => format!("the package `{package}` has the name `{name}` twice"),
            };
            let error = Diagnostic::error("bindings::go", message).help("name one of both with `+go:name=Name`");
            self.errors.push(match owner {
                Some((descriptor, _)) => at(error, descriptor.location).of_rust(descriptor.name, field),
                None => error,
            });
        }
    }
}

/// A value with a constant: the string, the description, the markers and the channels.
pub(super) type Value = (&'static str, &'static str, &'static [Marker], ChannelSet);

fn value(variant: &'static Variant) -> Value {
    (variant.wire_name, variant.description, variant.markers, variant.channels)
}

pub(super) fn stem(descriptor: &TypeDescriptor) -> String {
    Path::new(descriptor.location.file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The word of `+go:type`.
fn go_type(markers: &[Marker]) -> Option<&'static str> {
    markers.iter().find_map(|marker| match marker.rule {
        Rule::GoType(word) => Some(word),
        _ => None,
    })
}

pub(super) fn is_scalar(kind: TypeRef) -> bool {
    match kind {
        TypeRef::Named(named) => match named.get().shape {
            Shape::Newtype(inner) => is_scalar(inner),
            Shape::Enum { .. } => true,
            _ => false,
        },
        TypeRef::String | TypeRef::Boolean | TypeRef::Integer { .. } | TypeRef::Number(_) => true,
        _ => false,
    }
}

/// Whether the value of a field has any type.
fn any_json(kind: TypeRef) -> bool {
    match kind {
        TypeRef::Base(BaseType::AnyJson) | TypeRef::Foreign { .. } => true,
        TypeRef::Named(named) => matches!(named.get().shape, Shape::Newtype(inner) if any_json(inner)),
        _ => false,
    }
}

fn embedded(kind: GoType, wire_name: &str) -> Field {
    Field {
        name: None,
        description: String::new(),
        markers: Vec::new(),
        kind,
        wire_name: wire_name.to_owned(),
        omit: Omit::Never,
    }
}
