//! The page: the template with its style, its script, the data and the static parts.
//!
//! Invariants: the page loads nothing. Its policy permits only this script, by its hash.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use sha2::{Digest, Sha256};

use crate::text::visible;

const TEMPLATE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/site.css");
const SCRIPT: &str = include_str!("../assets/site.js");
/// The style of the pictures.
const PICTURES: &str = include_str!("../assets/pictures.css");

/// What the page contains.
pub(crate) struct Parts<'a> {
    /// The name of the project.
    pub(crate) name: &'a str,
    pub(crate) data: &'a str,
    /// The pictures as HTML.
    pub(crate) pictures: &'a str,
    /// The newest release as HTML.
    pub(crate) reference: &'a str,
}

/// The page.
///
/// # Errors
/// The template has an error.
pub(crate) fn page(parts: &Parts<'_>) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let style = format!("{STYLE}{PICTURES}");
    let name = visible(parts.name);
    environment.render_str(
        TEMPLATE,
        context! {
            name => &name,
            title => format!("{}API reference", name.strip_suffix("API").unwrap_or(&format!("{name} "))),
            style => style,
            script => SCRIPT,
            script_hash => STANDARD.encode(Sha256::digest(SCRIPT)),
            data => parts.data,
            pictures => parts.pictures,
            reference => parts.reference,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_and_the_script_do_not_end_their_elements() {
        for (text, end) in [(SCRIPT, "</script"), (STYLE, "</style"), (PICTURES, "</style"), (SCRIPT, "<!--")] {
            assert!(!text.to_ascii_lowercase().contains(end), "{end}");
        }
    }
}
