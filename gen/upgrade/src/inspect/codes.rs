//! The kinds of findings, and their pages for `explain`.

crd_diagnostics::codes! {
    "inspect"
    NO_PREFIX "no-prefix" Error
    UNKNOWN_TARGET "unknown-target" Error
    NOTHING "nothing-installed" Error
    MISSING_CRD "missing-crd" Error
    MIXED_VERSIONS "mixed-versions" Error
    MIXED_CHANNELS "mixed-channels" Warning
    UNSTAMPED "unstamped" Error
    UNREADABLE_STAMP "unreadable-stamp" Error
    WRONG_VERSION "wrong-version" Error
    WRONG_CHANNEL "wrong-channel" Error
    EDITED "edited" Error
    UNKNOWN_BUNDLE "unknown-bundle" Note
    MONTHLY "monthly-bundle" Note
    LEFT_OVER "left-over-crd" Warning
    FOREIGN "foreign-crd" Warning
    STORED_MISSING "stored-version-missing" Error
    STORED_UNSERVED "stored-version-unserved" Warning
    STORED_UNPRUNED "stored-version-unpruned" Warning
    NOT_ESTABLISHED "not-established" Error
    NAMES "names-not-accepted" Error
    NON_STRUCTURAL "non-structural" Error
    NOT_APPROVED "not-approved" Warning
    TERMINATING "terminating" Error
    WEBHOOK "conversion-webhook" Warning
    OWNERS "several-owners" Warning
    SIZE "annotations-size" Warning
    POLICY_MISSING "policy-missing" Warning
    POLICY_UNBOUND "policy-unbound" Error
    POLICY_LENIENT "policy-lenient" Warning
    POLICY_VERSION "policy-version" Warning
    POLICY_WARNINGS "policy-warnings" Warning
    WEBHOOK_OLDER "webhook-older" Error
    WEBHOOK_NEWER "webhook-newer" Warning
    WEBHOOK_CHANNEL "webhook-channel" Error
    WEBHOOK_WITHOUT_CA "webhook-without-ca" Error
    WEBHOOK_FAIL "webhook-fails-closed" Note
    EXPERIMENTAL "experimental-use" Note
    UNSUPPORTED "unsupported-use" Warning
    FEATURES_UNLISTED "features-unlisted" Note
    CLASS_UNKNOWN "class-unknown" Note
    OLD_FORM "old-form" Warning
    CLIENT_VERSION "client-version" Warning
    NOT_READ "objects-not-read" Warning
    INCOMPLETE "inconsistent-listing" Note
    UNCOUNTED "uncounted" Note
    TARGET_WITHOUT "target-without-crd" Warning
    TARGET_REFUSED "target-refused" Error
    POLICY_REFUSES "policy-refuses" Error
    POLICY_WARNS "policy-warns" Warning
    POLICY_UNDECIDED "policy-undecided" Warning
    TAKE_OVER "take-over" Warning
    TARGET_UNSERVED "target-version-unserved" Warning
    REFUSED_UPDATE "refused-update" Error
    REFUSED_CREATE "refused-creation" Warning
    LOST "lost-values" Error
    OWNERS_LOSE "owners-lose" Warning
    DEFAULTED "new-defaults" Note
    CONVERTED "converted" Note
    UNDECIDED "undecided" Warning
    UNPREPARED "target-unusable" Error
}

/// Whether findings with this code are about what the installation of a target would do.
pub fn is_about_target(code: &str) -> bool {
    let first = CODES.iter().position(|known| known.name == TARGET_WITHOUT.name);
    first.is_some_and(|first| CODES.iter().skip(first).any(|known| known.name == code))
}

/// Whether findings with this code are about an installation by `kubectl`.
pub fn is_about_kubectl(code: &str) -> bool {
    code == TAKE_OVER.name
}

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
