//! Hostile sources of types: each kind in 40 sizes takes little memory and time, ends with CRDs or with a diagnostic, and never aborts.
//!
//! Each case runs in its own process, as those of [`crate::hostile`]. A run has a sample; a proof has all.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::hostile::measured;

const ROOT: &str = "use crd_channels::{AnyJson, ObjectMeta, api};
/// A widget.
/// +kubebuilder:storageversion
#[api(group = \"widgets.example.com\", version = \"v1\", kind = \"Widget\")]
pub struct Widget {
    pub metadata: ObjectMeta,
    pub spec: Spec,
}
";

/// A kind: items, and the type of a field with its doc comment before `|`. What is in `«»` is there so often, what is in `‹›` for each number from 0: `$` is the
/// number, `@` the next one, and `#` before a space, `:`, `<` or the end the last. `~` is a line break.
const KINDS: &[(&str, &str, &str)] = &[
    ("nested options", "", "«Option<»i32«>»"),
    ("nested parentheses", "", "«(»i32«)»"),
    ("references", "", "«&»i32"),
    ("pointers", "", "«*const »i32"),
    ("functions", "", "«fn() -> »i32"),
    ("lengths", "", "[i32; «1+»1]"),
    ("attributes", "«#[allow(a)]»", "i32"),
    ("nested attributes", "#[cfg(«any(»true«)»)]", "i32"),
    ("attributes of attributes", "#[«cfg_attr(true,»allow(a)«)»]", "i32"),
    ("expressions", "#[doc = «1+»1]", "i32"),
    ("bounds", "#[api] pub struct G<T: «A<»B«>»> { pub a: T }", "i32"),
    ("nested imports", "use std::«{a::»bR(});", "i32"),
    ("chains of imports", "pub use i32 as A0;‹pub use self::A$ as A@;›", "A#"),
    ("chains of modules", "mod m0 { pub type X = i32; }‹mod m@ { pub use super::m$::X; }›", "m#::X"),
    ("chains of globs", "mod m0 { pub type X = i32; }‹mod m@ { pub use super::m$::*; }›", "m#::X"),
    ("rings of globs", "‹mod n$ { use super::*; pub use super::n@::*; }›", "i32"),
    ("nested modules", "«mod a {»«}»", "i32"),
    ("chains of aliases", "pub type A0 = i32;‹pub type A@ = A$;›", "A#"),
    ("doubled aliases", "pub type A0 = String;‹pub type A@ = std::collections::BTreeMap<A$, A$>;›", "A#"),
    (
        "doubled parameters",
        "pub type A0<T> = std::collections::BTreeMap<T, T>;‹pub type A@<T> = A$<A$<T>>;›",
        "A#<String>",
    ),
    ("doubled structs", "#[api] pub struct S0 { pub a: i32 }‹#[api] pub struct S@ { pub a: S$, pub b: S$ }›", "S#"),
    ("chains of structs", "#[api] pub struct S0 { pub a: i32 }‹#[api] pub struct S@ { pub a: Vec<S$> }›", "S#"),
    ("chains of newtypes", "#[api] pub struct S0(pub i32);‹#[api] pub struct S@(pub S$);›", "S#"),
    (
        "flattened structs",
        "#[api] pub struct S0 { pub a0: i32 }‹#[api] pub struct S@ { pub a@: i32, #[serde(flatten)] pub f: S$ }›",
        "S#",
    ),
    (
        "doubled flattened structs",
        "#[api] pub struct S0 {}‹#[api] pub struct S@ { #[serde(flatten)] pub a: S$, #[serde(flatten)] pub b: S$ }›",
        "S#",
    ),
    (
        "flattened fields",
        "#[api] pub struct A { ‹pub a$: Option<i32>,› } #[api] pub struct B { ‹pub b$: Option<i32>,› #[serde(flatten)] pub a: A }",
        "B",
    ),
    ("doubled unions", "#[api] pub struct S0 { pub a: i32 }‹#[api] pub enum S@ { A(S$), B(S$) }›", "S#"),
    (
        "structs in each other",
        "‹#[api] pub struct S$ { pub a: Option<S0>, pub b: Option<S1>, pub c: Option<S@>, pub d: Option<S2> }›#[api] pub struct S# {}",
        "S0",
    ),
    (
        "instances of instances",
        "#[api(instances(X0 = G<i32>‹, X@ = G<X$>›))] pub struct G<T> { pub a: T, pub b: T }",
        "X#",
    ),
    (
        "instances in instances",
        "#[api(instances(X0 = G<i32>‹, X@ = G<G<X$>>›))] pub struct G<T> { pub a: T }",
        "G<i32>",
    ),
    ("large instances", "#[api(instances(X0 = G<i32>‹, X@ = G<X$>›))] pub struct G<T> { ‹pub f$: T,› }", "X1"),
    ("long lines", "", "«aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa»|i32"),
    ("pluses", "", " x «+ab +abcdefg + kubernets »|i32"),
    ("markers in prose", "", " x «+experimental »|i32"),
    ("tags", "", " x «+<a »|i32"),
    ("entities", "", " x «&am&#»|i32"),
    ("fences", "", " ```«~/// +a~/// - +optional»|i32"),
    ("blank lines", "", "«~///»|i32"),
    ("unknown markers", "", "«~/// a~/// +ab»|i32"),
    ("markers", "", "«~/// +optional»|i32"),
    ("open strings", "", " +kubebuilder:validation:Pattern=`«~/// +optional»|i32"),
    ("nested values", "", " +kubebuilder:default=«{»|i32"),
    ("values of enums", "", " +kubebuilder:validation:Enum={aE(,a$)}|String"),
    ("nested patterns", "", " +kubebuilder:validation:Pattern=«(»«)»|String"),
    ("nested schemas", "", " +schema:anyOf=[«{not: »{}«}»]|String"),
    ("nested comments", "«/* a»«*/»", "i32"),
    ("variants", "#[api] pub enum E { ‹V$,› }", "E"),
    ("fields", "#[api] pub struct E { ‹pub v$: Option<i32>,› }", "E"),
    ("errors", "#[api] pub struct E { ‹pub v$: Foo$,› }", "E"),
    ("paths in strings", "#[api] pub struct E { #[serde(default = \"a«::<a»«>»\")] pub v: i32 }", "E"),
    ("tokens", "fn a() { «a » }", "i32"),
    ("brackets", "fn a() { «(»«)» }", "i32"),
    ("open brackets", "fn a() { «(»", "i32"),
    ("angle brackets", "fn a() -> «<»;", "i32"),
    ("macros", "«macro_rules! m { () => {} } m!{}»", "i32"),
    ("unknown attributes", "«#[foo] struct A;»", "i32"),
];

/// Which sizes of the text of a kind are tried: the largest file that is read has 1.5 MiB.
fn sizes() -> impl Iterator<Item = usize> {
    (1..=40)
        .map(|step| [1, 2, 3, 5, 8, 13, 21, 34, 55, 89][step % 10] * 10_usize.pow(u32::try_from(step / 10).unwrap()))
}

fn repeated(text: &str, size: usize) -> String {
    let (mut result, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(['«', '‹']) {
        result.push_str(&rest[..start]);
        let is_plain = rest[start..].starts_with('«');
        let (open, close) = if is_plain { ('«', '»') } else { ('‹', '›') };
        let (part, behind) = rest[start + open.len_utf8()..].split_once(close).unwrap();
        if is_plain {
            result.push_str(&part.repeat(size));
        } else {
            (0..size).for_each(|number| {
                result.push_str(&part.replace('$', &number.to_string()).replace('@', &(number + 1).to_string()));
            });
        }
        rest = behind;
    }
    result.push_str(rest);
    result.replace('~', "\n")
}

fn source((_, items, field): (&str, &str, &str), size: usize) -> String {
    let last = |text: &str| {
        text.replace("S#", &format!("S{size}"))
            .replace("X#", &format!("X{size}"))
            .replace("A#", &format!("A{size}"))
            .replace("m#", &format!("m{size}"))
    };
    let field = repeated(&last(field), size);
    let (docs, kind) = field.split_once('|').unwrap_or((" The size.", &field));
    let items = repeated(&last(items), size);
    format!("{ROOT}{items}\n#[api]\npub struct Spec {{\n///{docs}\npub size: {kind},\n}}\n")
}

/// A workspace with types.
fn workspace(folder: &Path, source: &str) {
    let channels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../channels");
    fs::create_dir_all(folder.join("api/src")).unwrap();
    for (path, text) in [
        ("Cargo.toml", "[workspace]\nmembers = [\"api\"]\n"),
        ("crd-channels.yaml", "prefix: widgets.example.com\nversion: v1.0.0\ntypes: api\n"),
        (
            "api/Cargo.toml",
            &format!(
                "[package]\nname = \"api\"\nedition = \"2024\"\n[dependencies]\ncrd-channels = {{ path = \"{}\" }}\n",
                channels.display()
            ),
        ),
        ("api/src/lib.rs", "pub mod v1;\ncrd_channels::resources!();\n"),
        ("api/src/v1.rs", source),
    ] {
        fs::write(folder.join(path), text).unwrap();
    }
}

#[test]
fn hostile_sources_take_little_memory_and_time() {
    let cases = KINDS.iter().flat_map(|kind| sizes().map(move |size| (*kind, size)));
    let cases: Vec<_> = cases.collect();
    let count = cases.len();
    // In a proof, all sizes; else each kind in one size.
    let cases = cases.into_iter().enumerate().filter(|(index, _)| crd_testdata::is_proof() || index % 40 == 23);
    // Of CPU, which does not depend on what else the machine does.
    let most = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 2 });
    let mut slow = Vec::new();
    for (_, (kind, size)) in cases {
        let text = source(kind, size);
        if text.len() > 3 << 20 {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        workspace(folder.path(), &text);
        let name = format!("{} {size}", kind.0);
        let outcome = measured(&name, folder.path(), &["generate"]);
        let is_explained = outcome.exit == Some(0) || outcome.err.starts_with("error");
        assert!(is_explained && outcome.exit.is_some_and(|exit| exit < 3), "{name}: {outcome:?}");
        if outcome.cpu > most {
            slow.push(format!("{name}: {:?}", outcome.cpu));
        }
    }
    println!("{} kinds, {count} cases", KINDS.len());
    assert!(slow.is_empty(), "{slow:?}");
}

/// Files that are not files, and links in circles.
#[cfg(unix)]
#[test]
fn special_files_are_refused() {
    let link = |target: &str, path: &Path| std::os::unix::fs::symlink(target, path).unwrap();
    let fifo = |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    for (path, target) in [
        ("api/src/v1.rs", ""),
        ("api/src/v1.rs", "/dev/zero"),
        ("api/src/v1.rs", "v1.rs"),
        ("api/src/v1.rs", "lib.rs"),
        ("api/src/v1.rs", "."),
        ("api/src/lib.rs", "/dev/random"),
        ("api/Cargo.toml", ""),
        ("xtask/src/main.rs", ""),
        ("bundles/compiled.json", ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        workspace(folder.path(), &format!("{ROOT}#[api]\npub struct Spec {{\n    pub size: i32,\n}}\n"));
        let file = folder.path().join(path);
        let _ = fs::remove_file(&file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        if target.is_empty() {
            fifo(&file)
        } else {
            link(target, &file)
        }
        // A module that contains itself, in a folder that contains itself.
        if target == "lib.rs" {
            link(".", &folder.path().join("api/src/v1"));
        }
        let outcome = measured(&format!("{path} → {target}"), folder.path(), &["generate"]);
        assert!(outcome.exit == Some(2) && outcome.err.starts_with("error"), "{path} → {target}: {outcome:?}");
    }
}
