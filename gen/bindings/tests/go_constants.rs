//! Constants and aliases in a Go module: their packages, their types, and names that appear twice.

#![allow(unreachable_pub, reason = "annotated types are public")]
use std::collections::BTreeMap;

use crd_bindings::go::{self, Options};
use crd_channels::descriptor::TypeRef;
use crd_channels::{Channel, Constant, Described, ObjectMeta, Typed, api};
use crd_generate::settings::Settings;
use crd_generate::{Catalogue, Export, ExportedConstants};

mod v1 {
    use super::*;

    #[api(group = "example.com", version = "v1", kind = "Lamp")]
    pub struct Lamp {
        pub metadata: ObjectMeta,
        pub spec: LampSpec,
    }

    #[api]
    pub struct LampSpec {
        pub mode: Option<Mode>,
    }

    #[api]
    pub enum Mode {
        /// No light.
        Dark,
        /// +go:name=FullPower
        Bright,
    }

    /// No resource has it.
    #[api]
    pub struct Bulb {
        pub name: String,
    }

    crd_channels::conditions! {
        /// True once the lamp is lit.
        condition LAMP_CONDITION_LIT: LampConditionType = "Lit";
        /// The address is known.
        condition LAMP_CONDITION_DNS_READY: LampConditionType = "DNSReady";
        /// +experimental is not a marker of constants.
        constant LAMP_LABEL = "example.com/lamp";
    }
}

mod v1beta1 {
    use super::*;

    #[api(group = "example.com", version = "v1beta1", kind = "Lamp")]
    pub struct Lamp {
        pub metadata: ObjectMeta,
    }

    crd_channels::conditions! {
        reason LAMP_REASON_BROKEN: v1::LampConditionReason = "Broken";
    }
}

fn module_of(version: &str) -> String {
    format!("{}::{version}", module_path!())
}

fn written(catalogue: &Catalogue) -> Result<BTreeMap<String, String>, Vec<String>> {
    let folders = BTreeMap::from([("example.com".to_owned(), String::new())]);
    let options = Options {
        module: "example.com/api",
        folders: &folders,
        clients: &BTreeMap::new(),
        channel: Channel::Standard,
        places: None,
    };
    let module = go::module(catalogue, &options);
    module
        .map(|module| go::files(&module))
        .map_err(|errors| errors.into_iter().map(|error| error.message.clone()).collect())
}

fn catalogue() -> Catalogue {
    Catalogue::new(Settings::new("example.com", "v1.0.0".parse().unwrap()))
        .resource::<v1::Lamp>()
        .resource::<v1beta1::Lamp>()
        .constants("v1", v1::CONSTANTS)
}

#[test]
fn constants_are_in_the_package_of_their_module_and_of_modules_that_export_them() {
    let exported = ExportedConstants { module: module_of("v1beta1"), target: module_of("v1") };
    let catalogue = catalogue().constants("v1beta1", v1beta1::CONSTANTS).exports_constants(vec![exported]);
    let files = written(&catalogue).unwrap();
    let own = &files["v1/constants_types.go"];
    assert!(own.contains("type LampConditionType string\n"), "{own}");
    assert!(own.contains("\t// True once the lamp is lit.\n\tLampConditionLit LampConditionType = \"Lit\"\n"), "{own}");
    assert!(own.contains("\tLampConditionDNSReady LampConditionType = \"DNSReady\"\n"), "{own}");
    assert!(own.contains("\tLampLabel = \"example.com/lamp\"\n"), "{own}");
    let other = &files["v1beta1/constants_types.go"];
    assert!(other.contains("type LampConditionType = v1.LampConditionType\n"), "{other}");
    assert!(other.contains("\tLampConditionLit LampConditionType = \"Lit\"\n"), "{other}");
    assert!(other.contains("\tLampReasonBroken v1.LampConditionReason = \"Broken\"\n"), "{other}");
    // A bundle lists neither the label, nor the types in Go.
    assert_eq!(catalogue.condition_constants().0["v1"].len(), 2);
}

#[test]
fn exported_names_are_aliases() {
    let export = |module: &str, name: &str, target| Export { module: module_of(module), name: name.to_owned(), target };
    let exports = vec![
        export("v1", "Bulb", v1::Bulb::TYPE),
        export("v1", "Port", TypeRef::Integer { rust: "i32", format: Some("int32") }),
        export("v1::inner", "Port", TypeRef::Integer { rust: "i32", format: Some("int32") }),
        export("v1beta1", "Mode", v1::Mode::TYPE),
        export("v1beta1", "TlsMode", v1::Mode::TYPE),
        export("v1beta1", "Bulb", v1::Bulb::TYPE),
        export("elsewhere", "Bulb", v1::Bulb::TYPE),
    ];
    let files = written(&catalogue().exported(exports)).unwrap();
    assert!(files["v1/go_constants_types.go"].contains("type Bulb struct {\n"));
    assert!(files["v1/scalar_types.go"].ends_with("type Port = int32\n"));
    let aliases = &files["v1beta1/go_constants_types.go"];
    for line in [
        "type Bulb = v1.Bulb\n",
        "type Mode = v1.Mode\n",
        "type TLSMode = v1.Mode\n",
        "\tFullPower Mode = \"Bright\"\n",
    ] {
        assert_eq!(aliases.matches(line).count(), 1, "{aliases}");
    }
}

#[test]
fn a_name_that_appears_twice_or_is_no_name_is_an_error() {
    let constant = |go_type, name| Constant {
        go_type,
        module: v1::CONSTANTS[0].module,
        ..Constant::new(crd_channels::ConstantKind::Reason, name, "x")
    };
    for (constants, message) in [
        (
            [constant(Some("lower"), "A"), constant(None, "B")],
            "the constant `A`: its Go type `lower` is not an exported Go identifier",
        ),
        (
            [constant(Some("v9::Type"), "A"), constant(None, "B")],
            "the constant `A`: its Go type `v9::Type` is of an API version without a package",
        ),
        ([constant(None, "LAMP_SPEC"), constant(None, "B")], "the package `v1` has the name `LampSpec` twice"),
        ([constant(Some("Mode"), "A"), constant(None, "B")], "the package `v1` has the name `Mode` twice"),
        ([constant(None, "LAMP_LIST"), constant(None, "B")], "the package `v1` has the name `LampList` twice"),
        ([constant(None, "ADD_TO_SCHEME"), constant(None, "B")], "the package `v1` has the name `AddToScheme` twice"),
    ] {
        assert_eq!(written(&catalogue().constants("v1", &constants)), Err(vec![message.to_owned()]));
    }
    assert_eq!(v1::Lamp::DESCRIPTOR.name, "Lamp");
}
