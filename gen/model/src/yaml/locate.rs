//! The lines of values in a YAML document.
//!
//! Invariants: positions are not kept while a document is read, since most documents have no errors; the text is searched once
//! more for all paths together: plain YAML by its lines, other texts by their nodes. A path that leads beyond the text (a missing key, a value
//! of an alias or a merge key) gives the position where it leaves the text. Of a duplicate key, the first is used.

use super::block::{Lines, entry, is_item};
use super::compose::{Content, Node, compose};
use super::json;
use super::read::{Chunk, name_of};
use super::search::{Rest, Search};
use super::section::{Form, Section, TextPosition};

/// Where these paths of a document lead: to the key of a map's entry, or to an item of a list.
///
/// A path is written as `spec.versions[0].name`, or `["a.b"]` for a key that has characters of paths; a dot before a
/// bracket changes nothing. Keys with dots are also found as they are: `annotations.example.com/stamp`.
pub fn locate<P: AsRef<str>>(text: &str, section: Section, paths: &[P]) -> Vec<TextPosition> {
    let paths: Vec<&str> = paths.iter().map(AsRef::as_ref).collect();
    let search = run(text, section, &paths, None);
    search.best.into_iter().map(|(_, position)| position).collect()
}

/// Where the items of a list of the document are; nothing if the path does not lead to a list.
pub fn item_positions(text: &str, section: Section, list: &str) -> Vec<TextPosition> {
    run(text, section, &[], Some(list)).items
}

fn run<'p>(text: &str, section: Section, paths: &[&'p str], list: Option<&'p str>) -> Search<'p> {
    let (mut search, whole) = Search::new(section, paths, list);
    let text = text.get(section.byte..).unwrap_or_default();
    let node = match section.form {
        Form::Lines => {
            search.open_map(whole);
            map(&mut Lines::of_document(text, section.line - 1), 0, &mut search);
            return search;
        }
        Form::Yaml => compose(Chunk::of(text).text, section.line).ok().flatten(),
        Form::Json => json::compose(text, section.content).ok(),
    };
    if let Some(node) = node {
        nodes(&node, whole, &mut search);
    }
    search
}

/// Follows paths into a node.
fn nodes<'p>(node: &Node, live: Vec<Rest<'p>>, search: &mut Search<'p>) {
    match &node.content {
        Content::Map(entries) => {
            search.open_map(live);
            for (key, value) in entries {
                search.key(&name_of(key).unwrap_or_default(), key.position);
                into(value, search);
            }
        }
        Content::List(items) => {
            search.open_list(live);
            items.iter().for_each(|item| into(item, search));
        }
        Content::Scalar(..) | Content::Alias(_) => return,
    }
    search.close();
}

fn into(node: &Node, search: &mut Search<'_>) {
    if !search.is_finished() {
        let live = search.value(node.position);
        nodes(node, live, search);
    }
}

/// Looks for paths in a map whose keys have this indentation. What no path leads to is skipped.
fn map(lines: &mut Lines<'_, '_>, indent: isize, search: &mut Search<'_>) -> Option<()> {
    while !search.is_finished() {
        let Some(line) = lines.peek().ok()?.filter(|line| line.indent == indent) else { break };
        let (key, rest) = entry(line.content)?;
        lines.take()?;
        search.key(key, line.position());
        let live = search.value(line.position());
        if live.is_empty() || !rest.is_empty() {
            lines.skip_below(indent, rest.is_empty());
            continue;
        }
        match lines.peek().ok()? {
            Some(next) if next.indent >= indent && is_item(next.content) => {
                search.open_list(live);
                list(lines, next.indent, search)?;
                search.close();
            }
            Some(next) if next.indent > indent => {
                search.open_map(live);
                map(lines, next.indent, search)?;
                search.close();
            }
            _ => {}
        }
    }
    Some(())
}

/// The same in a list whose dashes have this indentation.
fn list(lines: &mut Lines<'_, '_>, indent: isize, search: &mut Search<'_>) -> Option<()> {
    while !search.is_finished() {
        let Some(line) = lines.peek().ok()?.filter(|line| line.indent == indent && is_item(line.content)) else {
            break;
        };
        let item = line.item()?;
        let live = search.value(item.position());
        lines.take()?;
        if live.is_empty() || entry(item.content).is_none() {
            lines.skip_below(indent, false);
            continue;
        }
        lines.next = Some(item);
        search.open_map(live);
        map(lines, item.indent, search)?;
        search.close();
    }
    Some(())
}
