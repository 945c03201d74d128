//! Templates: the texts of artefacts, with the names that each may use.
//!
//! Invariants: one table of templates, which has a row for every file of `templates/` and the names that it is given; an unknown name is
//! an error, never an empty text; nothing is escaped and the last line break stays; templates see only their values: no
//! other template, no file, no clock. The same values give the same text, and every template ends: its length, its steps and
//! what it becomes are limited, and what the engine offers beyond these limits is taken away.

pub(crate) mod context;
mod limits;

use std::collections::BTreeSet;
use std::fmt;

use crd_names::nearest;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};
use serde_json::Value;

use limits::{LARGEST_TEXT, Output, STEPS, TAKEN_FILTERS, TAKEN_FUNCTIONS, with_stack};

/// A row of the table: a text that comes with this crate.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedTemplate {
    /// Its path below `templates/`: the artefact, and what it is there.
    pub path: &'static str,
    pub text: &'static str,
    /// The names that it is given, all of them always.
    names: &'static [&'static [&'static str]],
}

impl EmbeddedTemplate {
    /// The names that it is given, all of them always.
    pub fn names(&self) -> BTreeSet<&'static str> {
        self.names.iter().copied().flatten().copied().collect()
    }
}

/// What every text of a release is given.
const RELEASE: &[&str] = &["channels", "date", "name", "plain_version", "prefix", "released", "version"];

/// What a text of one channel is given in addition; see [`context::channel`].
const CHANNEL: &[&str] = &["channel", "crds", "is_stable", "purpose"];

/// What the texts of a chart are given.
const CHART: &[&[&str]] = &[RELEASE, CHANNEL, &["chart", "guardrails", "probe", "safe_upgrades"]];

/// What the release notes are given in addition.
const NOTES: &[&str] = &[
    "audiences",
    "baseline",
    "clients",
    "conversions",
    "files",
    "headings",
    "is_pre_release",
    "left_behind",
    "losses",
    "resources",
    "sections",
    "since",
    "stamps",
    "stored",
    "verdict",
    "waivers",
    "ways",
];

/// All templates, sorted by path. A new file below `templates/` needs a row here; a test compares the two.
pub const EMBEDDED: &[EmbeddedTemplate] = &[
    row(
        "archive/README.md",
        include_str!("../templates/archive/README.md"),
        &[RELEASE, &["client_side", "documents", "guardrails", "policies", "probe", "safe_upgrades", "webhook"]],
    ),
    row("chart/Chart.yaml", include_str!("../templates/chart/Chart.yaml"), CHART),
    row("chart/NOTES.txt", include_str!("../templates/chart/NOTES.txt"), CHART),
    row("chart/README.md", include_str!("../templates/chart/README.md"), CHART),
    row("chart/values.schema.json", include_str!("../templates/chart/values.schema.json"), CHART),
    row("chart/values.yaml", include_str!("../templates/chart/values.yaml"), CHART),
    row(
        "install/guardrails.yaml",
        include_str!("../templates/install/guardrails.yaml"),
        &[RELEASE, &["file", "policies", "probe"]],
    ),
    row(
        "install/install.yaml",
        include_str!("../templates/install/install.yaml"),
        &[RELEASE, CHANNEL, &["client_side", "file", "policies", "probe"]],
    ),
    row(
        "install/policies.yaml",
        include_str!("../templates/install/policies.yaml"),
        &[RELEASE, &["file", "policies", "probe"]],
    ),
    row(
        "install/webhook.yaml",
        include_str!("../templates/install/webhook.yaml"),
        &[RELEASE, CHANNEL, &["configuration", "file", "install_file", "namespace", "probe"]],
    ),
    row("notes/release-notes.md", include_str!("../templates/notes/release-notes.md"), &[RELEASE, NOTES]),
];

const fn row(path: &'static str, text: &'static str, names: &'static [&'static [&'static str]]) -> EmbeddedTemplate {
    EmbeddedTemplate { path, text, names }
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// Its path below `templates/`; empty where several templates are involved, which the message names.
    pub path: String,
    /// The line, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong and how to fix it.
    pub message: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return formatter.write_str(&self.message);
        }
        write!(formatter, "templates/{}", self.path)?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

impl std::error::Error for TemplateError {}

impl TemplateError {
    /// A template as a whole, or with an empty path what was made of several.
    pub(crate) fn whole(path: &str, message: String) -> Self {
        Self { path: path.to_owned(), line: None, message }
    }
}

/// The templates of a release.
#[derive(Clone, Debug)]
pub struct Templates {
    environment: Environment<'static>,
}

/// The engine without templates.
fn engine() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // Faults then name the expression that is unknown.
    environment.set_debug(true);
    environment.set_fuel(Some(STEPS));
    TAKEN_FUNCTIONS.iter().for_each(|name| environment.remove_global(name));
    TAKEN_FILTERS.iter().for_each(|name| environment.remove_filter(name));
    // A tag on a line of its own leaves no empty line behind.
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    if let Ok(syntax) = syntax {
        environment.set_syntax(syntax);
    }
    environment
}

impl Templates {
    /// The texts that come with this crate.
    pub fn embedded() -> Self {
        let mut environment = engine();
        for template in EMBEDDED {
            // An embedded text that does not compile is missing then, which `render` reports; a test renders all.
            let _ = environment.add_template(template.path, template.text);
        }
        Self { environment }
    }

    /// The embedded texts, some of them replaced. A path is relative to `templates/`.
    ///
    /// # Errors
    /// All errors together: a path that is not a template, a text that does not compile, an unknown name.
    pub fn with_overrides(overrides: impl IntoIterator<Item = (String, String)>) -> Result<Self, Vec<TemplateError>> {
        let mut templates = Self::embedded();
        let mut errors = Vec::new();
        for (path, text) in overrides {
            let Some(row) = EMBEDDED.iter().find(|row| row.path == path) else {
                errors.push(no_template(&path));
                continue;
            };
            if text.len() > LARGEST_TEXT {
                let message = format!(
                    "has {} bytes, and a template may have {LARGEST_TEXT}: shorten it; what a release has many of comes from a loop",
                    text.len()
                );
                errors.push(TemplateError::whole(row.path, message));
                continue;
            }
            let templates = &mut templates;
            let found =
                with_stack(row.path, || match templates.environment.add_template_owned(row.path, text.clone()) {
                    Ok(()) => templates.unknown_names(row, &text),
                    Err(error) => vec![template_error(row.path, &error, &text, &row.names(), &BTreeSet::new())],
                });
            errors.extend(found.unwrap_or_else(|error| vec![error]));
        }
        errors.sort_by(|left, right| (&left.path, left.line).cmp(&(&right.path, right.line)));
        if errors.is_empty() { Ok(templates) } else { Err(errors) }
    }

    /// The text of a template. What it is given is an object with exactly the names of its row.
    ///
    /// # Errors
    /// There is no such template; it uses what it is not given; what it does with it makes no sense; it has no end, or becomes too much.
    pub fn render(&self, path: &str, context: &Value) -> Result<String, TemplateError> {
        let Some(row) = EMBEDDED.iter().find(|row| row.path == path) else { return Err(no_template(path)) };
        let names: BTreeSet<&str> = context.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        if names != row.names() {
            let message = format!(
                "gets {}, but its row in gen/release/src/template.rs lists {}: a bug in this program",
                list(names.iter().copied()),
                list(row.names().into_iter())
            );
            return Err(TemplateError::whole(path, message));
        }
        let explained = |error: Error, text: &str| {
            let mut parts = BTreeSet::new();
            context.as_object().into_iter().flatten().for_each(|(_, value)| part_names(value, &mut parts));
            template_error(path, &error, text, &row.names(), &parts)
        };
        let template = self.environment.get_template(path).map_err(|error| explained(error, row.text))?;
        with_stack(path, || {
            let mut output = Output::new();
            match template.render_captured_to(Serde(context), &mut output) {
                Ok(_) => output.text(path),
                Err(_) if output.is_full() => Err(output.too_large(path)),
                Err(error) => Err(explained(error, template.source())),
            }
        })?
    }

    /// The names that a text uses and is not given. Those of parts of lists show only when it is rendered.
    fn unknown_names(&self, row: &EmbeddedTemplate, text: &str) -> Vec<TemplateError> {
        let Ok(template) = self.environment.get_template(row.path) else { return Vec::new() };
        let functions: BTreeSet<&str> = self.environment.globals().map(|(name, _)| name).collect();
        let used: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
        let known = row.names();
        used.iter()
            .filter(|name| !known.contains(name.as_str()) && !functions.contains(name.as_str()))
            .map(|name| TemplateError {
                path: row.path.to_owned(),
                line: line_of(name, text),
                message: unknown(name, name, known.iter().copied(), NOT_IN_CONTEXT),
            })
            .collect()
    }
}

/// The error for a path that is not a template.
fn no_template(path: &str) -> TemplateError {
    let names = || EMBEDDED.iter().map(|row| row.path);
    let suggestion = nearest(path, names()).map(|near| format!("Did you mean templates/{near}? ")).unwrap_or_default();
    let message =
        format!("is not a template. {suggestion}Templates are {}; rename the file or remove it", list(names()));
    TemplateError::whole(path, message)
}

/// The engine's error as a message for users. `parts` are the names within the template's values.
fn template_error(
    path: &str,
    error: &Error,
    text: &str,
    names: &BTreeSet<&str>,
    parts: &BTreeSet<&str>,
) -> TemplateError {
    let mut line = error.line();
    let detail = error.detail().unwrap_or_default();
    let message = match (error.kind(), quoted(detail)) {
        (ErrorKind::UndefinedError, Some(expression)) => match expression.rsplit_once('.') {
            Some((_, part)) => {
                unknown(expression, part, parts.iter().copied(), "is not a part of any value of this template")
            }
            None => {
                line = line.or_else(|| line_of(expression, text));
                unknown(expression, expression, names.iter().copied(), NOT_IN_CONTEXT)
            }
        },
        (ErrorKind::OutOfFuel, _) => {
            format!("takes more than {STEPS} steps, as if it had no end: let its loops go over less")
        }
        (kind, _) if detail.is_empty() => format!("{kind}: fix the template"),
        (kind, _) => format!("{kind}: {detail}: fix the template"),
    };
    TemplateError { path: path.to_owned(), line, message }
}

/// The names of parts of a value, however deep.
fn part_names<'context>(value: &'context Value, names: &mut BTreeSet<&'context str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| part_names(item, names)),
        Value::Object(map) => map.iter().for_each(|(name, value)| {
            names.insert(name);
            part_names(value, names);
        }),
        _ => {}
    }
}

const NOT_IN_CONTEXT: &str = "is not a name that this template gets";

/// A name that a template is not given, in an expression.
fn unknown<'name>(expression: &str, name: &str, names: impl Iterator<Item = &'name str> + Clone, why: &str) -> String {
    let suggestion = nearest(name, names.clone()).map(|near| format!(": did you mean `{near}`?"));
    format!("`{expression}` {why}{} Known are {}", suggestion.as_deref().unwrap_or("."), list(names))
}

/// What the first two backticks enclose.
fn quoted(text: &str) -> Option<&str> {
    text.split('`').nth(1).filter(|quoted| !quoted.is_empty())
}

/// Names in a sentence.
fn list<'name>(names: impl Iterator<Item = &'name str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The first line on which a tag holds that word. The engine reports which names a text uses, but not where.
fn line_of(name: &str, text: &str) -> Option<usize> {
    let mut tag_end = None;
    for (number, line) in text.lines().enumerate() {
        let mut rest = line;
        loop {
            if tag_end.is_none() {
                let starts = [("{{", "}}"), ("{%", "%}")];
                let Some((at, end)) = starts.iter().filter_map(|(start, end)| Some((rest.find(start)?, *end))).min()
                else {
                    break;
                };
                rest = &rest[at + 2..];
                tag_end = Some(end);
            }
            let end = tag_end.and_then(|end| rest.find(end));
            let tag = &rest[..end.unwrap_or(rest.len())];
            if tag.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name) {
                return Some(number + 1);
            }
            let Some(end) = end else { break };
            rest = &rest[end + 2..];
            tag_end = None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::{Map, json};

    use super::*;

    fn overridden(path: &str, text: &str) -> Result<Templates, Vec<String>> {
        Templates::with_overrides([(path.to_owned(), text.to_owned())])
            .map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    /// Something for each name of a template.
    fn context(path: &str) -> Value {
        let names = EMBEDDED.iter().find(|row| row.path == path).unwrap().names();
        Value::Object(
            names
                .iter()
                .map(|name| ((*name).to_owned(), json!([{ "kind": "Kind", "name": "name" }])))
                .collect::<Map<_, _>>(),
        )
    }

    fn files(folder: &Path, prefix: &str, into: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => files(&entry.path(), &format!("{path}/"), into),
                false => into.push(path),
            }
        }
    }

    #[test]
    fn the_table_has_a_row_for_every_file_and_each_name_once() {
        let mut found = Vec::new();
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("templates"), "", &mut found);
        // Files of a repository are not texts of a release; `crd-generator` embeds them.
        found.retain(|path| !path.starts_with("init/") && !path.starts_with("new/"));
        found.sort();
        assert_eq!(EMBEDDED.iter().map(|row| row.path).collect::<Vec<_>>(), found);
        for row in EMBEDDED {
            assert_eq!(row.names().len(), row.names.concat().len(), "{}: a name is there twice", row.path);
        }
    }

    #[test]
    fn a_repository_that_has_all_texts_replaces_them_by_themselves() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
        let mut found = Vec::new();
        files(&folder, "", &mut found);
        let mut all: Vec<(String, String)> =
            found.into_iter().map(|path| (path.clone(), fs::read_to_string(folder.join(path)).unwrap())).collect();
        // Files of a repository are not texts of a release.
        all.retain(|(path, _)| !path.starts_with("init/") && !path.starts_with("new/"));
        assert!(Templates::with_overrides(all.clone()).is_ok());
        all.push(("init/ci.yml".to_owned(), "another".to_owned()));
        assert_eq!(Templates::with_overrides(all).unwrap_err().len(), 1);
    }

    #[test]
    fn every_embedded_text_compiles_and_uses_what_it_is_given() {
        let all = EMBEDDED.iter().map(|row| (row.path.to_owned(), row.text.to_owned()));
        if let Err(errors) = Templates::with_overrides(all) {
            panic!("{errors:?}");
        }
    }

    #[test]
    fn a_text_is_rendered_as_it_is_written() {
        let text =
            "a & <b> {{ version[0].name }} \"q\"\n{% for object in policies %}\n- {{ object.kind }}\n{% endfor %}\n\n";
        let templates = overridden("install/install.yaml", text).unwrap();
        assert_eq!(
            templates.render("install/install.yaml", &context("install/install.yaml")).unwrap(),
            "a & <b> name \"q\"\n- Kind\n\n"
        );
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let overrides = [
            ("instal/install.yaml", "# fine"),
            ("chart/values.yaml", "a: 1\nb: {{ verison }}\nc: {{ range(2) | length }} {{\n  releesed }}"),
            ("chart/README.md", "# {{ name }}\n\n{% for crd in crds %}{{ crd.name }}\n"),
            ("install/install.yaml", "{% if channel | shout %}{% endif %}\n"),
            ("archive/README.md", "name {{ name }} and {{ channel }}"),
        ];
        let overrides = overrides.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let errors = Templates::with_overrides(overrides).unwrap_err();
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let begins = [
            "templates/archive/README.md:1: `channel` is not a name that this template gets: did you mean `channels`? Known are `channels`, `client_side`, ",
            "templates/chart/README.md:3: syntax error: ",
            "templates/chart/values.yaml:2: `verison` is not a name that this template gets: did you mean `version`? Known are ",
            "templates/chart/values.yaml:4: `releesed` is not a name that this template gets: did you mean `released`? Known are ",
            "templates/instal/install.yaml: is not a template. Did you mean templates/install/install.yaml? Templates are `archive/README.md`, ",
        ];
        // What a filter is called is known only when it is used.
        assert_eq!(errors.len(), begins.len(), "{errors:#?}");
        for (error, begin) in errors.iter().zip(begins) {
            assert!(error.starts_with(begin), "{error}\n{begin}");
        }
    }

    #[test]
    fn what_shows_only_in_use_is_said_with_its_line() {
        for (text, begin) in [
            (
                "# fine\n{% for object in policies %}\n# {{ object.kinde }}\n{% endfor %}\n",
                "templates/install/install.yaml:3: `object.kinde` is not a part of any value of this template: \
                 did you mean `kind`? Known are `kind`, `name`",
            ),
            ("\n{{ version | shout }}", "templates/install/install.yaml:2: unknown filter: "),
            ("\n\n{{ version.a.b }}", "templates/install/install.yaml:3: `version.a` is not a part of any value"),
            ("{{ policies[7] }}", "templates/install/install.yaml:1: "),
            ("{% include 'chart/README.md' %}", "templates/install/install.yaml:1: syntax error: "),
        ] {
            let rendered = overridden("install/install.yaml", text).and_then(|templates| {
                templates
                    .render("install/install.yaml", &context("install/install.yaml"))
                    .map_err(|error| vec![error.to_string()])
            });
            let errors = rendered.unwrap_err();
            assert!(errors.len() == 1 && errors[0].starts_with(begin), "{errors:#?}\n{begin}");
        }
    }

    /// What is wrong with a text, before or while it is rendered.
    fn error_of(text: &str) -> String {
        let path = "install/install.yaml";
        let rendered = overridden(path, text)
            .and_then(|templates| templates.render(path, &context(path)).map_err(|error| vec![error.to_string()]));
        rendered.unwrap_err().join("\n")
    }

    #[test]
    fn nothing_that_a_template_sees_has_an_order_of_its_own() {
        let error = error_of("\n{{ debug() }}");
        assert!(
            error.starts_with("templates/install/install.yaml:2: `debug` is not a name that this template gets"),
            "{error}"
        );
        assert!(error_of("{{ version | debug }}").contains("unknown filter"));
        assert!(error_of("{{ version is debug }}").contains("unknown test"));
        // And what is left gives the same in every environment.
        let text = "{{ version }}{{ policies | pprint }}{{ version[0] | items | list }}{{ dict(b=1, a=2, c=3) }}{{ range(3) }}{{ range }}";
        let rendered: BTreeSet<String> = (0..20)
            .map(|_| {
                let templates = overridden("install/install.yaml", text).unwrap();
                templates.render("install/install.yaml", &context("install/install.yaml")).unwrap()
            })
            .collect();
        assert_eq!(rendered.len(), 1, "{rendered:#?}");
    }

    #[test]
    fn a_template_that_would_not_end_is_an_error_that_names_it() {
        let loops = "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}";
        let error = error_of(&format!("# fine\n{loops}"));
        assert!(error.starts_with("templates/install/install.yaml:2: takes more than 250000 steps"), "{error}");
        let error = error_of("{% set text = 'x' * 1000 %}{% for a in range(100000) %}{{ text }}{% endfor %}");
        assert!(error.starts_with("templates/install/install.yaml: renders to more than 16777216 bytes"), "{error}");
        let error = error_of("{{ 'x' * 99999999 }}");
        assert!(error.starts_with("templates/install/install.yaml: renders to more than 16777216 bytes"), "{error}");
        let error = error_of(&"# fine\n".repeat(256 * 1024 / 7 + 1));
        assert!(
            error.starts_with("templates/install/install.yaml: has 262150 bytes, and a template may have 262144"),
            "{error}"
        );
        assert!(overridden("install/install.yaml", &"#".repeat(256 * 1024)).is_ok());
    }

    #[test]
    fn no_filter_makes_as_much_as_a_number_says() {
        for filter in ["batch(1000000000000, 'x')", "slice(1000000000000)", "indent(1000000000000, true)"] {
            assert!(error_of(&format!("{{{{ version | {filter} }}}}")).contains("unknown filter"), "{filter}");
        }
        assert!(error_of("{{ '%999999999999d' | format(1) }}").contains("unknown filter"));
    }

    /// Each of these is an answer of some kind, and no overflow of the stack, which nothing could catch.
    #[test]
    fn expressions_may_be_as_deep_as_a_text_is_long() {
        let most = 256 * 1024 - 64;
        for (begin, middle, end) in [
            ("{{ ", "(", ""),
            ("{{ ", "not ", "1 }}"),
            ("{{ version", ".a", " }}"),
            ("{{ version", "|e", " }}"),
            ("{{ 1", "~1", " }}"),
            ("{% if 0 %}", "{% elif 0 %}", "{% endif %}"),
            ("", "{% for a in version %}", ""),
        ] {
            let text = format!("{begin}{}{end}", middle.repeat((most - begin.len() - end.len()) / middle.len()));
            let _ = overridden("install/install.yaml", &text)
                .map(|templates| templates.render("install/install.yaml", &context("install/install.yaml")));
        }
        // Values within values.
        let nested = format!(
            "{{% set all = namespace(a=[]) %}}{{% for a in range(5800) %}}{{% set all.a = {}all.a{} %}}{{% endfor %}}",
            "[".repeat(40),
            "]".repeat(40)
        );
        let path = "install/install.yaml";
        let _ = overridden(path, &format!("{nested}{{{{ all.a }}}}")).unwrap().render(path, &context(path));
    }

    #[test]
    fn a_template_is_given_exactly_its_names() {
        let path = "install/install.yaml";
        let mut more = context(path);
        more["something"] = json!(1);
        for (path, context) in [(path, json!({})), (path, more), (path, json!(1)), ("install", json!({}))] {
            assert!(Templates::embedded().render(path, &context).is_err(), "{context}");
        }
    }

    #[test]
    fn words_are_found_in_tags_only() {
        let text = "word {{ a }} word {{ sword }}\n{% if\n  word %}{% endif %} {# word #}";
        assert_eq!(line_of("word", text), Some(3));
        assert_eq!(line_of("a", text), Some(1));
        assert_eq!(line_of("b", text), None);
    }
}
