//! Resources of one channel or two as modules of Rust types: one module per resource and API version.
//!
//! Invariants: what is of a whole resource (names, scope, annotations) is on the type of each version, as the macro demands. A version that the
//! types cannot name is left out, with a difference.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crd_markers::table::Target;
use crd_model::crd::{CustomResourceDefinition, PrinterColumn, Scope, Subresources, Version, is_alpha, priority};
use crd_model::profile::Profile;
use crd_names::channel::Channel;
use crd_names::wire::{is_group, is_kind, is_version_name, plural};
use serde_json::Value;

use crate::importer::accepted::accept;
use crate::importer::difference::Difference;
use crate::importer::facet::{Facet, writable};
use crate::importer::item::{Item, ItemId, Items, Shared};
use crate::importer::marker::{Line, quoted, text};
use crate::importer::node::Builder;
use crate::importer::place::Place;
use crate::importer::published::{Published, ResourceType, Source, SourceFile, TypePlace, annotations};
use crate::importer::shape::BaseTypes;
use crate::importer::sides::{Sides, merged};
use crate::importer::text;
use crd_names::rust::{file_path, is_free, module_name, unique};

/// The two CRDs of one resource.
type CrdSides = Sides<CustomResourceDefinition>;

/// Writes the Rust source of published CRDs. `profile` is that of the catalogue.
pub fn source(published: &Published, profile: Profile) -> Source {
    let mut differences = Vec::new();
    let common = published.annotations_of_all();
    let mut resources: BTreeMap<(String, String), CrdSides> = BTreeMap::new();
    let channels =
        [(Channel::Standard, Some(&published.standard)), (Channel::Experimental, published.experimental.as_ref())];
    for (channel, crds) in channels {
        for crd in crds.into_iter().flatten() {
            let sides = resources.entry((crd.group.to_string(), crd.names.kind.to_string())).or_default();
            let side = match channel {
                Channel::Standard => &mut sides.standard,
                Channel::Experimental => &mut sides.experimental,
            };
            if side.is_some() {
                let (keyword, reason) =
                    ("metadata.name", "another CRD of its group has this kind; the resource is left out");
                differences.push(Difference::of_crd(crd, Some(channel), keyword, reason));
                continue;
            }
            let mut crd = crd.clone();
            accept(&mut crd, channel, &mut differences);
            *side = Some(crd);
        }
    }
    let modules = group_modules(&published.groups(), resources.keys());
    let bases = BaseTypes::new();
    let mut written = Source { annotations: common.clone(), ..Source::default() };
    // Modules by folder: those of a version, and above them those of a group.
    let mut folders: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut written_modules = Vec::new();
    for ((group, kind), sides) in &resources {
        let resource = Resource { sides, published, profile, common: &common };
        resource.check(&mut differences);
        if !is_group(group) || !is_kind(kind) {
            continue;
        }
        for version in resource.versions() {
            if !is_version_name(&version) {
                continue;
            }
            let (items, root_item) = resource.version(&version, &bases, &mut differences);
            let group_folder = modules.get(group).cloned().unwrap_or_default();
            let folder = format!("{group_folder}/{}", module_name(&version)).trim_start_matches('/').to_owned();
            let files = folders.entry(folder.clone()).or_default();
            let root = if is_free(kind) { kind.clone() } else { format!("{kind}Resource") };
            let root = unique(root, |name| files.values().any(|other| other == name), "");
            // Two kinds such as `IPPool` and `IpPool` have one name in snake case.
            let module = unique(module_name(kind), |name| files.contains_key(name), "_");
            files.insert(module.clone(), root.clone());
            let resource_of = format!("group = \"{group}\", version = \"{version}\", kind = \"{kind}\"");
            let crd = sides.widest().map(|crd| crd.name.to_string()).unwrap_or_default();
            let path = format!("{}::{root}", folder.replace('/', "::"));
            written.resources.push(ResourceType { crd: crd.clone(), path });
            let kind = kind.clone();
            written_modules.push(Module { folder, module, root, kind, version, resource_of, crd, items, root_item });
        }
    }
    write_modules(written_modules, &mut written);
    written.files.extend(text::module_files(&folders, &modules));
    written.files.sort_by(|left, right| left.path.cmp(&right.path));
    written.differences = of_channels(differences, published.has_channels());
    written
}

/// Writes the files of modules. The types that several modules have are in the most stable version, of the kind with the shortest name.
fn write_modules(mut modules: Vec<Module>, written: &mut Source) {
    modules.sort_by(|one, other| one.order().cmp(&other.order()));
    let mut shared = Shared::default();
    modules.iter().for_each(|module| module.write(&mut shared, written));
}

/// The module of a version of a resource.
struct Module {
    folder: String,
    module: String,
    /// The name of the root type.
    root: String,
    kind: String,
    version: String,
    /// The arguments of `#[api]`.
    resource_of: String,
    crd: String,
    items: Items,
    root_item: Item,
}

impl Module {
    /// The order in which modules get types that the next modules import.
    fn order(&self) -> impl Ord {
        (Reverse(priority(&self.version)), self.kind.len(), self.path())
    }

    fn path(&self) -> String {
        format!("crate::{}::{}", self.folder.replace('/', "::"), self.module)
    }

    /// Writes the file, and lets later modules import its items.
    fn write(&self, shared: &mut Shared, written: &mut Source) {
        let Self { folder, module, root, kind, version, resource_of, crd, items, root_item } = self;
        let numbers = items.numbers(shared);
        let imports = items.imports((root, root_item), &numbers, shared);
        let order = items.in_order(root_item, &imports);
        let names = items.names(root, &order, &imports);
        let path = file_path(&format!("{folder}/{module}"));
        written.types.extend(type_places([&path, crd, version, kind], root, items, &names));
        let types = (&*order, &names, &imports);
        let text = text::module(kind, version, resource_of, (root, root_item), items, types);
        items.share(&self.path(), &names, &numbers, shared);
        written.files.push(SourceFile { path, text });
    }
}

/// Where the types of a file are in the CRD.
fn type_places(
    [file, crd, version, kind]: [&str; 4],
    root: &str,
    items: &Items,
    names: &BTreeMap<ItemId, String>,
) -> Vec<TypePlace> {
    let place = |name: &str, path: &str, wanted: &str| TypePlace {
        file: file.to_owned(),
        name: name.to_owned(),
        crd: crd.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        path: path.to_owned(),
        wanted: wanted.to_owned(),
    };
    let of_items = names.iter().map(|(id, name)| (name, items.place(*id)));
    let of_items = of_items.map(|(name, Place { path, name: wanted, .. })| place(name, path, wanted));
    of_items.chain([place(root, "", kind)]).collect()
}

/// The folder of each group. There are none if no kind is in two groups.
fn group_modules<'k>(
    groups: &BTreeMap<String, usize>,
    resources: impl IntoIterator<Item = &'k (String, String)>,
) -> BTreeMap<String, String> {
    let mut kinds = BTreeSet::new();
    if resources.into_iter().all(|(_, kind)| kinds.insert(module_name(kind))) {
        return BTreeMap::new();
    }
    let first = |group: &str| module_name(group.split('.').next().unwrap_or_default());
    let mut modules = BTreeMap::new();
    for group in groups.keys() {
        let is_taken = groups.keys().any(|other| other != group && first(other) == first(group));
        let module = if is_taken { module_name(group) } else { first(group) };
        let module = unique(module, |name| modules.values().any(|other| other == name), "_");
        modules.insert(group.clone(), module);
    }
    modules
}

/// Differences of both channels as one, and without a channel if the API has one channel.
fn of_channels(mut differences: Vec<Difference>, has_channels: bool) -> Vec<Difference> {
    if !has_channels {
        differences.iter_mut().for_each(|difference| difference.channel = None);
    }
    let all: BTreeSet<Difference> = differences.into_iter().collect();
    let other =
        |difference: &Difference, channel| all.contains(&Difference { channel: Some(channel), ..difference.clone() });
    let merged = all.iter().filter_map(|difference| match difference.channel {
        Some(Channel::Standard) if other(difference, Channel::Experimental) => {
            Some(Difference { channel: None, ..difference.clone() })
        }
        Some(Channel::Experimental) if other(difference, Channel::Standard) => None,
        _ => Some(difference.clone()),
    });
    merged.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A resource in each channel that has it.
struct Resource<'r> {
    sides: &'r CrdSides,
    published: &'r Published,
    profile: Profile,
    common: &'r BTreeMap<String, String>,
}

impl Resource<'_> {
    /// The differences of the whole CRD.
    fn check(&self, differences: &mut Vec<Difference>) {
        let Some(widest) = self.sides.widest() else { return };
        let mut report = |channel, keyword: &str, reason: String| {
            differences.push(Difference::of_crd(widest, channel, keyword, reason));
        };
        for (channel, crd) in self.sides.iter() {
            let channel = Some(channel);
            if !is_group(&crd.group) || !is_kind(&crd.names.kind) {
                let reason = "`#[api]` accepts groups with a dot and kinds in CamelCase; the resource is left out";
                report(channel, "spec.group, spec.names.kind", reason.to_owned());
            }
            let strategy =
                crd.conversion.as_ref().and_then(|conversion| conversion.get("strategy")).and_then(Value::as_str);
            if strategy.is_some_and(|strategy| strategy != "None") {
                let reason = "a webhook is of the cluster, not of the types: add it where the CRDs are deployed";
                report(channel, "spec.conversion", reason.to_owned());
            }
            if crd.preserve_unknown_fields == Some(true) {
                let reason = "servers kept every field; with the types, they drop the fields that a type does not have. To keep those of one type, write \
                              `+kubebuilder:pruning:PreserveUnknownFields` on it";
                report(channel, "spec.preserveUnknownFields", reason.to_owned());
            }
            let list_kind = format!("{}List", crd.names.kind);
            if crd.names.list_kind.as_deref().is_some_and(|other| other != list_kind) {
                report(channel, "spec.names.listKind", format!("the types have `{list_kind}`"));
            }
            for version in crd.versions.iter().filter(|version| !is_version_name(&version.name)) {
                let reason = "servers accept versions that are DNS labels, such as v1alpha2; this one is left out";
                report(channel, &format!("spec.versions.{}", version.name), reason.to_owned());
            }
        }
        if let (Some(standard), Some(experimental)) = (&self.sides.standard, &self.sides.experimental) {
            let names = |crd: &CustomResourceDefinition| (crd.names.clone(), crd.scope);
            if names(standard) != names(experimental) {
                let reason = "all channels share names and scope; the types have those of experimental";
                report(Some(Channel::Standard), "spec.names", reason.to_owned());
            }
        }
        if self.published.has_channels() {
            if let (Some(standard), None) = (&self.sides.standard, &self.sides.experimental) {
                let reason =
                    format!("only standard has {}; in the types, experimental has it too", standard.names.kind);
                report(Some(Channel::Experimental), "metadata.name", reason);
            }
            let standard = self.sides.standard.as_ref();
            let alpha = standard.filter(|crd| {
                !self.profile.serves_alpha(Channel::Standard)
                    && crd.versions.iter().all(|version| is_alpha(&version.name))
            });
            if alpha.is_some() {
                let reason = "it has alpha versions only, which the profile gep-922 does not have in standard: the profile semver has them";
                report(Some(Channel::Standard), "metadata.name", reason.to_owned());
            }
        }
    }

    /// The names of the versions of all channels, sorted.
    fn versions(&self) -> BTreeSet<String> {
        self.sides.iter().flat_map(|(_, crd)| crd.versions.iter().map(|version| version.name.to_string())).collect()
    }

    /// The types of a version: the items, and the root type.
    fn version(
        &self,
        name: &str,
        bases: &BaseTypes,
        differences: &mut Vec<Difference>,
    ) -> (Items, crate::importer::item::Item) {
        let crds = self.sides.clone();
        let crd = crds.widest().cloned().unwrap_or_default();
        let of = |crd: &CustomResourceDefinition| crd.versions.iter().find(|version| version.name == name).cloned();
        let versions: Sides<Version> = crds.map(|_, crd| of(&crd)).present();
        let mut builder = Builder {
            items: Items::new(self.published.has_own_types),
            bases,
            crd: crd.name.to_string(),
            version: name.to_owned(),
            differences,
        };
        let kind = crd.names.kind.to_string();
        let place = Place { path: String::new(), name: kind.clone(), last: kind };
        let schemas = Sides {
            standard: versions.standard.as_ref().map(|version| &version.schema),
            experimental: versions.experimental.as_ref().map(|version| &version.schema),
        };
        let mut root = builder.root(schemas, &place);
        if self.published.has_channels() && versions.only() == Some(Channel::Experimental) {
            root.lines.insert(0, Line { channel: None, text: "experimental".to_owned() });
        } else if versions.only() == Some(Channel::Standard) && self.sides.count() == 2 {
            let reason = "only standard has this version; in the types, experimental has it too";
            builder.difference(Some(Channel::Experimental), "", "spec.versions", reason);
        }
        let at = usize::from(root.lines.first().is_some_and(|line| line.text == "experimental"));
        let names = self.names_marker(&crd);
        let facets: Sides<Vec<Facet>> = Sides {
            standard: versions.standard.as_ref().map(|version| self.facets(version, Channel::Standard, &mut builder)),
            experimental: versions
                .experimental
                .as_ref()
                .map(|version| self.facets(version, Channel::Experimental, &mut builder)),
        };
        let mut lines: Vec<Line> = names.map(|facet| Line { channel: None, text: facet.text() }).into_iter().collect();
        lines.extend(merged(&facets).into_iter().map(|(facet, channel)| Line { channel, text: facet.text() }));
        root.lines.splice(at..at, lines);
        (builder.items, root)
    }

    /// `+kubebuilder:resource`, if it has more than the kind.
    fn names_marker(&self, crd: &CustomResourceDefinition) -> Option<Facet> {
        let names = &crd.names;
        let kind = names.kind.as_ref();
        let words =
            |words: &[crd_model::schema::Text]| words.iter().map(|word| text(word)).collect::<Vec<_>>().join(";");
        let mut arguments = Vec::new();
        if !names.categories.is_empty() {
            arguments.push(("categories", words(&names.categories)));
        }
        if names.plural != plural(kind) {
            arguments.push(("path", text(&names.plural)));
        }
        if crd.scope == Scope::Cluster {
            arguments.push(("scope", "Cluster".to_owned()));
        }
        if !names.short_names.is_empty() {
            arguments.push(("shortName", words(&names.short_names)));
        }
        if let Some(singular) = names.singular.as_deref().filter(|singular| *singular != kind.to_lowercase()) {
            arguments.push(("singular", text(singular)));
        }
        (!arguments.is_empty()).then(|| Facet::named("spec.names", "kubebuilder:resource", &arguments))
    }

    /// The markers of a version in a channel.
    fn facets(&self, version: &Version, channel: Channel, builder: &mut Builder<'_>) -> Vec<Facet> {
        let mut all = Vec::new();
        let crd = self.sides.get(channel);
        if version.storage && crd.is_some_and(|crd| crd.versions.len() > 1) {
            all.push(Facet::plain("storage", "kubebuilder:storageversion"));
        }
        let is_hidden = is_alpha(&version.name) && !self.profile.serves_alpha(channel);
        // A resource with alpha versions only is absent, which is a difference of the resource.
        let is_present = crd.is_some_and(|crd| crd.versions.iter().any(|version| !is_alpha(&version.name)));
        if is_hidden && is_present && version.served && self.published.has_channels() {
            let reason =
                "the profile gep-922 does not serve alpha versions in standard: the profile semver serves them";
            builder.difference(Some(channel), "", "served", reason);
        }
        let is_unserved_elsewhere =
            self.sides.iter().filter(|(other, _)| *other != channel).all(|(_, crd)| {
                crd.versions.iter().filter(|other| other.name == version.name).all(|other| !other.served)
            });
        if !version.served && (!is_hidden || is_unserved_elsewhere) {
            all.push(Facet::plain("served", "kubebuilder:unservedversion"));
        }
        if version.deprecated {
            let warning = version.deprecation_warning.as_deref();
            let name = "kubebuilder:deprecatedversion";
            all.push(match warning {
                Some(warning) => Facet::named("deprecated", name, &[("warning", quoted(warning))]),
                None => Facet::plain("deprecated", name),
            });
        }
        if version.deprecation_warning.is_some() && !version.deprecated {
            builder.difference(Some(channel), "", "deprecationWarning", "the version is not deprecated");
        }
        all.extend(version.subresources.iter().flat_map(subresources));
        all.extend(version.columns.iter().map(column));
        all.extend(version.selectable_fields.iter().map(|path| {
            Facet::named("selectableFields", "kubebuilder:selectablefield", &[("JSONPath", quoted(path))])
        }));
        if version.storage
            && let Some(crd) = crd
        {
            let own = annotations(crd).into_iter().filter(|(key, value)| self.common.get(key) != Some(value));
            let labels = crd.labels.iter().map(|(key, value)| (key.to_string(), value.to_string()));
            all.extend(own.map(|entry| metadata("annotations", entry)));
            all.extend(labels.map(|entry| metadata("labels", entry)));
        }
        writable(all, crd_markers::fit::Kind::Struct, Target::Resource, |keyword, reason| {
            builder.difference(Some(channel), "", keyword, reason);
        })
    }
}

fn subresources(subresources: &Subresources) -> Vec<Facet> {
    let status = Facet::plain("subresources.status", "kubebuilder:subresource:status");
    let scale = subresources.scale.as_ref().map(|scale| {
        let mut arguments = vec![("specpath", quoted(&scale.spec_replicas_path))];
        arguments.push(("statuspath", quoted(&scale.status_replicas_path)));
        arguments.extend(scale.label_selector_path.as_deref().map(|path| ("selectorpath", quoted(path))));
        Facet::named("subresources.scale", "kubebuilder:subresource:scale", &arguments)
    });
    subresources.status.then_some(status).into_iter().chain(scale).collect()
}

fn metadata(list: &'static str, (key, value): (String, String)) -> Facet {
    let keyword = if list == "labels" { "metadata.labels" } else { "metadata.annotations" };
    Facet::named(keyword, "kubebuilder:metadata", &[(list, quoted(&format!("{key}={value}")))])
}

fn column(column: &PrinterColumn) -> Facet {
    let mut arguments =
        vec![("name", quoted(&column.name)), ("type", text(&column.kind)), ("JSONPath", quoted(&column.json_path))];
    arguments.extend(column.description.as_deref().map(|description| ("description", quoted(description))));
    arguments.extend(column.format.as_deref().map(|format| ("format", quoted(format))));
    arguments.extend(column.priority.map(|priority| ("priority", priority.to_string())));
    Facet::named("additionalPrinterColumns", "kubebuilder:printcolumn", &arguments)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Nodes with any keywords, as v1beta1 permits them. Each has a title of its own.
    struct Nodes {
        state: u64,
        channel: Channel,
        /// Each title, and the path of its node.
        titles: Vec<(String, String)>,
    }

    impl Nodes {
        fn below(&mut self, limit: usize) -> usize {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.state >> 33) as usize % limit
        }

        fn node(&mut self, path: &str, depth: usize) -> Value {
            let title = format!("{} {} of it", self.channel, self.titles.len());
            self.titles.push((title.clone(), path.to_owned()));
            let mut node = serde_json::Map::from_iter([("title".to_owned(), title.into())]);
            let kinds = ["object", "object", "array", "string", "integer", "number", "boolean", "odd", "", "", ""];
            node.insert("type".to_owned(), kinds[self.below(kinds.len())].into());
            for keyword in [
                "x-kubernetes-preserve-unknown-fields",
                "x-kubernetes-int-or-string",
                "additionalProperties",
                "nullable",
            ] {
                if self.below(6) == 0 {
                    node.insert(keyword.to_owned(), true.into());
                }
            }
            if depth > 0 && self.below(2) == 0 {
                let names = &["alpha", "beta", "gamma"][..=self.below(3)];
                let properties =
                    names.iter().map(|name| ((*name).to_owned(), self.node(&format!("{path}.{name}"), depth - 1)));
                let properties: serde_json::Map<String, Value> = properties.collect();
                node.insert("properties".to_owned(), properties.into());
                node.insert("required".to_owned(), json!(names[..1]));
            }
            for keyword in ["items", "additionalProperties"] {
                if depth > 0 && self.below(3) == 0 {
                    node.insert(keyword.to_owned(), self.node(&format!("{path}[*]"), depth - 1));
                }
            }
            node.into()
        }

        fn crd(&mut self) -> CustomResourceDefinition {
            let schema = json!({ "type": "object", "properties": { "spec": self.node("spec", 3) } });
            let version =
                json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
            let names = json!({ "kind": "Lamp", "plural": "lamps" });
            let crd = CustomResourceDefinition::from_value(&json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "lamps.example.com" },
                "spec": { "group": "example.com", "scope": "Namespaced", "names": names, "versions": [version] },
            }));
            crd.unwrap_or_else(|errors| panic!("{errors:?}"))
        }
    }

    #[test]
    fn every_part_is_in_the_source_or_in_the_list() {
        let mut lost = [0, 0];
        for seed in 0..2_000 {
            let [mut standard, mut experimental] =
                Channel::ALL.map(|channel| Nodes { state: seed * 2 + channel as u64, channel, titles: Vec::new() });
            let crds = [&mut standard, &mut experimental].map(|nodes| vec![nodes.crd()]);
            let [one, other] = crds.clone();
            for (index, published) in
                [Published::one_channel(one.clone()), Published::two_channels(one, other)].into_iter().enumerate()
            {
                let source = source(&published, Profile::Semver);
                let text = source.files.iter().map(|file| &*file.text).collect::<String>();
                let titles =
                    standard.titles.iter().chain(experimental.titles.iter().filter(|_| published.has_channels()));
                for (title, path) in titles.filter(|(title, _)| !text.contains(title)) {
                    lost[index] += 1;
                    // The title itself, what its node is in, or the type of the other channel.
                    let is_listed = |difference: &Difference| {
                        let keyword = &*difference.keyword;
                        let is_other_type = keyword == "type" && difference.channel == Some(Channel::Standard);
                        path.strip_prefix(&*difference.path).is_some_and(|below| match below {
                            "" => keyword == "title" || is_other_type,
                            below => {
                                let has_node = ["properties", "items", "additionalProperties"].contains(&keyword);
                                below.starts_with(['.', '[']) && (has_node || is_other_type)
                            }
                        })
                    };
                    assert!(source.differences.iter().any(is_listed), "{seed}: {title} at {path}: {crds:?}\n{text}");
                }
            }
        }
        assert!(lost.iter().all(|lost| *lost > 1_000), "{lost:?}");
    }
}
