//! The release gate: why a bundle is not released.
//!
//! Invariants: all reasons are reported together, each with what to do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_bundle::BundleVersion;
use crd_compat::RequiredBump;

use crate::baseline::overtaken;
use crate::report::Report;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::{are, for_shell, some_of};

/// The files of a bundle by path, with `/`.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A file that is not as it is committed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uncommitted {
    /// Relative to the root; from the top of the repository, behind `:/`, if it is outside the root.
    pub path: String,
    /// Whether the last commit has it, in another form.
    pub is_tracked: bool,
    /// Why `git status` does not show it; empty if it does.
    pub hidden: &'static str,
}

/// Why `git status` hides a file that differs from the commit.
pub const FILTERED: &str = "git changes its bytes on their way out of the repository, as it does with line ends";

/// Why a bundle is not released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A bundle of this or a later version exists.
    Version,
    /// `check` reports errors.
    Findings,
    /// The change breaks users, and `--allow-major` is not given.
    Major,
    /// The committed files are not what `generate` writes.
    Stale,
    /// A file is not committed.
    Uncommitted,
    /// The bundle exists with other bytes.
    Differs,
    /// Something exists where files would be written.
    InTheWay,
}

/// Every reason with its code.
pub const REASONS: [(Reason, &str); 7] = [
    (Reason::Version, "release::version"),
    (Reason::Findings, "release::findings"),
    (Reason::Major, "release::major"),
    (Reason::Stale, "release::stale"),
    (Reason::Uncommitted, "release::uncommitted"),
    (Reason::Differs, "release::differs"),
    (Reason::InTheWay, "release::in-the-way"),
];

impl Reason {
    /// The code of its diagnostics.
    pub fn code(self) -> &'static str {
        REASONS.iter().find(|(reason, _)| *reason == self).map_or("", |(_, code)| code)
    }

    /// The name in JSON: the code without its area.
    pub fn name(self) -> &'static str {
        self.code().trim_start_matches("release::")
    }
}

/// One reason why a bundle is not released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of reason.
    pub reason: Reason,
    /// The message, the location and the fix.
    pub diagnostic: Diagnostic,
}

impl Refusal {
    fn new(reason: Reason, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { reason, diagnostic: Diagnostic::error(reason.code(), message).help(fix) }
    }

    fn at(mut self, path: PathBuf) -> Self {
        self.diagnostic = self.diagnostic.at_file(path);
        self
    }
}

/// Why a version cannot follow the existing bundles. `existing` are the versions of all bundles except its own.
pub fn of_version(version: BundleVersion, existing: &[BundleVersion]) -> Option<Refusal> {
    let (last, why) = overtaken(version, existing)?;
    Some(Refusal::new(Reason::Version, format!("{version} is below {last}, {why}"), "choose a version above it"))
}

/// Why the report forbids a release. `allow_major` permits a major bundle; `is_there` is true if the bundle was released before.
pub fn of_report(report: &Report, version: BundleVersion, allow_major: bool, is_there: bool) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    if !report.fits() {
        refusals.push(Refusal::new(
            Reason::Findings,
            format!("`check` reports errors for {version}"),
            match &report.needed {
                // A problem cannot be waived.
                _ if !report.problems.is_empty() => "fix the errors above".to_owned(),
                Some(needed) => format!("fix or waive the findings, or release {needed}"),
                None if report.verdict.bundle == RequiredBump::NotAllowed => {
                    "undo the change: no version permits it".to_owned()
                }
                None => "fix the findings, or waive them in `bundles/waivers.yaml`".to_owned(),
            },
        ));
    } else if report.verdict.bundle == RequiredBump::Major && !allow_major && !is_there {
        refusals.push(Refusal::new(
            Reason::Major,
            format!("{version} breaks users: the change requires a major bundle"),
            "pass `--allow-major` if this is intended",
        ));
    }
    refusals
}

/// Why a stale file about graduation forbids a release.
pub fn of_stale_graduation(name: &str) -> Refusal {
    let message = format!("{name} is out of date");
    Refusal::new(Reason::Stale, message, "run `cargo xtask graduate --write` and commit the result")
}

/// How many files are named.
const NAMED: usize = 5;

/// Why stale committed files forbid a release.
pub fn of_stale(names: &[String]) -> Option<Refusal> {
    if names.is_empty() {
        return None;
    }
    Some(Refusal::new(
        Reason::Stale,
        format!("{} out of date: {}", are(names.len(), "file"), some_of(names, NAMED)),
        "run `cargo xtask generate` and commit the result",
    ))
}

/// Why uncommitted files forbid a release, except for files that a release writes.
pub fn of_uncommitted(uncommitted: &[Uncommitted], is_ours: impl Fn(&str) -> bool) -> Option<Refusal> {
    let others = uncommitted.iter().filter(|file| !is_ours(&file.path)).collect::<Vec<_>>();
    // A file that git shows as committed cannot be committed.
    let filtered = others.iter().all(|file| file.hidden == FILTERED);
    let others = others.into_iter().map(|Uncommitted { path, hidden, .. }| match *hidden {
        "" => path.clone(),
        why => format!("{path} ({why})"),
    });
    let others = others.collect::<Vec<_>>();
    if others.is_empty() {
        return None;
    }
    Some(Refusal::new(
        Reason::Uncommitted,
        format!(
            "{} not committed, and a release contains committed files only: {}",
            are(others.len(), "file"),
            some_of(&others, NAMED)
        ),
        match (filtered, others.len()) {
            (true, _) => "set `-text` for it in `.gitattributes`, and check it out again",
            (false, 1) => "commit or stash it",
            (false, _) => "commit or stash them",
        },
    ))
}

/// The first file of `bundles/VERSION` that differs from what a release would write. `is_newest` is false if there are later bundles: then
/// the types may have changed since.
pub fn of_difference(
    folder: &Path,
    version: BundleVersion,
    is_newest: bool,
    found: &Files,
    made: &Files,
) -> Option<Refusal> {
    let mut paths = found.keys().chain(made.keys()).collect::<Vec<_>>();
    paths.sort();
    let path = paths.into_iter().find(|path| found.get(*path) != made.get(*path))?;
    let file = folder.join(path);
    let what = match (found.contains_key(path), made.contains_key(path)) {
        (true, true) => "differs from what would be released now",
        (true, false) => "would not be part of the bundle now",
        (false, _) => "is missing",
    };
    let fix = match is_newest {
        true => format!(
            "release the next version; or, if {version} was never published, remove {} and release it again",
            for_shell(Path::new(&format!("bundles/{version}")))
        ),
        false => format!(
            "later bundles exist, so the types may have changed: to build {version} again, release it from its tag (`git checkout {version}`)"
        ),
    };
    Some(Refusal::new(Reason::Differs, format!("`{path}` {what}; a released bundle never changes"), fix).at(file))
}

/// Existing files in the place of files to write.
pub fn of_targets(diagnostics: Vec<Diagnostic>) -> Vec<Refusal> {
    diagnostics.into_iter().map(|diagnostic| Refusal { reason: Reason::InTheWay, diagnostic }).collect()
}

/// Files of an existing bundle whose bytes are not the released ones (`altered`, each with its fix), or that are not as they are committed. If
/// the bytes are the released ones (`is_released`), the commit has different ones.
pub fn of_altered(
    uncommitted: &[Uncommitted],
    version: BundleVersion,
    root: &Path,
    altered: Vec<Diagnostic>,
    is_released: impl Fn(&str) -> bool,
) -> Vec<Refusal> {
    let below = format!("bundles/{version}/");
    let mut refusals = Vec::new();
    for file in uncommitted.iter().filter(|file| file.is_tracked) {
        let (Some(name), path) = (file.path.strip_prefix(&below), root.join(&file.path)) else { continue };
        if altered.iter().any(|known| known.location.file.as_ref() == Some(&path)) {
            continue;
        }
        let shown = for_shell(Path::new(&file.path));
        let (message, fix) = match is_released(name) {
            true => ("is not committed as it was released", format!("commit it: `git add -- {shown}`")),
            false => (
                "differs from its commit; a committed bundle never changes",
                format!("restore it: `git checkout HEAD -- {shown}`"),
            ),
        };
        let name = name.rsplit('/').next().unwrap_or_default();
        refusals.push(Refusal::new(Reason::Differs, format!("`{name}` {message}"), fix).at(path));
    }
    refusals.extend(altered.into_iter().map(|diagnostic| Refusal { reason: Reason::Differs, diagnostic }));
    refusals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> BundleVersion {
        text.parse().expect("a version")
    }

    #[test]
    fn a_version_follows_those_of_its_minor_or_all() {
        let cases: &[(&str, &[&str], bool)] = &[
            ("v1.0.0", &[], true),
            ("v1.6.1", &["v1.6.0", "v1.5.2"], true),
            ("v1.5.3", &["v1.6.0", "v1.5.2"], true),
            ("v1.5.1", &["v1.6.0", "v1.5.2"], false),
            ("v1.4.0", &["v1.6.0", "v1.5.2"], false),
            ("v1.10.0", &["v1.9.0"], true),
            ("v1.6.0-rc.1", &["v1.6.0"], false),
            ("v1.6.0-rc.2", &["v1.6.0-rc.1"], true),
            ("v1.6.0-rc.1", &["v1.6.0-rc.2"], false),
            ("v1.6.0", &["v1.6.0-rc.2"], true),
            ("v0.9.0", &["v1.0.0"], false),
            // A pre-release of the next major version, or that version itself, does not block a version.
            ("v1.7.0", &["v1.6.0", "v2.0.0-alpha.1"], true),
            ("v1.9.0", &["v1.8.0", "v2.0.0"], true),
            ("v1.8.0", &["v1.9.0", "v2.0.0"], false),
            ("v1.8.0", &["v2.0.0"], false),
        ];
        for (candidate, existing, fits) in cases {
            let existing = existing.iter().map(|text| version(text)).collect::<Vec<_>>();
            assert_eq!(of_version(version(candidate), &existing).is_none(), *fits, "{candidate} after {existing:?}");
        }
    }

    #[test]
    fn the_first_file_that_differs_is_named() {
        let files = |texts: &[(&str, &str)]| -> Files {
            texts.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
        };
        let made = files(&[("b", "1"), ("c", "2")]);
        for (found, expected) in [
            (files(&[("b", "1"), ("c", "2")]), None),
            (files(&[("b", "1"), ("c", "3")]), Some(("v/c", "`c` differs from what would be released now"))),
            (files(&[("a", "1"), ("b", "0"), ("c", "2")]), Some(("v/a", "`a` would not be part of the bundle now"))),
            (files(&[("c", "0")]), Some(("v/b", "`b` is missing"))),
        ] {
            let refusal = of_difference(Path::new("v"), version("v1.0.0"), true, &found, &made);
            let shown = refusal.as_ref().map(|refusal| {
                (refusal.diagnostic.location.file.as_deref().and_then(Path::to_str), &*refusal.diagnostic.message)
            });
            match expected {
                None => assert_eq!(shown, None),
                Some((path, beginning)) => {
                    let (found, message) = shown.expect("a refusal");
                    assert_eq!(found, Some(path));
                    assert!(message.starts_with(beginning), "{message}");
                }
            }
        }
    }

    #[test]
    fn only_files_that_a_release_does_not_write_must_be_committed() {
        let file = |path: &str| Uncommitted { path: path.to_owned(), is_tracked: false, hidden: "" };
        let paths = ["bundles/v1.0.0/bundle.yaml", "dist/a", "x"].map(file);
        let ours = |path: &str| path.starts_with("bundles/v1.0.0/") || path.starts_with("dist/");
        assert!(of_uncommitted(&paths[..2], ours).is_none());
        let refusal = of_uncommitted(&paths, ours).expect("a refusal");
        assert!(refusal.diagnostic.message.ends_with(": x"), "{}", refusal.diagnostic.message);
        let many = (0..9).map(|number| file(&format!("f{number}"))).collect::<Vec<_>>();
        let refusal = of_uncommitted(&many, ours).expect("a refusal");
        assert!(refusal.diagnostic.message.ends_with("f4 and 4 more"), "{}", refusal.diagnostic.message);
    }
}
