//! The tags of Gateway API in descriptions: `<gateway:experimental>` and the like, which its generator removes from what it publishes.
//!
//! Invariant: no tag remains. Text between the two tags of another channel, and of what is excluded from CRDs, goes with them.

use crd_model::schema::Schema;
use crd_names::channel::Channel;

const START: &str = "<gateway:";

/// Removes the tags from all descriptions.
pub(crate) fn without_tags(schema: &mut Schema, channel: Channel) {
    schema.each_mut(&mut |schema| {
        if let Some(text) = schema.description.as_mut().filter(|text| text.contains(START)) {
            *text = plain(text, channel).into();
        }
        if schema.description.as_deref() == Some("") {
            schema.description = None;
        }
    });
}

/// A description without tags.
fn plain(text: &str, channel: Channel) -> String {
    let mut plain = text.to_owned();
    let mut from = 0;
    while let Some(start) = plain[from..].find(START).map(|start| from + start) {
        let line_end = plain[start..].find('\n').map_or(plain.len(), |end| start + end);
        // A rule in a tag can contain `>`.
        let first = plain[start..line_end].find('>').map(|end| start + end + 1);
        let closing = first.map(|end| format!("</{}", &plain[start + 1..end]));
        let pair = closing.and_then(|closing| Some((first?, closing.clone(), plain.find(&closing)?)));
        match pair {
            Some((inner, closing, end)) => {
                let is_kept = plain[start..inner] == format!("{START}{channel}:description>");
                let kept = if is_kept { plain[inner..end].to_owned() } else { String::new() };
                plain.replace_range(start..end + closing.len(), &kept);
            }
            None => {
                let end = plain[start..line_end].rfind('>').map_or(line_end, |end| start + end + 1);
                plain.replace_range(start..end, "");
            }
        }
        from = start;
    }
    let mut lines: Vec<&str> = plain.lines().map(str::trim_end).collect();
    lines.dedup_by(|next, previous| next.is_empty() && previous.is_empty());
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_has_no_tags() {
        let cases = [
            ("A.\n\n<gateway:experimental>", "A.", "A."),
            (
                "A.\n<gateway:util:excludeFromCRD>\nFor authors.\n</gateway:util:excludeFromCRD>\nB.",
                "A.\n\nB.",
                "A.\n\nB.",
            ),
            (
                "A.\n<gateway:experimental:description>More.</gateway:experimental:description>\nB.",
                "A.\n\nB.",
                "A.\nMore.\nB.",
            ),
            ("A.\n<gateway:experimental:validation:XValidation:rule=\"self.a > 1\">\nB.", "A.\n\nB.", "A.\n\nB."),
            ("A < b.\n<gateway:unfinished", "A < b.", "A < b."),
        ];
        for (text, standard, experimental) in cases {
            assert_eq!(plain(text, Channel::Standard), standard);
            assert_eq!(plain(text, Channel::Experimental), experimental);
        }
    }
}
