//! Mutants: CRDs with one small mistake that a person makes, at every place of a declaration.
//!
//! Invariants: each operator is one row of [`OPERATORS`]. Every server accepts the CRDs of a mutant, and their rules compile. A mutant differs from
//! the original in one declaration. The list is deterministic, without two mutants that are the same CRDs, and each has a name of its own.

mod constraint;
mod expression;
mod valid;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crd_model::schema::Schema;
use crd_model::{CustomResourceDefinition, parallel};

use crate::element::{Element, Place, Requirement};
use expression::{Edit, Expression};
use valid::{Originals, Rules};

/// A mistake in one declaration.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The index of the element that is changed; none for an optional field that becomes required.
    pub element: Option<usize>,
    /// The name of the operator.
    pub operator: &'static str,
    /// What changes: `maxLength 253 → 254`.
    pub change: String,
    /// The kind, the path and the change. No other mutant has this name.
    pub name: String,
    /// Where the declaration is.
    pub places: Vec<Place>,
    /// The changed node, for all places.
    pub node: Arc<Schema>,
    /// The index of the changed rule.
    pub rule: Option<usize>,
}

/// One kind of mistake.
#[derive(Debug)]
pub struct Operator {
    /// A short name.
    pub name: &'static str,
    /// What a person got wrong.
    pub mistake: &'static str,
    changes: Changes,
}

/// How an operator changes a declaration.
#[derive(Debug)]
enum Changes {
    /// The node with the element: the words for each change, and the changed node.
    Node(fn(&Site<'_>) -> Vec<(String, Schema)>),
    /// The text of a rule.
    Rule(fn(&Expression<'_>) -> Vec<Edit>),
}

impl Operator {
    const fn node(name: &'static str, mistake: &'static str, changes: fn(&Site<'_>) -> Vec<(String, Schema)>) -> Self {
        Self { name, mistake, changes: Changes::Node(changes) }
    }

    const fn rule(name: &'static str, mistake: &'static str, edits: fn(&Expression<'_>) -> Vec<Edit>) -> Self {
        Self { name, mistake, changes: Changes::Rule(edits) }
    }
}

/// Every operator.
pub const OPERATORS: &[Operator] = &[
    Operator::node("bound-above", "the bound is one too high", constraint::one_more),
    Operator::node("bound-below", "the bound is one too low", constraint::one_less),
    Operator::node("exclusive", "the bound itself is on the wrong side", constraint::exclusive),
    Operator::node("dropped-constraint", "the constraint was forgotten", constraint::dropped),
    Operator::node("anchor", "the pattern matches a part of the text", constraint::without_anchor),
    Operator::node("enum-value", "a value was forgotten", constraint::without_value),
    Operator::node("optional", "a required field is optional", constraint::optional),
    Operator::node("required", "an optional field is required", constraint::required),
    Operator::node("dropped-default", "the default was forgotten", constraint::without_default),
    Operator::node("other-default", "the default is another value", constraint::other_default),
    Operator::node("list-type", "the list accepts duplicates", constraint::atomic),
    Operator::node("dropped-rule", "the rule was forgotten", constraint::without_rule),
    Operator::node("optional-old-self", "the rule does not apply to creations", constraint::without_optional_old_self),
    Operator::rule("comparison", "the comparison is a neighbour of the right one", expression::comparisons),
    Operator::rule("logic", "`&&` instead of `||`, or the reverse", expression::logic),
    Operator::rule("operand", "a condition was forgotten", expression::operands),
    Operator::rule("has", "a test whether a field exists was forgotten", expression::has),
    Operator::rule("branch", "a case was forgotten", expression::branches),
    Operator::rule("negation", "`!` was forgotten", expression::negations),
    Operator::rule("quantifier", "`all` instead of `exists`, or the reverse", expression::quantifiers),
    Operator::rule("constant", "the constant is a neighbour of the right one", expression::constants),
    Operator::rule("text-anchor", "the pattern of a rule matches a part of the text", expression::anchors),
    Operator::rule("old-self", "`self` instead of `oldSelf`", expression::old_self),
];

/// A declaration that operators change.
struct Site<'s> {
    node: &'s Schema,
    what: What<'s>,
}

/// What is declared.
#[derive(Clone, Copy)]
enum What<'s> {
    Element(&'s Requirement),
    /// A field of the node is optional.
    Optional(&'s str),
}

/// A declaration with its element and places.
struct Declaration<'s> {
    site: Site<'s>,
    element: Option<usize>,
    places: Vec<Place>,
}

/// Every mutant of the elements, in their order, and then those of optional fields.
#[must_use]
pub fn mutants(elements: &[Element], crds: &[Arc<CustomResourceDefinition>]) -> Vec<Mutant> {
    let mut declarations: Vec<Declaration<'_>> = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        if let Some(node) = element.places.first().and_then(|place| place.node(crds)) {
            let site = Site { node, what: What::Element(&element.requirement) };
            declarations.push(Declaration { site, element: Some(index), places: element.places.clone() });
        }
    }
    declarations.extend(optional_fields(crds));
    let originals = Originals::of(crds);
    let found = parallel::each(&declarations, |declaration| {
        let mut found = of_declaration(declaration, crds);
        let Some(rule) = found.first().map(|mutant| mutant.rule) else { return found };
        let requirement = declaration.element.map(|element| &elements[element].requirement);
        let places = originals.at(&declaration.places, Rules::of(requirement, rule));
        found.retain(|mutant| places.iter().all(|place| place.accepts(&mutant.node)));
        found
    });
    let mut names = HashSet::new();
    let mut mutants: Vec<Mutant> = found.into_iter().flatten().collect();
    for mutant in &mut mutants {
        if !names.insert(mutant.name.clone()) {
            let again = (2..).map(|number| format!("{} ({number})", mutant.name));
            mutant.name = again.into_iter().find(|name| !names.contains(name)).unwrap_or_default();
            names.insert(mutant.name.clone());
        }
    }
    mutants
}

/// The CRDs with the change of a mutant.
#[must_use]
pub fn exchanged(crds: &[Arc<CustomResourceDefinition>], mutant: &Mutant) -> Vec<Arc<CustomResourceDefinition>> {
    let mut crds = crds.to_vec();
    for Place { crd, version, path, .. } in &mutant.places {
        let version = crds.get_mut(*crd).and_then(|crd| Arc::make_mut(crd).versions.get_mut(*version));
        if let Some(node) = version.and_then(|version| path.node_mut(&mut version.schema)) {
            node.clone_from(&mutant.node);
        }
    }
    crds
}

fn of_declaration(declaration: &Declaration<'_>, crds: &[Arc<CustomResourceDefinition>]) -> Vec<Mutant> {
    let Declaration { site, element, places } = declaration;
    let Some(first) = places.first() else { return Vec::new() };
    let crd = &crds[first.crd];
    let version = if first.version == 0 { String::new() } else { format!(" {}", crd.versions[first.version].name) };
    let place = format!("{}{version} {}", crd.names.kind, first.path);
    let rule = match site.what {
        // A rule of a branch is a part of the node that is exchanged.
        What::Element(Requirement::Rule(rule)) if first.within.is_empty() => {
            site.node.validations.iter().position(|known| known == rule)
        }
        _ => None,
    };
    let mut found = Vec::new();
    for operator in OPERATORS {
        let changes = match (&operator.changes, rule) {
            (Changes::Node(changes), _) => changes(site),
            (Changes::Rule(edits), Some(rule)) => of_rule(site.node, rule, *edits),
            (Changes::Rule(_), None) => Vec::new(),
        };
        for (change, node) in changes {
            let Some(node) = whole(first, node, crds) else { continue };
            let numbered = rule.map(|rule| format!("rule {}: ", rule + 1)).unwrap_or_default();
            found.push(Mutant {
                element: *element,
                operator: operator.name,
                name: format!("{place} {numbered}{change}"),
                change,
                places: places.clone(),
                node: Arc::new(node),
                rule,
            });
        }
    }
    found
}

/// The node that is exchanged for a changed node, which can be in a branch of it.
fn whole(place: &Place, changed: Schema, crds: &[Arc<CustomResourceDefinition>]) -> Option<Schema> {
    let around = Place { within: Vec::new(), ..place.clone() };
    let mut node = around.node(crds)?.clone();
    *place.inner_mut(&mut node)? = changed;
    Some(node)
}

/// The changes of the text of a rule. The same text is one change.
fn of_rule(node: &Schema, rule: usize, edits: fn(&Expression<'_>) -> Vec<Edit>) -> Vec<(String, Schema)> {
    let source = &node.validations[rule].rule;
    let mut known = HashSet::new();
    let mut found = Vec::new();
    for Edit { span, with } in edits(&Expression::of(source, node)) {
        let mut text = (**source).to_owned();
        text.replace_range(span.clone(), &with);
        if text.trim().is_empty() || text == **source || !known.insert(text.clone()) {
            continue;
        }
        let old = shortened(&source[span.clone()]);
        let change = match with.trim() {
            "" => format!("without `{old}`, byte {}", span.start),
            with => format!("`{old}` → `{}`, byte {}", shortened(with), span.start),
        };
        let mut node = node.clone();
        node.validations[rule].rule = text.into();
        found.push((change, node));
    }
    found
}

/// A piece of a rule in one line.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Every optional field of a struct that has no default. Equal structs below equal nodes are one declaration.
fn optional_fields(crds: &[Arc<CustomResourceDefinition>]) -> Vec<Declaration<'_>> {
    let mut found: Vec<(&Schema, Vec<Place>)> = Vec::new();
    let mut known: HashMap<(String, Option<&str>), Vec<usize>> = HashMap::new();
    for (crd, version, schema) in served(crds) {
        for (path, node) in crd_model::schema::nodes(schema).into_iter().filter(|(_, node)| !node.properties.is_empty())
        {
            let key = (format!("{:?}", path.steps().last()), node.description.as_deref());
            let same = known.entry(key).or_default();
            let place = Place { crd, version, path, within: Vec::new() };
            match same.iter().find(|index| found[**index].0 == node) {
                Some(index) => found[*index].1.push(place),
                None => {
                    same.push(found.len());
                    found.push((node, vec![place]));
                }
            }
        }
    }
    let mut declarations = Vec::new();
    for (node, places) in &found {
        let is_root = places.iter().any(|place| place.path.steps().is_empty());
        for (name, field) in &node.properties {
            let is_own = is_root && ["apiVersion", "kind", "metadata", "status"].contains(&name.as_ref());
            if field.default.is_none() && !is_own && !node.required.contains(name) {
                let site = Site { node, what: What::Optional(name) };
                declarations.push(Declaration { site, element: None, places: places.clone() });
            }
        }
    }
    declarations
}

/// The schemas of served versions, with the indexes of their CRDs and versions.
pub(crate) fn served(crds: &[Arc<CustomResourceDefinition>]) -> impl Iterator<Item = (usize, usize, &Schema)> {
    crds.iter().enumerate().flat_map(|(index, crd)| {
        let served = crd.versions.iter().enumerate().filter(|(_, version)| version.served);
        served.map(move |(version, known)| (index, version, &known.schema))
    })
}
