//! Pages of codes: what a code means, and an example that triggers it.

use crate::layout::wrapped_lines;
use crate::style::{FAINT, HEADING, NAME};

/// The page of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The heading of the list that it belongs to.
    pub area: &'static str,
    pub code: &'static str,
    /// What it means, in one sentence.
    pub summary: String,
    /// Why it matters and how to fix it.
    pub explanation: String,
    /// An example that triggers it, as the user would write it; empty where another document contains it.
    pub example: String,
}

/// The pages of a document in Markdown: its heading is the area. Below a heading for each code are the summary, the explanation, and the example in
/// a fence; the last two may be missing.
pub fn pages(document: &'static str) -> impl Iterator<Item = Page> {
    let (area, codes) = document.split_once("\n\n## ").unwrap_or((document, ""));
    codes.split("\n\n## ").filter(|page| !page.is_empty()).map(|page| {
        let (code, body) = page.split_once("\n\n").unwrap_or((page, ""));
        let (words, fenced) = body.split_once("```text\n").unwrap_or((body, ""));
        let (summary, explanation) = words.trim_end().split_once("\n\n").unwrap_or((words.trim_end(), ""));
        Page {
            area: area.trim_start_matches("# ").trim_end(),
            code,
            summary: summary.to_owned(),
            explanation: explanation.to_owned(),
            example: fenced.split("\n```").next().unwrap_or_default().to_owned(),
        }
    })
}

impl Page {
    /// The page as text with colours. Lines have at most `width` characters.
    pub fn text(&self, width: usize) -> String {
        let head = wrapped_lines(&format!("{}: {}", self.code, self.summary), width);
        let mut text = head.replacen(self.code, &format!("{NAME}{}{NAME:#}", self.code), 1);
        if !self.explanation.is_empty() {
            text.push_str(&format!("\n{}", wrapped_lines(self.explanation.trim_end(), width)));
        }
        if !self.example.is_empty() {
            text.push_str(&format!("\n{HEADING}Example:{HEADING:#}\n"));
            for line in self.example.trim_end().lines() {
                text.push_str(&format!("  {FAINT}|{FAINT:#} {line}\n"));
            }
        }
        text
    }
}
