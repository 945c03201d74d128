//! Objects of any age in the current form, as `docs/controllers.md` describes.

use crd_convert::{BundleVersion, Canonical, Conversions, CurrentForm, Document};
use gateway_api_types::conversions::FUNCTIONS;
use serde_json::Value;

use crate::kinds::{self, Object};

/// The lenses of the bundle that the controller was built for.
const CONVERSIONS: &str = include_str!("../../../bundles/unreleased/conversions.json");

/// Brings objects to the current form.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    conversions: Conversions,
    current: CurrentForm,
}

impl Reader {
    /// A reader for the types of this build.
    pub(crate) fn new() -> Result<Self, String> {
        let texts = |errors: Vec<_>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let document = Document::read(CONVERSIONS).map_err(texts)?;
        let conversions = Conversions::with_code(&document, &FUNCTIONS).map_err(texts)?;
        Ok(Self { conversions, current: CurrentForm::new(kinds::built_for().version, &kinds::current()?) })
    }

    /// The object, or why the controller ignores it. `installed` is the bundle of the installed CRD.
    pub(crate) fn read(&self, kind: &str, object: Value, installed: Option<BundleVersion>) -> Result<Object, String> {
        match self.conversions.canonicalize(&object, &self.current, installed) {
            Canonical::Current => Object::read(kind, object),
            Canonical::Converted { object, .. } => Object::read(kind, object),
            Canonical::Newer { why } => Err(format!("it is newer: {why}")),
            Canonical::Unrecognised { why } => Err(why),
        }
    }
}
