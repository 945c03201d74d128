//! What `check` requires of lenses: one for each change that needs a conversion, without a gap, into the schema, and right on generated objects.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Place, api, line_of, root};
use crd_channels::api;
use crd_channels_cli::Catalogue;
use crd_convert::Code;
use serde_json::{Value, json};

/// The API of v1.0.0.
mod old {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    #[api]
    pub struct ThingSpec {
        /// +kubebuilder:validation:MaxLength=8
        pub host: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
        pub mode: Option<Mode>,
    }

    #[api]
    pub enum Mode {
        On,
        Off,
    }
}

/// A rule refuses every object with the field.
mod refused {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    /// +kubebuilder:validation:XValidation:rule="!has(self.host)",message="not yet"
    #[api]
    pub struct ThingSpec {
        /// +kubebuilder:validation:MaxLength=8
        pub host: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
        pub mode: Option<old::Mode>,
    }
}

/// The same with another name and another value, and tombstones alone.
mod buried {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    /// +tombstone:name=host,removed=v1.1.0,reason="renamed",replacement=hostname
    #[api]
    pub struct ThingSpec {
        /// +kubebuilder:validation:MaxLength=8
        pub hostname: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
        pub mode: Option<Mode>,
    }

    /// +tombstone:name=Off,removed=v1.1.0,reason="renamed",replacement=Paused
    #[api]
    pub enum Mode {
        On,
        Paused,
    }
}

/// Specs with one lens each, and the other fields of the old one.
macro_rules! specs {
    ($($name:ident { $(#[$of_type:meta])* } { $($rest:tt)* })*) => {$(
        mod $name {
            #![allow(unreachable_pub, reason = "the types are written as an author writes them")]

            use super::*;

            root!(Thing, "v1", "Thing", ThingSpec);

            $(#[$of_type])*
            #[api]
            pub struct ThingSpec {
                pub mode: Option<old::Mode>,
                $($rest)*
            }
        }
    )*};
}

specs! {
    gone {
        /// +tombstone:name=host,removed=v1.1.0,reason="not wanted"
    } {
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    renamed {} {
        /// +lens:rename:from=host,since=v1.1.0
        /// +kubebuilder:validation:MaxLength=8
        pub hostname: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    shorter {} {
        /// +lens:rename:from=host,since=v1.1.0
        /// +kubebuilder:validation:MaxLength=7
        pub hostname: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    single {} {
        /// +kubebuilder:validation:MaxLength=8
        pub host: Option<String>,
        /// +lens:unwrapList:from=ports,since=v1.1.0
        pub port: Option<i32>,
    }
    misspelt {
        /// +lens:rename:from=host,to=hostnam,since=v1.1.0
    } {
        /// +kubebuilder:validation:MaxLength=8
        pub hostname: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    dropped {
        /// +lens:drop:path=host,reason="not wanted",since=v1.1.0
    } {
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    coded {
        /// +lens:code:name=host,from=["host"],to=["hostname"],since=v1.1.0
    } {
        /// +kubebuilder:validation:MaxLength=8
        pub hostname: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    late {} {
        /// +lens:rename:from=host,since=v1.2.0
        /// +kubebuilder:validation:MaxLength=8
        pub hostname: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    twice {
        /// +lens:rename:from=host,to=server,since=v1.2.0
    } {
        /// +lens:rename:from=server,since=v1.3.0
        /// +kubebuilder:validation:MaxLength=8
        pub hostname: Option<String>,
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
    wrapped {} {
        /// +kubebuilder:validation:MaxLength=8
        pub host: Option<String>,
        /// +lens:wrapInList:since=v1.1.0
        /// +kubebuilder:validation:MaxItems=3
        pub ports: Option<Vec<i32>>,
    }
}

/// A workspace with v1.0.0.
fn place() -> Place {
    let place = Place::new();
    place.publish(&api::<old::Thing>("v1.0.0"));
    place
}

/// The problems that `check` reports, each as one line, with the tombstones of the types in the ledger.
#[track_caller]
fn problems(place: &Place, catalogue: &Catalogue, profile: &str) -> Vec<String> {
    place.run(catalogue, &["tombstones", "add"]);
    let ran = place.run_unchanged(catalogue, &["check", "--profile", profile, "--format", "json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["candidate"]["name"], "the types", "{}{}", ran.out, ran.err);
    let text = |problem: &Value, key: &str| problem[key].as_str().unwrap_or_default().replace('\n', " | ");
    let problems = report["problems"].as_array().unwrap().iter();
    problems.map(|problem| ["code", "message", "help"].map(|key| text(problem, key)).join(": ")).collect()
}

/// The only problem of types after v1.0.0. It is at the line of the lens.
#[track_caller]
fn problem(catalogue: &Catalogue, module: &str) -> String {
    let place = place();
    let found = problems(&place, catalogue, "gep-922");
    let [problem] = found.as_slice() else { panic!("{found:#?}") };
    let line = line_of(include_str!("lenses.rs"), &format!("    {module} {{"), "+lens:");
    let report = place.run_unchanged(catalogue, &["check"]).out;
    let at = format!("gen/cli/tests/lenses.rs:{line}\n");
    assert!(
        report.contains(&at) || ["coded", "misspelt"].contains(&module) && report.contains("gen/cli/tests/lenses.rs"),
        "{at}{report}"
    );
    problem.clone()
}

const THING: &str =
    r#"{"apiVersion":"things.example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"default"},"spec":"#;
const LENS: &str = "the lens `things.example.com/Thing v1.1.0";

#[test]
fn a_change_that_needs_a_conversion_needs_the_line_that_check_prints() {
    let rename = "conversion-missing: the field `host` has the name `hostname` now, and no lens converts it: Write this line above `hostname`, \
                  instead of the tombstone of `host`: | /// +lens:rename:from=host,since=v1.1.0";
    let value = "conversion-missing: the value `Off` is gone, and no lens converts it: Write this line above the enum, with the value that takes \
                 over, instead of its tombstone: | /// +lens:values:values={\"Off\": \"Paused\"},since=v1.1.0";
    let place = place();
    let buried = api::<buried::Thing>("v1.1.0");
    assert_eq!(problems(&place, &buried, "api-guide"), [rename, value]);
    // In experimental, only a declared rename needs one; in standard none does, and it needs a major bundle.
    let rename = rename.replace("v1.1.0", "v2.0.0");
    assert_eq!(problems(&place, &buried, "gep-922"), [&*rename]);
    assert_eq!(problems(&place, &buried, "semver"), [&*rename]);
}

#[test]
fn a_removed_field_without_a_new_name_can_be_dropped() {
    let found = problems(&place(), &api::<gone::Thing>("v1.1.0"), "api-guide");
    assert_eq!(
        found,
        [
            "conversion-missing: the field `host` is gone, and no lens converts it: If another field has its value, write this line above that \
          field, instead of the tombstone: | /// +lens:rename:from=host,since=v1.1.0 | If none has it, write this line above the struct that had \
          the field: | /// +lens:drop:path=host,reason=\"…\",since=v1.1.0"
        ]
    );
    assert_eq!(problems(&place(), &api::<dropped::Thing>("v1.1.0"), "api-guide"), [""; 0]);
}

#[test]
fn a_lens_answers_a_change() {
    let (place, renamed) = (place(), api::<renamed::Thing>("v1.1.0"));
    assert_eq!(problems(&place, &renamed, "api-guide"), [""; 0]);
    let report = place.run_unchanged(&renamed, &["check", "--profile", "api-guide"]).out;
    assert!(report.contains("new name `hostname`") && !report.contains("needs a conversion"), "{report}");
}

/// A release between has neither name, or the lens names a bundle that has the new form already.
#[test]
fn a_chain_with_a_gap_is_reported() {
    let place = place();
    place.publish(&api::<renamed::Thing>("v1.1.0"));
    let found = problems(&place, &api::<late::Thing>("v1.2.0"), "gep-922");
    let gap = "conversion-gap: the lens `things.example.com/Thing v1.2.0 rename spec.host`: v1.1.0, the release before it, does not have its old form";
    assert!(found.iter().any(|problem| problem.starts_with(gap)), "{found:#?}");
}

/// Between the known releases, the field had a name that none of them has.
#[test]
fn a_history_may_have_gaps() {
    let found = problems(&place(), &api::<twice::Thing>("v1.4.0"), "gep-922");
    assert_eq!(found.iter().filter(|problem| problem.starts_with("conversion")).count(), 0, "{found:#?}");
}

/// A bundle was published with the lens of `renamed`.
#[test]
fn a_published_lens_never_changes() {
    let (place, renamed) = (place(), api::<renamed::Thing>("v1.1.0"));
    place.publish(&renamed);
    place.run(&renamed, &["generate"]);
    let published = place.read("bundles/unreleased/conversions.json");
    let file = "bundles/v1.1.0/conversions.json";
    place.write(file, &published);
    // `import` does not list the lenses.
    fs::remove_file(place.path().join("bundles/v1.1.0/bundle.yaml")).unwrap();
    assert_eq!(problems(&place, &api::<renamed::Thing>("v1.2.0"), "gep-922"), [""; 0]);
    let help =
        ": A published lens never changes. Restore its marker from git, and add another lens for another change.";
    let gone = problems(&place, &api::<gone::Thing>("v1.2.0"), "gep-922");
    assert!(
        gone.contains(&format!("conversion-altered: {LENS} rename spec.host` is gone after v1.1.0{help}")),
        "{gone:#?}"
    );
    place.write(file, published.replace("spec.hostname", "spec.hosts"));
    let differs = format!(
        "conversion-altered: {LENS} rename spec.host` differs from the one that was published with v1.1.0{help}"
    );
    assert_eq!(problems(&place, &api::<renamed::Thing>("v1.2.0"), "gep-922"), [differs]);
    place.write(file, "[]");
    let ran = place.run_unchanged(&renamed, &["check"]);
    assert!(ran.err.contains("bundles/v1.1.0/conversions.json: $: a list instead of an object"), "{}", ran.err);
}

#[test]
fn a_lens_into_nothing_is_reported() {
    assert_eq!(
        problem(&api::<misspelt::Thing>("v1.1.0"), "misspelt"),
        format!(
            "conversion-target: {LENS} rename spec.host`: v1.1.0 does not have its new form: Name a place of the new form, and in `since` the \
             first bundle that has it."
        )
    );
}

#[test]
fn a_lens_that_never_applies_is_reported() {
    assert_eq!(
        problem(&api::<wrapped::Thing>("v1.1.0"), "wrapped"),
        format!(
            "conversion-gap: {LENS} wrapInList spec.ports`: it converts no object of v1.0.0 that has its old form: Correct the places of the lens, \
             as the old objects have them."
        )
    );
}

#[test]
fn a_lens_without_an_accepted_object_is_a_warning() {
    let (place, renamed) = (Place::new(), api::<renamed::Thing>("v1.1.0"));
    place.publish(&api::<refused::Thing>("v1.0.0"));
    assert_eq!(problems(&place, &renamed, "api-guide"), [""; 0]);
    let report = place.run_unchanged(&renamed, &["check", "--format", "json"]).out;
    let report: Value = serde_json::from_str(&report).unwrap();
    let line = line_of(include_str!("lenses.rs"), "    renamed {", "+lens:");
    let message = format!("{LENS} rename spec.host`: no object with its old form that v1.0.0 accepts was found");
    let fix = "The laws of this lens are not checked. Test it with objects of your own.";
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1);
    let found = ["code", "message", "help", "file", "line"].map(|key| &report["warnings"][0][key]);
    assert_eq!(json!(found), json!(["conversion-unproven", message, fix, "gen/cli/tests/lenses.rs", line]));
}

#[test]
fn a_value_that_the_new_schema_refuses_is_shown() {
    assert_eq!(
        problem(&api::<shorter::Thing>("v1.1.0"), "shorter"),
        format!(
            "conversion-broken: {LENS} rename spec.host` breaks a law: the CRD of v2.0.0 refuses the new form: spec.hostname: Too long: may not be \
             more than 7 bytes: Let the other form accept what the lens writes, or write what it accepts. An object that shows it: | \
             {THING}{{\"host\":\"aaaaaaaa\"}}}} | and becomes {THING}{{\"hostname\":\"aaaaaaaa\"}}}}"
        )
    );
}

#[test]
fn an_object_without_a_new_form_is_shown() {
    assert_eq!(
        problem(&api::<single::Thing>("v1.1.0"), "single"),
        format!(
            "conversion-broken: {LENS} unwrapList spec.ports` breaks a law: an object has no other form at the object: the list is empty, and the \
             new form needs one item: Give every old object a new form, or declare what is lost with `+lens:drop`. An object that shows it: | \
             {THING}{{\"ports\":[]}}}}"
        )
    );
}

/// Moves `host` to `hostname`.
const CODE: Code = Code {
    name: "host",
    example: r#"{"host": "a"}"#,
    forward: |object| carry(object, "host", "hostname", |host| host),
    backward: |object| carry(object, "hostname", "host", |host| host),
};

fn carry(object: &mut Value, from: &str, to: &str, change: fn(Value) -> Value) -> Result<(), String> {
    let spec = object.as_object_mut().ok_or("no spec")?;
    if let Some(value) = spec.remove(from) {
        spec.insert(to.to_owned(), change(value));
    }
    Ok(())
}

#[test]
fn functions_are_proven_like_other_lenses() {
    let coded = |code| api::<coded::Thing>("v1.1.0").functions(code);
    assert_eq!(problems(&place(), &coded(CODE), "api-guide"), [""; 0]);
    // Functions may refuse an object.
    let refusing = |object: &mut Value| match object["host"].as_str() {
        Some("") => Err("an empty name".to_owned()),
        _ => carry(object, "host", "hostname", |host| host),
    };
    assert_eq!(problems(&place(), &coded(Code { forward: refusing, ..CODE }), "api-guide"), [""; 0]);
    let broken = |code| problem(&coded(code), "coded").split(": Give").next().unwrap().to_owned();
    let backward = |object: &mut Value| carry(object, "hostname", "host", |_| "other".into());
    assert_eq!(
        broken(Code { backward, ..CODE }),
        format!(
            "conversion-broken: {LENS} code spec.host` breaks a law: an object has no other form at the object: the item would not return when it \
             is converted back"
        )
    );
}

/// The new name depends on the ports too, which the functions get.
#[test]
fn functions_may_read_all_of_what_they_get() {
    fn with_ports(object: &mut Value, from: &str, to: &str) -> Result<(), String> {
        let reversed = |name: Value| name.as_str().unwrap_or_default().chars().rev().collect::<String>().into();
        let is_odd = object["ports"][0].as_i64().is_some_and(|port| port % 2 != 0);
        carry(object, from, to, if is_odd { reversed } else { |name| name })
    }
    let forward = |object: &mut Value| with_ports(object, "host", "hostname");
    let backward = |object: &mut Value| with_ports(object, "hostname", "host");
    let catalogue = api::<coded::Thing>("v1.1.0").functions(Code { forward, backward, ..CODE });
    assert_eq!(problems(&place(), &catalogue, "api-guide"), [""; 0]);
}

/// Functions must always return the same: these write the name in capital letters, or not.
#[test]
fn functions_that_do_not_always_return_the_same_break_a_law() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let forward = |object: &mut Value| match object["host"].as_str() {
        Some(host) if host.to_lowercase() != host => Err("capital letters".to_owned()),
        _ => carry(
            object,
            "host",
            "hostname",
            match CALLS.fetch_add(1, Ordering::Relaxed) / 2 % 2 {
                0 => |host| host,
                _ => |host| host.as_str().unwrap_or_default().to_uppercase().into(),
            },
        ),
    };
    let backward = |object: &mut Value| {
        carry(object, "hostname", "host", |name| name.as_str().unwrap_or_default().to_lowercase().into())
    };
    let catalogue = api::<coded::Thing>("v1.1.0").functions(Code { forward, backward, ..CODE });
    let found = problems(&place(), &catalogue, "api-guide");
    let law = format!("conversion-broken: {LENS} code spec.host` breaks a law: `spec.hostname` does not return: ");
    let new = format!("An object that shows it: | {THING}{{\"hostname\":");
    let is_restored = |problem: &String| problem.starts_with(&law) && problem.contains(&new);
    assert!(found.iter().any(is_restored), "{found:#?}");
}
