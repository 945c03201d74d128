//! Pages of codes: what a code means, and an example that triggers it.

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

    /// The page as text with colours.
    pub fn text(&self) -> String {
        let mut text = format!("{NAME}{}{NAME:#}: {}\n", self.code, self.summary);
        if !self.explanation.is_empty() {
            text.push_str(&format!("\n{}\n", self.explanation.trim_end()));
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
