//! Writing of converted texts into their files.
//!
//! Invariants: one lock on the folder above all files, from before they are read until they are written. All files change or none.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crd_diagnostics::{Diagnostic, fail_on};
use crd_generator::file::{self, Content, folder_of};
use crd_generator::locked_folder::LockedFolder;
use crd_generator::session::Session;
use crd_generator::transaction::Transaction;
use crd_suite::objects::conversion::ConvertedFile;

use super::Conversion;

/// Locks the folder that contains all files. None if no file exists.
pub(crate) fn lock(objects: &[OsString], session: &mut Session<'_>) -> Result<Option<LockedFolder>, Diagnostic> {
    let folders = objects.iter().filter_map(|object| {
        let path = session.folder.join(object);
        let folder = if path.is_dir() { &*path } else { path.parent()? };
        folder.canonicalize().ok()
    });
    let shared =
        folders.reduce(|one, other| one.ancestors().find(|above| other.starts_with(above)).unwrap_or(&one).to_owned());
    shared.map(|folder| LockedFolder::lock(&folder, &folder, session)).transpose()
}

/// Writes the files that changed, all or none.
pub(crate) fn write(conversion: &Conversion, mut locked: LockedFolder) -> Result<(), Vec<Diagnostic>> {
    let (mut targets, mut errors) = (BTreeMap::new(), Vec::new());
    for ConvertedFile { name, path, new, old, .. } in &conversion.files {
        // A folder that the user names may be a symlink.
        let target = path.as_ref().map(|path| {
            let folder = folder_of(path).canonicalize();
            let folder = folder.map_err(|error| file::cannot(path, "written", &error))?;
            // Also where nothing changes.
            locked.clear(&folder);
            Ok(folder.join(path.file_name().unwrap_or_default()))
        });
        match (target.transpose(), new) {
            (Err(error), _) => errors.push(error),
            (Ok(Some(target)), Some(new)) => drop(targets.insert(target, (Content::of(&**old), new))),
            (Ok(None), Some(_)) => {
                let error = file::error("convert::text", name, "is part of an archive, which is not changed");
                errors.push(error.help("unpack it"));
            }
            (Ok(_), None) => {}
        }
    }
    let mut transaction = Transaction::new(&mut locked);
    for (target, (old, new)) in targets {
        let is_link = target.is_symlink();
        let error = transaction.write(target, Some(old), new).err();
        errors.extend(error.map(|error| if is_link { error.help("convert the file that it leads to") } else { error }));
    }
    fail_on(errors)?;
    transaction.commit()
}
