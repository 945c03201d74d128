//! The suites of a workspace in `cargo test`.
//!
//! Invariants: the types are read from source, as `generate` reads them, so that an edit is tested before it is compiled into an `xtask`.

use anstream::adapter::strip_str;
use crd_generator::settings::of_source;

use crate::{Exit, Session, XTASK};

/// A test that runs every suite of the workspace against its types, in all channels and supported minors:
///
/// ```no_run
/// crd_channels_cli::suites!();
/// ```
#[macro_export]
macro_rules! suites {
    () => {
        #[test]
        fn suites() {
            if let Err(report) = $crate::suites::run(env!("CARGO_MANIFEST_DIR")) {
                panic!("{report}");
            }
        }
    };
}

/// Runs `test` in the workspace around a package.
///
/// # Errors
/// The report, if a case fails or nothing can be run.
pub fn run(package: &str) -> Result<(), String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(package, &mut out, &mut err).package(Some(package.into()));
    let exit = match of_source(None, None, &session) {
        Ok(catalogue) => XTASK.run(Some(&catalogue), ["test"], &mut session),
        Err(errors) => {
            session.diagnostics(&errors);
            Exit::Unusable
        }
    };
    drop(session);
    let text = String::from_utf8_lossy(&[out, err].concat()).into_owned();
    if exit == Exit::Fine { Ok(()) } else { Err(format!("\n{}", strip_str(&text))) }
}
