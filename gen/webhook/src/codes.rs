//! The kinds of diagnostics of a webhook, and their pages for `explain`.

crd_diagnostics::codes! {
    "webhook"
    VERSION "version" Error
        "The version of the bundle is not a bundle version."
        "A bundle version is a semantic version with a leading `v`, such as `v1.6.1`."
        "Catalogue::new(\"gateway.example.com\", \"1.6\")"
    LENSES "lenses" Error
        "The lenses of the bundle cannot be used."
        "`conversions.json` is invalid, or was written for another program. Use the file that is published with the bundle."
        "{\"lenses\": [{\"operation\": \"unknown\"}]}"
}
