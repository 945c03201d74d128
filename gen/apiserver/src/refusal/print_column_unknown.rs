//! `print-column-unknown`: the path of a print column leads to a field of the schema.
//!
//! Ours. The server accepts any path, and the column stays empty. A path through fields that the schema keeps without listing them is fine.

use super::{ExaminedVersion, Report};
use crate::json_path::resolve;
use crd_cel::SUGGESTIONS;

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let mut suggestions = SUGGESTIONS;
    for (index, column) in version.version.columns.iter().enumerate() {
        if let Err(missing) = resolve(&version.version.schema, &column.json_path, suggestions > 0) {
            suggestions = suggestions.saturating_sub(1);
            let message = format!("the print column {} would always be empty: {missing}", column.json_path);
            report.version(version, format!("additionalPrinterColumns[{index}].jsonPath"), message);
            report.about(column.json_path.as_ref());
        }
    }
}
