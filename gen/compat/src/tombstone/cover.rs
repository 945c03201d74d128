//! What a set of names covers: the names and everything below them.
//!
//! Invariants: the same result as [`Element::covers`] of each name, without a loop over all names.

use std::collections::BTreeSet;

use crd_model::inventory::{Element, Kind};

/// A set of names, for queries at or below them.
#[derive(Default)]
pub(super) struct Cover<'n> {
    names: BTreeSet<&'n Element>,
    resources: BTreeSet<&'n str>,
    /// The CRD and the path with the name.
    fields: BTreeSet<(&'n str, &'n str)>,
}

impl<'n> Cover<'n> {
    /// The cover of these names.
    pub(super) fn of(names: impl IntoIterator<Item = &'n Element>) -> Self {
        let mut cover = Self::default();
        for name in names {
            cover.names.insert(name);
            match name.kind {
                Kind::Resource => drop(cover.resources.insert(&name.crd)),
                Kind::Field => drop(cover.fields.insert((&name.crd, &name.path))),
                Kind::Version | Kind::Value | Kind::Rule | Kind::Constraint => {}
            }
        }
        cover
    }

    /// True if the name is one of them. Where the path of a field ends and its name begins does not matter.
    pub(super) fn has(&self, name: &Element) -> bool {
        match name.kind {
            Kind::Field => self.fields.contains(&(&*name.crd, &*name.path)),
            _ => self.names.contains(name),
        }
    }

    /// True if the name is below another one of them.
    pub(super) fn is_above(&self, name: &Element) -> bool {
        if name.kind == Kind::Resource {
            return false;
        }
        let path = &*name.path;
        let ends = path.match_indices(['.', '[']).map(|(end, _)| end);
        // The path of a value is that of its field; that of a field is the field itself.
        let last = (name.kind != Kind::Field).then_some(path.len());
        self.resources.contains(&*name.crd)
            || ends.chain(last).any(|end| self.fields.contains(&(&*name.crd, &path[..end])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(crd: &str, kind: Kind, place: &str, name: &str) -> Element {
        Element::written(crd, kind, place, name)
    }

    #[test]
    fn a_cover_covers_what_its_names_cover() {
        let names = [
            name("a", Kind::Resource, "", ""),
            name("a", Kind::Version, "", "v1"),
            name("b", Kind::Resource, "", ""),
            name("b", Kind::Version, "", "v1"),
            name("b", Kind::Version, "", "v2"),
            name("b", Kind::Field, "", "spec"),
            name("b", Kind::Field, "spec", "one"),
            name("b", Kind::Field, "spec", "ones"),
            name("b", Kind::Field, "spec.one", "two"),
            name("b", Kind::Field, "spec.one[*]", "two"),
            name("b", Kind::Field, "spec.one[*][*].two", "three"),
            name("b", Kind::Value, "spec.one", "A"),
            name("b", Kind::Value, "spec.one", "B"),
            name("b", Kind::Value, "spec.one[*]", "A"),
            name("b", Kind::Value, "spec.ones", "A"),
            name("b", Kind::Value, "status", "A"),
        ];
        for above in &names {
            let cover = Cover::of([above]);
            for below in &names {
                let covered = cover.has(below) || cover.is_above(below);
                assert_eq!(covered, above.covers(below), "{above} above {below}");
                assert_eq!(cover.has(below), above == below);
            }
        }
        let all = Cover::of(&names);
        let topmost = names.iter().filter(|name| !all.is_above(name)).map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(topmost, ["resource a", "resource b"]);
        assert!(!Cover::default().has(&names[0]) && !Cover::default().is_above(&names[6]));
        // The name contains the path.
        assert!(all.has(&name("b", Kind::Field, "", "spec.one[*].two")));
    }
}
