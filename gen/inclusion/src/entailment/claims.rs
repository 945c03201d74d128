//! The claims of two schemas about one value.
//!
//! Invariants: what a schema claims about the value of a field holds where the field has a value, and null satisfies everything except an
//! `enum`. A keyword that servers check differently in a branch is another keyword there.

mod cases;

use crd_apiserver::validate::fits;
use crd_model::Schema;
use serde_json::{Number, json};

use super::{Includes, at};
use crate::carried::{carried, default_of, is_same_for_null};
use cases::Cases;

/// Nothing is proven with more atoms.
const MOST_ATOMS: usize = 400;

/// A statement about a value.
pub(super) enum Claim {
    Atom(usize),
    Not(Box<Claim>),
    All(Vec<Claim>),
    Any(Vec<Claim>),
    /// Exactly one of these.
    One(Vec<Claim>),
}

/// What an atom states about the value at a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum About {
    /// The field has a value.
    Present,
    Null,
    /// The value satisfies a schema of one keyword.
    Keyword(Schema),
    /// The value satisfies a schema that is not taken apart.
    Part(Schema),
}

/// By which schema the value is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stored {
    First,
    Second,
    /// By either, which is the same value.
    Both,
}

#[derive(Debug, PartialEq)]
pub(super) struct Atom<'n> {
    pub(super) path: Vec<&'n str>,
    pub(super) stored: Stored,
    pub(super) about: About,
}

/// Two schemas: every value that the first accepts, as the second stores it.
pub(super) struct Pair<'n> {
    pub(super) first: &'n Schema,
    pub(super) second: &'n Schema,
    /// Whether these are the schemas of whole objects.
    pub(super) is_top: bool,
    /// Whether objects may have a value of a field that the first schema does not list.
    pub(super) is_known: &'n dyn Fn(&[&str]) -> bool,
    /// How two keywords are compared.
    pub(super) includes: Includes,
}

impl<'n> Pair<'n> {
    /// Whether every such value satisfies a keyword of the node at a path of the second schema.
    pub(super) fn proves(&'n self, keyword: &'n Schema, path: &[&'n str], work: &mut usize) -> bool {
        let mut claims = Claims { pair: self, atoms: Vec::new() };
        let Some(node) = at(self.second, path) else { return false };
        let goal = claims.of_node(keyword, Some(node), path, Stored::Second);
        let goal = claims.where_present(goal, path, Stored::Second);
        let mut given = Vec::new();
        let mut visited: Vec<Vec<&str>> = Vec::new();
        let mut next = 0;
        // A claim has atoms about fields, which have claims of their own.
        loop {
            let mut paths = vec![Vec::new(), path.to_vec()];
            let about = claims.atoms.get(next..).unwrap_or_default();
            paths.extend(about.iter().flat_map(|atom| (0..=atom.path.len()).map(|end| atom.path[..end].to_vec())));
            let facts = next..claims.atoms.len();
            next = facts.end;
            for path in paths {
                if let Some(node) = at(self.first, &path).filter(|_| !visited.contains(&path)) {
                    let claim = claims.of_node(node, Some(node), &path, Stored::First);
                    given.push(claims.where_present(claim, &path, Stored::First));
                    visited.push(path);
                }
            }
            facts.for_each(|atom| given.extend(claims.presence(atom)));
            if next == claims.atoms.len() {
                break;
            }
        }
        if claims.atoms.len() > MOST_ATOMS {
            return false;
        }
        let kinds = |path: &[&str]| at(self.first, path);
        Cases::new(&claims.atoms, &kinds, self.includes).proves(&Claim::All(given), &goal, work)
    }

    fn node(&self, stored: Stored, path: &[&str]) -> Option<&'n Schema> {
        at(if stored == Stored::Second { self.second } else { self.first }, path)
    }

    /// Whether a field is one of each resource, which servers treat by themselves.
    fn is_of_resource(&self, path: &[&str]) -> bool {
        path.iter().enumerate().any(|(index, name)| {
            let is_resource = |side| at(side, &path[..index]).is_some_and(|node: &Schema| node.embedded_resource);
            ["apiVersion", "kind", "metadata"].contains(name)
                && (self.is_top && index == 0 || is_resource(self.first) || is_resource(self.second))
        })
    }

    fn may_be_null(&self, path: &[&str]) -> bool {
        [self.first, self.second].into_iter().any(|side| {
            // Null is dropped from objects, and refused as an item that has a type.
            at(side, path)
                .is_none_or(|node| node.nullable || path.is_empty() && (node.kind.is_none() || node.int_or_string))
        })
    }

    fn is_object(&self, path: &[&str]) -> bool {
        let mut nodes = [self.first, self.second].into_iter().filter_map(|side| at(side, path)).peekable();
        nodes.peek().is_some() && nodes.all(|node| node.kind.as_deref() == Some("object") && !node.int_or_string)
    }

    /// Whether both schemas store the same, as far as an atom reads it.
    fn is_same(&self, path: &[&str], about: &About) -> bool {
        let is_same_type =
            |one: &Schema, other: &Schema| one.kind == other.kind && one.int_or_string == other.int_or_string;
        let is_way = (0..=path.len()).all(|end| {
            let nodes = at(self.first, &path[..end]).zip(at(self.second, &path[..end]));
            nodes.is_some_and(|(one, other)| is_same_type(one, other) && (end == 0 || is_same_for_null(one, other)))
        });
        let Some((one, other)) = at(self.first, path).zip(at(self.second, path)) else { return false };
        let counts_items = |keyword: &Schema| keyword.max_items.is_some() || keyword.min_items.is_some();
        let is_scalar =
            || ["string", "integer", "number", "boolean"].iter().any(|kind| one.kind.as_deref() == Some(kind));
        is_way
            && !self.is_of_resource(path)
            && match about {
                About::Present | About::Null => true,
                About::Keyword(keyword) if one.kind.as_deref() == Some("array") && counts_items(keyword) => true,
                _ => is_scalar() || carried(one, other).is_unchanged,
            }
    }
}

/// The claims of both schemas, over the same atoms.
struct Claims<'n> {
    pair: &'n Pair<'n>,
    atoms: Vec<Atom<'n>>,
}

impl<'n> Claims<'n> {
    fn atom(&mut self, path: &[&'n str], stored: Stored, about: About) -> Claim {
        if self.atoms.len() > MOST_ATOMS {
            return Claim::Atom(0);
        }
        let stored = if self.pair.is_same(path, &about) { Stored::Both } else { stored };
        let atom = Atom { path: path.to_vec(), stored, about };
        if let Some(known) = self.atoms.iter().position(|known| *known == atom) {
            return Claim::Atom(known);
        }
        self.atoms.push(atom);
        Claim::Atom(self.atoms.len() - 1)
    }

    fn absent(&mut self, path: &[&'n str], stored: Stored) -> Claim {
        Claim::Not(Box::new(self.atom(path, stored, About::Present)))
    }

    /// A claim about the value at a path, which holds where it is absent.
    fn where_present(&mut self, claim: Claim, path: &[&'n str], stored: Stored) -> Claim {
        let mut any = (1..=path.len()).map(|end| self.absent(&path[..end], stored)).collect::<Vec<_>>();
        for end in (0..path.len()).filter(|end| self.pair.may_be_null(&path[..*end])) {
            any.push(self.atom(&path[..end], stored, About::Null));
        }
        any.push(claim);
        Claim::Any(any)
    }

    /// What a node claims about a value: a branch, or with its node the keywords of a node and no node below it.
    fn of_node(&mut self, keywords: &'n Schema, node: Option<&Schema>, path: &[&'n str], stored: Stored) -> Claim {
        let has_fields = !keywords.required.is_empty() || node.is_none() && !keywords.properties.is_empty();
        if node.is_none() && !is_taken_apart(keywords) || has_fields && !self.pair.is_object(path) {
            return self.atom(path, stored, About::Part(keywords.clone()));
        }
        let mut all = Vec::new();
        for keyword in alone(keywords, node) {
            all.push(self.atom(path, stored, About::Keyword(keyword)));
        }
        let below = |name: &'n str| path.iter().copied().chain([name]).collect::<Vec<_>>();
        for name in &keywords.required {
            all.push(self.atom(&below(name), stored, About::Present));
        }
        for (name, branch) in keywords.properties.iter().filter(|_| node.is_none()) {
            let path = below(name);
            let claim = self.of_node(branch, None, &path, stored);
            all.push(Claim::Any(vec![self.absent(&path, stored), claim]));
        }
        let branches = |claims: &mut Self, branches: &'n [Schema]| {
            branches.iter().map(|branch| claims.of_node(branch, None, path, stored)).collect::<Vec<_>>()
        };
        all.extend(branches(self, &keywords.all_of));
        if !keywords.any_of.is_empty() {
            all.push(Claim::Any(branches(self, &keywords.any_of)));
        }
        if !keywords.one_of.is_empty() {
            all.push(Claim::One(branches(self, &keywords.one_of)));
        }
        if let Some(not) = &keywords.not {
            all.push(Claim::Not(Box::new(self.of_node(not, None, path, stored))));
        }
        let values = keywords.enumeration.as_ref().filter(|values| !values.is_empty());
        let listed = values.map(|values| Schema { enumeration: Some(values.clone()), ..Schema::default() });
        let listed = listed.map(|listed| self.atom(path, stored, About::Keyword(listed)));
        if !self.pair.may_be_null(path) {
            all.extend(listed);
            return Claim::All(all);
        }
        let mut is_null = || self.atom(path, stored, About::Null);
        let mut both = vec![Claim::Any(vec![is_null(), Claim::All(all)])];
        if let Some(listed) = listed {
            both.extend([Claim::Not(Box::new(is_null())), listed]);
        }
        Claim::All(both)
    }

    /// What is known about whether a field has a value.
    fn presence(&mut self, atom: usize) -> Vec<Claim> {
        let Atom { path, stored, about: About::Present } = &self.atoms[atom] else { return Vec::new() };
        let (path, stored) = (path.clone(), *stored);
        let Some((name, above)) = path.split_last() else { return Vec::new() };
        if self.pair.is_of_resource(&path) {
            return Vec::new();
        }
        let Some(parent) = self.pair.node(stored, above) else { return Vec::new() };
        let is_dropped = |node: &Schema| {
            node.preserve_unknown_fields != Some(true)
                && node.additional_properties.is_none()
                && node.properties.get(name).is_none()
        };
        match parent.properties.get(name) {
            None if is_dropped(parent) => vec![Claim::Not(Box::new(Claim::Atom(atom)))],
            Some(field) if default_of(field).is_some() => {
                let mut is_filled_in = vec![self.where_present(Claim::Atom(atom), above, stored)];
                if self.pair.may_be_null(above) {
                    is_filled_in.push(self.atom(above, stored, About::Null));
                }
                vec![Claim::Any(is_filled_in)]
            }
            Some(_) if stored == Stored::Second && self.is_new(name, above, &is_dropped) => {
                vec![Claim::Not(Box::new(Claim::Atom(atom)))]
            }
            _ => Vec::new(),
        }
    }

    /// Whether no stored value has this field of the second schema, which has no default.
    fn is_new(&self, name: &str, above: &[&'n str], is_dropped: &dyn Fn(&Schema) -> bool) -> bool {
        let mut path = above.to_vec();
        let is_in_default = (0..=above.len()).any(|end| {
            let defaults = [self.pair.first, self.pair.second].map(|side| at(side, &above[..end]).and_then(default_of));
            defaults.into_iter().flatten().any(|default| default.to_string().contains(&json!(name).to_string()))
        });
        let is_same = self.pair.is_same(above, &About::Present);
        let is_absent = at(self.pair.first, above).is_some_and(is_dropped);
        let found = at(self.pair.second, above).and_then(|node| node.properties.get_key_value(name));
        path.extend(found.map(|(name, _)| &**name));
        is_absent && is_same && !is_in_default && !(self.pair.is_known)(&path)
    }
}

/// Whether a branch is claims of its keywords. Servers read the keywords of other branches together, or refuse them.
pub(crate) fn is_taken_apart(branch: &Schema) -> bool {
    let Schema {
        kind, format, default, additional_properties, list_map_keys, list_type, map_type, validations, ..
    } = branch;
    kind.is_none()
        && format.is_none()
        && default.is_none()
        && additional_properties.is_none()
        && list_map_keys.is_empty()
        && list_type.is_none()
        && map_type.is_none()
        && validations.is_empty()
        && branch.preserve_unknown_fields.is_none()
        && !(branch.nullable || branch.embedded_resource || branch.int_or_string)
}

/// The keywords that check a value, each alone, without `enum`.
fn alone(keywords: &Schema, node: Option<&Schema>) -> Vec<Schema> {
    let empty = Schema::default();
    // A bound that does not fit the type of its node, and a fraction, are other bounds there than in a branch.
    let of_node = |limit: &Option<Number>| match node {
        Some(node) if !limit.as_ref().is_none_or(|limit| is_plain(limit, node)) => {
            Schema { kind: node.kind.clone(), format: node.format.clone(), ..Schema::default() }
        }
        _ => Schema::default(),
    };
    let text = |text: &Option<crd_model::schema::Text>| text.clone().filter(|text| !text.is_empty());
    let least = |limit: Option<i64>| limit.filter(|limit| *limit > 0);
    let Schema { maximum, minimum, multiple_of, exclusive_maximum, exclusive_minimum, .. } = keywords;
    let mut list = vec![
        Schema { pattern: text(&keywords.pattern), ..empty.clone() },
        Schema { max_length: keywords.max_length, ..empty.clone() },
        Schema { min_length: least(keywords.min_length), ..empty.clone() },
        Schema { max_items: keywords.max_items, ..empty.clone() },
        Schema { min_items: least(keywords.min_items), ..empty.clone() },
        Schema { max_properties: keywords.max_properties, ..empty.clone() },
        Schema { min_properties: least(keywords.min_properties), ..empty.clone() },
        Schema { unique_items: keywords.unique_items, ..empty.clone() },
    ];
    if maximum.is_some() {
        list.push(Schema { maximum: maximum.clone(), exclusive_maximum: *exclusive_maximum, ..of_node(maximum) });
    }
    if minimum.is_some() {
        list.push(Schema { minimum: minimum.clone(), exclusive_minimum: *exclusive_minimum, ..of_node(minimum) });
    }
    if multiple_of.is_some() {
        list.push(Schema { multiple_of: multiple_of.clone(), ..of_node(multiple_of) });
    }
    match node {
        None => list.push(Schema { items: keywords.items.clone(), ..empty.clone() }),
        // Servers read a format with the type.
        Some(node) if keywords.format.is_some() => {
            list.push(Schema { format: text(&keywords.format), kind: node.kind.clone(), ..empty.clone() });
        }
        Some(_) => {}
    }
    list.retain(|keyword| *keyword != empty);
    list
}

/// From here on not every integer is a floating-point number.
const EXACT: i64 = 1 << 53;

/// Whether servers compare with a limit as numbers are compared.
fn is_plain(limit: &Number, node: &Schema) -> bool {
    let is_exact = limit.as_i64().is_some_and(|limit| (-EXACT..EXACT).contains(&limit));
    is_exact && limit.as_f64().is_some_and(|limit| fits(node, limit))
}
