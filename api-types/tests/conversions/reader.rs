//! The example of `docs/controllers.md`. The page contains the rest of this file.

use crd_convert::{BundleVersion, Canonical, Conversions, CurrentForm, Document, DocumentError};
use crd_model::CustomResourceDefinition;
use gateway_api_types::conversions::FUNCTIONS;
use gateway_api_types::v1::BackendTLSPolicy;
use serde_json::Value;

/// What the controller was written for.
pub struct Reader {
    conversions: Conversions,
    current: CurrentForm,
}

impl Reader {
    /// `document` is `conversions.json`, and `crds` are those of the bundle.
    pub fn new(
        document: &str,
        bundle: BundleVersion,
        crds: &[CustomResourceDefinition],
    ) -> Result<Self, Vec<DocumentError>> {
        let conversions = Conversions::with_code(&Document::read(document)?, &FUNCTIONS)?;
        Ok(Self { conversions, current: CurrentForm::new(bundle, crds) })
    }

    /// The policy, or why the controller ignores it: report that in the status or the log, and do not change the object.
    pub fn read(&self, object: Value, installed: Option<BundleVersion>) -> Result<BackendTLSPolicy, String> {
        let object = match self.conversions.canonicalize(&object, &self.current, installed) {
            Canonical::Current => object,
            Canonical::Converted { object, .. } => object,
            Canonical::Newer { why } => return Err(format!("it is newer: {why}")),
            Canonical::Unrecognised { why } => return Err(why),
        };
        serde_json::from_value(object).map_err(|error| error.to_string())
    }
}
