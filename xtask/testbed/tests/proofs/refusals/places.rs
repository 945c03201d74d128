//! Compares the locations that engine and server report, each in its own notation.
//!
//! Invariants: the server's location may be deeper, at a keyword of the node that the engine reports. The engine's location is never deeper
//! than the server's, except for the entries of [`NOTATION`].

/// Prefixes of locations that differ between engine and server.
const NOTATION: &[(&str, &str)] = &[
    // The server uses an older form of the document internally.
    ("spec.conversion.webhook.clientConfig", "spec.conversion.webhookClientConfig"),
    ("spec.conversion.webhook.conversionReviewVersions", "spec.conversion.conversionReviewVersions"),
    // With the strategy None, the engine reports the webhook and the server its fields.
    ("spec.conversion.webhook", "spec.conversion.webhookClientConfig"),
    ("spec.conversion.webhook", "spec.conversion.conversionReviewVersions"),
    // The server reports the field `name` if the namespace is missing.
    ("spec.conversion.webhook.clientConfig.service.namespace", "spec.conversion.webhookClientConfig.service.name"),
    // For a duplicate version name, the server reports all versions.
    ("spec.versions[1].name", "spec.versions"),
    ("spec.versions[0].additionalPrinterColumns[0].jsonPath", "spec.versions[0].additionalPrinterColumns[0].JSONPath"),
];

/// Locations that the server reports in addition, as a consequence of another cause: suffixes, and the reason.
const ECHOES: &[(&str, &str)] = &[
    ("spec.names.listKind", "without a kind, the server cannot derive the list kind"),
    ("spec.names.singular", "without a kind, the server cannot derive the singular"),
    ("spec.version", "the name of the first version, in the older form of the document"),
    ("status.storedVersions", "the status that the server derives has a storage version, or none"),
    ("].optionalOldSelf", "the server finds no oldSelf in a rule that does not compile"),
];

/// Whether the server's location is the engine's, or inside that node.
pub(crate) fn is_same(server: &str, ours: &str) -> bool {
    let server = segments(server);
    let begins_with = |place: &str| {
        let place = segments(place);
        place.len() <= server.len() && place.iter().zip(&server).all(|(one, other)| one == other || *other == "*")
    };
    let renamed = NOTATION.iter().any(|(our_name, name)| {
        ours.strip_prefix(our_name).is_some_and(|rest| {
            (rest.is_empty() || rest.starts_with(['.', '['])) && begins_with(&format!("{name}{rest}"))
        })
    });
    renamed || begins_with(ours)
}

/// Whether this is only a consequence of another cause.
pub(crate) fn is_echo(server: &str) -> bool {
    ECHOES.iter().any(|(end, _)| server.ends_with(end))
}

/// The segments of a location. A location for all versions matches each version.
fn segments(place: &str) -> Vec<&str> {
    let mut segments: Vec<&str> = place.split(['.', '[', ']', '"']).filter(|segment| !segment.is_empty()).collect();
    let hoisted: &[&str] = match segments.get(..2) {
        Some(["spec", "validation"]) => &["spec", "versions", "*", "schema"],
        Some(["spec", "additionalPrinterColumns" | "subresources" | "selectableFields"]) => {
            segments.splice(..1, ["spec", "versions", "*"]);
            return segments;
        }
        _ => return segments,
    };
    segments.splice(..2, hoisted.iter().copied());
    segments
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn locations_are_compared_by_their_segments() {
        let node = "spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[a.b]";
        assert!(is_same("spec.validation.openAPIV3Schema.properties[spec].properties[a.b].type", node));
        assert!(is_same("spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[a.b]", node));
        assert!(!is_same("spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a.b]", node));
        assert!(!is_same("spec.validation.openAPIV3Schema.properties[spec]", node));
        assert!(!is_same("spec.validation.openAPIV3Schema.properties[spec].properties[a.bc]", node));
        assert!(is_same(
            "spec.subresources.scale.specReplicasPath",
            "spec.versions[0].subresources.scale.specReplicasPath"
        ));
        assert!(is_same("spec.conversion.webhookClientConfig.url", "spec.conversion.webhook.clientConfig.url"));
        assert!(!is_same("spec.conversion.webhookClientConfig.url", "spec.conversion.webhook.clientConfig.caBundle"));
    }
}
