//! Pages of codes: what a code means, and an example that triggers it.

use crate::layout::wrapped_lines;
use crate::style::{FAINT, HEADING, NAME};

/// The page of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The code.
    pub code: &'static str,
    /// What it means, in one sentence.
    pub summary: String,
    /// Why it matters and how to fix it.
    pub explanation: String,
    /// An example that triggers it, as the user would write it; empty where another document contains it.
    pub example: String,
}

impl Page {
    /// A page from constant text.
    pub fn new(code: &'static str, summary: &str, explanation: &str, example: &str) -> Self {
        Self { code, summary: summary.to_owned(), explanation: explanation.to_owned(), example: example.to_owned() }
    }

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
