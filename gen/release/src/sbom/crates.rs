//! The crates of a `Cargo.lock`, as tools of a release.
//!
//! Invariants: every package of the file is one component, whether this platform builds it or not: the lock does not know. A crate of a
//! registry or of git has a package URL; one of the workspace has none, since its name on crates.io may belong to someone
//! else's. Sorted by name, version and source, versions as semantic versions.

use crd_diagnostics::{Diagnostic, fail_on};
use semver::Version;
use serde_json::{Value, json};
use toml::{Table, Value as Toml};

use super::error;
use super::purl::purl;

/// The versions of the form of a lock file.
const FORMS: std::ops::RangeInclusive<i64> = 1..=4;
/// Where cargo finds the crates of crates.io.
const CRATES_IO: [&str; 2] =
    ["registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/"];

/// A package of a lock file.
struct Package<'l> {
    name: &'l str,
    version: Version,
    /// Its kind and URL.
    source: Option<(&'l str, &'l str)>,
    checksum: Option<&'l str>,
}

/// How a lock file is restored.
const AGAIN: &str = "Take the file from git again, or have it written anew by `cargo generate-lockfile`.";

/// The crates as components.
pub(super) fn crates(text: &str) -> Result<Vec<Value>, Vec<Diagnostic>> {
    let unreadable = |reason: String| {
        error(format!("Cargo.lock cannot be read, so the crates of the release are unknown: {reason}. {AGAIN}"))
    };
    let lock = text.parse::<Table>().map_err(|error| unreadable(reason(&error.to_string())))?;
    let packages = packages(&lock).map_err(unreadable)?;
    let mut crates = packages.iter().map(|package| (reference(package), package)).collect::<Vec<_>>();
    crates.sort_by_key(|(_, package)| (package.name, &package.version, package.source));
    let twice = crates.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].1);
    let mut twice = twice.map(|package| format!("{} {}", package.name, package.version)).collect::<Vec<_>>();
    twice.dedup();
    let twice = twice.into_iter().map(|name| {
        error(format!(
            "Cargo.lock has the crate {name} twice, from the same source: cargo does not write that. {AGAIN}"
        ))
    });
    fail_on(twice.collect())?;
    Ok(crates.iter().map(|(reference, package)| component(package, reference)).collect())
}

/// The packages of a lock file, or why it cannot be read.
fn packages(lock: &Table) -> Result<Vec<Package<'_>>, String> {
    let form = lock.get("version").map_or(1, |form| form.as_integer().unwrap_or_default());
    if !FORMS.contains(&form) {
        return Err(format!("its form is {form}, which is not known"));
    }
    match lock.get("package") {
        Some(Toml::Array(packages)) => packages.iter().map(|package| read(package, lock)).collect(),
        Some(_) => Err("its `package` is not a list".to_owned()),
        // An empty text, or TOML of something else; cargo always writes at least one.
        None => Err("it lists no package at all".to_owned()),
    }
}

fn read<'l>(package: &'l Toml, lock: &'l Table) -> Result<Package<'l>, String> {
    let text = |key: &str| package.get(key).and_then(Toml::as_str);
    let name = text("name").ok_or("a package has no `name`")?;
    let version = text("version").unwrap_or_default();
    let source = text("source");
    // The oldest form has checksums apart from their packages.
    let key = format!("checksum {name} {version} ({})", source.unwrap_or_default());
    let checksum = text("checksum").or_else(|| lock.get("metadata")?.get(&key)?.as_str());
    let is_digest = |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(checksum) = checksum.filter(|checksum| !is_digest(checksum)) {
        return Err(format!("the checksum `{checksum}` of {name} does not have 64 hexadecimal digits"));
    }
    Ok(Package {
        name,
        version: version.parse().map_err(|error| format!("the version `{version}` of {name}: {error}"))?,
        source: source
            .map(|text| text.split_once('+').ok_or_else(|| format!("the source `{text}` of {name} has no kind")))
            .transpose()?,
        checksum,
    })
}

/// In one line: readers of TOML draw pictures.
fn reason(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}

/// What nothing else in the SBOM is called.
fn reference(package: &Package<'_>) -> String {
    package_url(package).unwrap_or_else(|| format!("crate:{}@{}", package.name, package.version))
}

fn component(package: &Package<'_>, reference: &str) -> Value {
    let mut component = json!({
        "bom-ref": reference,
        "name": package.name,
        "type": "library",
        "version": package.version.to_string(),
    });
    if let Some(url) = package_url(package) {
        component["purl"] = url.into();
    }
    if let Some(checksum) = package.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum.to_lowercase() }]);
    }
    component
}

/// The public source of the crate.
fn package_url(package: &Package<'_>) -> Option<String> {
    let (kind, url) = package.source?;
    let qualifier = match origin(kind, url) {
        Origin::CratesIo => None,
        Origin::Elsewhere(key, value) => Some((key, value)),
        Origin::Private => return None,
    };
    Some(purl("cargo", None, package.name, &package.version.to_string(), qualifier.as_slice()))
}

/// Where a crate comes from.
enum Origin {
    CratesIo,
    /// The qualifier that distinguishes it from the crate of this name on crates.io.
    Elsewhere(&'static str, String),
    Private,
}

fn origin(kind: &str, url: &str) -> Origin {
    match kind {
        "registry" | "sparse" if CRATES_IO.contains(&&*format!("{kind}+{url}")) => Origin::CratesIo,
        "registry" | "sparse" => Origin::Elsewhere("repository_url", url.to_owned()),
        "git" => {
            let (url, commit) =
                url.split_once('#').map_or((url, String::new()), |(url, commit)| (url, format!("@{commit}")));
            let url = url.split_once('?').map_or(url, |(url, _)| url);
            Origin::Elsewhere("vcs_url", format!("git+{url}{commit}"))
        }
        _ => Origin::Private,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKSUM: &str = "320119579fcad9c21884f5c4861d16174d0e06250625266f50fe6898340abefa";

    fn package(name: &str, version: &str, rest: &str) -> String {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{rest}\n")
    }

    fn locked(packages: &[String]) -> Result<Vec<Value>, Vec<Diagnostic>> {
        crates(&format!("version = 4\n\n{}", packages.join("\n")))
    }

    #[test]
    fn every_kind_of_source_has_its_own_form() {
        let crates_io =
            format!("source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"{CHECKSUM}\"\n");
        let found = locked(&[
            package("toml", "1.10.0", &crates_io),
            package("toml", "1.9.0+spec-1.1.0", &crates_io),
            package("ours", "0.1.0", "dependencies = [\"toml 1.10.0\"]"),
            package(
                "forked",
                "2.0.0",
                "source = \"git+https://github.com/a/b?branch=main#0123456789abcdef0123456789abcdef01234567\"",
            ),
            package("inner", "3.0.0", "source = \"sparse+https://crates.example.com/index/\""),
        ])
        .unwrap();
        let lines = found
            .iter()
            .map(|component| {
                let text = |key: &str| component[key].as_str().unwrap_or("-").to_owned();
                let hash = component["hashes"][0]["content"].as_str().unwrap_or("-");
                [text("bom-ref"), text("purl"), text("version"), hash[..hash.len().min(4)].to_owned()].join(" ")
            })
            .collect::<Vec<_>>();
        let git =
            "pkg:cargo/forked@2.0.0?vcs_url=git%2Bhttps://github.com/a/b%400123456789abcdef0123456789abcdef01234567";
        let inner = "pkg:cargo/inner@3.0.0?repository_url=https://crates.example.com/index/";
        assert_eq!(
            lines,
            [
                format!("{git} {git} 2.0.0 -"),
                format!("{inner} {inner} 3.0.0 -"),
                "crate:ours@0.1.0 - 0.1.0 -".to_owned(),
                // As versions, not as texts.
                "pkg:cargo/toml@1.9.0%2Bspec-1.1.0 pkg:cargo/toml@1.9.0%2Bspec-1.1.0 1.9.0+spec-1.1.0 3201".to_owned(),
                "pkg:cargo/toml@1.10.0 pkg:cargo/toml@1.10.0 1.10.0 3201".to_owned(),
            ]
        );
    }

    #[test]
    fn what_is_no_lock_file_is_message() {
        let crate_ = package("a", "1.0.0", "");
        for (text, part) in [
            ("".to_owned(), "no package at all"),
            ("[other]\nname = \"a\"\n".to_owned(), "no package at all"),
            ("[package]\nname = \"a\"\n".to_owned(), "not a list"),
            (format!("version = 99\n{crate_}"), "99"),
            ("[[package]".to_owned(), "Cargo.lock cannot be read"),
            (format!("version = 4\n{}", package("a", "one", "")), "one"),
            (format!("version = 4\n{}", package("a", "1.0.0", "checksum = \"12\"")), "64"),
            (format!("version = 4\n{}", package("a", "1.0.0", "source = \"nowhere\"")), "nowhere"),
            (format!("version = 4\n{crate_}{crate_}"), "a 1.0.0 twice"),
            ("<<<<<<< ours\n".to_owned(), "Cargo.lock cannot be read"),
        ] {
            let errors = crates(&text).unwrap_err();
            let message = errors.iter().map(|error| &*error.message).collect::<Vec<_>>().join("\n");
            assert!(message.contains(part) && message.contains("generate-lockfile"), "{text}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
