//! Generated texts of YAML and JSON, in every style, and changed ones.
//!
//! What JSON cannot carry (infinities, keys that are null) is generated in documents of its own: we refuse it also where a later key replaces the
//! value with it, and kubectl does not.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::tables::table;
use crd_testdata::Dice;

/// The parts of texts.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Texts {
    plain: Vec<&'static str>,
    quoted: Vec<&'static str>,
    tagged: Vec<&'static str>,
    keys: Vec<&'static str>,
    comments: Vec<&'static str>,
    begins: Vec<&'static str>,
    separators: Vec<&'static str>,
    json: Vec<&'static str>,
    headers: Vec<&'static str>,
    lines: Vec<&'static str>,
    inserted: Vec<&'static str>,
}

static TEXTS: LazyLock<Texts> = LazyLock::new(|| table(include_str!("texts.yaml")));

/// A value: the rest of the line of its key or dash, and the lines below.
struct Written {
    head: String,
    below: Vec<String>,
}

/// A text of one or more documents.
pub(super) fn text(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 | 1 => json_stream(dice),
        2 => flow_document(dice),
        _ => yaml_stream(dice),
    }
}

/// One of the first texts, and rarely one of all.
fn usual(dice: &mut Dice, texts: &[&'static str], first: usize, probability: usize) -> &'static str {
    let among = if dice.percent(probability) { first } else { texts.len() };
    dice.one(&texts[..among])
}

fn yaml_stream(dice: &mut Dice) -> String {
    let mut text = String::new();
    if dice.percent(3) {
        text.push('\u{feff}');
    }
    if dice.percent(30) {
        text.push_str(usual(dice, &TEXTS.begins, 6, 90));
    }
    for index in 0..1 + dice.below(3) {
        if index > 0 {
            text.push_str(usual(dice, &TEXTS.separators, 6, 95));
        }
        let mut writer = Writer { dice, anchors: Vec::new() };
        let Written { head, below } = if writer.dice.percent(85) { writer.map(0) } else { writer.block(0) };
        for line in std::iter::once(head).filter(|head| !head.is_empty()).chain(below) {
            text.push_str(&line);
            text.push_str(if writer.dice.percent(4) { "\r\n" } else { "\n" });
        }
    }
    if dice.percent(10) {
        text.pop();
    }
    text
}

fn flow_document(dice: &mut Dice) -> String {
    let mut writer = Writer { dice, anchors: Vec::new() };
    let mut text = writer.flow(0);
    if !text.starts_with(['{', '[']) {
        text = format!("{{k: {text}}}");
    }
    text.push_str(dice.one(&["", "\n", "\n---\na: 1\n", " # c\n", "x\n", "}\n"]));
    text
}

fn json_stream(dice: &mut Dice) -> String {
    let mut text = dice.one(&["", "", "", "\n", "  ", " \n "]).to_owned();
    for _ in 0..1 + dice.below(4) {
        text.push_str(&json_map(dice, 0));
        text.push_str(dice.one(&["", "\n", "\n", " ", "\r\n", "\n\n"]));
    }
    if dice.percent(10) {
        text.push_str(dice.one(&["---\na: 1.0\n", "x", "a: b\n", "{b: 1.0}\n", "null", "{", "[1]\n", "1 2\n"]));
    }
    text
}

fn json_map(dice: &mut Dice, depth: usize) -> String {
    let entries = (0..dice.below(4)).map(|index| format!("\"k{index}\":{}", json(dice, depth + 1))).collect::<Vec<_>>();
    format!("{{{}}}", entries.join(dice.one(&[",", ", ", ",\n ", "\t,"])))
}

fn json(dice: &mut Dice, depth: usize) -> String {
    match dice.below(if depth < 4 { 6 } else { 4 }) {
        0..4 => usual(dice, &TEXTS.json, TEXTS.json.len() - 5, 98).to_owned(),
        4 => json_map(dice, depth),
        _ => format!("[{}]", (0..dice.below(4)).map(|_| json(dice, depth + 1)).collect::<Vec<_>>().join(" , ")),
    }
}

struct Writer<'d> {
    dice: &'d mut Dice,
    /// The anchors before this place, and whether they name maps.
    anchors: Vec<(String, bool)>,
}

impl Writer<'_> {
    fn block(&mut self, depth: usize) -> Written {
        match self.dice.below(if depth < 4 { 13 } else { 7 }) {
            0..3 => self.line(true),
            3 => self.multiline(),
            4..6 => Written { head: self.flow(depth) + self.comment(), below: Vec::new() },
            6 => self.block_scalar(),
            7..10 => self.list(depth),
            _ => self.map(depth),
        }
    }

    fn comment(&mut self) -> &'static str {
        self.dice.one(&TEXTS.comments)
    }

    fn scalar(&mut self, is_block: bool) -> String {
        // The last plain texts are errors in some places.
        let plain = |dice: &mut Dice| usual(dice, &TEXTS.plain, 37, 98).to_owned();
        match self.dice.below(20) {
            0..10 => plain(self.dice),
            10..15 => usual(self.dice, &TEXTS.quoted, 6, 95).to_owned(),
            15 => usual(self.dice, &TEXTS.tagged, 4, 50).to_owned(),
            16 if !self.anchors.is_empty() => format!("*{}", self.dice.pick(&self.anchors).0),
            17 if is_block && self.dice.percent(30) => self.dice.pick(&TEXTS.plain).to_string(),
            18 => {
                let value = plain(self.dice);
                format!("{}{value}", self.anchor(false))
            }
            _ => plain(self.dice),
        }
    }

    fn anchor(&mut self, is_map: bool) -> String {
        let name = self.dice.one(&["x", "y", "z-1"]).to_owned();
        self.anchors.retain(|(known, _)| *known != name);
        self.anchors.push((name.clone(), is_map));
        format!("&{name} ")
    }

    fn line(&mut self, is_block: bool) -> Written {
        Written { head: self.scalar(is_block) + self.comment(), below: Vec::new() }
    }

    fn multiline(&mut self) -> Written {
        let words = ["one", "two three", "four#", "1", "-", "'x"];
        let mut below = (0..1 + self.dice.below(3)).map(|_| self.dice.one(&words).to_owned()).collect::<Vec<_>>();
        if self.dice.percent(20) {
            below.insert(0, String::new());
        }
        let (quote, end) = *self.dice.pick(&[("", ""), ("", ""), ("\"", "\""), ("'", "'"), ("\"\\x42 ", "\\\n  x\"")]);
        if quote == "'" {
            below.iter_mut().for_each(|line| *line = line.replace('\'', "''"));
        }
        let last = below.pop().unwrap_or_default();
        below.push(last + end);
        Written { head: format!("{quote}first"), below }
    }

    fn block_scalar(&mut self) -> Written {
        let header = usual(self.dice, &TEXTS.headers, 7, 92);
        let below = (0..self.dice.below(5)).map(|_| usual(self.dice, &TEXTS.lines, 8, 92).to_owned()).collect();
        Written { head: header.to_owned(), below }
    }

    fn list(&mut self, depth: usize) -> Written {
        let head = if self.dice.percent(8) { self.anchor(false).trim_end().to_owned() } else { String::new() };
        let mut below = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            let item = self.block(depth + 1);
            if item.head.is_empty() && self.dice.percent(70) {
                let mut lines = item.below.into_iter();
                below.push(format!("- {}", lines.next().unwrap_or_default()));
                below.extend(lines.map(|line| format!("  {line}")));
            } else {
                below.push(format!("- {}", item.head).trim_end_matches(' ').to_owned());
                let spaces = " ".repeat(1 + self.dice.below(3));
                below.extend(item.below.into_iter().map(|line| format!("{spaces}{line}")));
            }
        }
        Written { head, below }
    }

    fn map(&mut self, depth: usize) -> Written {
        let is_anchored = depth > 0 && self.dice.percent(15);
        let mut head = match self.dice.below(30) {
            0 if depth > 0 => "!!map ".to_owned(),
            1 if depth > 0 => "!x ".to_owned(),
            _ => String::new(),
        };
        let mut below = Vec::new();
        let mut keys = TEXTS.keys.clone();
        for _ in 0..1 + self.dice.below(4) {
            let index = if self.dice.percent(80) { self.dice.below(4) } else { self.dice.below(keys.len()) };
            let key = keys.remove(index);
            if self.dice.percent(8) {
                below.push(format!("<<: {}", self.merged(depth)));
            }
            let value = self.block(depth + 1);
            let key = if key.starts_with('?') { format!("{key}\n") } else { key.to_owned() };
            let (key, colon) = (key.trim_end(), if key.ends_with('\n') { "\n: " } else { ": " });
            let line = format!("{key}{colon}{}", value.head);
            below.extend(line.trim_end_matches(' ').split('\n').map(str::to_owned));
            let is_list = value.head.is_empty() && value.below.first().is_some_and(|line| line.starts_with("- "));
            let spaces = " ".repeat(if is_list && self.dice.percent(50) { 0 } else { 1 + self.dice.below(3) });
            below.extend(
                value.below.into_iter().map(|line| if line.is_empty() { line } else { format!("{spaces}{line}") }),
            );
            if self.dice.percent(4) {
                below.push(self.dice.one(&["# c", "", "   ", "\t"]).to_owned());
            }
        }
        if is_anchored {
            head = format!("{head}{}", self.anchor(true));
        }
        Written { head: head.trim_end().to_owned(), below }
    }

    fn merged(&mut self, depth: usize) -> String {
        let maps = self.anchors.iter().filter(|(_, is_map)| *is_map).map(|(name, _)| name.clone()).collect::<Vec<_>>();
        match (maps.as_slice(), self.dice.below(8)) {
            ([], 0..4) => "{m: 1}".to_owned(),
            ([], _) => "{a: 1, <<: {a: 2, z: 3}}".to_owned(),
            (maps, 0..5) => format!("*{}", self.dice.pick(maps)),
            (maps, 5) => format!("[*{}, {{a: 5, m: 1}}, {{a: 6, n: 2}}]", self.dice.pick(maps)),
            (_, 6) if self.dice.percent(20) => self.flow(depth + 1),
            _ => "{<<: {a: 9}, b: 8}".to_owned(),
        }
    }

    fn flow(&mut self, depth: usize) -> String {
        let separator = self.dice.one(&[", ", ",", ", ", ",\n   ", " ,"]);
        let end = self.dice.one(&["", "", "", "", ",", " "]);
        let count = self.dice.below(4);
        match self.dice.below(if depth < 4 { 6 } else { 2 }) {
            0 | 1 => self.scalar(false),
            2 | 3 => {
                let items = (0..count).map(|_| match self.dice.below(10) {
                    0 => format!("p: {}", self.flow(depth + 1)),
                    _ => self.flow(depth + 1),
                });
                format!("[{}{}]", items.collect::<Vec<_>>().join(separator), if count > 0 { end } else { "" })
            }
            _ => {
                let mut keys = TEXTS.keys.clone();
                let items = (0..count).map(|_| {
                    let among = if self.dice.percent(85) { 4 } else { keys.len() };
                    let key = keys.remove(self.dice.below(among));
                    let colon = self.dice.one(&[": ", ": ", ": ", ": ", ":", " : ", ":\n  "]);
                    match self.dice.below(12) {
                        0 => key.to_owned(),
                        1 => format!("\"{}\":{}", index_name(key), self.flow(depth + 1)),
                        _ => format!("{key}{colon}{}", self.flow(depth + 1)),
                    }
                });
                format!("{{{}{}}}", items.collect::<Vec<_>>().join(separator), if count > 0 { end } else { "" })
            }
        }
    }
}

/// A key that needs no escapes.
fn index_name(key: &str) -> String {
    format!("j{}", key.len())
}

/// Some lines of a text.
pub(super) fn part(dice: &mut Dice, texts: &[String]) -> String {
    let lines = dice.pick(texts).split_inclusive('\n').collect::<Vec<_>>();
    let from = dice.below(lines.len());
    let part = &lines[from..(from + 1 + dice.below(30)).min(lines.len())];
    let least = part.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    part.iter().map(|line| line.get(least..).unwrap_or("\n")).collect()
}

/// A text with a few characters more or less.
pub(super) fn changed(dice: &mut Dice, mut text: String) -> String {
    for _ in 0..1 + dice.below(3) {
        let places = text.char_indices().map(|(place, _)| place).collect::<Vec<_>>();
        if places.is_empty() {
            break;
        }
        let place = *dice.pick(&places);
        match dice.below(6) {
            0 | 1 => drop(text.remove(place)),
            _ => text.insert_str(place, dice.one(&TEXTS.inserted)),
        }
    }
    text
}
