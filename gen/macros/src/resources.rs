//! `resources!`: the root types of the crate, found in its source files.
//!
//! Invariants: reads the files that the compiler reads for `mod` items, so that each edit of one expands the macro again. A type in a private
//! module is named by the nearest public module around it, which re-exports it. Types that other macros write are not found.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crd_syntax::tree::{Module, Unread, read, roots};
use proc_macro2::TokenStream;
use quote::quote;

/// The constant with the root types of the crate whose root file this is.
pub(crate) fn tokens(file: &Path) -> TokenStream {
    let mut errors = Vec::new();
    let module = read(file, &mut |path| match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => Ok(None),
        Err(error) => Err(error.to_string()),
    });
    let roots = match &module {
        Ok(module) => {
            add_errors(module, &mut errors);
            roots(module)
        }
        Err(unread) => {
            add_error(unread, &mut errors);
            Vec::new()
        }
    };
    let roots = roots.iter().map(|root| &root.path);
    quote! {
        /// The root types of this crate: every version of every resource.
        pub static RESOURCES: &[&::crd_channels::TypeDescriptor] =
            &[#(<crate #(::#roots)* as ::crd_channels::Described>::DESCRIPTOR),*];
        #(::core::compile_error!(#errors);)*
    }
}

fn add_errors(module: &Module, errors: &mut Vec<String>) {
    for below in module.items.iter().filter_map(|item| item.module.as_ref()) {
        match below {
            Ok(module) => add_errors(module, errors),
            Err(unread) => add_error(unread, errors),
        }
    }
}

/// The compiler reports errors in the text of a file.
fn add_error(unread: &Unread, errors: &mut Vec<String>) {
    if unread.at.is_none() {
        errors.push(format!("`resources!` cannot read `{}`: {}", unread.file.display(), unread.message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_modules_are_read() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/examples");
        let found = tokens(&examples.join("widgets/api/src/lib.rs")).to_string();
        let positions = ["crate :: v1 :: Widget", "crate :: v1alpha1 :: Widget"].map(|path| found.find(path));
        assert!(positions[0] < positions[1] && positions.iter().all(Option::is_some), "{found}");
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("lib.rs"), "pub mod missing;").unwrap();
        assert!(tokens(&folder.path().join("lib.rs")).to_string().contains("missing/mod.rs"));
    }
}
