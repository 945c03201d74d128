//! The release that the proofs read: Gateway API at the version of its newest bundle, signed, made once by the command line of its `xtask`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crd_channels_cli::{Exit, Session, run_in};
use tempfile::TempDir;

use super::programs::{Names, are_found, command};

#[path = "../../../../src/catalogue.rs"]
mod catalogue;
#[path = "../../../../tests/release_tools/mod.rs"]
mod release_tools;

/// The newest bundle.
pub(super) const VERSION: &str = "v1.7.0";

pub(super) struct Release {
    folder: TempDir,
    pub(super) dist: PathBuf,
}

impl Release {
    /// The release. Prints `skipped` and returns nothing without the programs.
    pub(super) fn get() -> Option<&'static Release> {
        static RELEASE: LazyLock<Option<Release>> = LazyLock::new(|| are_found().then(Release::new));
        RELEASE.as_ref()
    }

    fn new() -> Release {
        // Its name becomes part of titles, and hidden folders have no CRDs.
        let folder = tempfile::Builder::new().prefix("release-").tempdir_in(env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.expect("a folder");
        let root = folder.path().join("root");
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        release_tools::copy(&workspace.join("bundles"), &root.join("bundles"));
        release_tools::flagship(&root, &["Cargo.toml", ".gitignore", ".gitattributes", "templates"]);
        for name in ["key", "other"] {
            let file = |extension: &str| folder.path().join(format!("{name}.{extension}"));
            let options = "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out";
            openssl(options, &file("pem"));
            fs::set_permissions(file("pem"), fs::Permissions::from_mode(0o600)).expect("permissions");
            openssl(&format!("pkey -in {} -pubout -out", file("pem").display()), &file("pub"));
        }
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let key = folder.path().join("key.pem");
        let arguments = ["release".as_ref(), VERSION.as_ref(), "--sign".as_ref(), key.as_os_str()];
        let exit = run_in(&catalogue::catalogue(), arguments, &mut Session::new(&root, &mut out, &mut err));
        assert_eq!(exit, Exit::Fine, "{}", String::from_utf8_lossy(&err));
        Release { dist: root.join("dist"), folder }
    }

    /// The placeholders of commands about a channel.
    pub(super) fn names(&self, channel: &str) -> Names {
        let at = |path: &str| self.folder.path().join(path).display().to_string();
        let names = Names::default().with("channel", channel).with("chart", format!("gateway-api-{channel}"));
        let names = names.with("public", at("key.pub")).with("other", at("other.pub"));
        names.with("dist", self.dist.display()).with("bundles", at(&format!("root/bundles/{VERSION}")))
    }
}

fn openssl(options: &str, output: &Path) {
    let status = command("openssl").args(options.split(' ')).arg(output).status().expect("openssl runs");
    assert!(status.success(), "openssl {options}");
}
