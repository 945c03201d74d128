//! The markers of a declaration as values.
//!
//! Invariants: every channel marker has an effect or is an error; markers of other tools are kept where the table has a rule for them, and are never
//! an error.

use std::collections::{BTreeMap, HashSet};

use crd_markers::descriptor::Tombstone;
use crd_markers::leaked;
use crd_markers::marker::{self, parse};
use crd_markers::rule::{Marker, Rule};
use crd_markers::table::{Meaning, Target, find};
use crd_names::channel::{CHANNELS, Channel, ChannelSet};

use crate::gates::{self, Gated, is_gate};
use crate::names::{DOCUMENTED, Line, head};
use crate::problem::{Fault, GATE, MARKER, TAG};
use crate::syntax::{Attached, File};
use crate::tags::{Tag, tags};

/// What is read of comments.
#[derive(Clone, Copy)]
pub(crate) struct Language<'p> {
    pub(crate) gates: &'p BTreeMap<String, Channel>,
    pub(crate) tags: bool,
}

/// The markers of a declaration.
#[derive(Default)]
pub(crate) struct Marks {
    /// The line of the first marker that limits it to the experimental channel.
    pub(crate) experimental: Option<u32>,
    pub(crate) markers: Vec<Marker>,
    pub(crate) tombstones: Vec<Tombstone>,
    pub(crate) is_optional: bool,
    /// Where a gate makes the field optional.
    optional_with_gate: Option<Place>,
    /// The gates of marks, by their lines.
    pub(crate) gates: Vec<(u32, String)>,
    /// The comments with a channel marker.
    pub(crate) used: HashSet<usize>,
    pub(crate) faults: Vec<Fault>,
}

/// A channel marker: the byte at which it is reported, and its line.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: usize,
    line: u32,
}

impl Marks {
    pub(crate) fn of(file: &File, comments: &Attached, target: Target, language: Language<'_>) -> Self {
        let mut marks = Marks::default();
        let groups = file.comments.groups.get(comments.clone()).unwrap_or_default();
        for index in groups.iter().flat_map(|group| group.comments.clone()) {
            let comment = &file.comments.all[index];
            if let Some(marker) = &comment.marker {
                let (place, text) = (Place { at: marker.at, line: file.line(marker.at) }, marker.text(&file.text));
                match marker.line {
                    Line::Channel if head(text) == DOCUMENTED && language.gates.is_empty() => continue,
                    Line::Channel if is_gate(head(text)) => marks.gated(place, text, target, language),
                    Line::Channel => marks.ours(place, text, target),
                    Line::Known => {
                        if let Ok(marker) = parse(text, target) {
                            marks.is_optional |= marker.spec.meaning == Meaning::Optional;
                            marks.markers.extend(Marker::read(&marker, place.line));
                        }
                        continue;
                    }
                    // A wrong one is reported for the file.
                    Line::Wrong(_) | Line::Foreign => {
                        marks.faults.extend(gates::nested(text, place.at));
                        continue;
                    }
                }
                marks.used.insert(index);
            } else if language.tags {
                marks.tags(file, index, target);
            }
        }
        // Kubernetes writes it with `+k8s:ifDisabled(GATE)=+k8s:forbidden`, of which it is the other half.
        if let Some(Place { at, .. }) = marks.optional_with_gate.filter(|_| marks.experimental.is_none()) {
            let message = "whether a field is optional is the same in all channels: remove the gate";
            marks.faults.push(Fault::new(at, &GATE, message));
        }
        marks
    }

    /// In which channels the element exists.
    pub(crate) fn channels(&self) -> ChannelSet {
        self.experimental.map_or(ChannelSet::ALL, |_| ChannelSet::from(Channel::Experimental))
    }

    pub(crate) fn has(&self, wanted: impl Fn(&Rule) -> bool) -> bool {
        self.markers.iter().any(|marker| wanted(&marker.rule))
    }

    fn tags(&mut self, file: &File, index: usize, target: Target) {
        let range = file.comments.all[index].range.clone();
        for (at, tag) in tags(&file.text[range.clone()], range.start) {
            let place = Place { at, line: file.line(at) };
            match tag {
                Ok(Tag::Marker(text)) => self.ours(place, &text, target),
                Ok(Tag::OfItems(text)) if target == Target::Field => {
                    let read = parse(text, Target::Field).ok().and_then(|marker| Marker::read(&marker, place.line));
                    self.markers.extend(read.map(|marker| Marker { items: true, ..marker }));
                }
                Ok(Tag::OfItems(_)) => {
                    let message = "`<gateway:validateIPAddress>` belongs on a field with a list";
                    self.faults.push(Fault::new(at, &TAG, message));
                }
                // They are reported for the file.
                Ok(Tag::Opens(_) | Tag::Closes(_)) | Err(_) => continue,
            }
            self.used.insert(index);
        }
    }

    fn exists_from(&mut self, place: Place) {
        if self.experimental.is_some() {
            let message = "this element is limited to the experimental channel twice";
            self.faults.push(Fault::new(place.at, &MARKER, message));
        }
        self.exists_with_gate(place);
    }

    /// Kubernetes documents the gate of a field next to the rule that it is forbidden without it.
    fn exists_with_gate(&mut self, place: Place) {
        self.experimental.get_or_insert(place.line);
    }

    fn ours(&mut self, place: Place, text: &str, target: Target) {
        let body = CHANNELS.iter().find_map(|row| text.strip_prefix(row.name)?.strip_prefix(':')).unwrap_or(text);
        if let Some((spec, _)) = find(head(body)).filter(|(spec, _)| matches!(spec.meaning, Meaning::Refused(_))) {
            let message = format!("`+{}` has no effect on CRDs, so a channel cannot limit it", spec.name);
            return self.faults.push(Fault::new(place.at, &MARKER, message));
        }
        let marker = match parse(text, target) {
            Ok(marker) => marker,
            Err(messages) => {
                let faults = messages.into_iter().map(|message| Fault::new(place.at, &MARKER, for_go(&message)));
                return self.faults.extend(faults);
            }
        };
        match marker.spec.meaning {
            Meaning::Experimental => self.exists_from(place),
            Meaning::Tombstone if target == Target::Variant => {
                let message = "`+tombstone` belongs on a type, not on a constant: put it on the type";
                self.faults.push(Fault::new(place.at, &MARKER, message));
            }
            Meaning::Tombstone => self.tombstones.push(tombstone(&marker, place.line)),
            _ => {
                let Some(read) = Marker::read(&marker, place.line) else { return };
                let is_same = |known: &Marker| {
                    (known.rule.kind(), known.channels, known.items) == (read.rule.kind(), read.channels, read.items)
                };
                if !marker.spec.repeatable && self.markers.iter().any(is_same) {
                    let message = format!("`+{}` appears twice", text.split('=').next().unwrap_or_default());
                    self.faults.push(Fault::new(place.at, &MARKER, message));
                }
                self.markers.push(read);
            }
        }
    }

    fn gated(&mut self, place: Place, text: &str, target: Target, language: Language<'_>) {
        let Gated { gates, channels, marker, at } = match gates::read(text, place.at, language.gates) {
            Ok(read) => read,
            Err(fault) => return self.faults.push(fault),
        };
        self.gates.extend(gates.first().map(|gate| (place.line, (*gate).to_owned())));
        let place = Place { at, ..place };
        let (standard, experimental) = (ChannelSet::only(Channel::Standard), ChannelSet::only(Channel::Experimental));
        let refused = |message: String| Fault::new(at, &GATE, message);
        let name = marker.map(|marker| head(marker).split('#').next().unwrap_or_default());
        match name {
            Some("optional" | "k8s:optional") if target == Target::Field && channels == experimental => {
                self.optional_with_gate = Some(place);
            }
            // What the gate leaves out without it exists only with it.
            None if channels == experimental => self.exists_with_gate(place),
            Some("k8s:enumExclude") if target == Target::Variant && channels == standard => self.exists_with_gate(place),
            Some("k8s:forbidden") if target == Target::Field && channels == standard => self.exists_with_gate(place),
            None | Some("k8s:enumExclude" | "k8s:forbidden") if channels == ChannelSet::ALL || channels.is_empty() => {}
            None => self.faults.push(refused("this gate would leave the element out of the experimental channel".to_owned())),
            Some(name @ "k8s:enumExclude") if target == Target::Variant => self.faults.push(refused(format!(
                "`+{name}` would leave this value out of the experimental channel, which has everything that standard has"
            ))),
            Some("k8s:enumExclude") => self.faults.push(refused("`+k8s:enumExclude` belongs on a constant".to_owned())),
            Some(name) if channels == ChannelSet::ALL => self.faults.push(refused(format!(
                "this gate is enabled in every channel: write `+{name}` without it"
            ))),
            Some(_) if channels.is_empty() => {}
            Some(_) => {
                let channel = if channels == standard { Channel::Standard } else { Channel::Experimental };
                self.ours(place, &format!("{channel}:{}", marker.unwrap_or_default()), target);
            }
        }
    }
}

fn tombstone(marker: &marker::Marker, line: u32) -> Tombstone {
    let text = |name: &str| marker.arguments.text(name).map(leaked::text);
    Tombstone {
        name: text("name").unwrap_or_default(),
        removed: text("removed").unwrap_or_default(),
        reason: text("reason").unwrap_or_default(),
        replacement: text("replacement"),
        line,
    }
}

/// A message of the parser about a marker in Go.
fn for_go(message: &str) -> String {
    message
        .replace(
            ": this type has no `#[api(group = …, version = …, kind = …)]`",
            ": this type is not the type of a resource",
        )
        .replace("the Rust type determines it for all channels", "it is the same in all channels")
        .replace(
            "`cargo xtask markers` lists all; a line of prose must not begin with `+` and a letter",
            "`crd-channels markers` lists all",
        )
        .replace("put it on the enum", "put it on the type")
        .replace("on a type or a variant", "on a type")
        .replace("a variant", "a constant")
}
