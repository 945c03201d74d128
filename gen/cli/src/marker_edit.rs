//! stub
use crate::graduation::Graduations;
use crate::session::Session;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_graduation::Row;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
pub(crate) struct Edit {
    pub(crate) file: PathBuf,
    pub(crate) others: Vec<String>,
}
pub(crate) fn edit(
    _c: &Catalogue,
    _g: &Graduations,
    _row: &Row,
    _root: &Path,
    _s: &Session<'_>,
) -> Result<Edit, Vec<Diagnostic>> {
    Err(Vec::new())
}
impl Edit {
    pub(crate) fn is_accepted(&self) -> bool {
        true
    }
    pub(crate) fn write(&self) -> Result<(), Vec<Diagnostic>> {
        Ok(())
    }
    pub(crate) fn difference(&self, _s: &Session<'_>) -> String {
        String::new()
    }
    pub(crate) fn report(&self, _v: bool, _s: &Session<'_>) -> String {
        String::new()
    }
    pub(crate) fn document(&self, _w: bool, _s: &Session<'_>) -> Value {
        json!(null)
    }
}
