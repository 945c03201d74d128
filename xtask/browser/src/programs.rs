//! The programs and files that tests of the site need, or the reason why they are skipped.
//!
//! Invariant: with `CRD_BROWSER=require` a missing program is a failure, not a reason to skip.

use std::path::{Path, PathBuf};

/// The environment variable that is `require` where tests must fail without a browser.
const REQUIRE_VARIABLE: &str = "CRD_BROWSER";

/// Where `.ci/run` installs axe-core, below the root of the repository.
const AXE: &str = "target/tools/node_modules/axe-core/axe.min.js";

#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) chromium: PathBuf,
    pub(crate) driver: PathBuf,
    pub(crate) axe: PathBuf,
}

/// The programs, or `None` after a line with the reason.
///
/// # Panics
/// If one is missing and required.
pub(crate) fn programs() -> Option<Programs> {
    let found = find();
    let is_required = std::env::var_os(REQUIRE_VARIABLE).is_some_and(|value| value == "require");
    match found {
        Ok(programs) => Some(programs),
        Err(reason) if is_required => panic!("{reason}, and {REQUIRE_VARIABLE}=require"),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}

fn find() -> Result<Programs, String> {
    let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(AXE);
    if !axe.is_file() {
        return Err(format!("{AXE} is missing: npm install --prefix target/tools --no-save axe-core@4.14.1"));
    }
    Ok(Programs { chromium: on_path("chromium")?, driver: on_path("chromedriver")?, axe })
}

fn on_path(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| format!("{name} is not installed: apt-get install chromium chromium-driver"))
}
