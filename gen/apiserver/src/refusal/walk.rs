//! A CRD laid out for the rules: the nodes of each version's schema in one list, each with the facts that the server has when
//! it gets there.
//!
//! Invariants: the list is in the order in which refusals are reported; a parent comes before its children; a node
//! inside a junctor (`allOf`, `anyOf`, `oneOf`, `not`) is never [`Node::is_structural`].

use std::cell::OnceCell;
use std::rc::Rc;

use crd_cel::estimate::{Estimate, Estimator};
use crd_model::crd::{CustomResourceDefinition, Version};
use crd_model::schema::{Schema, Step};

/// A document and its versions.
pub(super) struct Examined<'c> {
    pub(super) crd: &'c CustomResourceDefinition,
    pub(super) versions: Vec<ExaminedVersion<'c>>,
    /// The Kubernetes minors (1.x) of the servers, lowest first.
    pub(super) minors: &'c [u32],
    /// Whether a pattern matches somewhere in a text; `None` where that cannot be decided.
    pub(super) matches: &'c dyn Fn(&str, &str) -> Option<bool>,
    estimates: OnceCell<Vec<Option<Rc<Estimate>>>>,
}

/// A version and the nodes of its schema.
pub(super) struct ExaminedVersion<'c> {
    /// Its index in `spec.versions`.
    pub(super) index: usize,
    pub(super) version: &'c Version,
    pub(super) nodes: Vec<Node<'c>>,
    /// Whether the server checks the root of its schema as that of a resource with the status subresource.
    pub(super) has_status: bool,
}

/// How a node hangs on its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge<'c> {
    Root,
    Below(Step<&'c str>),
    /// `allOf` and its like, and which of its schemas.
    Junctor(&'static str, usize),
}

/// A node of a schema.
pub(super) struct Node<'c> {
    pub(super) schema: &'c Schema,
    pub(super) path: String,
    pub(super) edge: Edge<'c>,
    pub(super) parent: Option<usize>,
    /// Inside no junctor: what the server calls the structural part of the schema.
    pub(super) is_structural: bool,
    /// One of `anyOf: [{type: integer}, {type: string}]` where Kubernetes lets these two say their type.
    pub(super) is_int_or_string_alternative: bool,
    /// In `apiVersion`, `kind` or `metadata` of the custom resource.
    pub(super) is_in_root_metadata: bool,
    /// In `apiVersion`, `kind` or `metadata` of the custom resource or of an embedded one.
    pub(super) is_in_metadata: bool,
    /// Among the values of a map inside such metadata.
    pub(super) is_in_map_of_metadata: bool,
    /// Among the values of any map (`additionalProperties`).
    pub(super) is_in_map: bool,
    /// The outermost list above whose items have no identity from one write to the next: all lists but those of type
    /// map.
    pub(super) unstable_list: Option<String>,
}

impl<'c> Examined<'c> {
    pub(super) fn new(
        crd: &'c CustomResourceDefinition,
        minors: &'c [u32],
        matches: &'c dyn Fn(&str, &str) -> Option<bool>,
    ) -> Self {
        let has_status =
            |version: &Version| version.subresources.as_ref().is_some_and(|subresources| subresources.status);
        // The server hoists what all versions have in common out of them and then looks at it once for all.
        let is_hoisted = crd.versions.windows(2).all(|pair| pair[0].schema == pair[1].schema);
        let has_any_status = crd.versions.iter().any(has_status);
        let versions = crd
            .versions
            .iter()
            .enumerate()
            .map(|(index, version)| {
                let mut nodes = Vec::new();
                collect(Node::root(&version.schema), &mut nodes);
                let has_status = if is_hoisted { has_any_status } else { has_status(version) };
                ExaminedVersion { index, version, nodes, has_status }
            })
            .collect();
        Self { crd, versions, minors, matches, estimates: OnceCell::new() }
    }

    /// The versions whose rules cost more than a minor accepts, with the highest estimate of the minors.
    pub(super) fn refused_estimates(&self) -> impl Iterator<Item = (&ExaminedVersion<'c>, &Estimate)> {
        let estimates = self.estimates.get_or_init(|| {
            let mut estimates: Vec<Option<Rc<Estimate>>> = Vec::with_capacity(self.versions.len());
            for (index, examined) in self.versions.iter().enumerate() {
                let schema = &examined.version.schema;
                // Versions that are equal are near each other.
                let near = index.saturating_sub(8)..index;
                let same = near.rev().find(|earlier| self.versions[*earlier].version.schema == *schema);
                estimates.push(match same {
                    Some(same) => estimates[same].clone(),
                    None => {
                        let estimator = Estimator::for_minors(schema, self.minors);
                        (!estimator.is_accepted()).then(|| Rc::new(estimator.worst()))
                    }
                });
            }
            estimates
        });
        let refused = self.versions.iter().zip(estimates);
        refused.filter_map(|(version, estimate)| Some((version, estimate.as_deref()?)))
    }

    /// Every node of every version.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&ExaminedVersion<'c>, &Node<'c>)> {
        self.versions.iter().flat_map(|version| version.nodes.iter().map(move |node| (version, node)))
    }

    /// Every node outside junctors.
    pub(super) fn structural_nodes(&self) -> impl Iterator<Item = (&ExaminedVersion<'c>, &Node<'c>)> {
        self.nodes().filter(|(_, node)| node.is_structural)
    }
}

impl<'c> Node<'c> {
    fn root(schema: &'c Schema) -> Self {
        Self {
            schema,
            path: String::new(),
            edge: Edge::Root,
            parent: None,
            is_structural: true,
            is_int_or_string_alternative: false,
            is_in_root_metadata: false,
            is_in_metadata: false,
            is_in_map_of_metadata: false,
            is_in_map: false,
            unstable_list: None,
        }
    }

    /// The word after `type`, empty where there is none.
    pub(super) fn kind(&self) -> &'c str {
        self.schema.kind.as_deref().unwrap_or_default()
    }

    pub(super) fn is_root(&self) -> bool {
        self.edge == Edge::Root
    }

    /// The default; null is none, since the server drops it when it reads the document.
    pub(super) fn default(&self) -> Option<&'c serde_json::Value> {
        self.schema.default.as_ref().filter(|default| !default.is_null())
    }

    fn child(&self, parent: usize, edge: Edge<'c>, schema: &'c Schema) -> Self {
        let path = match edge {
            Edge::Root => self.path.clone(),
            Edge::Below(step) => step.path_from(&self.path),
            Edge::Junctor(keyword, index) => {
                // Because of the dot, readers of the path stop at the last field.
                let dot = if self.path.is_empty() { "" } else { "." };
                let position = if keyword == "not" { String::new() } else { format!("[{index}]") };
                format!("{}{dot}{{{keyword}{position}}}", self.path)
            }
        };
        let is_metadata_field = matches!(edge, Edge::Below(Step::Field("apiVersion" | "kind" | "metadata")));
        let is_value = edge == Edge::Below(Step::Value);
        let is_item_without_identity =
            edge == Edge::Below(Step::Item) && self.schema.list_type.as_deref() != Some("map");
        let unstable_list = match &self.unstable_list {
            None if is_item_without_identity => Some(self.path.clone()),
            other => other.clone(),
        };
        Self {
            schema,
            path,
            edge,
            parent: Some(parent),
            is_structural: self.is_structural && !matches!(edge, Edge::Junctor(..)),
            is_int_or_string_alternative: false,
            is_in_root_metadata: self.is_in_root_metadata || self.is_root() && is_metadata_field,
            is_in_metadata: self.is_in_metadata
                || (self.is_root() || self.schema.embedded_resource) && is_metadata_field,
            is_in_map_of_metadata: self.is_in_map_of_metadata || self.is_in_metadata && is_value,
            is_in_map: self.is_in_map || is_value,
            unstable_list,
        }
    }
}

fn collect<'c>(node: Node<'c>, nodes: &mut Vec<Node<'c>>) {
    let index = nodes.len();
    let schema = node.schema;
    let may_say_int_or_string = node.is_structural && is_int_or_string(&schema.any_of)
        || node.edge == Edge::Junctor("allOf", 0)
            && is_int_or_string(&schema.any_of)
            && node.parent.is_some_and(|parent| nodes[parent].is_structural);
    nodes.push(node);
    if let Some(items) = &schema.items {
        collect(nodes[index].child(index, Edge::Below(Step::Item), items), nodes);
    }
    for (name, property) in &schema.properties {
        collect(nodes[index].child(index, Edge::Below(Step::Field(name)), property), nodes);
    }
    if let Some(values) = schema.values() {
        collect(nodes[index].child(index, Edge::Below(Step::Value), values), nodes);
    }
    for (keyword, alternatives) in junctors(schema) {
        for (position, alternative) in alternatives.iter().enumerate() {
            let mut child = nodes[index].child(index, Edge::Junctor(keyword, position), alternative);
            child.is_int_or_string_alternative = may_say_int_or_string && keyword == "anyOf";
            collect(child, nodes);
        }
    }
}

/// The junctors of a node with their schemas.
pub(super) fn junctors(schema: &Schema) -> [(&'static str, &[Schema]); 4] {
    let not = schema.not.as_deref().map_or(&[][..], std::slice::from_ref);
    [("allOf", &schema.all_of), ("anyOf", &schema.any_of), ("oneOf", &schema.one_of), ("not", not)]
}

fn is_int_or_string(alternatives: &[Schema]) -> bool {
    let only = |kind: &'static str| Schema { kind: Some(kind.into()), ..Schema::default() };
    matches!(alternatives, [first, second] if *first == only("integer") && *second == only("string"))
}
