//! The findings of an import whose bundle differs from its named version or channel.

use crd_diagnostics::Severity;

use super::*;

fn check(inputs: impl IntoIterator<Item = (&'static str, String)>, expected: &Expected<'_>) -> Vec<String> {
    let inputs = inputs.into_iter().map(|(name, text)| Input::new(name, text));
    let published = read("bundle", inputs).unwrap_or_else(|errors| panic!("{}", lines(&errors)));
    check_bundle(&published, expected).iter().map(shown).collect()
}

/// `file:line:column: severity: message (code), and 1 more. help`
fn shown(found: &Diagnostic) -> String {
    let more = if found.related.is_empty() { String::new() } else { format!(", and {} more", found.related.len()) };
    let help = found.help.as_ref().map(|help| format!(". {help}")).unwrap_or_default();
    format!("{}: {}: {} ({}){more}{help}", found.location, found.severity.word(), found.message, found.code)
}

fn expected() -> Expected<'static> {
    Expected { prefix: Some("example.com"), version: Some("v1.2.0".parse().unwrap()), channel: Some(Channel::Standard) }
}

#[test]
fn a_bundle_that_is_what_it_is_said_to_be() {
    let bundle = || [("a.yaml", thing("a")), ("b.yaml", thing("b"))];
    assert_eq!(check(bundle(), &expected()), [] as [&str; 0]);
    assert_eq!(check(bundle(), &Expected::default()), [] as [&str; 0]);
}

#[test]
fn stamps() {
    let unstamped = thing("a").replace("example.com/bundle-version: v1.2.0\n    example.com/channel: standard", "a: b");
    let fix = "The publisher should stamp them; the import uses its arguments instead";
    assert_eq!(
        check([("a.yaml", unstamped), ("b.yaml", thing("b"))], &expected()),
        [
            format!("a.yaml:4:3: warning: 1 CRD is without the stamp example.com/bundle-version (unstamped). {fix}"),
            format!("a.yaml:4:3: warning: 1 CRD is without the stamp example.com/channel (unstamped). {fix}"),
        ]
    );
    let other = Expected { prefix: Some("example.org"), ..expected() };
    assert_eq!(
        check([("a.yaml", thing("a")), ("b.yaml", thing("b"))], &other)[0],
        format!(
            "a.yaml:4:3: warning: 2 CRDs are without the stamp example.org/bundle-version (the first has \
         example.com/bundle-version) (unstamped), and 1 more. {fix}"
        )
    );
    let unreadable = thing("a").replace("v1.2.0", "v1.2").replace("channel: standard", "channel: beta");
    assert_eq!(
        check([("a.yaml", unreadable)], &expected()),
        [
            "a.yaml:5:5: error: 1 CRD is stamped with a version that is none: `v1.2` is not a bundle version: \
         unexpected end of input while parsing minor version number. Write vMAJOR.MINOR.PATCH, such as v1.6.1, or a pre-release such as v1.7.0-rc.1 (unreadable-stamp)",
            "a.yaml:6:5: error: 1 CRD is stamped with the channel \"beta\", which does not exist (unreadable-stamp). The channels \
         are standard and experimental",
        ]
    );
}

#[test]
fn other_bundles() {
    let older = |plural: &str| thing(plural).replace("v1.2.0", "v1.1.0");
    assert_eq!(
        check([("a.yaml", older("a")), ("b.yaml", older("b"))], &expected()),
        [
            "a.yaml:5:5: error: 2 CRDs are stamped v1.1.0, and v1.2.0 is asked for (version-differs), and 1 more. Ask for v1.1.0, \
         or correct the stamps"
        ]
    );
    let mixed = [("a.yaml", thing("a")), ("b.yaml", older("b")), ("c.yaml", thing("c"))];
    assert_eq!(
        check(mixed.clone(), &Expected::default()),
        [
            "b.yaml:5:5: error: the CRDs are of 2 bundle versions: v1.1.0 (b.example.com); v1.2.0 (a.example.com, c.example.com) \
         (mixed-bundles). Import each bundle alone"
        ]
    );
    assert_eq!(check(mixed, &expected()).len(), 2);
    let experimental = thing("b").replace("channel: standard", "channel: experimental");
    assert_eq!(
        check([("a.yaml", thing("a")), ("b.yaml", experimental)], &expected()),
        [
            "b.yaml:6:5: error: the CRDs are of 2 channels: experimental (b.example.com); standard (a.example.com) \
         (mixed-bundles). Import each bundle alone",
            "b.yaml:6:5: error: 1 CRD is stamped experimental, and standard is asked for (channel-differs). Import them with \
         `--channel experimental`, or leave them out",
        ]
    );
}

/// A month is readable, and never the version that is asked for.
#[test]
fn months_are_not_imported_as_versions() {
    let of = |stamp: &str| [("a.yaml", thing("a").replace("v1.2.0", stamp))];
    assert_eq!(check(of("monthly-2026.06"), &Expected::default()), [] as [&str; 0]);
    assert_eq!(
        check(of("monthly-2026.06"), &expected()),
        [
            "a.yaml:5:5: error: 1 CRD is stamped monthly-2026.06, and v1.2.0 is asked for (version-differs). A month is never a baseline: \
         import a release, or compare with `diff`"
        ]
    );
    let unreadable = check(of("monthly-2026.13"), &Expected::default());
    assert!(unreadable.len() == 1 && unreadable[0].contains("(unreadable-stamp)"), "{unreadable:?}");
}

#[test]
fn structure_that_no_server_takes() {
    let crd = thing("a")
        .replace("type: integer", "items: {}")
        .replace("kind: Thing", "kind: thing_")
        .replace("    storage: true\n", "    storage: false\n    selectableFields: [{jsonPath: .spec.x}]\n");
    let published = read("bundle", [Input::new("a.yaml", format!("---\n{crd}"))]).unwrap();
    let found: Vec<(&str, Severity, Option<usize>)> = check_bundle(&published, &Expected::default())
        .iter()
        .map(|found| (found.code, found.severity, found.location.line))
        .collect();
    let error = |code: &'static str, line: usize| (code, Severity::Error, Some(line));
    assert_eq!(
        found,
        [
            error("names-syntax", 11),
            error("names-syntax", 12),
            error("names-syntax", 11),
            error("storage-version", 15),
            error("selectable-field", 28),
            error("type-missing", 22),
            error("type-missing", 23),
        ]
    );
}

#[test]
fn rules_have_names_of_their_own() {
    let ids: std::collections::BTreeSet<&str> = IMPORT_RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), IMPORT_RULES.len());
    assert!(IMPORT_RULES.iter().all(|rule| !rule.summary.is_empty()));
}

/// An archive of a bundle holds all its channels.
#[test]
fn one_channel_of_several_is_taken_alone() {
    let taken = |inputs: &[(&str, String)], channel: Channel| {
        let inputs = inputs.iter().map(|(name, text)| Input::new(*name, text.as_str()));
        let published =
            read("bundle", inputs).unwrap_or_else(|errors| panic!("{}", lines(&errors))).of_channel(channel);
        let files = published.crds.iter().map(|crd| crd.origin.file.clone()).collect::<Vec<_>>();
        (files, published.passed_over.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let experimental = |plural: &str| thing(plural).replace("channel: standard", "channel: experimental");
    let both =
        [("e.yaml", format!("---\n---\n{}", experimental("a"))), ("s.yaml", thing("a")), ("t.yaml", experimental("b"))];
    let of = |files: &[&str], passed_over: &[&str]| {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        (owned(files), owned(passed_over))
    };
    assert_eq!(
        taken(&both, Channel::Experimental),
        of(&["e.yaml", "t.yaml"], &["CustomResourceDefinition of standard `a.example.com` (s.yaml:1)"])
    );
    assert_eq!(
        taken(&both, Channel::Standard),
        of(
            &["s.yaml"],
            &[
                "CustomResourceDefinition of experimental `a.example.com` (e.yaml:3)",
                "CustomResourceDefinition of experimental `b.example.com` (t.yaml:1)",
            ]
        )
    );
    // If a CRD has an unknown channel, or no CRD has this one, the intention is unclear: all stay and are checked.
    for stamp in ["a: b", "example.com/channel: beta"] {
        let strange = thing("c").replace("example.com/channel: standard", stamp);
        let all = [both.as_slice(), &[("u.yaml", strange)]].concat();
        assert_eq!(taken(&all, Channel::Standard).0.len(), 4, "{stamp}");
    }
    assert_eq!(taken(&both[1..2], Channel::Experimental), of(&["s.yaml"], &[]));
}
