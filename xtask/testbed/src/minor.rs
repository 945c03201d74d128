//! The minors of Kubernetes that a testbed can run: one row for each Go module below `go/`.

use crate::failure::Failure;

/// A minor of Kubernetes.
#[derive(Debug, PartialEq, Eq)]
pub struct Minor {
    /// The name that users write: `1.36`.
    pub name: &'static str,
    /// The release that its Go module requires, as `v1.36.3`.
    pub version: &'static str,
}

/// Every minor with a Go module, newest first. Gateway API supports the newest five; 1.32 is older and still tested.
pub const MINORS: &[Minor] = &[
    Minor { name: "1.37", version: "v1.37.1" },
    Minor { name: "1.36", version: "v1.36.3" },
    Minor { name: "1.35", version: "v1.35.4" },
    Minor { name: "1.34", version: "v1.34.4" },
    Minor { name: "1.33", version: "v1.33.13" },
    Minor { name: "1.32", version: "v1.32.13" },
];

/// The minor that is used unless the user chooses one.
pub const DEFAULT_MINOR: &str = "1.36";

/// The release of etcd for every minor: the release that the default minor is tested with.
pub const ETCD_VERSION: &str = "v3.6.8";

/// The release of Helm that tests install charts with.
pub const HELM_VERSION: &str = "v4.3.1";

/// The release of Helm 3 that the table of installers is proven with.
pub const HELM_3_VERSION: &str = "v3.20.2";

/// The release of Flux's helm-controller that the table of installers is proven with.
pub const HELM_CONTROLLER_VERSION: &str = "v1.4.0";

impl Minor {
    /// The minor with this name, with or without its `v`.
    pub fn named(name: &str) -> Option<&'static Minor> {
        let name = name.strip_prefix('v').unwrap_or(name);
        MINORS.iter().find(|minor| minor.name == name)
    }

    /// The minor with this name.
    ///
    /// # Errors
    ///
    /// If no minor has this name; the message lists all names.
    pub(crate) fn find(name: &str) -> Result<&'static Minor, Failure> {
        Self::named(name).ok_or_else(|| {
            let names = MINORS.iter().map(|minor| minor.name).collect::<Vec<_>>().join(", ");
            Failure::Other(format!("unknown Kubernetes minor {name:?}\n  supported minors: {names}"))
        })
    }

    /// The folder of its Go module, below `go/`.
    pub(crate) fn module(&self) -> String {
        format!("kubernetes-{}", self.name)
    }

    /// The second number, which the programs' version flags contain.
    pub(crate) fn number(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(_, minor)| minor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::*;
    use crate::programs::CLIENTS;

    fn modules() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("go")
    }

    #[test]
    fn rows_and_go_modules_match() {
        let mut expected = BTreeSet::from(["etcd", "helm", "oracle", "strangers"].map(str::to_owned));
        for (program, version, _) in CLIENTS {
            let module = std::fs::read_to_string(modules().join(program).join("go.mod")).expect("go.mod");
            assert!(module.lines().any(|line| line.ends_with(&format!(" {version}"))), "{program}");
            expected.insert(program.to_owned());
        }
        for minor in MINORS {
            let module = std::fs::read_to_string(modules().join(minor.module()).join("go.mod")).expect("go.mod");
            assert!(module.contains(&format!("\nrequire k8s.io/kubernetes {}\n", minor.version)), "{}", minor.name);
            let staging = minor.version.replacen("v1.", "v0.", 1);
            let replaced = module.lines().filter(|line| line.contains(" => ")).collect::<Vec<_>>();
            assert!(replaced.len() > 25, "{}: {} staging modules", minor.name, replaced.len());
            for line in replaced {
                assert!(line.ends_with(&format!(" {staging}")), "{}: {line}", minor.name);
            }
            assert!(modules().join(minor.module()).join("go.sum").exists());
            expected.insert(minor.module());
        }
        let found = std::fs::read_dir(modules()).expect("go/").map(|entry| entry.expect("entry").file_name());
        assert_eq!(found.map(|name| name.to_string_lossy().into_owned()).collect::<BTreeSet<_>>(), expected);
        let etcd = std::fs::read_to_string(modules().join("etcd/go.mod")).expect("go.mod");
        assert!(etcd.contains(&format!("require go.etcd.io/etcd/server/v3 {ETCD_VERSION}\n")));
        let helm = std::fs::read_to_string(modules().join("helm/go.mod")).expect("go.mod");
        assert!(helm.contains(&format!("require helm.sh/helm/v4 {HELM_VERSION}\n")));
    }

    /// The version that each module of this go.mod is built with.
    fn versions(module: &str) -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(modules().join(module).join("go.mod")).expect("go.mod");
        let mut required = BTreeMap::new();
        let mut replaced = BTreeMap::new();
        for line in text.lines() {
            let words = line.trim_start_matches("require ").split_whitespace().collect::<Vec<_>>();
            match words[..] {
                [name, version, ..] if version.starts_with('v') => {
                    required.insert(name.to_owned(), version.to_owned());
                }
                [name, "=>", new, version] => {
                    assert_eq!(name, new, "{module}: a module is replaced only with another version of itself");
                    replaced.insert(name.to_owned(), version.to_owned());
                }
                _ => {}
            }
        }
        required.extend(replaced);
        required
    }

    /// Go compiles a package again for each version of its module, and again for each version of a module that it imports.
    #[test]
    fn etcd_and_helm_share_the_modules_of_the_default_minor() {
        let minor = Minor::named(DEFAULT_MINOR).expect("default minor").module();
        let shared = versions(&minor);
        for (module, at_least) in [("etcd", 40), ("helm", 70), ("helm3", 70), ("gitops", 100)] {
            let both = versions(module).into_iter().filter(|(name, _)| shared.contains_key(name)).collect::<Vec<_>>();
            assert!(both.len() >= at_least, "{module} and {minor} list only {} common modules", both.len());
            let replacements = both
                .iter()
                .filter(|(name, version)| shared[name] != *version)
                .map(|(name, version)| format!("\t{name} => {name} {} // is {version}\n", shared[name]))
                .collect::<String>();
            assert!(replacements.is_empty(), "go/{module}/go.mod: use the versions of {minor}:\n{replacements}");
        }
    }

    #[test]
    fn minors_are_found_by_their_exact_name() {
        assert_eq!(Minor::named("1.36").map(|minor| minor.version), Some("v1.36.3"));
        assert_eq!(Minor::named("v1.32").map(|minor| minor.version), Some("v1.32.13"));
        assert_eq!(Minor::named(DEFAULT_MINOR).map(|minor| minor.name), Some(DEFAULT_MINOR));
        for absent in ["1.31", "1.3", "36", "", "1.36.3"] {
            assert_eq!(Minor::named(absent), None, "{absent}");
        }
    }
}
