//! Whether our engine and the server point at the same place of a document, each in its own notation.
//!
//! Invariants: the server may point deeper than we do, at the keyword of the node that we name; we never point deeper than the server,
//! apart from what [`NOTATION`] lists.

/// What a place is called by us and by the server, where that differs: beginnings of places.
const NOTATION: &[(&str, &str)] = &[
    // Inside the server the document has an older form.
    ("spec.conversion.webhook.clientConfig", "spec.conversion.webhookClientConfig"),
    ("spec.conversion.webhook.conversionReviewVersions", "spec.conversion.conversionReviewVersions"),
    // With the strategy None we name the webhook, the server what is in it.
    ("spec.conversion.webhook", "spec.conversion.webhookClientConfig"),
    ("spec.conversion.webhook", "spec.conversion.conversionReviewVersions"),
    // The server names the field `name` where the namespace is missing.
    ("spec.conversion.webhook.clientConfig.service.namespace", "spec.conversion.webhookClientConfig.service.name"),
    // The second version of a name; the server names all versions.
    ("spec.versions[1].name", "spec.versions"),
    ("spec.versions[0].additionalPrinterColumns[0].jsonPath", "spec.versions[0].additionalPrinterColumns[0].JSONPath"),
];

/// What the server says besides, because of what else it says: ends of places, and why.
const ECHOES: &[(&str, &str)] = &[
    ("spec.names.listKind", "a kind is missing, so the server could make up no list kind"),
    ("spec.names.singular", "a kind is missing, so the server could make up no singular"),
    ("spec.version", "the name of the first version, in the older form of the document"),
    ("status.storedVersions", "the status that the server made up has a storage version, or has not"),
    ("].optionalOldSelf", "a rule that does not compile mentions no oldSelf to the server"),
];

/// Whether the server's place is ours, or in the node that we name.
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

/// Whether this only follows from what the server said about another place.
pub(crate) fn is_echo(server: &str) -> bool {
    ECHOES.iter().any(|(end, _)| server.ends_with(end))
}

/// The steps of a place. What the server keeps for all versions together is in any of them.
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
    fn places_are_compared_by_their_steps() {
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
