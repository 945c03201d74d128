//! The properties of an object: a small sorted map.
//!
//! Invariants: sorted by name, each name once. A list and no `BTreeMap`, whose nodes have room for eleven entries: most
//! objects have two or three properties, a schema node is large, and the empty entries would use most of the memory. A copy shares its schemas
//! until one of them changes.

use std::sync::Arc;

use super::{Schema, Text};

/// The properties of an object, sorted by name.
#[derive(Clone, Debug, Default)]
pub struct Properties(Vec<Property>);

type Property = (Text, Arc<Schema>);

impl PartialEq for Properties {
    fn eq(&self, other: &Self) -> bool {
        let is_equal = |((name, schema), (other_name, other)): (&Property, &Property)| {
            name == other_name && (Arc::ptr_eq(schema, other) || schema == other)
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(is_equal)
    }
}

impl Properties {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    fn index(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.as_ref().cmp(name))
    }

    /// Comparing with each name is faster for few names: most have another length.
    fn place(&self, name: &str) -> Option<usize> {
        const FEW: usize = 24;
        if self.0.len() > FEW {
            return self.index(name).ok();
        }
        self.0.iter().position(|(other, _)| other.as_ref() == name)
    }

    /// The property of that name.
    pub fn get(&self, name: &str) -> Option<&Schema> {
        self.place(name).map(|index| &*self.0[index].1)
    }

    /// The property of that name, and its place in the order of names.
    pub fn find(&self, name: &str) -> Option<(usize, &Schema)> {
        self.place(name).map(|index| (index, &*self.0[index].1))
    }

    /// The property of that name, and the name as it is kept.
    pub fn get_key_value(&self, name: &str) -> Option<(&Text, &Schema)> {
        self.place(name).map(|index| (&self.0[index].0, &*self.0[index].1))
    }

    /// The property of that name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Schema> {
        self.index(name).ok().map(|index| Arc::make_mut(&mut self.0[index].1))
    }

    /// Whether there is a property of that name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// Adds a property; returns the previous one of the same name.
    pub fn insert(&mut self, name: Text, schema: Schema) -> Option<Schema> {
        match self.index(&name) {
            Ok(index) => Some(Arc::unwrap_or_clone(std::mem::replace(&mut self.0[index].1, Arc::new(schema)))),
            Err(index) => {
                self.0.insert(index, (name, Arc::new(schema)));
                None
            }
        }
    }

    /// Adds a property with a schema that other lists may share; false if there is one of the same name.
    pub(crate) fn insert_new(&mut self, name: Text, schema: Arc<Schema>) -> bool {
        // Most are written in their order.
        let index = match self.0.last() {
            Some((last, _)) if *last >= name => self.index(&name),
            _ => Err(self.0.len()),
        };
        if let Err(index) = index {
            self.0.insert(index, (name, schema));
        }
        index.is_err()
    }

    /// The property of that name; an empty schema if there is none yet.
    pub fn get_or_insert_default(&mut self, name: Text) -> &mut Schema {
        let index = self.index(&name).unwrap_or_else(|index| {
            self.0.insert(index, (name, Arc::default()));
            index
        });
        Arc::make_mut(&mut self.0[index].1)
    }

    /// Takes all properties out.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes a property out.
    pub fn remove(&mut self, name: &str) -> Option<Schema> {
        self.index(name).ok().map(|index| Arc::unwrap_or_clone(self.0.remove(index).1))
    }

    /// Keeps only some properties.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text, &mut Schema) -> bool) {
        self.0.retain_mut(|(name, schema)| keep(name, Arc::make_mut(schema)));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and schemas, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Text, &Schema)> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(name, schema)| (name, &**schema))
    }

    /// Names and schemas, by name, to be changed.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Text, &mut Schema)> {
        self.0.iter_mut().map(|(name, schema)| (&*name, Arc::make_mut(schema)))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> + Clone {
        self.0.iter().map(|(name, _)| name)
    }

    /// The schemas, by name.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Schema> + Clone {
        self.0.iter().map(|(_, schema)| &**schema)
    }

    /// The schemas, by name, to be changed.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Schema> {
        self.0.iter_mut().map(|(_, schema)| Arc::make_mut(schema))
    }
}

/// As for the maps of the standard library.
///
/// # Panics
/// When there is no property of that name: ask [`Properties::get`] where there may be none.
impl std::ops::Index<&str> for Properties {
    type Output = Schema;

    fn index(&self, name: &str) -> &Schema {
        match self.get(name) {
            Some(schema) => schema,
            None => panic!("no property `{name}`"),
        }
    }
}

impl FromIterator<(Text, Schema)> for Properties {
    fn from_iter<I: IntoIterator<Item = (Text, Schema)>>(entries: I) -> Self {
        let mut properties = Self::new();
        properties.extend(entries);
        properties
    }
}

impl Extend<(Text, Schema)> for Properties {
    fn extend<I: IntoIterator<Item = (Text, Schema)>>(&mut self, entries: I) {
        for (name, schema) in entries {
            self.insert(name, schema);
        }
    }
}

impl<const N: usize> From<[(Text, Schema); N]> for Properties {
    fn from(entries: [(Text, Schema); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl IntoIterator for Properties {
    type Item = (Text, Schema);
    type IntoIter = std::iter::Map<std::vec::IntoIter<Property>, fn(Property) -> (Text, Schema)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(|(name, schema)| (name, Arc::unwrap_or_clone(schema)))
    }
}

impl<'p> IntoIterator for &'p Properties {
    type Item = (&'p Text, &'p Schema);
    type IntoIter = std::iter::Map<std::slice::Iter<'p, Property>, fn(&'p Property) -> (&'p Text, &'p Schema)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(name, schema)| (name, &**schema))
    }
}

impl<'p> IntoIterator for &'p mut Properties {
    type Item = (&'p Text, &'p mut Schema);
    type IntoIter =
        std::iter::Map<std::slice::IterMut<'p, Property>, fn(&'p mut Property) -> (&'p Text, &'p mut Schema)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut().map(|(name, schema)| (&*name, Arc::make_mut(schema)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_stand_once() {
        let schema = |kind: &'static str| Schema { kind: Some(kind.into()), ..Schema::default() };
        let mut properties: Properties =
            [("b".into(), schema("string")), ("a".into(), schema("integer")), ("c".into(), schema("boolean"))].into();
        assert_eq!(properties.keys().map(AsRef::as_ref).collect::<Vec<&str>>(), ["a", "b", "c"]);
        assert_eq!(properties.insert("b".into(), schema("object")), Some(schema("string")));
        assert_eq!(properties.get("b"), Some(&schema("object")));
        assert!(properties.contains_key("c") && !properties.contains_key("d"));
        assert_eq!(properties.remove("a"), Some(schema("integer")));
        assert_eq!(properties.remove("a"), None);
        properties.retain(|name, _| name == "c");
        assert_eq!((properties.len(), properties.is_empty()), (1, false));
        assert_eq!(properties.into_iter().collect::<Vec<_>>(), [("c".into(), schema("boolean"))]);
    }

    #[test]
    fn a_changed_copy_leaves_the_original() {
        let original: Properties = [("a".into(), Schema::default()), ("b".into(), Schema::default())].into();
        let mut copy = original.clone();
        assert_eq!(copy, original);
        copy.get_mut("a").unwrap().nullable = true;
        assert!(copy["a"].nullable && !original["a"].nullable);
        assert_ne!(copy, original);
        assert!(std::ptr::eq(&copy["b"], &original["b"]));
    }
}
