//! The codes of this crate's diagnostics, and their pages for `explain`.

crd_diagnostics::codes! {
    "oci"
    MALFORMED "malformed" Error
    ALTERED "altered" Error
    TOO_LARGE "too-large" Error
    NO_CRDS "no-crds" Error
    SEVERAL "several" Error
}

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
