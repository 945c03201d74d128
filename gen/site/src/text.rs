//! Text of CRDs as HTML: escaped, or from Markdown.
//!
//! Invariants: text of a CRD never becomes markup, a link to another scheme, or an image. Characters that cannot be seen are written as
//! escapes, such as `\u{202e}`. Very long text is shortened, with a note about that.

use std::fmt::Write as _;

use crd_diagnostics::{is_invisible, push_visible};
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// The longest description that is rendered, in bytes. The longest of Gateway API has about 4,000.
const LONGEST_DESCRIPTION: usize = 20_000;
/// The longest name, value, message or expression in the static parts of the page, in bytes.
const LONGEST_VALUE: usize = 2_000;

/// Adds text, escaped for HTML, also for attributes.
pub(crate) fn push_escaped(html: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => push_visible(html, other),
        }
    }
}

/// Text, escaped for HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 8);
    push_escaped(&mut html, text);
    html
}

/// Text with its invisible characters as escapes. The template escapes it for HTML.
pub(crate) fn visible(text: &str) -> String {
    crd_diagnostics::visible(split(text, LONGEST_VALUE).0)
}

/// A name, value, message or expression for the static parts of the page.
pub(crate) fn shortened(text: &str) -> String {
    let (start, rest) = split(text, LONGEST_VALUE);
    let mut html = escaped(start);
    if !rest.is_empty() {
        let _ = write!(html, "… <em>({} more bytes)</em>", rest.len());
    }
    html
}

/// The start of a text with at most so many bytes, and the rest.
fn split(text: &str, most: usize) -> (&str, &str) {
    if text.len() <= most {
        return (text, "");
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.split_at(end)
}

/// A description, which is Markdown, as HTML.
pub(crate) fn markdown(description: &str) -> String {
    let (start, rest) = split(description, LONGEST_DESCRIPTION);
    let mut writer = Writer::default();
    for event in Parser::new_ext(start, Options::empty()) {
        writer.event(event);
    }
    let mut html = writer.html;
    if !rest.is_empty() {
        let _ = write!(html, "<p><em>Shortened: {} more bytes are in the CRD.</em></p>", rest.len());
    }
    html
}

/// The first sentence of a description, as plain text.
pub(crate) fn first_sentence(description: &str) -> String {
    let paragraph = description.split("\n\n").next().unwrap_or_default();
    let (paragraph, _) = split(paragraph, LONGEST_VALUE);
    let end = paragraph.find(". ").or_else(|| paragraph.find(".\n")).map_or(paragraph.len(), |end| end + 1);
    paragraph.get(..end).unwrap_or(paragraph).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The end of a link.
const LINK_END: &str = "</a>";

/// Turns events of Markdown into HTML.
#[derive(Default)]
struct Writer {
    html: String,
    /// What is written at the end of each open link.
    links: Vec<&'static str>,
    /// Whether the text is code, where addresses are not links.
    is_code: bool,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code || self.links.contains(&LINK_END) => push_escaped(&mut self.html, &text),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.html.push_str("<code>");
                push_escaped(&mut self.html, &text);
                self.html.push_str("</code>");
            }
            // Tags are words in descriptions, such as `<gateway:experimental>`.
            Event::Html(text) | Event::InlineHtml(text) => push_escaped(&mut self.html, &text),
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            // Extensions that are not enabled.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                push_escaped(&mut self.html, &text);
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.html.push_str("<p>"),
            // A heading of a description is not one of the page.
            Tag::Heading { .. } => self.html.push_str("<p><strong>"),
            Tag::BlockQuote(_) => self.html.push_str("<blockquote>"),
            Tag::CodeBlock(CodeBlockKind::Indented | CodeBlockKind::Fenced(_)) => {
                self.is_code = true;
                self.html.push_str("<pre><code>");
            }
            Tag::List(Some(1)) => self.html.push_str("<ol>"),
            Tag::List(Some(start)) => {
                let _ = write!(self.html, "<ol start=\"{start}\">");
            }
            Tag::List(None) => self.html.push_str("<ul>"),
            Tag::Item => self.html.push_str("<li>"),
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Link { dest_url, .. } if is_allowed(dest_url) && !self.links.contains(&LINK_END) => {
                self.links.push(LINK_END);
                self.open_link(dest_url);
            }
            // `<gateway:experimental>` has the form of a link.
            Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => {
                self.links.push("&gt;");
                self.html.push_str("&lt;");
            }
            Tag::Link { .. } => self.links.push(""),
            // The text of an image is shown in its place. Other tags are of extensions that are not enabled.
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let end = match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => "</p>",
            TagEnd::Heading(_) => "</strong></p>",
            TagEnd::BlockQuote(_) => "</blockquote>",
            TagEnd::CodeBlock => {
                self.is_code = false;
                "</code></pre>"
            }
            TagEnd::List(true) => "</ol>",
            TagEnd::List(false) => "</ul>",
            TagEnd::Item => "</li>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Link => self.links.pop().unwrap_or_default(),
            _ => "",
        };
        self.html.push_str(end);
    }

    fn open_link(&mut self, address: &str) {
        self.html.push_str("<a href=\"");
        push_escaped(&mut self.html, address);
        self.html.push_str("\" rel=\"noopener noreferrer\">");
    }

    /// Text outside links, whose addresses become links.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = ["https://", "http://"].iter().filter_map(|scheme| rest.find(scheme)).min() {
            let (before, from) = rest.split_at(start);
            let end = from.find(|character: char| !is_of_address(character)).unwrap_or(from.len());
            let address =
                from.get(..end).unwrap_or_default().trim_end_matches(['.', ',', ';', ':', ')', '!', '?', '\'']);
            push_escaped(&mut self.html, before);
            if address.ends_with("://") {
                push_escaped(&mut self.html, address);
            } else {
                self.open_link(address);
                push_escaped(&mut self.html, address);
                self.html.push_str("</a>");
            }
            rest = from.get(address.len()..).unwrap_or_default();
        }
        push_escaped(&mut self.html, rest);
    }
}

/// Whether a character can be part of an address in running text.
fn is_of_address(character: char) -> bool {
    !character.is_whitespace()
        && !is_invisible(character)
        && !matches!(character, '<' | '>' | '"' | '`' | '\\' | '^' | '{' | '}' | '|')
}

/// Whether links to this address are kept.
fn is_allowed(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_known = matches!(scheme.as_deref(), Some("http" | "https" | "mailto"));
    (is_known || address.starts_with('#')) && !address.contains(is_invisible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_kubernetes_are_rendered() {
        let cases = [
            ("Use `a` and\n`b`.", "<p>Use <code>a</code> and\n<code>b</code>.</p>"),
            ("One:\n* a\n* b\n\nTwo", "<p>One:</p><ul><li>a</li><li>b</li></ul><p>Two</p>"),
            ("One:\n1. a\n2. b", "<p>One:</p><ol><li>a</li><li>b</li></ol>"),
            ("Example:\n\n    a: 1\n    b: <2>\n", "<p>Example:</p><pre><code>a: 1\nb: &lt;2&gt;\n</code></pre>"),
            ("See <gateway:experimental> here", "<p>See &lt;gateway:experimental&gt; here</p>"),
            ("<gateway:util:excludeFromCRD>\nNotes\n", "<p>&lt;gateway:util:excludeFromCRD&gt;\nNotes</p>"),
            ("# Title\ntext", "<p><strong>Title</strong></p><p>text</p>"),
            ("\"*.example.com\" or *.foo.com", "<p>&quot;*.example.com&quot; or *.foo.com</p>"),
            ("3. c", "<ol start=\"3\"><li>c</li></ol>"),
            ("* a\n  * b\n* c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
            ("* a\n\n* b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
            ("```yaml\na: https://a.example\n```", "<pre><code>a: https://a.example\n</code></pre>"),
            ("> quoted\n> text", "<blockquote><p>quoted\ntext</p></blockquote>"),
            ("**must** and *may*, snake_case_name", "<p><strong>must</strong> and <em>may</em>, snake_case_name</p>"),
            ("Line  \nbreak", "<p>Line<br>break</p>"),
            ("One\n\n---\n\nTwo", "<p>One</p><hr><p>Two</p>"),
            ("<!-- hidden -->", "<p>&lt;!-- hidden --&gt;</p>"),
            ("| a | b |\n|---|---|", "<p>| a | b |\n|---|---|</p>"),
            ("`` a`b ``", "<p><code>a`b</code></p>"),
            ("5 < 6 && a[0] > b", "<p>5 &lt; 6 &amp;&amp; a[0] &gt; b</p>"),
            ("~~kept~~ [^1] $x$ - [ ] x", "<p>~~kept~~ [^1] $x$ - [ ] x</p>"),
            ("", ""),
        ];
        for (text, html) in cases {
            assert_eq!(markdown(text), html, "{text}");
        }
    }

    #[test]
    fn only_safe_links_are_kept() {
        let link = |address: &str| format!("<a href=\"{address}\" rel=\"noopener noreferrer\">");
        let kept = ["https://a.example/x", "http://a.example", "mailto:a@b.example", "#here"];
        for address in kept {
            assert_eq!(markdown(&format!("[x]({address})")), format!("<p>{}x</a></p>", link(address)));
        }
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "//a.example",
            "x.html",
            "vbscript:x",
        ] {
            assert_eq!(markdown(&format!("[x]({address})")), "<p>x</p>", "{address}");
        }
        assert_eq!(markdown("![alt](https://a.example/x.png)"), "<p>alt</p>");
        let bare =
            format!("<p>More info: {}https://a.example/b?c=d&amp;e</a>.</p>", link("https://a.example/b?c=d&amp;e"));
        assert_eq!(markdown("More info: https://a.example/b?c=d&e."), bare);
        assert_eq!(markdown("http:// and `https://a.example`"), "<p>http:// and <code>https://a.example</code></p>");
        assert_eq!(markdown("[a https://b.example](https://c.example)").matches("<a ").count(), 1);
    }

    #[test]
    fn markup_and_invisible_characters_are_text() {
        let html = markdown("</script><img src=x onerror=alert(1)> \u{202e}abc\u{200b} &amp; & `<b>`");
        assert_eq!(
            html,
            "<p>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; \\u{202e}abc\\u{200b} &amp; &amp; <code>&lt;b&gt;</code></p>"
        );
        assert_eq!(escaped("a\"b'c"), "a&quot;b&#39;c");
    }

    #[test]
    fn long_text_is_shortened_visibly() {
        let html = markdown(&"é".repeat(600_000));
        assert!(html.len() < LONGEST_DESCRIPTION + 200, "{}", html.len());
        assert!(
            html.ends_with("<p><em>Shortened: 1180000 more bytes are in the CRD.</em></p>"),
            "{}",
            &html[html.len() - 100..]
        );
        assert!(shortened(&"a".repeat(LONGEST_VALUE + 7)).ends_with("… <em>(7 more bytes)</em>"));
    }

    #[test]
    fn the_first_sentence_ends_with_its_stop() {
        assert_eq!(first_sentence("A name.\nMore v1.2 text.\n\nRest"), "A name.");
        assert_eq!(first_sentence("Of v1.2 only\nand so on\n\nRest."), "Of v1.2 only and so on");
    }
}
