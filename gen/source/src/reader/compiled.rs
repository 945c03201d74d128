//! `bundles/compiled.json`: what the last compiled run found that source alone does not contain.
//!
//! Invariants: a value is used only if its digest is that of the current source. What is missing or has changed is an error at the item that
//! needs it, and all errors are reported together. The same types give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crd_convert::Code;
use crd_diagnostics::Diagnostic;
use crd_generate::{Catalogue, CodePart};
use crd_markers::descriptor::{Field, Shape, TypeDescriptor, TypeRef};
use crd_markers::leaked;
use crd_model::constants::{Constant, Constants};
use proc_macro2::TokenStream;
use serde_json::{Value, json};

use crate::reader::Source;
use crate::reader::digest::{Items, of_texts, without_docs};

/// The path of the file, from the root.
pub const PATH: &str = "bundles/compiled.json";
const CODE: &str = "types::compiled";
const HELP: &str = "run `cargo xtask generate --compiled`";

/// What the last compiled run found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    /// `GROUP/VERSION/KIND` of each root type.
    resources: BTreeSet<String>,
    constants: Constants,
    /// The names of functions of lenses.
    functions: BTreeSet<String>,
    /// The parts of the catalogue that are code.
    code: Vec<CodePart>,
    /// The digest of the program with the catalogue.
    catalogue: String,
    /// The digest of all calls of `conditions!`; `None` if the catalogue has constants from elsewhere.
    conditions: Option<String>,
    items: BTreeMap<String, Entry>,
    /// Whether source alone is not enough.
    is_needed: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    kind: Kind,
    value: Value,
    digest: Option<String>,
}

/// What a field needs of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The schema of a foreign type.
    Foreign,
    /// The value that a function returns.
    Default,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Foreign, Self::Default];

    const fn word(self) -> &'static str {
        match self {
            Self::Foreign => "foreign",
            Self::Default => "default",
        }
    }
}

/// A value of compiled code that a field needs.
#[derive(Clone, Debug)]
pub struct Need {
    pub kind: Kind,
    /// The file of the type, as the compiler names it.
    pub file: PathBuf,
    /// The name of the type.
    pub type_name: String,
    /// The field or variant; empty for the item of a newtype.
    pub field: String,
    /// The type or the path of the function, as written.
    pub tokens: TokenStream,
    /// The line and the column of the tokens.
    pub at: (usize, usize),
}

impl Need {
    fn key(&self) -> String {
        key(self.kind, &self.file.to_string_lossy(), &self.type_name, &self.field)
    }

    /// Whether the type is one of these.
    pub(crate) fn is_of(&self, types: &BTreeSet<(&'static str, &'static str)>) -> bool {
        types.contains(&(&*self.file.to_string_lossy(), &*self.type_name))
    }

    fn error(&self, why: &str) -> Diagnostic {
        let named = self.tokens.to_string().replace(' ', "");
        let what = match self.kind {
            Kind::Foreign => format!("the schema of the foreign type `{named}`"),
            Kind::Default => format!("the value of the function `{named}`"),
        };
        let (line, column) = self.at;
        let error = Diagnostic::error(CODE, format!("{what} comes from compiled code, and {why}"));
        error.at_position(&self.file, line, column).help(HELP)
    }
}

fn key(kind: Kind, file: &str, type_name: &str, field: &str) -> String {
    let field = if field.is_empty() { String::new() } else { format!(".{field}") };
    format!("{file} {type_name}{field} {}", kind.word())
}

/// What the source contains of the catalogue.
pub struct State<'a> {
    pub roots: &'a [&'static TypeDescriptor],
    /// The tokens of each call of `conditions!`.
    pub conditions: &'a [TokenStream],
    /// The name of the crate with the types, as Rust writes it.
    pub crate_name: &'a str,
    /// The features of each crate that is read.
    pub features: &'a [String],
}

impl State<'_> {
    fn conditions(&self) -> String {
        let mut texts =
            self.conditions.iter().map(|tokens| without_docs(tokens.clone()).to_string()).collect::<Vec<_>>();
        texts.sort_unstable();
        of_texts(texts.iter().map(String::as_str))
    }
}

fn names<'d>(roots: impl IntoIterator<Item = &'d TypeDescriptor>) -> BTreeSet<String> {
    let resources = roots.into_iter().filter_map(|root| root.resource);
    resources.map(|resource| format!("{}/{}/{}", resource.group, resource.version, resource.kind)).collect()
}

/// The text of a file without what cannot change the program: comments of Rust, and the form of line ends.
fn significant(path: &Path, text: &str) -> String {
    let tokens = text.parse::<TokenStream>().ok().filter(|_| path.extension().is_some_and(|end| end == "rs"));
    tokens.map_or_else(|| text.lines().collect::<Vec<_>>().join("\n"), |tokens| without_docs(tokens).to_string())
}

/// The digest of the program with the catalogue, and of the features of the types.
fn program(source: &Source<'_>, state: &State<'_>) -> String {
    let files = source.program.iter().flat_map(|(path, text)| [path.display().to_string(), significant(path, text)]);
    let texts = files.chain(state.features.iter().cloned()).collect::<Vec<_>>();
    of_texts(texts.iter().map(String::as_str))
}

/// Whether the program has only the catalogue that `new` writes: the root types.
fn is_plain(source: &Source<'_>, crate_name: &str) -> bool {
    let mut code = source.program.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "rs"));
    let (Some((_, text)), None) = (code.next(), code.next()) else { return source.program.is_empty() };
    let Ok(tokens) = text.parse::<TokenStream>() else { return false };
    let text = without_docs(tokens).to_string().replace(char::is_whitespace, "");
    let (mut uses, mut rest) = (BTreeSet::new(), &*text);
    while let Some(item) = rest.strip_prefix("use") {
        let Some((path, after)) = item.split_once(';') else { return false };
        uses.insert(path.to_owned());
        rest = after;
    }
    let roots = format!("{crate_name}::RESOURCES");
    let exit = "std::process::ExitCode";
    let known = [
        "command_line::{Catalogue,run}",
        "command_line::{run,Catalogue}",
        "command_line::Catalogue",
        "command_line::run",
    ];
    let known = known.into_iter().chain([exit, &roots]).collect::<BTreeSet<_>>();
    let main = rest.replace(exit, "ExitCode").replace(&roots, "RESOURCES").replace("command_line::", "");
    uses.iter().all(|path| known.contains(&**path))
        && main == "fnmain()->ExitCode{run(Catalogue::default().resources(RESOURCES))}"
}

impl Compiled {
    /// Reads the text of the file.
    ///
    /// # Errors
    /// The text is not what [`Compiled::to_json`] writes.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Vec<Diagnostic>> {
        let read = serde_json::from_str::<Value>(text).ok().and_then(|document| Self::of_value(&document));
        read.ok_or_else(|| {
            let error = Diagnostic::error(CODE, "`compiled.json` is not what `generate --compiled` writes");
            error.at_file(path).help(HELP).into()
        })
    }

    fn of_value(document: &Value) -> Option<Self> {
        let texts = |key: &str| {
            let list = document.get(key)?.as_array()?.iter();
            list.map(|text| text.as_str().map(str::to_owned)).collect::<Option<BTreeSet<_>>>()
        };
        let digest = |value: &Value| match value {
            Value::Null => Some(None),
            value => value.as_str().map(|text| Some(text.to_owned())),
        };
        let items = document.get("items")?.as_object()?.iter().map(|(key, item)| {
            let kind = Kind::ALL.into_iter().find(|kind| item.get(kind.word()).is_some())?;
            let entry = Entry { kind, value: item.get(kind.word())?.clone(), digest: digest(item.get("digest")?)? };
            Some((key.clone(), entry))
        });
        Some(Self {
            resources: texts("resources")?,
            constants: Constants::from_json(&document.get("constants")?.to_string()).ok()?,
            functions: texts("functions")?,
            code: texts("code")?.iter().map(|word| part(word)).collect::<Option<_>>()?,
            catalogue: document.get("catalogue")?.as_str()?.to_owned(),
            conditions: digest(document.get("conditions")?)?,
            items: items.collect::<Option<_>>()?,
            is_needed: true,
        })
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let items = self.items.iter().map(|(key, entry)| {
            let item = json!({ entry.kind.word(): entry.value, "digest": entry.digest });
            format!("{}: {item}", json!(key))
        });
        let items = items.collect::<Vec<_>>().join(",\n");
        let items = if items.is_empty() { "{}".to_owned() } else { format!("{{\n{items}\n}}") };
        format!(
            "{{\n\"resources\": {},\n\"functions\": {},\n\"code\": {},\n\"catalogue\": {},\n\"conditions\": {},\n\"items\": {items},\n\"constants\": {}}}\n",
            json!(self.resources),
            json!(self.functions),
            json!(words(&self.code)),
            json!(self.catalogue),
            json!(self.conditions),
            self.constants.to_json(),
        )
    }

    /// What this catalogue of compiled types has, for the source that was compiled.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn of(source: &Source<'_>, catalogue: &Catalogue) -> Result<Self, Vec<Diagnostic>> {
        crate::reader::record(source, catalogue)
    }

    /// The same for what a reader has found in the source.
    pub fn record(
        catalogue: &Catalogue,
        source: &Source<'_>,
        state: &State<'_>,
        needs: &[Need],
        items: &Items,
    ) -> Self {
        let mut values = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let roots = catalogue.all_descriptors();
        roots
            .iter()
            .for_each(|root| each(root, &mut seen, &mut |descriptor| collect(descriptor, source.root, &mut values)));
        let mut recorded = BTreeMap::<String, Entry>::new();
        for need in needs {
            let Some(value) = values.get(&need.key()) else { continue };
            let mut digest = items.digest(need.tokens.clone(), need.kind == Kind::Foreign).filter(|_| value.is_some());
            // Two types of one name: which of them a value belongs to is not certain.
            digest = digest
                .filter(|digest| recorded.get(&need.key()).is_none_or(|known| known.digest.as_ref() == Some(digest)));
            let value = value.clone().unwrap_or_default();
            recorded.insert(need.key(), Entry { kind: need.kind, value, digest });
        }
        let constants = catalogue.condition_constants().clone();
        let texts = state.conditions.iter().map(ToString::to_string).collect::<String>();
        let is_known = |(name, constant): (&String, &Constant)| {
            texts.contains(&**name) && texts.contains(&json!(constant.value).to_string())
        };
        let are_known = constants.0.values().flatten().all(is_known);
        Self {
            resources: names(roots.iter().copied()),
            constants,
            functions: catalogue.lens_functions().iter().map(|code| code.name.to_owned()).collect(),
            code: catalogue.code_parts(),
            catalogue: program(source, state),
            conditions: are_known.then(|| state.conditions()),
            items: recorded,
            is_needed: !needs.is_empty() || Self::catalogue(None, source, state).is_err(),
        }
    }

    /// Whether source alone is not enough, so that the file must exist.
    pub fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// The value that a field needs, as JSON text; `None` if the function's value has no text.
    ///
    /// # Errors
    /// The value is missing, or its source has changed.
    pub fn value(this: Option<&Self>, need: &Need, items: &Items) -> Result<Option<String>, Diagnostic> {
        let entry = this.and_then(|compiled| compiled.items.get(&need.key()));
        match entry {
            None => Err(need.error("no compiled run has recorded it")),
            Some(Entry { digest: None, .. }) => {
                Err(need.error("its source contains a macro that can change it unseen"))
            }
            Some(entry) if entry.digest != items.digest(need.tokens.clone(), need.kind == Kind::Foreign) => {
                Err(need.error("its source has changed since the last compiled run"))
            }
            Some(entry) => Ok((!entry.value.is_null()).then(|| entry.value.to_string())),
        }
    }

    /// The catalogue of the source: its root types, with the constants and the functions of the last compiled run.
    ///
    /// # Errors
    /// The catalogue in code is not that of the last compiled run, or needs one.
    pub fn catalogue(
        this: Option<&Self>,
        source: &Source<'_>,
        state: &State<'_>,
    ) -> Result<Catalogue, Vec<Diagnostic>> {
        let catalogue = Catalogue::default().resources(state.roots);
        let Some(compiled) = this else {
            let has_conditions = source.program.is_empty() && !state.conditions.is_empty();
            return match is_plain(source, state.crate_name) && !has_conditions {
                true => Ok(catalogue.of_source(Vec::new())),
                false => {
                    Err(stale("the catalogue has more than root types, and no compiled run has recorded it").into())
                }
            };
        };
        let mut errors = Vec::new();
        if compiled.catalogue != program(source, state) {
            errors.push(stale("the code of the catalogue has changed since the last compiled run"));
        }
        match &compiled.conditions {
            None => errors.push(stale("the catalogue has constants that are not in `conditions!` of the types")),
            Some(digest) if *digest != state.conditions() => {
                errors.push(stale("`conditions!` has changed since the last compiled run"));
            }
            Some(_) => {}
        }
        let found = names(state.roots.iter().copied());
        let words =
            [(&found, &compiled.resources, "source has"), (&compiled.resources, &found, "last compiled run has")];
        for (of, other, which) in words {
            for name in of.difference(other) {
                errors.push(stale(&format!("only the {which} the root type `{name}`")));
            }
        }
        crd_diagnostics::fail_on(errors)?;
        let refuse: fn(&mut Value) -> Result<(), String> = |_| Err("source has no functions of lenses".to_owned());
        let code =
            |name: &String| Code { name: leaked::text(name), forward: refuse, backward: refuse, example: "null" };
        let functions = compiled.functions.iter().map(code);
        let catalogue = functions.fold(catalogue, Catalogue::functions).recommended(compiled.constants.clone());
        Ok(catalogue.of_source(compiled.code.clone()))
    }
}

/// The words of parts, sorted.
fn words(parts: &[CodePart]) -> Vec<&'static str> {
    CodePart::ALL.into_iter().filter(|(part, ..)| parts.contains(part)).map(|(_, word, _)| word).collect()
}

fn part(word: &str) -> Option<CodePart> {
    CodePart::ALL.into_iter().find(|(_, known, _)| *known == word).map(|(part, ..)| part)
}

fn stale(why: &str) -> Diagnostic {
    Diagnostic::error(CODE, why).at_file(PATH).help(HELP)
}

/// A type with all types below it, each once.
fn each(
    root: &'static TypeDescriptor,
    seen: &mut BTreeSet<*const TypeDescriptor>,
    then: &mut dyn FnMut(&'static TypeDescriptor),
) {
    let mut open = vec![root];
    while let Some(root) = open.pop() {
        if seen.insert(std::ptr::from_ref(root)) {
            then(root);
            open.extend(kinds(root).filter_map(|(_, kind)| match kind {
                TypeRef::Named(named) => Some(named.get()),
                _ => None,
            }));
        }
    }
}

/// The fields of a type, each with the type in its lists and maps. The item of a newtype has no name.
fn kinds(descriptor: &'static TypeDescriptor) -> impl Iterator<Item = (&'static str, TypeRef)> {
    let item = match descriptor.shape {
        Shape::Newtype(kind) => Some(("", kind)),
        _ => None,
    };
    let fields = fields(descriptor).iter().map(|field| (field.name, field.kind));
    fields.chain(item).map(|(name, mut kind)| {
        while let TypeRef::List(inner) | TypeRef::Map(_, inner) = kind {
            kind = *inner;
        }
        (name, kind)
    })
}

fn fields(descriptor: &'static TypeDescriptor) -> &'static [Field] {
    match descriptor.shape {
        Shape::Struct(fields) => fields,
        Shape::Union { variants, .. } => variants,
        Shape::Newtype(_) | Shape::Enum { .. } => &[],
    }
}

/// The files and names of the types that root types contain.
pub(crate) fn reached(roots: &[&'static TypeDescriptor]) -> BTreeSet<(&'static str, &'static str)> {
    let (mut seen, mut reached) = (BTreeSet::new(), BTreeSet::new());
    for root in roots {
        each(root, &mut seen, &mut |descriptor| _ = reached.insert((descriptor.location.file, descriptor.name)));
    }
    reached
}

/// The compiled values of a type, by key. `None` if two types with one key have different values.
fn collect(descriptor: &'static TypeDescriptor, root: &Path, values: &mut BTreeMap<String, Option<Value>>) {
    // The compiler has absolute paths of crates that are outside the workspace of the program.
    let file = Path::new(descriptor.location.file);
    let file = file.strip_prefix(root).unwrap_or(file).to_string_lossy();
    let mut add = |kind: Kind, field: &str, value: Value| {
        let key = key(kind, &file, descriptor.name, field);
        let known = values.entry(key).or_insert_with(|| Some(value.clone()));
        *known = known.take().filter(|known| *known == value);
    };
    for field in fields(descriptor) {
        if let Some(text) = field.rust_default {
            let value = text.get().and_then(|text| serde_json::from_str(&text).ok());
            add(Kind::Default, field.name, value.unwrap_or_default());
        }
    }
    for (name, kind) in kinds(descriptor) {
        if let TypeRef::Foreign { schema, .. } = kind {
            add(Kind::Foreign, name, serde_json::from_str(&schema.get()).unwrap_or_default());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// A program with this main file, and types in the crate `lamps_api`.
    fn run<T>(main: &str, check: impl FnOnce(&Source<'_>) -> T) -> T {
        let program = [
            (PathBuf::from("xtask/Cargo.toml"), "[package]\r\nname = \"xtask\"\n".to_owned()),
            (PathBuf::from("xtask/src/main.rs"), main.to_owned()),
        ];
        check(&Source { root: Path::new("/"), types: Path::new("api"), program: &program, files: &|_| Ok(None) })
    }

    const MAIN: &str = "//! The command line.\n\nuse command_line::{Catalogue, run};\n\nuse lamps_api::RESOURCES;\n\nfn main() -> std::process::ExitCode {\n    \
        run(Catalogue::default().resources(RESOURCES))\n}\n";

    #[test]
    fn only_a_catalogue_of_root_types_needs_no_compiled_run() {
        for (old, new, expected) in [
            ("//!", "// Words.\n//!", true),
            ("use lamps_api::RESOURCES;", "", true),
            ("(RESOURCES)", "(lamps_api::RESOURCES)", true),
            ("use lamps_api::RESOURCES", "use other::RESOURCES", false),
            ("use lamps_api::RESOURCES", "use lamps_api::v1::RESOURCES", false),
            ("use lamps_api::RESOURCES", "use lamps_api::SOME as RESOURCES", false),
            ("use lamps_api::RESOURCES;", "use lamps_api::RESOURCES; use lamps_api::v1::*;", false),
            ("Catalogue, run", "Catalogue, run_with_packages as run", false),
            ("(RESOURCES)", "(RESOURCES).constants(\"v1\", lamps_api::v1::CONSTANTS)", false),
            ("(RESOURCES)", "(&RESOURCES[1..])", false),
            ("fn main", "const RESOURCES: &[u8] = &[];\nfn main", false),
            ("fn main", "mod other;\nfn main", false),
        ] {
            assert!(MAIN.contains(old), "{old}");
            let main = MAIN.replace(old, new);
            assert_eq!(run(&main, |source| is_plain(source, "lamps_api")), expected, "{main}");
            let state =
                State { roots: &[], conditions: &["a".parse().unwrap()], crate_name: "lamps_api", features: &[] };
            let result = run(&main, |source| Compiled::catalogue(None, source, &state));
            assert_eq!(result.is_ok(), expected, "{main}");
        }
    }

    fn need(kind: Kind, tokens: &str) -> Need {
        let (file, tokens) = ("api/src/v1.rs".into(), tokens.parse().unwrap());
        Need { kind, file, type_name: "Lamp".to_owned(), field: "size".to_owned(), tokens, at: (7, 11) }
    }

    #[test]
    fn a_value_is_used_only_for_the_source_that_was_compiled() {
        let items = |text: &str| Items::new([text.parse().unwrap()], []);
        let three = items("fn three() -> i32 { 3 }");
        let need = need(Kind::Default, "three");
        let entry = Entry { kind: Kind::Default, value: json!(3), digest: three.digest(need.tokens.clone(), false) };
        let constant = Constant { kind: "reason".to_owned(), value: "Dark".to_owned() };
        let compiled = Compiled {
            resources: BTreeSet::from(["a.b/v1/Lamp".to_owned()]),
            constants: Constants(BTreeMap::from([("v1".to_owned(), BTreeMap::from([("DARK".to_owned(), constant)]))])),
            functions: BTreeSet::from(["halve".to_owned()]),
            code: vec![CodePart::Functions, CodePart::Webhook],
            catalogue: "1".to_owned(),
            conditions: None,
            items: BTreeMap::from([(need.key(), entry)]),
            is_needed: true,
        };
        let text = compiled.to_json();
        assert_eq!(Compiled::parse(Path::new(PATH), &text).unwrap(), compiled);
        for wrong in
            [text.replace("\"resources\"", "\"others\""), text.replace("\"default\"", "\"other\""), "{".to_owned()]
        {
            assert_eq!(Compiled::parse(Path::new(PATH), &wrong).unwrap_err()[0].code, CODE);
        }
        let value = |compiled, items: &Items| Compiled::value(compiled, &need, items);
        assert_eq!(value(Some(&compiled), &three), Ok(Some("3".to_owned())));
        let error = value(Some(&compiled), &items("fn three() -> i32 { 4 }")).unwrap_err();
        assert_eq!(
            error.message,
            "the value of the function `three` comes from compiled code, and its source has changed since the last compiled run"
        );
        assert_eq!((error.location.line, error.location.column, &*error.help.unwrap()), (Some(7), Some(11), HELP));
        assert!(value(None, &three).unwrap_err().message.ends_with("no compiled run has recorded it"));
        let hidden = items("fn three() -> i32 { include!(\"three\") }");
        assert_ne!(value(Some(&compiled), &hidden).map(drop), Ok(()));
    }

    /// The catalogue: its code, its constants, and its root types.
    #[test]
    fn another_catalogue_needs_a_compiled_run() {
        let conditions: TokenStream = "reason DARK = \"Dark\"; reason BRIGHT = \"Bright\";".parse().unwrap();
        fn state(conditions: &[TokenStream]) -> State<'_> {
            State { roots: &[], conditions, crate_name: "lamps_api", features: &[] }
        }
        let own = [conditions.clone()];
        let constants = |name: &str| {
            let constant = Constant { kind: "reason".to_owned(), value: "Dark".to_owned() };
            Constants(BTreeMap::from([("v1".to_owned(), BTreeMap::from([(name.to_owned(), constant)]))]))
        };
        let recorded = |name: &str| {
            let catalogue = Catalogue::default().recommended(constants(name));
            run(MAIN, |source| Compiled::record(&catalogue, source, &state(&own), &[], &Items::default()))
        };
        let compiled = recorded("DARK");
        let read = |main: &str, compiled: &Compiled, conditions: &[TokenStream]| {
            run(main, |source| Compiled::catalogue(Some(compiled), source, &state(conditions)))
                .map(|catalogue| catalogue.condition_constants().clone())
                .map_err(|errors| errors.len())
        };
        assert_eq!(read(MAIN, &compiled, &own), Ok(constants("DARK")));
        assert_eq!(read(&format!("// Words.\n{MAIN}"), &compiled, &own), Ok(constants("DARK")));
        let other = ["reason DARK = \"Dim\";".parse().unwrap()];
        assert_eq!(read(&MAIN.replace("run(", "run(x"), &compiled, &other), Err(2));
        let featured = State { features: &["conversions".to_owned()], ..state(&own) };
        let featured = run(MAIN, |source| Compiled::catalogue(Some(&compiled), source, &featured));
        assert_eq!(featured.unwrap_err().len(), 1);
        // Not one of those that the source shows.
        assert_eq!(read(MAIN, &recorded("DIM"), &own), Err(1));
        let more = Compiled { resources: BTreeSet::from(["a.b/v1/Lamp".to_owned()]), ..compiled };
        assert_eq!(read(MAIN, &more, &own), Err(1));
    }
}
