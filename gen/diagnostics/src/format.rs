//! The formats of all commands: each states which of them it has.

use crd_model::words;

words! {
    /// How a result is printed.
    pub enum Format {
        /// For people.
        Text = "text",
        /// A versioned document for programs.
        Json = "json",
        /// Workflow commands, which GitHub shows at the lines that they name.
        Github = "github",
        /// SARIF 2.1.0.
        Sarif = "sarif",
        /// JUnit's XML.
        Junit = "junit",
        /// For a page, or a comment on a pull request.
        Markdown = "markdown",
        /// The releases of a project as history archive.
        Archive = "archive",
        /// The JSON schema of a file.
        Schema = "schema",
    }
}
