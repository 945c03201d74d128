//! No form of a marker is silent: what someone reads as `+experimental` in or above a type takes effect, or is an error at its place.
//!
//! The forms are made from a grammar: kinds of comments and attributes, places in and above types, and spellings of the marker.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crd_channels::descriptor::{Shape, TypeDescriptor, TypeRef};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::Settings;
use crd_markers::comments::{in_plain_comments, plain_comments};
use crd_source::reader::{Source, catalogue};
use crd_testdata::PLUSES;
use proc_macro2::TokenStream;

/// Further texts in front of `experimental`; a text with `=` in front is the whole marker.
const SPELLINGS: &[&str] = &[
    "+ ",
    "+`",
    "- +",
    "=\u{200f}experimental+\u{200f}",
    "=+experimentl",
    "=+ехреrimental",
    "=+experimental:optional",
    "=&plus;&#101;xperimental",
];

/// Comments that no macro reads; `@` is the marker.
const COMMENTS: &[&str] = &[
    "// @\n",
    "//@\n",
    "//// @\n",
    "/* @ */",
    "/*@*/",
    "/*** @ ***/",
    "/*\n * @\n */",
    "/* a /* @ */ b */",
    "// Words. @\n",
    "/**/ // @\n",
];

/// Where a comment can be: `@` is its place.
const PLACES: &[&str] = &[
    "#[api] pub struct Form { @ pub probe: Option<i32> }",
    "#[api] pub struct Form { pub probe: Option<i32>, @\n}",
    "#[api] pub struct Form { /// Text. \"\n @ pub probe: Option<i32> }",
    "#[api] pub struct Form { #[doc = \"https://a.example\"] @ pub probe: Option<i32> }",
    "#[api] pub struct Form { #[serde(rename = \"a'\")] pub @ probe: Option<i32> }",
    "#[api] pub struct Form { pub probe: Option<@i32> }",
    "@ #[api] pub struct Form { pub probe: Option<i32> }",
    "/// Text.\n@ #[api] pub struct Form { pub probe: Option<i32> }",
    "#[api] @ pub struct Form { pub probe: Option<i32> }",
    "#[api(@)] pub struct Form { pub probe: Option<i32> }",
    "#[api] pub struct @ Form { pub probe: Option<i32> }",
    "#[api] pub struct Form { pub probe: Option<i32> } @",
    "#[api] pub struct Form(@ pub i32);",
    "#[api] pub struct Form(pub i32); @",
    "#[api] pub enum Form { @ On, Off }",
    "#[api] pub enum Form { On, @ Off }",
    "#[api] pub enum Form { On { @ probe: Option<i32> }, Off(i32) }",
    "mod inner { @ #[api] pub struct Form { pub probe: Option<i32> } } pub use inner::Form;",
];

/// Documentation and attributes with text.
const TEXTS: &[&str] = &[
    "/// @\n",
    "///@\n",
    "/** @ */",
    "/**\n * @\n */",
    "#[doc = \"@\"]",
    "#[r#doc = \"@\"]",
    "#[doc = r#\"@\"#]",
    "#[doc = \"\\u{20}@\"]",
    "#[doc(alias = \"@\")]",
    "#[r#doc(alias = \"@\")]",
    "#[doc = concat!(\"@\")]",
    "#[deprecated(note = \"@\")]",
    "#[cfg_attr(all(), doc = \"@\")]",
    "#[r#cfg_attr(true, r#doc = \"@\")]",
];

/// Attributes without text.
const ATTRIBUTES: &[&str] = &[
    "#[experimental]",
    "#[r#experimental]",
    "#[experimental(true)]",
    "#[rustfmt::experimental]",
    "#[clippy::experimental]",
    "#[doc(experimental)]",
    "#[allow(experimental)]",
    "#[crd_channels::experimental]",
    "#[cfg_attr(all(), experimental)]",
    "#[r#cfg_attr(all(), r#experimental)]",
    "#[serde(experimental)]",
    "#[api(experimental)]",
    "#[exprimental]",
    "#[unknown]",
    "#[optional]",
];

/// Where documentation can be.
const DOCUMENTED: &[&str] = &[
    "#[api] pub struct Form { @ pub probe: Option<i32> }",
    "#[api] pub struct Form { /// Text.\n#[serde(rename = \"a\")] @ pub probe: Option<i32> }",
    "@ #[api] pub struct Form { pub probe: Option<i32> }",
    "#[api] @ pub struct Form { pub probe: Option<i32> }",
    "#[api] pub struct Form(@ pub i32);",
    "#[api] pub enum Form { @ On, Off }",
    "#[api] pub enum Form { @ On { probe: Option<i32> }, Off(i32) }",
    "#[api] pub enum Form { On { @ probe: Option<i32> }, Off(i32) }",
    "#[api] pub enum Form { On { probe: Option<i32> }, Off(@ i32) }",
    "#[api(instances(Form = Any<i32>))] pub struct Any<T> { @ pub probe: Option<T> }",
    "#[api(instances(Form = Any<i32>))] pub struct Any<@ T> { pub probe: Option<T> }",
];

/// All forms: the source of a type.
fn forms() -> Vec<String> {
    let spelled =
        |spelling: &&str| spelling.strip_prefix('=').map_or_else(|| format!("{spelling}experimental"), str::to_owned);
    let spelled: Vec<String> = PLUSES.iter().chain(SPELLINGS).map(spelled).collect();
    let mut forms = Vec::new();
    for (kinds, places) in [(COMMENTS, PLACES), (TEXTS, DOCUMENTED)] {
        for (kind, place) in kinds.iter().flat_map(|kind| places.iter().map(move |place| (kind, place))) {
            forms.extend(spelled.iter().map(|marker| place.replace('@', &kind.replace('@', marker))));
        }
    }
    // A type that does not exist has no channel.
    let on_parts = ["#[cfg(false)]", "#[r#cfg(false)]", "#[r#cfg_attr(all(), cfg(false))]"];
    for place in DOCUMENTED {
        let is_above = place.contains("@ #[api]") || place.contains("#[api] @");
        let parts = on_parts.iter().filter(|_| !is_above);
        forms.extend(ATTRIBUTES.iter().chain(parts).map(|attribute| place.replace('@', attribute)));
    }
    forms
}

/// Reads a crate with a module for each form.
fn read(forms: &BTreeMap<usize, &str>) -> Result<Catalogue, Vec<Diagnostic>> {
    let channels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../channels");
    let (mut root, mut spec) = ("crd_channels::resources!();\npub mod v1;\n".to_owned(), String::new());
    let mut files = BTreeMap::new();
    for (index, form) in forms {
        root.push_str(&format!("mod f{index};\n"));
        spec.push_str(&format!("    pub f{index}: Option<crate::f{index}::Form>,\n"));
        files.insert(PathBuf::from(format!("/r/api/src/f{index}.rs")), format!("use crd_channels::api;\n\n{form}\n"));
    }
    files.insert(
        "/r/api/Cargo.toml".into(),
        format!(
            "[package]\nname = 'api'\nedition = '2024'\n[dependencies]\ncrd-channels = {{ path = '{}' }}\n",
            channels.display()
        ),
    );
    files.insert("/r/api/src/lib.rs".into(), root);
    let v1 = "use crd_channels::{ObjectMeta, api};\n#[api(group = \"a.example.com\", version = \"v1\", kind = \"Lamp\")]\n\
        pub struct Lamp {\n    pub metadata: ObjectMeta,\n    pub spec: Spec,\n}\n#[api]\npub struct Spec {\n";
    files.insert("/r/api/src/v1.rs".into(), format!("{v1}{spec}}}\n"));
    let text = |path: &Path| match path.starts_with("/r") {
        true => Ok(files.get(path).cloned()),
        false => Ok(fs::read_to_string(path).ok()),
    };
    let source = Source { root: Path::new("/r"), types: Path::new("api"), program: &[], files: &text };
    let settings =
        Settings::read(Path::new("crd-channels.yaml"), "prefix: a.example.com\nversion: v1.0.0\n", &[]).unwrap();
    catalogue(&source, None, settings)
}

/// Whether the type, or a part of it, is experimental.
fn is_experimental(descriptor: &TypeDescriptor) -> bool {
    let parts = match descriptor.shape {
        Shape::Struct(fields) => {
            fields.iter().any(|field| field.experimental.is_some() || is_experimental_kind(field.kind))
        }
        Shape::Union { variants, .. } => {
            variants.iter().any(|variant| variant.experimental.is_some() || is_experimental_kind(variant.kind))
        }
        Shape::Enum { variants, .. } => variants.iter().any(|variant| variant.experimental.is_some()),
        Shape::Newtype(_) => false,
    };
    parts || descriptor.experimental.is_some()
}

fn is_experimental_kind(kind: TypeRef) -> bool {
    matches!(kind, TypeRef::Named(named) if is_experimental(named.get()))
}

/// How many of these forms are refused, and which are silent.
fn outcome(forms: &[String]) -> (usize, Vec<&str>) {
    let mut left: BTreeMap<usize, &str> = forms.iter().map(String::as_str).enumerate().collect();
    let errors = read(&left).unwrap_err();
    let mut refused = BTreeSet::new();
    for error in &errors {
        let file =
            error.location.file.as_ref().and_then(|file| file.file_stem()?.to_str()?.strip_prefix('f')?.parse().ok());
        // The root type names types that were not read.
        let Some(index): Option<usize> = file else { continue };
        // Below the import and a blank line.
        let lines = 3..=forms[index].matches('\n').count() + 3;
        if error.location.line.is_some_and(|line| lines.contains(&line)) && error.location.column.is_some() {
            refused.insert(index);
        }
    }
    left.retain(|index, _| !refused.contains(index));
    let read = read(&left).unwrap_or_else(|errors| {
        let names =
            errors.iter().filter_map(|error| error.message.split("::f").nth(1)?.split(':').next()?.parse().ok());
        panic!("{errors:?}\n{}", names.map(|index: usize| forms[index].as_str()).collect::<Vec<_>>().join("\n---\n"))
    });
    let [root] = read.all_descriptors()[..] else { panic!("one root type") };
    let Shape::Struct(fields) = root.shape else { panic!("a struct") };
    let spec = fields.iter().find(|field| field.name == "spec").unwrap().kind;
    let TypeRef::Named(spec) = spec else { panic!("a type") };
    let Shape::Struct(fields) = spec.get().shape else { panic!("a struct") };
    let silent = fields.iter().filter(|field| !is_experimental_kind(field.kind));
    (refused.len(), silent.map(|field| left[&field.name[1..].parse().unwrap()]).collect())
}

#[test]
fn no_form_of_a_marker_is_silent() {
    let step = if crd_testdata::is_proof() { 1 } else { 5 };
    let forms: Vec<String> = forms().into_iter().step_by(step).collect();
    let outcomes: Vec<_> = forms.chunks(2_500).map(outcome).collect();
    let refused: usize = outcomes.iter().map(|(refused, _)| refused).sum();
    let silent: Vec<&str> = outcomes.into_iter().flat_map(|(_, silent)| silent).collect();
    println!(
        "{} forms: {refused} are refused, {} take effect, {} are silent",
        forms.len(),
        forms.len() - refused - silent.len(),
        silent.len()
    );
    assert!(
        forms.len() >= 2_000 && silent.is_empty(),
        "{} forms are silent:\n{}",
        silent.len(),
        silent.join("\n---\n")
    );
}

/// The Rust files below a folder.
fn rust_files(folder: PathBuf) -> Vec<String> {
    let (mut folders, mut texts) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ if entry.path().extension().is_some_and(|end| end == "rs") => {
                    texts.extend(fs::read_to_string(entry.path()))
                }
                _ => {}
            }
        }
    }
    texts
}

/// The sources of the crates that this workspace downloads, and its own.
#[test]
fn comments_of_other_projects_are_not_markers() {
    let cargo = std::env::var_os("CARGO_HOME")
        .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"), PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../api-types/src");
    let (mut lines, mut comments, mut found) = (0, 0, Vec::new());
    let mut texts: Vec<String> = rust_files(own);
    let of_crates: Vec<String> = rust_files(cargo.join("registry/src"));
    texts.extend(crd_testdata::sample_of(of_crates, |_| false));
    for text in texts {
        let plain = plain_comments(&text);
        lines += text.lines().count();
        comments += plain.len();
        found.extend(in_plain_comments(&text).into_iter().map(|marker| marker.message(&text)));
        // Without these comments, the tokens are the same.
        let mut code = text.clone().into_bytes();
        for comment in plain {
            code[comment].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        let code = String::from_utf8(code).unwrap();
        if let Ok(tokens) = text.parse::<TokenStream>() {
            let same = code.parse::<TokenStream>().is_ok_and(|code| code.to_string() == tokens.to_string());
            assert!(same, "{}", text.lines().take(30).collect::<Vec<_>>().join("\n"));
        }
    }
    println!("{lines} lines, {comments} plain comments, {} look like markers", found.len());
    assert!(lines > 50_000 && found.is_empty(), "{lines} lines:\n{}", found.join("\n"));
}
