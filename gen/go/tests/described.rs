//! What descriptors have of Go types.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crd_go::Types;
use crd_markers::descriptor::{Presence, Shape, TypeDescriptor, TypeRef};
use crd_markers::rule::Marker;
use crd_names::{Channel, ChannelSet};

use crate::project::{lines, read, resource};

fn reference(of: &TypeRef, open: &mut Vec<&'static TypeDescriptor>) -> String {
    match of {
        TypeRef::Named(named) => {
            open.push(named.get());
            named.get().name.to_owned()
        }
        TypeRef::List(items) => format!("[]{}", reference(items, open)),
        TypeRef::Map(key, values) => format!("map[{}]{}", reference(key, open), reference(values, open)),
        TypeRef::Integer { rust, .. } => (*rust).to_owned(),
        other => format!("{other:?}"),
    }
}

fn marks(experimental: Option<u32>, channels: ChannelSet, markers: &[Marker]) -> String {
    assert_eq!(experimental.is_some(), channels != ChannelSet::ALL);
    let mut text = experimental.map(|line| format!(" experimental:{line}")).unwrap_or_default();
    for marker in markers.iter().filter(|marker| marker.channels != ChannelSet::ALL || marker.items) {
        let channel = Channel::ALL.into_iter().find(|channel| marker.channels == ChannelSet::only(*channel));
        let channel = channel.map_or("all", Channel::name);
        let items = if marker.items { " items" } else { "" };
        write!(text, " {channel}{items} {:?}:{}", marker.rule.kind(), marker.line).unwrap();
    }
    text
}

/// The types that the roots reach, each with its fields or values.
fn text(types: &Types) -> String {
    let (mut text, mut seen) = (String::new(), BTreeSet::new());
    let mut open: Vec<&TypeDescriptor> = types.roots.iter().rev().copied().collect();
    while let Some(next) = open.pop() {
        if !seen.insert((next.module, next.name)) {
            continue;
        }
        let mut below = Vec::new();
        let root = next.resource.map(|resource| format!(" root {}/{}", resource.group, resource.version));
        let tombstones = next.tombstones.iter().map(|tombstone| format!(" tombstone {}", tombstone.name));
        let tombstones = tombstones.collect::<String>();
        let of_type = marks(next.experimental, next.channels, next.markers);
        let root = root.unwrap_or_default();
        write!(text, "{}.{} {}{root}{of_type}{tombstones}", next.module, next.name, next.location).unwrap();
        match next.shape {
            Shape::Struct(fields) => {
                text.push('\n');
                for field in fields {
                    let kind = reference(&field.kind, &mut below);
                    let optional = if field.presence == Presence::Optional { "?" } else { "" };
                    let flatten = if field.flatten { "..." } else { "" };
                    let marks = marks(field.experimental, field.channels, field.markers);
                    writeln!(text, "  {flatten}{}{optional} {kind}{marks}", field.wire_name).unwrap();
                }
            }
            Shape::Enum { variants, .. } => {
                text.push('\n');
                for variant in variants {
                    let marks = marks(variant.experimental, variant.channels, variant.markers);
                    writeln!(text, "  {:?}{marks}", variant.wire_name).unwrap();
                }
            }
            Shape::Newtype(of) => writeln!(text, " = {}", reference(&of, &mut below)).unwrap(),
            Shape::Union { .. } => unreachable!("Go has no unions"),
        }
        open.extend(below.into_iter().rev());
    }
    for (name, place) in &types.opaque {
        writeln!(text, "opaque {name} {place}").unwrap();
    }
    for (place, gate) in &types.gates {
        writeln!(text, "gate {gate} {place}").unwrap();
    }
    text
}

#[test]
fn every_case_has_its_types() {
    let cases: Vec<&str> = include_str!("described.txt").split("\n--- ").skip(1).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        let (head, case) = case.split_once('\n').unwrap();
        let (files, expected) = case.split_once("=> types\n").unwrap();
        let files = format!("=== go.mod\nmodule example.com/p // ours\n{files}");
        let mut words = head.split(' ');
        let (packages, tags) = (words.next().unwrap(), words.next() == Some("tags"));
        let found = match read(&files, packages, &[resource("example.com", "v1", "Thing")], tags) {
            Ok(types) => text(&types),
            Err(errors) => lines(&errors).join("\n"),
        };
        if found.trim() != expected.trim() {
            wrong.push(format!("--- {head}\n{files}expected:\n{expected}\nfound:\n{found}"));
        }
    }
    assert!(cases.len() > 8, "{}", cases.len());
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}
