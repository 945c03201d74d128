//! Hostile texts in every name, message and path of CRDs and objects, printed in every format and read back as the reader of the format does:
//! GitHub's runner, a terminal, and parsers of JSON, XML and Markdown. Nothing is interpreted, and JSON has the exact text.

use std::fs;

use anstream::adapter::strip_str;
use crd_channels_cli::{Exit, Session, run_without_types_in};
use crd_testdata::thing_crd;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};

use crate::support::Place;

const TEXTS: [&str; 40] = [
    "::error::injected",
    "::error file=a.rs,line=1::injected",
    "  ::warning::injected",
    "\t::notice::injected",
    "\u{a0}::error::injected",
    "\u{3000}::error::injected",
    "::set-output name=a::b",
    "::stop-commands::pause",
    "::add-mask::a",
    "##[error]injected",
    "a ##[set-output name=a]b",
    "###[debug]injected",
    "a\n::error::injected",
    "a\r\n  ::error::injected",
    "a\r::error::injected",
    "a\u{85}::error::injected",
    "a\u{2028}::error::injected",
    "a\u{2029}##[error]injected",
    "%0A::error::injected",
    "\u{200b}::error::injected",
    "\u{feff}::error::injected",
    "\u{1b}[31m::error::injected",
    "\u{1b}]0;title\u{7}",
    "\u{1b}[2J\u{1b}[H",
    "\u{9b}31mred",
    "\u{8}\u{8}\u{7f}over",
    "abc\u{202e}fed",
    "\u{2066}abc\u{2069}\u{2067}d",
    "\u{61c}\u{200e}\u{200f}marks",
    "soft\u{ad}hyphen\u{2060}joined",
    "tags\u{e0041}\u{e0042}\u{e007f}",
    "variation\u{e0100}\u{fe00}",
    "filler\u{3164}\u{115f}\u{ffa0}",
    "<script>alert(1)</script>",
    "</failure>]]><error>&lt;&#0;",
    "![a](https://example.com/a.png) [b](javascript:alert(1))",
    "`` ` ``` <img src=x onerror=alert(1)>",
    "| a | b |\n|---|---|\n# heading",
    "\"},\"injected\":{\"a\":\"",
    "<!-- a --> <details>\u{fffe}\u{ffff}",
];

/// The commands and formats, and what reads them.
const CALLS: &[(&str, &[&str], Reader)] = &[
    ("diff old.json new.json", &["text"], Reader::Text),
    ("diff old.json new.json", &["json", "sarif"], Reader::Json),
    ("diff old.json new.json", &["github"], Reader::Commands),
    ("diff old.json new.json --witness", &["markdown"], Reader::Markdown),
    ("diff old.json new.json --verbose", &["markdown"], Reader::Markdown),
    ("diff 'named' new.json", &["text"], Reader::Text),
    ("diff 'named' new.json", &["json", "sarif"], Reader::Json),
    ("diff 'named' new.json", &["github"], Reader::Commands),
    ("diff 'named' new.json", &["markdown"], Reader::Markdown),
    ("validate 'objects' --crds new.json", &["text"], Reader::Text),
    ("validate 'objects' --crds new.json", &["json", "sarif"], Reader::Json),
    ("validate 'objects' --crds new.json", &["github"], Reader::Commands),
    ("validate 'objects' --crds new.json", &["junit"], Reader::Xml),
    ("lint --crds 'named' --crds new.json", &["text"], Reader::Text),
    ("lint --crds 'named' --crds new.json", &["json", "sarif"], Reader::Json),
    ("lint --crds 'named' --crds new.json", &["github"], Reader::Commands),
    ("verify 'named'", &["text"], Reader::Text),
    ("verify 'named'", &["json"], Reader::Json),
    ("history 'history'", &["text"], Reader::Text),
    ("history 'history'", &["json"], Reader::Json),
    ("history 'history'", &["markdown"], Reader::Markdown),
    ("import new.json --version v1.2.0 --channel standard", &["text"], Reader::Text),
    ("import names.json --version v1.3.0 --channel standard", &["text"], Reader::Text),
    ("import names.json --version v1.4.0 --channel standard", &["json"], Reader::Json),
    ("convert 'objects' --conversions lenses.json --check", &["text"], Reader::Text),
    ("convert 'objects' --conversions lenses.json --check", &["json"], Reader::Json),
    ("docs --crds 'named' new.json --out site", &["text"], Reader::Text),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Reader {
    Text,
    Json,
    Commands,
    Xml,
    Markdown,
}

/// A file or folder that can have the text in its name.
fn name(text: &str) -> String {
    format!("a {}", text.replace('/', "_"))
}

/// A CRD with the text wherever a text is free, also behind so many words that it begins a wrapped line.
fn crd(text: &str, is_new: bool) -> Value {
    let far = format!("{}{text}", "word ".repeat(19));
    let values = if is_new { vec![text, "b"] } else { vec![text, "b", "c"] };
    let field = json!({"type": "string", "description": if is_new { &far } else { "old" }, "enum": values});
    let pattern =
        json!({"type": "string", "pattern": if is_new { "^a$".to_owned() } else { format!("^(a|{})$", escape(text)) }});
    let rules =
        json!([{"rule": format!("self.size < {}", if is_new { 5 } else { 9 }), "message": far, "fieldPath": ".size"}]);
    let mut properties =
        json!({"size": {"type": "integer", "default": if is_new { 1 } else { 2 }}, "pattern": pattern});
    properties[text] = field.clone();
    properties["named"] =
        json!({"type": "object", "properties": {text: if is_new { json!({"type": "integer"}) } else { field }}});
    let spec = json!({"type": "object", "properties": properties, "x-kubernetes-validations": rules, "required": if is_new { json!(["size", text]) } else { json!([]) }});
    let mut crd = thing_crd(&json!({"type": "object", "properties": {"spec": spec}}), &json!({}));
    crd["metadata"]["annotations"] = json!({"example.com/text": text});
    crd
}

/// The text as a regular expression.
fn escape(text: &str) -> String {
    text.chars()
        .map(
            |character| if character.is_ascii_punctuation() { format!("\\{character}") } else { character.to_string() },
        )
        .collect()
}

/// CRDs whose names are the text.
fn names(text: &str) -> String {
    let places = [
        "/spec/group",
        "/spec/names/kind",
        "/spec/names/plural",
        "/spec/names/shortNames",
        "/spec/versions/0/name",
        "/metadata/name",
        "/spec/scope",
        "/metadata/annotations/another",
    ];
    let crds = places.iter().map(|place| {
        let mut crd = crd("plain", true);
        let value = if place.ends_with("shortNames") { json!([text]) } else { json!(text) };
        match crd.pointer_mut(place) {
            Some(old) => *old = value,
            None if place.ends_with("shortNames") => crd["spec"]["names"]["shortNames"] = value,
            None => crd["metadata"]["annotations"][text] = value,
        }
        crd
    });
    json!({"apiVersion": "v1", "kind": "List", "items": crds.collect::<Vec<_>>()}).to_string()
}

fn place(text: &str) -> Place {
    let (place, file) = (Place::new(), name(text));
    place.write("lenses.json", crate::convert::LENSES);
    place.write("new.json", crd(text, true).to_string());
    place.write("old.json", crd(text, false).to_string());
    place.write("names.json", names(text));
    place.write(&format!("named {file}/{file}.json"), crd(text, false).to_string());
    place.write(&format!("history {file}/v1.0.0/{file}.json"), crd(text, false).to_string());
    place.write(&format!("history {file}/v1.1.0/{file}.json"), crd(text, true).to_string());
    place.write(&format!("history {file}/v1.2.0{file}/thing.json"), crd(text, true).to_string());
    let spec = json!({"size": 7, text: text, "named": {text: text}, "pattern": text, "unknown": {text: 1}});
    let object = |name: &str| json!({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": name, "namespace": text, "annotations": {text: text}}, "spec": spec});
    let other = json!({"apiVersion": text, "kind": text, "metadata": {"name": "a"}});
    let policy =
        json!({"apiVersion": "example.com/v1", "kind": "Policy", "metadata": {"name": text}, "spec": {"tls": text}});
    let both = json!({"apiVersion": "example.com/v1", "kind": "Policy", "metadata": {"name": text}, "spec": {"tls": text, "validation": text}});
    for (number, object) in [object("a"), object(text), other, policy, both].iter().enumerate() {
        place.write(&format!("objects {file}/{number} {file}.json"), object.to_string());
    }
    place.write(&format!("objects {file}/broken {file}.yaml"), format!("kind: [\n# {text}\n"));
    place
}

/// The exit code, stdout and stderr, as a program without colours prints them.
fn run(place: &Place, text: &str, call: &str, format: &str) -> (Exit, String, String) {
    let words = call.split(' ').map(|word| match word.strip_prefix('\'') {
        Some(quoted) => format!("{} {}", quoted.trim_end_matches('\''), name(text)),
        None => word.to_owned(),
    });
    let words = words.chain(["--format".to_owned(), format.to_owned()]).collect::<Vec<_>>();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = run_without_types_in(words, &mut Session::new(place.path(), &mut out, &mut err));
    let plain = |bytes: Vec<u8>| strip_str(&String::from_utf8(bytes).unwrap()).to_string();
    (exit, plain(out), plain(err))
}

/// As the runner reads a line: the name of a command.
fn command(line: &str) -> Option<&str> {
    if let Some(rest) = line.trim_start().strip_prefix("::")
        && let Some((head, _)) = rest.split_once("::")
    {
        return head.split(' ').next();
    }
    let old = &line[line.find("##[")? + 3..];
    old.split_once(']').and_then(|(head, _)| head.split(' ').next())
}

/// The lines as any reader of a log may break them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// Characters that a terminal obeys, or that no reader sees: by their names in Unicode, not by the table of the program.
fn is_obeyed(character: char) -> bool {
    let number = u32::from(character);
    let is_control = number < 0x20 && character != '\n' && character != '\t' || (0x7f..0xa0).contains(&number);
    let is_format = [0xad, 0x61c, 0x115f, 0x3164, 0xfe00, 0xfeff, 0xffa0].contains(&number);
    let ranges = [(0x200b, 0x200f), (0x2028, 0x202e), (0x2060, 0x206f), (0xe0000, 0xe0fff)];
    is_control || is_format || ranges.iter().any(|(low, high)| (low..=high).contains(&&number))
}

fn check_json(printed: &str, text: &str) -> bool {
    fn strings<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
            Value::Object(map) => map.iter().for_each(|(key, value)| {
                assert_ne!(key, "injected");
                strings(value, found);
            }),
            _ => {}
        }
    }
    let document = serde_json::from_str(printed).unwrap();
    let mut found = Vec::new();
    strings(&document, &mut found);
    found.iter().any(|string| string.contains(text))
}

fn check_markdown(printed: &str) {
    let headings = |event: &Event<'_>| matches!(event, Event::Start(Tag::Heading { .. }));
    let events = Parser::new_ext(printed, Options::ENABLE_TABLES).collect::<Vec<_>>();
    let number = events.iter().filter(|event| headings(event)).count();
    assert!(number <= 2, "{number} headings: {printed}");
    for event in events {
        match event {
            // The sections of a comment.
            Event::Html(html) if ["<details>", "</details>"].contains(&html.trim()) => {}
            Event::Html(html) if is_summary(&html) => {}
            Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. }) => panic!("{event:?}: {printed}"),
            Event::Start(Tag::Link { dest_url, .. }) => {
                assert!(dest_url.starts_with('#') || dest_url.ends_with(".md"), "{dest_url}: {printed}");
            }
            _ => {}
        }
    }
}

/// A title of a section, in which everything is written by the program.
fn is_summary(html: &str) -> bool {
    let title = html.trim().strip_prefix("<summary>").and_then(|rest| rest.strip_suffix("</summary>"));
    title.is_some_and(|title| {
        title.chars().all(|character| character.is_ascii_alphanumeric() || " ,".contains(character))
    })
}

#[test]
fn nothing_is_interpreted() {
    let mut exact = 0;
    // Each text meets some calls, and each call some texts; in a proof all of them.
    let step = if crd_testdata::is_proof() { 1 } else { 5 };
    for (first, text) in TEXTS.into_iter().enumerate() {
        let (place, mut number) = (place(text), first);
        for (call, formats, reader) in CALLS {
            for format in *formats {
                number += 1;
                if number % step != 0 {
                    continue;
                }
                let (exit, out, err) = run(&place, text, call, format);
                let shown = format!("{text:?}: {call} --format {format}: {exit:?}\n{out}{err}");
                assert!(!out.is_empty() || !err.is_empty(), "{shown}");
                for printed in [&out, &err] {
                    assert_eq!(printed.chars().find(|character| is_obeyed(*character)), None, "{shown}");
                }
                for line in lines(&err) {
                    assert_eq!(command(line), None, "{line:?} in {shown}");
                }
                for line in lines(&out) {
                    let known = match reader {
                        Reader::Commands => ["error", "warning", "notice"].map(Some).to_vec(),
                        _ => Vec::new(),
                    };
                    assert!(command(line).is_none() || known.contains(&command(line)), "{line:?} in {shown}");
                    if let (Reader::Commands, Some(message)) = (reader, line.strip_prefix("::")) {
                        let (head, _) = message.split_once("::").unwrap();
                        let properties = head.split_once(' ').map_or("", |(_, properties)| properties);
                        let keys = properties.split(',').map(|property| property.split('=').next().unwrap());
                        assert!(keys.clone().all(|key| ["file", "line", "col", "title"].contains(&key)), "{shown}");
                    }
                }
                match reader {
                    Reader::Json => exact += usize::from(check_json(&out, text)),
                    Reader::Xml => {
                        let document =
                            roxmltree::Document::parse(&out).unwrap_or_else(|error| panic!("{error}: {shown}"));
                        let known =
                            ["testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"];
                        let mut elements = document.descendants().filter(roxmltree::Node::is_element);
                        assert!(elements.all(|element| known.contains(&element.tag_name().name())), "{shown}");
                    }
                    Reader::Markdown => check_markdown(&out),
                    Reader::Text | Reader::Commands => {}
                }
            }
        }
        assert!(fs::read_dir(place.path()).unwrap().count() > 5);
    }
    // Only messages with code in them shorten or quote a text.
    assert!(exact >= 5 * TEXTS.len() / step, "{exact} documents have the exact text");
}
