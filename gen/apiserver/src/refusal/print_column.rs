//! `print-column`: a print column has a name, a type and format that the server supports, and a path that starts with a
//! dot.

use super::{ExaminedVersion, Report};

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    for (index, column) in version.version.columns.iter().enumerate() {
        let mut refuse = |field: &str, message: String| {
            report.version(version, format!("additionalPrinterColumns[{index}].{field}"), message)
        };
        if column.name.is_empty() {
            refuse("name", "the column has no name; it is the heading".to_owned());
        }
        if !TYPES.contains(&column.kind.as_ref()) {
            refuse("type", format!("{:?} is not a column type; the types are {}", column.kind, TYPES.join(", ")));
        }
        if let Some(format) = column.format.as_deref().filter(|format| !format.is_empty() && !FORMATS.contains(format))
        {
            refuse("format", format!("{format:?} is not a column format; the formats are {}", FORMATS.join(", ")));
        }
        if !column.json_path.starts_with('.') {
            refuse(
                "jsonPath",
                format!("{:?} is not a column path; it starts with a dot, as in `.spec.replicas`", column.json_path),
            );
        }
        if let Some(priority) = column.priority.filter(|priority| i32::try_from(*priority).is_err()) {
            refuse("priority", format!("{priority} is beyond 32 bits"));
        }
    }
}
