//! Go names of types, fields and values of published CRDs, by their places.
//!
//! Invariants:
//! * A place that has a name keeps it, and no other place of its package or struct gets it: also if the place is gone.
//! * Another place gets the shortest name that is free: that of its path without separators, else one that spells the path or the text out.

use std::collections::{BTreeMap, BTreeSet};

use crd_markers::descriptor::{Shape, TypeDescriptor};
use crd_model::path;
use crd_names::wire::is_go_name;

use super::elements::{Options, fields};
use super::names;
use super::packages::Packages;
use super::places::{Names, Place, Places};

/// The names of everything in a module.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// All names by place, with those of places that are gone.
    pub(super) names: Names,
    types: BTreeMap<(&'static str, &'static str), String>,
    parts: BTreeMap<(&'static str, &'static str, &'static str), String>,
}

impl Named {
    pub(super) fn of(packages: &Packages, options: &Options<'_>) -> Self {
        let Some(places) = options.places else { return Self::default() };
        let mut named = Self { names: places.names.clone(), ..Self::default() };
        let mut folders: BTreeMap<&str, Vec<(&'static TypeDescriptor, &Place)>> = BTreeMap::new();
        for (descriptor, folder) in &packages.types {
            if let Some(place) = places.of(descriptor.location.file, descriptor.name) {
                folders.entry(folder).or_default().push((descriptor, place));
            }
        }
        for (folder, group, version) in packages.all() {
            let types = folders.remove(folder).unwrap_or_default();
            let is_own = |of: &str| of.split_once('.').is_some_and(|(_, rest)| rest == format!("{group}/{version}"));
            let given = places.names.iter().filter(|(of, _)| is_own(of)).flat_map(|(_, names)| names);
            let given = given.filter(|(key, _)| !key.starts_with("field ")).map(|(_, name)| name.clone());
            let roots = types.iter().filter(|(of, _)| of.resource.is_some()).map(|(of, _)| names::type_name(of.name));
            let roots = roots.flat_map(|name| [format!("{name}List"), name]);
            let mut taken = names::OF_PACKAGES.map(str::to_owned).into_iter().chain(given).chain(roots).collect();
            for (descriptor, place) in &types {
                named.add_type(descriptor, place, places, &mut taken);
            }
            for (descriptor, place) in &types {
                named.add_parts(descriptor, place, places, &mut taken, options);
            }
        }
        named
    }

    pub(super) fn of_type(&self, descriptor: &TypeDescriptor) -> Option<String> {
        self.types.get(&(descriptor.module, descriptor.name)).cloned()
    }

    /// The name of a field or a value.
    pub(super) fn of_part(&self, owner: &TypeDescriptor, wire_name: &'static str) -> Option<String> {
        self.parts.get(&(owner.module, owner.name, wire_name)).cloned()
    }

    fn record(&mut self, place: &Place, key: String, name: &str) {
        self.names.entry(place.of.clone()).or_default().insert(key, name.to_owned());
    }

    fn add_type(
        &mut self,
        descriptor: &'static TypeDescriptor,
        place: &Place,
        places: &Places,
        taken: &mut BTreeSet<String>,
    ) {
        if descriptor.resource.is_some() {
            return;
        }
        let key = format!("type {}", place.path);
        let name = places.given(place, &key).cloned().unwrap_or_else(|| {
            let wanted = names::type_name(&place.name);
            let (kind, spelled) =
                (names::type_name(&place.kind), place.path.replace("[*]", ".Item").replace("[]", ".Items"));
            let spelled = spelled.split('.').map(names::type_name).filter(|part| !part.is_empty());
            let spelled = std::iter::once(kind).chain(spelled).collect::<Vec<_>>().join("_");
            free([Some(wanted), Some(spelled)], taken)
        });
        self.record(place, key, &name);
        taken.insert(name.clone());
        self.types.insert((descriptor.module, descriptor.name), name);
    }

    /// Names the fields or the values of a type.
    fn add_parts(
        &mut self,
        owner: &'static TypeDescriptor,
        place: &Place,
        places: &Places,
        taken: &mut BTreeSet<String>,
        options: &Options<'_>,
    ) {
        let own = self.of_type(owner).unwrap_or_else(|| names::type_name(owner.name));
        let mut of_struct = names::OF_STRUCTS.map(str::to_owned).into_iter().collect::<BTreeSet<_>>();
        // A wire name of letters and digits has the first choice.
        let mut wire_names = match owner.shape {
            Shape::Enum { variants, .. } => variants.iter().map(|variant| variant.wire_name).collect(),
            _ => fields(owner, options.channel).map(|field| field.wire_name).collect::<Vec<_>>(),
        };
        let (is_enum, is_root) = (matches!(owner.shape, Shape::Enum { .. }), owner.resource.is_some());
        wire_names.retain(|wire_name| !(is_root && *wire_name == "metadata"));
        wire_names.sort_by_key(|wire_name| !wire_name.chars().all(|letter| letter.is_ascii_alphanumeric()));
        let key = |wire_name: &str| match is_enum {
            true => format!("value {} {wire_name}", place.path),
            false => format!("field {}", path::field(&place.path, wire_name)),
        };
        // Also those of fields that are gone.
        let below = format!("field {}", place.path);
        let is_own = |key: &str| {
            let rest = key.strip_prefix(&below).map(|rest| rest.trim_start_matches('.'));
            rest.is_some_and(|rest| !rest.get(1..).unwrap_or_default().contains(['.', '[']))
        };
        let given = places.names.get(&place.of).into_iter().flatten().filter(|(key, _)| is_own(key));
        of_struct.extend(given.map(|(_, name)| name.clone()));
        for wire_name in wire_names {
            let key = key(wire_name);
            let spelled = names::spelled(wire_name);
            let name = match (places.given(place, &key), is_enum) {
                (Some(given), _) => given.clone(),
                (None, true) => {
                    let by_case = Some(format!("{own}_{wire_name}")).filter(|name| is_go_name(name));
                    free([names::value(&own, wire_name), by_case, Some(format!("{own}{spelled}"))], taken)
                }
                // A tag of Go cannot have the other ones.
                (None, false) if !names::is_in_tags(wire_name) => continue,
                (None, false) => {
                    let begins = spelled.starts_with(|first: char| first.is_ascii_uppercase());
                    let spelled = if begins { spelled } else { format!("Field{spelled}") };
                    free([names::field(wire_name), Some(spelled)], &of_struct)
                }
            };
            self.record(place, key, &name);
            if is_enum { &mut *taken } else { &mut of_struct }.insert(name.clone());
            self.parts.insert((owner.module, owner.name, wire_name), name);
        }
    }
}

/// The first name that is free, or the last with a number.
fn free<const N: usize>(names: [Option<String>; N], taken: &BTreeSet<String>) -> String {
    let is_free = |name: &String| !taken.contains(name);
    let last = names.iter().flatten().next_back().cloned().unwrap_or_default();
    let numbered = (2..).map(|number: usize| format!("{last}_{number}"));
    names.into_iter().flatten().chain(numbered).find(is_free).unwrap_or_default()
}
