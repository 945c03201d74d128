//! What a file has in addition to the markers of its declarations: channel markers without effect, and text that looks like one.
//!
//! Invariants: only channel markers are reported.

use std::collections::HashSet;

use crd_markers::disguise::{Disguise, disguises};
use crd_names::shortened;

use crate::comments::{Comment, Group, Marker};
use crate::gates;
use crate::marks::Language;
use crate::names::{Line, head, is_disguise};
use crate::problem::{DISGUISE, Fault, MARKER, TAG, UNUSED};
use crate::syntax::File;
use crate::tags::{Tag, tags};

/// The faults of a file. `used` are the comments whose markers have an effect; `None`: it is not in the pattern, so that none needs one.
pub(crate) fn faults(file: &File, used: Option<&HashSet<usize>>, language: Language<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (number, group) in file.comments.groups.iter().enumerate() {
        let behind = file.declarations.partition_point(|range| range.start <= group.range.start);
        let is_declared = behind > 0 && file.declarations[behind - 1].contains(&group.range.start);
        for index in group.comments.clone() {
            let comment = &file.comments.all[index];
            let Some(marker) = &comment.marker else { continue };
            let (at, text) = (marker.at, marker.text(&file.text));
            match &marker.line {
                // In the bodies of functions, a line can begin with a plus.
                Line::Wrong(message) if is_declared || !text.starts_with(' ') => {
                    faults.push(Fault::new(at, &MARKER, message.clone()))
                }
                Line::Channel if used.is_some_and(|used| !used.contains(&index)) && has_meaning(text, at, language) => {
                    let marker = shortened(head(text));
                    faults.push(unused(at, &format!("+{marker}"), comment.is_trailing));
                }
                _ => {}
            }
            if is_declared && !matches!(marker.line, Line::Wrong(_)) {
                faults.extend(behind_marker(marker, file, language));
            }
        }
        if is_declared {
            faults.extend(disguised(file, group, language));
            if language.tags {
                // Upstream's generator reads descriptions of schemas: a tag of a constant is for readers.
                let is_of_constant = file.constants.iter().any(|constant| constant.comments.contains(&number));
                faults.extend(of_tags(file, group, used.filter(|_| !is_of_constant)));
            }
        }
    }
    faults
}

fn unused(at: usize, marker: &str, is_trailing: bool) -> Fault {
    let (why, help) = match is_trailing {
        true => ("it is behind code on its line", "write it on a line of its own above the declaration"),
        false => (
            "it belongs to no type, field or constant of a resource",
            "write it directly above what it marks, or remove it; a blank line is allowed only below the closest comment",
        ),
    };
    Fault::new(at, &UNUSED, format!("`{marker}` has no effect: {why}")).help(help)
}

/// Markers of gates without a channel can be for Kubernetes.
fn has_meaning(text: &str, at: usize, language: Language<'_>) -> bool {
    !gates::is_gate(head(text)) || gates::read(text, at, language.gates).is_ok()
}

fn hidden(at: usize, written: &str, marker: &str) -> Fault {
    let message = format!("`{}` looks like the marker `{}`, and is not read", shortened(written), shortened(marker));
    let help = "write the marker alone on a line that begins with `//`, or `\\+` if it is prose";
    Fault::new(at, &DISGUISE, message).help(help)
}

/// Words of a line with a marker that look like another one. Strings in quotes are arguments.
fn behind_marker(marker: &Marker, file: &File, language: Language<'_>) -> Vec<Fault> {
    let text = marker.text(&file.text);
    let (mut faults, mut from, mut quote) = (Vec::new(), 0, None);
    for (at, next) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_quote = matches!(next, '"' | '`') && !text[..at].ends_with('\\');
        match quote {
            Some(open) => quote = (open != next || !is_quote).then_some(open),
            // A quote without an end is one of prose.
            None if is_quote && text[at + 1..].contains(next) => quote = Some(next),
            None if matches!(next, ' ' | '\t' | ',' | ';') => {
                let word = text[from..at].trim_start_matches(['(', '/', '-', '*', '#', ':']);
                let start = marker.at + 1 + at - word.len();
                let is_first = |found: &Disguise| found.range.start == 0 && is_disguise(word, found);
                let found = disguises(word).into_iter().find(is_first).filter(|_| from > 0);
                faults.extend(found.map(|found| hidden(start, &word[found.range.clone()], &found.marker)));
                if language.tags && from > 0 && !tags(word, start).is_empty() {
                    faults.push(hidden(start, word, "<gateway:…>"));
                }
                from = at + 1;
            }
            None => {}
        }
    }
    faults
}

/// Prose of a comment that looks like a marker.
fn disguised(file: &File, group: &Group, language: Language<'_>) -> Vec<Fault> {
    let comments = &file.comments.all[group.comments.clone()];
    let text = |comment: &Comment| &file.text[comment.range.clone()];
    let is_prose = |comment: &Comment| {
        let is_marker = |marker: &Marker| {
            let is_word = marker.text(&file.text).starts_with(|first: char| first.is_ascii_alphabetic());
            is_word || matches!(marker.line, Line::Wrong(_))
        };
        !(comment.marker.as_ref().is_some_and(is_marker) || language.tags && text(comment).contains("<gateway:"))
    };
    // Most comments have neither.
    let can_be = |comment: &&Comment| {
        let text = text(comment);
        text.contains('+') || text.contains('&') || !text.is_ascii()
    };
    if !comments.iter().filter(can_be).any(is_prose) {
        return Vec::new();
    }
    // Each byte has the position that it has in the file.
    let mut prose = String::with_capacity(group.range.len());
    for comment in comments {
        prose.push_str(&file.text[group.range.start + prose.len()..comment.range.start]);
        match is_prose(comment) {
            true => prose.extend(["  ", &text(comment)[2..]]),
            false => prose.push_str(&" ".repeat(comment.range.len())),
        }
    }
    let found = disguises(&prose).into_iter().filter(|disguise| is_disguise(&prose, disguise));
    let fault = |disguise: Disguise| {
        let (at, written) = (group.range.start + disguise.range.start, prose[disguise.range].trim());
        hidden(at, written, &disguise.marker)
    };
    found.map(fault).collect()
}

/// Unknown tags, tags that do not close, and tags without effect.
fn of_tags(file: &File, group: &Group, used: Option<&HashSet<usize>>) -> Vec<Fault> {
    let (mut faults, mut open): (Vec<Fault>, Vec<(usize, &str)>) = (Vec::new(), Vec::new());
    for index in group.comments.clone() {
        let comment = &file.comments.all[index];
        if comment.marker.is_some() {
            continue;
        }
        for (at, tag) in tags(&file.text[comment.range.clone()], comment.range.start) {
            match tag {
                Err(fault) => faults.push(fault),
                Ok(Tag::Opens(name)) => open.push((at, name)),
                Ok(Tag::Closes(name)) if open.last().is_some_and(|(_, opened)| *opened == name) => {
                    open.pop();
                }
                Ok(Tag::Closes(name)) => faults.push(Fault::new(at, &TAG, format!("`</{name}>` closes no tag"))),
                Ok(Tag::Marker(_) | Tag::OfItems(_)) if used.is_some_and(|used| !used.contains(&index)) => {
                    faults.push(unused(at, "<gateway:…>", comment.is_trailing));
                }
                Ok(_) => {}
            }
        }
    }
    let unclosed = open
        .into_iter()
        .map(|(at, name)| Fault::new(at, &TAG, format!("`<{name}>` is not closed: `</{name}>` is missing")));
    faults.extend(unclosed);
    faults
}
