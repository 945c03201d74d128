//! Go doc comments from the Markdown of Rust's doc comments.
//!
//! Invariants: gofmt leaves a comment as it is; a line of prose or code is never a marker (`+…`) and never ends a description (`---`).

/// A part of a doc comment, as Go writes it: code and lists are indented.
struct Block {
    kind: Kind,
    lines: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Code,
    List,
}

/// The lines of a comment with its markers, without `//`.
pub(super) fn comment(markdown: &str, markers: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut previous = Kind::Text;
    for Block { kind, lines: block } in blocks(markdown) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        match (previous, kind) {
            // Indented lines belong to the list or the code above them, unless a line is between them.
            (Kind::List, Kind::Code) => {
                lines.extend(["```".to_owned(), String::new()]);
                lines.extend(block);
                lines.extend([String::new(), "```".to_owned()]);
            }
            (Kind::List | Kind::Code, Kind::List) => lines.extend(flat(&block)),
            _ => lines.extend(block),
        }
        previous = kind;
    }
    // gofmt removes the indentation that all lines share.
    if lines.iter().all(|line| line.is_empty() || line.starts_with([' ', '\t'])) {
        lines = flat(&lines);
    }
    if !lines.is_empty() && !markers.is_empty() {
        lines.push(String::new());
    }
    lines.extend(markers.iter().map(|marker| format!("+{}", clean(&marker.replace('\n', " ")).trim_end())));
    for at in 1..lines.len() {
        if is_old_heading(&lines, at) {
            lines[at].insert_str(0, "# ");
        }
    }
    lines
}

/// Indented lines as one paragraph.
fn flat(lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| !line.is_empty()).map(|line| prose(line)).collect()
}

fn blocks(markdown: &str) -> Vec<Block> {
    let lines: Vec<String> = markdown.lines().map(clean).collect();
    let (mut blocks, mut text, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        let trimmed = line.trim();
        // Markdown: only a list that starts at 1 interrupts a paragraph.
        let begins_list = list_marker(trimmed)
            .is_some_and(|(number, _)| text.is_empty() || number.is_none_or(|number| number == "1"));
        let (block, length) = if let Some(title) = heading(trimmed) {
            (Some(Block { kind: Kind::Text, lines: vec![format!("# {title}")] }), 1)
        } else if let Some(fence) = fence_of(trimmed) {
            let rest = &lines[at + 1..];
            let length = rest.iter().take_while(|line| !closes(line.trim(), fence)).count();
            (code(trimmed, &rest[..length]), length + 2)
        } else if text.is_empty() && !trimmed.is_empty() && is_deep(line) {
            let length = lines[at..].iter().take_while(|line| line.trim().is_empty() || is_deep(line)).count();
            (code("```", &lines[at..at + length]), length)
        } else if begins_list {
            list(&lines[at..])
        } else if trimmed.is_empty() || trimmed.starts_with("---") && trimmed.bytes().all(|byte| byte == b'-') {
            (None, 1)
        } else {
            text.push(prose(line));
            at += 1;
            continue;
        };
        blocks.extend(paragraph(&mut text));
        blocks.extend(block);
        at += length;
    }
    blocks.extend(paragraph(&mut text));
    blocks
}

/// The open paragraph, which ends; `None` if it is empty.
fn paragraph(text: &mut Vec<String>) -> Option<Block> {
    (!text.is_empty()).then(|| Block { kind: Kind::Text, lines: std::mem::take(text) })
}

/// The list at the start of the lines, and how many lines it has. As in Go, a list is flat, and its first item determines its kind.
fn list(lines: &[String]) -> (Option<Block>, usize) {
    let is_numbered = list_marker(lines[0].trim()).is_some_and(|(number, _)| number.is_some());
    let (mut items, mut is_loose, mut after_blank, mut length) = (Vec::<Vec<String>>::new(), false, false, 0);
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            after_blank = true;
            continue;
        }
        let marker = list_marker(trimmed);
        let interrupts = heading(trimmed).is_some() || fence_of(trimmed).is_some() || after_blank && marker.is_none();
        if interrupts && !line.starts_with([' ', '\t']) {
            break;
        }
        is_loose |= after_blank;
        match (marker.filter(|(number, _)| number.is_some() == is_numbered), items.last_mut()) {
            (None, Some(item)) => {
                item.extend(after_blank.then(String::new));
                item.push(format!("    {}", prose(line)));
            }
            (Some((Some(number), rest)), _) => items.push(vec![format!(" {number}. {}", prose(rest))]),
            (Some((None, rest)), _) => items.push(vec![format!("  - {}", prose(rest))]),
            (None, None) => break,
        }
        (after_blank, length) = (false, at + 1);
    }
    let separator = if is_loose { vec![String::new()] } else { Vec::new() };
    (Some(Block { kind: Kind::List, lines: items.join(&separator[..]) }), length.max(1))
}

/// Code without the indentation that its lines share; `None` if it is empty.
fn code(fence: &str, lines: &[String]) -> Option<Block> {
    let is_blank = |line: &&String| line.trim().is_empty();
    let start = lines.iter().take_while(is_blank).count();
    let end = lines.len() - lines[start..].iter().rev().take_while(is_blank).count();
    let lines = lines.get(start..end).filter(|lines| !lines.is_empty())?;
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut shared = &lines[0][..indentation(&lines[0])];
    for line in lines.iter().filter(|line| !is_blank(line)) {
        let same = shared.bytes().zip(line.bytes()).take_while(|(left, right)| left == right).count();
        shared = &shared[..same];
    }
    let text = lines.iter().map(|line| {
        let line = line.strip_prefix(shared).unwrap_or_default().trim_end();
        let (space, rest) = line.split_at(indentation(line));
        if line.is_empty() { String::new() } else { format!("\t{space}{}", escaped(rest)) }
    });
    let mut text: Vec<String> = text.collect();
    // Indented lines that begin with `- ` would be a list.
    if list_marker(lines[0].trim()).is_some() {
        text.insert(0, format!("\t{fence}"));
        text.push("\t```".to_owned());
    }
    Some(Block { kind: Kind::Code, lines: text })
}

/// Without characters that Go refuses in source.
fn clean(line: &str) -> String {
    line.chars().filter(|character| *character == '\t' || !character.is_control() && *character != '\u{feff}').collect()
}

/// A line of prose that gofmt leaves as it is: it would replace `''` and two backticks with typographic quotes, and move definitions of links.
fn prose(line: &str) -> String {
    let text = escaped(line.trim()).replace("''", "\"\"");
    let mut result = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('`') {
        let length = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        result.push_str(&rest[..at]);
        result.push_str(&"`".repeat(if length == 2 { 1 } else { length }));
        rest = &rest[at + length..];
    }
    result.push_str(rest);
    match result.strip_prefix('[').and_then(|text| text.split_once("]: ")) {
        Some((name, target)) if target.contains("://") => format!("{name}: {target}"),
        _ => result,
    }
}

/// A line without indentation that is neither a marker nor the end of a description.
fn escaped(line: &str) -> String {
    let is_special = line.starts_with('+') || line.starts_with("---");
    format!("{}{line}", if is_special { "\\" } else { "" })
}

/// Indented as code in Markdown.
fn is_deep(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

fn heading(trimmed: &str) -> Option<&str> {
    let rest = trimmed.trim_start_matches('#');
    let level = trimmed.len() - rest.len();
    let title = rest.trim();
    ((1..=6).contains(&level) && rest.starts_with([' ', '\t']) && !title.is_empty()).then_some(title)
}

/// The fence that opens code.
fn fence_of(trimmed: &str) -> Option<&str> {
    let character = trimmed.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let rest = trimmed.trim_start_matches(character);
    let fence = &trimmed[..trimmed.len() - rest.len()];
    (fence.len() >= 3 && !rest.contains('`')).then_some(fence)
}

fn closes(trimmed: &str, fence: &str) -> bool {
    trimmed.strip_prefix(fence).is_some_and(|rest| rest.trim_start_matches(&fence[..1]).is_empty())
}

/// The number of an item, `None` for a bullet, and its text.
fn list_marker(trimmed: &str) -> Option<(Option<&str>, &str)> {
    let digits = trimmed.len() - trimmed.trim_start_matches(|character: char| character.is_ascii_digit()).len();
    let (number, rest) = match digits {
        0 => (None, trimmed.strip_prefix(['•', '*', '+', '-'])?),
        _ => (Some(&trimmed[..digits]), trimmed[digits..].strip_prefix(['.', ')'])?),
    };
    (rest.starts_with([' ', '\t']) && !rest.trim().is_empty()).then_some((number, rest))
}

/// Whether gofmt makes a heading of the line: a short line without punctuation, alone between blank lines, before text.
fn is_old_heading(lines: &[String], at: usize) -> bool {
    let line = &lines[at];
    let is_alone = lines[at - 1].is_empty() && lines.get(at + 1).is_some_and(String::is_empty);
    let has_text_below = lines.get(at + 2).is_some_and(|next| !next.starts_with([' ', '\t']));
    let ends_well = line.starts_with(char::is_uppercase) && line.ends_with(|last: char| last.is_alphanumeric());
    let has_other = line.contains(|character| ";:!?+*/=[]{}_^°&§~%#@<\">\\".contains(character));
    let is_possessive = |rest: &str| rest == "s" || rest.starts_with("s ");
    let apostrophes = line.match_indices('\'').all(|(at, _)| is_possessive(&line[at + 1..]));
    let dots = line.match_indices('.').all(|(at, _)| !line[at + 1..].starts_with(' ') && at + 1 < line.len());
    is_alone && has_text_below && ends_well && !has_other && apostrophes && dots
}
