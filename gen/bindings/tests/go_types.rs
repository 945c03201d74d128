//! From types to a Go module: what each kind of type becomes, what the channel changes, and everything that Go cannot express.

#![allow(unreachable_pub, reason = "annotated types are public")]
use std::collections::BTreeMap;

use crd_bindings::go::{self, Options};
use crd_channels::{AnyJson, Channel, IntOrString, ObjectMeta, Resource, api};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::Settings;

fn written(catalogue: Catalogue, channel: Channel) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let folders = BTreeMap::from([("example.com".to_owned(), String::new())]);
    go::module(
        &catalogue,
        &Options { module: "example.com/api", folders: &folders, clients: &BTreeMap::new(), channel, places: None },
    )
    .map(|module| go::files(&module))
}

fn of<T: Resource>() -> Catalogue {
    Catalogue::new(Settings::new("example.com", "v1.0.0".parse().unwrap())).resource::<T>()
}

mod v1 {
    use super::*;

    /// A lamp.
    #[api(group = "example.com", version = "v1", kind = "Lamp")]
    pub struct Lamp {
        pub metadata: ObjectMeta,
        pub spec: LampSpec,
        pub status: Option<LampStatus>,
    }

    /// What is wanted.
    #[api]
    pub struct LampSpec {
        #[serde(flatten)]
        pub common: Common,
        /// How bright it is.
        ///
        /// +kubebuilder:validation:Maximum=100
        /// +standard:kubebuilder:validation:Minimum=1
        /// +experimental:kubebuilder:validation:Minimum=0
        pub lumens: i32,
        /// +experimental
        pub colour: Option<Colour>,
        pub shape: Option<Shape>,
        pub name: Option<String>,
        pub tags: Option<Vec<String>>,
        pub size: Option<IntOrString>,
        pub extra: Option<AnyJson>,
        pub source: Option<Source>,
        pub timer: Option<Timer>,
        #[serde(rename = "tlsUrl")]
        pub url: String,
        /// +go:type=value
        pub bulbs: Option<i64>,
        /// +go:name=PowerInWatts
        pub power: Option<f64>,
    }

    #[api]
    pub struct Common {
        pub room: Option<Room>,
    }

    /// +kubebuilder:validation:MaxLength=63
    #[api]
    pub struct Room(pub String);

    #[api]
    pub enum Colour {
        Red,
        /// +go:name=Emerald
        Green,
    }

    #[api(open)]
    pub enum Shape {
        Round,
    }

    /// Where the current comes from.
    #[api]
    pub enum Source {
        Battery { volts: i32 },
        Mains(Mains),
    }

    #[api]
    pub struct Mains {
        pub socket: String,
    }

    #[api]
    #[serde(tag = "kind")]
    pub enum Timer {
        Daily { at: String },
        Never,
    }

    #[api]
    pub struct LampStatus {
        pub lit: bool,
    }
}

/// The lines of a Go type, without documentation and blank lines.
fn declared<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let start = text.find(&format!("\ntype {name} ")).unwrap_or_else(|| panic!("{name} in {text}"));
    let lines = text[start + 1..].lines();
    let is_struct = text[start..].lines().nth(1).unwrap().ends_with("struct {");
    let lines = lines.take_while(|line| *line != "}").take(if is_struct { usize::MAX } else { 1 });
    lines
        .skip(usize::from(is_struct))
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .collect()
}

#[test]
fn each_kind_of_type_has_its_form_in_go() {
    let files = written(of::<v1::Lamp>(), Channel::Experimental).unwrap();
    let text = &files["v1/go_types_types.go"];
    assert_eq!(
        declared(text, "Lamp"),
        [
            "metav1.TypeMeta `json:\",inline\"`",
            "metav1.ObjectMeta `json:\"metadata,omitempty\"`",
            "Spec LampSpec `json:\"spec\"`",
            "Status LampStatus `json:\"status,omitzero\"`",
        ]
    );
    assert_eq!(
        declared(text, "LampSpec"),
        [
            "Common `json:\",inline\"`",
            "Lumens int32 `json:\"lumens\"`",
            "Colour *Colour `json:\"colour,omitempty\"`",
            "Shape Shape `json:\"shape,omitempty\"`",
            "Name *string `json:\"name,omitempty\"`",
            "Tags []string `json:\"tags,omitzero\"`",
            "Size *intstr.IntOrString `json:\"size,omitempty\"`",
            "Extra *runtime.RawExtension `json:\"extra,omitempty\"`",
            "Source *Source `json:\"source,omitempty\"`",
            "Timer *Timer `json:\"timer,omitempty\"`",
            "TLSURL string `json:\"tlsUrl\"`",
            "Bulbs int64 `json:\"bulbs,omitempty\"`",
            "PowerInWatts *float64 `json:\"power,omitempty\"`",
        ]
    );
    assert_eq!(declared(text, "Room"), ["type Room string"]);
    assert_eq!(
        declared(text, "Source"),
        ["Battery *SourceBattery `json:\"battery,omitempty\"`", "Mains *Mains `json:\"mains,omitempty\"`"]
    );
    assert_eq!(declared(text, "SourceBattery"), ["Volts int32 `json:\"volts\"`"]);
    assert_eq!(declared(text, "Timer"), ["Kind TimerKind `json:\"kind\"`", "At *string `json:\"at,omitempty\"`"]);
    for line in [
        "+kubebuilder:validation:MaxLength=63",
        "+kubebuilder:validation:Enum=\"Red\";\"Green\"",
        "+kubebuilder:validation:Enum=\"Daily\";\"Never\"",
        "+genclient",
        "ColourRed Colour = \"Red\"",
        "Emerald Colour = \"Green\"",
        "ShapeRound Shape = \"Round\"",
        "TimerKindDaily TimerKind = \"Daily\"",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("Enum=\"Round\""));
}

#[test]
fn a_channel_has_its_own_elements_and_markers() {
    let text = |channel| written(of::<v1::Lamp>(), channel).unwrap().remove("v1/go_types_types.go").unwrap();
    let (standard, experimental) = (text(Channel::Standard), text(Channel::Experimental));
    assert!(standard.contains("Minimum=1") && experimental.contains("Minimum=0"));
    assert!(!standard.contains("Colour") && !standard.contains("Channel:"));
    assert!(experimental.contains("\t// Channel: experimental.\n\t//\n\t// +optional\n\tColour "), "{experimental}");
}

/// A resource whose spec has these fields.
macro_rules! cases {
    ($($case:ident: { $($item:item)* } => $expected:expr;)*) => {
        $(mod $case {
            pub mod v1 {
                #[allow(unused_imports)]
                use crate::go_types::*;

                /// A lamp.
                #[api(group = "example.com", version = "v1", kind = "Lamp")]
                pub struct Lamp {
                    pub metadata: ObjectMeta,
                    pub spec: Spec,
                }

                $($item)*
            }
        })*

        #[test]
        fn what_go_cannot_express_is_an_error_at_its_type() {
            $({
                let errors = written(of::<$case::v1::Lamp>(), Channel::Standard).unwrap_err();
                let shown = errors.iter().map(|error| {
                    let rust = error.location.rust.as_ref().expect("a type");
                    assert!(error.help.is_some() && error.location.line.is_some(), "{error:?}");
                    format!("{rust}: {}", error.message)
                });
                assert_eq!(shown.collect::<Vec<_>>(), $expected, stringify!($case));
            })*
        }
    };
}

cases! {
    unsigned: { #[api] pub struct Spec { pub port: u16, pub big: Option<Vec<u64>> } } => [
        "Spec.port: Go types of Kubernetes APIs have no integer `u16`",
        "Spec.big: Go types of Kubernetes APIs have no integer `u64`",
    ];
    no_name: { #[api] pub struct Spec { #[serde(rename = "$ref")] pub reference: String, #[serde(rename = "a,b")] pub list: Option<String> } } => [
        "Spec.list: no Go name follows from the wire name `a,b`",
    ];
    one_name: { #[api] pub struct Spec { #[serde(rename = "tls-url")] pub one: String, #[serde(rename = "tlsURL")] pub two: String } } => [
        "Spec.TLSURL: two fields of `Spec` have the Go name `TLSURL`",
    ];
    two_types: {
        #[api] pub struct Spec { pub one: TlsMode, pub two: TLSMode }
        #[api] pub struct TlsMode { pub a: String }
        #[api] pub struct TLSMode { pub b: String }
    } => ["TlsMode: the package `v1` has the name `TLSMode` twice"];
    float_key: {
        #[api] pub struct Spec {
            /// +listType=map
            /// +listMapKey=weight
            pub parts: Vec<Part>,
        }
        #[api] pub struct Part { pub weight: f64 }
    } => ["Spec.parts: the key `weight` of this list is a floating-point number, which cannot be compared reliably"];
}
