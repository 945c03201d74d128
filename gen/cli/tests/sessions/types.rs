//! The Rust types of the sessions: small APIs, each after one edit.

use crd_channels::api;
use crd_channels_cli::Catalogue;

use crate::support::{
    edited, good, graduated, hasty, named, narrow, removed, renamed, retyped, reworded, root, thing, tightened,
};

/// The files with the types, and their texts.
const FILES: [(&str, &str); 2] = [
    ("gen/cli/tests/sessions/types.rs", include_str!("types.rs")),
    ("gen/cli/tests/support/apis.rs", include_str!("../support/apis.rs")),
];

/// Adds a type to a catalogue by its name.
macro_rules! resources {
    ($($path:path),+ $(,)?) => {
        pub fn resource(catalogue: Catalogue, name: &str) -> Catalogue {
            match name {
                $(stringify!($path) => catalogue.resource::<$path>(),)+
                _ => panic!("unknown type {name}"),
            }
        }
    };
}

#[rustfmt::skip]
resources! {
    whole::Thing, whole::Case, lacking::Thing, buried::Thing, buried_early::Thing, hesitant::Thing, returned::NewThing, versioned::Thing,
    versioned::Stored, pale::Thing, pale_buried::Thing, opened::Thing, parts::whole::Thing, parts::whole::Case, parts::lacking::Thing,
    parts::lacking::Case, parts::buried::Thing, parts::buried::Case, moved::XShelf, moved::Shelf, older::Thing, older::Newer, older::Stored,
    gauge::Gauge, shared::Gauge, allowed::Gauge, mistaken::Gauge, first::Lamp, first::AlphaLamp, coloured::Lamp, coloured::AlphaLamp, tighter::Lamp, tighter::AlphaLamp, without_colour::Lamp, without_colour::AlphaLamp, lamp_buried::Lamp, lamp_buried::AlphaLamp, wider_later::Lamp, wider_later::AlphaLamp, tighter_later::Lamp, tighter_later::AlphaLamp, alpha_default_later::Lamp, alpha_default_later::AlphaLamp, lamp_retyped::Lamp, lamp_retyped::AlphaLamp, marked::Lamp, marked::Lantern,
    once::Thing, often::Thing, bad::Tree, bad::Impostor, bad::Narrow, bad::Car, bad::Boat, bad::Raft, bad::Sponge, bad::Nowhere, bad::Defaulted,
    lens_old::Thing, lens_new::Thing, beginning::Lamp, good::Thing, good::Case, good::Shelf, edited::Thing, edited::Case, reworded::Thing, graduated::Thing, renamed::Thing, tightened::Thing,
    retyped::Thing, hasty::Thing, removed::Thing, narrow::Thing, named::Thing,
}

/// A text in which each line of these files is shown by its module and its text: `types.rs[good: pub size: Option<i32>,]`.
pub fn shown(text: &str) -> String {
    let mut text = text.to_owned();
    for (path, content) in FILES {
        for before in [":", ",line=", "\",\"line\":", "\"},\"region\":{\"startLine\":"] {
            let place = format!("{path}{before}");
            let mut parts = text.split(&place);
            let mut found = parts.next().unwrap().to_owned();
            for part in parts {
                let end = part.find(|character: char| !character.is_ascii_digit()).unwrap_or(part.len());
                let number = part[..end].parse::<usize>().unwrap();
                found.push_str(&format!(
                    "{}[{}]{}",
                    path.rsplit('/').next().unwrap(),
                    line(content, number),
                    &part[end..]
                ));
            }
            text = found;
        }
    }
    text
}

/// The module and the text of a line.
fn line(content: &str, number: usize) -> String {
    let lines = content.lines().take(number).map(str::trim).collect::<Vec<_>>();
    let module = lines.iter().rev().find_map(|line| {
        let name = line
            .strip_prefix("pub mod ")
            .or_else(|| line.strip_prefix("api_with!("))
            .or_else(|| line.strip_prefix("thing!("))
            .or_else(|| line.strip_prefix("gauge!("))
            .or_else(|| line.strip_prefix("lamp!("))?;
        name.split([' ', ',']).next()
    });
    // A line of a macro, which is counted in the file of the macro.
    module.map_or("a macro".to_owned(), |module| format!("{module}: {}", lines.last().unwrap()))
}

// The API of the first release, and the same API after one edit each.
thing!(whole Thing(ThingSpec)
pub struct ThingSpec {
    pub size: Option<i32>,
    pub colour: Option<Colour>,
    /// +kubebuilder:validation:Enum=Left;Right
    pub side: Option<String>,
}
root!(Case, "v1", "Box");
#[api]
pub enum Colour {
    Red,
    Blue,
});

thing!(lacking Thing(ThingSpec)
pub struct ThingSpec {
    pub size: Option<i32>,
    /// +kubebuilder:validation:Enum=Left;Right
    pub side: Option<String>,
});

// With the line that `check` requires.
thing!(buried Thing(ThingSpec)
/// +tombstone:name=colour,removed=v2.0.0,reason="not wanted"
pub struct ThingSpec {
    pub size: Option<i32>,
    /// +kubebuilder:validation:Enum=Left;Right
    pub side: Option<String>,
});

// With an earlier release that first lacked it.
thing!(buried_early Thing(ThingSpec)
/// +tombstone:name=colour,removed=v1.5.0,reason="not wanted"
pub struct ThingSpec {
    pub size: Option<i32>,
    /// +kubebuilder:validation:Enum=Left;Right
    pub side: Option<String>,
});

// Three fields are removed, two of them still without a reason.
thing!(hesitant Thing(ThingSpec)
/// +tombstone:name=colour,removed=v2.0.0,reason="…"
/// +tombstone:name=side,removed=v2.0.0,reason="TODO"
/// +tombstone:name=size,removed=v2.0.0,reason="moved"
pub struct ThingSpec {
    pub amount: Option<i32>,
});

// The colour under another name in Rust, in a type of another name, only in experimental, and as another type.
thing!(returned NewThing(Wishes)
pub struct Wishes {
    pub size: Option<i32>,
    /// +kubebuilder:validation:Enum=Left;Right
    pub side: Option<String>,
    /// +experimental
    #[serde(rename = "colour")]
    pub paint: Option<i64>,
});

/// The colour in another version, in a flattened struct.
pub mod versioned {
    use super::*;

    root!(Thing, "v2alpha1", "Thing", ThingSpec);
    root!(
        /// +kubebuilder:storageversion
        Stored, "v1", "Thing", buried::ThingSpec
    );

    #[api]
    pub struct ThingSpec {
        pub size: Option<i32>,
        #[serde(flatten)]
        pub looks: Looks,
    }

    #[api]
    pub struct Looks {
        pub colour: Option<String>,
    }
}

// Values are removed: of a type, and of a field.
thing!(pale Thing(ThingSpec)
pub struct ThingSpec {
    pub size: Option<i32>,
    pub colour: Option<Colour>,
    /// +kubebuilder:validation:Enum=Left
    pub side: Option<String>,
}
#[api]
pub enum Colour { Red });

thing!(pale_buried Thing(ThingSpec)
pub struct ThingSpec {
    pub size: Option<i32>,
    pub colour: Option<Colour>,
    /// +kubebuilder:validation:Enum=Left
    pub side: Option<String>,
}
/// +tombstone:name=Blue,removed=v2.0.0,reason="not wanted"
#[api]
pub enum Colour { Red });

// Any colour, and any side.
thing!(opened Thing(ThingSpec)
pub struct ThingSpec { pub size: Option<i32>, pub colour: Option<String>, pub side: Option<String> });

/// A type that is used three times, and its edits.
pub mod parts {
    use super::*;

    /// A module with this API and this type `Part`.
    macro_rules! api_with {
        ($name:ident { $($part:tt)+ }) => {
            pub mod $name {
                use super::*;

                root!(Thing, "v1", "Thing", ThingSpec);
                root!(Case, "v1", "Box", Part);

                #[api]
                pub struct ThingSpec {
                    pub parts: Option<Vec<Part>>,
                    pub spare: Option<Part>,
                }

                #[api]
                $($part)+
            }
        };
    }

    api_with!(whole { pub struct Part { pub name: Option<String>, pub note: Option<String> } });
    api_with!(lacking { pub struct Part { pub name: Option<String> } });
    api_with!(buried {
        /// +tombstone:name=note,removed=v2.0.0,reason="not wanted"
        pub struct Part { pub name: Option<String> }
    });
}

/// A kind that moves from an experimental group to the main group.
pub mod moved {
    use super::*;
    use crd_channels::ObjectMeta;

    /// +experimental
    #[api(group = "things.example-x.com", version = "v1alpha1", kind = "XShelf")]
    pub struct XShelf {
        pub metadata: ObjectMeta,
    }

    root!(
        /// +kubebuilder:resource:path=shelves
        Shelf, "v1", "Shelf"
    );
}

/// An older version, and which of the two stores objects.
pub mod older {
    use super::*;

    root!(Thing, "v1beta1", "Thing", whole::ThingSpec);
    root!(
        /// +kubebuilder:storageversion
        Newer, "v1", "Thing", whole::ThingSpec
    );
    root!(
        /// +kubebuilder:storageversion
        Stored, "v1beta1", "Thing", whole::ThingSpec
    );
}

/// A new API, only in experimental.
pub mod beginning {
    use super::*;

    root!(
        /// +experimental
        Lamp, "v1alpha1", "Lamp"
    );
}

/// A gauge with a floating-point number, which breaks a convention, before and after edits that add more of them.
macro_rules! gauge {
    ($name:ident, $($field:tt)*) => {
        pub mod $name {
            use super::*;

            root!(
                /// A gauge.
                Gauge, "v1", "Gauge", GaugeSpec
            );

            /// The wanted state.
            #[api]
            pub struct GaugeSpec {
                /// The ratio.
                pub ratio: Option<f64>,
                $($field)*
            }
        }
    };
}

gauge!(gauge,
    /// The load.
    ///
    /// +experimental
    pub load: Option<f64>,
);

gauge!(shared,
    /// The load.
    pub load: Option<f64>,
    /// The share.
    pub share: Option<f64>,
    /// The rate.
    ///
    /// +experimental
    pub rate: Option<f64>,
);

gauge!(allowed,
    /// The load.
    ///
    /// +lint:allow=no-floats,reason="measured"
    pub load: Option<f64>,
    /// The name.
    ///
    /// +lint:allow=no-floats,reason="it was a number once"
    pub name: Option<String>,
);

gauge!(mistaken,
    /// The load.
    ///
    /// +lint:allow=no-flots,reason="measured"
    pub load: Option<f64>,
);

/// An operator's API: the specs of its two versions.
macro_rules! lamp {
    ($name:ident, both { $($field:tt)* }) => {
        lamp!($name, { $($field)* } { $($field)* });
    };
    ($name:ident, later $(#[$stable:meta])* watts $(#[$alpha:meta])* watts) => {
        lamp!($name,
            /// +tombstone:name=colour,removed=v0.3.0,reason="light has none"
            { $(#[$stable])* pub watts: Option<i32>, } { $(#[$alpha])* pub watts: Option<i32>, });
    };
    ($name:ident, $(#[$owner:meta])* { $($stable:tt)* } { $($alpha:tt)* }) => {
        pub mod $name {
            use super::*;

            root!(
                /// A lamp.
                ///
                /// +kubebuilder:storageversion
                Lamp, "v1", "Lamp", LampSpec
            );

            $(#[$owner])*
            #[api]
            pub struct LampSpec { $($stable)* }

            root!(
                /// A lamp.
                AlphaLamp, "v1alpha1", "Lamp", AlphaLampSpec
            );

            $(#[$owner])*
            #[api]
            pub struct AlphaLampSpec { $($alpha)* }
        }
    };
}

lamp!(first, both {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
});

lamp!(coloured, both {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
    pub colour: Option<String>,
});

lamp!(tighter, both {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
    pub colour: Option<String>,
});

lamp!(without_colour, both {
    /// +kubebuilder:validation:Maximum=60
    pub watts: Option<i32>,
});

lamp!(lamp_buried, later
    /// +kubebuilder:validation:Maximum=60
    watts
    /// +kubebuilder:validation:Maximum=60
    /// +kubebuilder:default=40
    watts);

lamp!(wider_later, later
    /// +kubebuilder:validation:Maximum=70
    watts
    /// +kubebuilder:validation:Maximum=70
    /// +kubebuilder:default=40
    watts);

lamp!(tighter_later, later
    /// +kubebuilder:validation:Maximum=50
    watts
    /// +kubebuilder:validation:Maximum=50
    /// +kubebuilder:default=40
    watts);

lamp!(alpha_default_later, later
    /// +kubebuilder:validation:Maximum=60
    watts
    /// +kubebuilder:validation:Maximum=60
    /// +kubebuilder:default=50
    watts);

lamp!(lamp_retyped, {
    pub watts: Option<String>,
    pub colour: Option<String>,
} {
    /// +kubebuilder:validation:Maximum=100
    pub watts: Option<i32>,
    pub colour: Option<String>,
});

/// What a catalogue with one channel does not publish.
pub mod marked {
    use super::*;

    root!(
        /// A lamp.
        Lamp, "v1", "Lamp", LampSpec
    );

    #[api]
    pub struct LampSpec {
        /// +experimental
        pub colour: Option<String>,
        pub shape: Option<Shape>,
        /// +experimental:kubebuilder:validation:Maximum=10
        /// +standard:kubebuilder:validation:Minimum=1
        pub watts: Option<i32>,
        pub parts: Option<Vec<Part>>,
    }

    #[api]
    pub enum Shape {
        Bulb,
        /// +experimental
        Tube,
    }

    /// +experimental
    #[api]
    pub struct Part {
        pub name: Option<String>,
    }

    root!(
        /// A lamp.
        ///
        /// +experimental
        Lantern, "v1", "Lantern"
    );
}

/// Experimental is stricter than standard in these fields.
macro_rules! stricter {
    ($name:ident, $($field:ident)*) => {
        thing!($name Thing(Spec) pub struct Spec {
            $(
                /// +standard:kubebuilder:validation:MaxLength=10
                /// +experimental:kubebuilder:validation:MaxLength=5
                pub $field: Option<String>,
            )*
        });
    };
}

stricter!(once, one);
stricter!(often, one two three four five six seven);

/// Types that cannot become CRDs.
pub mod bad {
    use super::*;
    use crd_channels::ObjectMeta;

    // A type that contains itself.
    root!(Tree, "v1", "Tree", Branch);

    #[api]
    pub struct Branch {
        pub twigs: Option<Vec<Twig>>,
    }

    #[api]
    pub struct Twig {
        pub branch: Option<Branch>,
    }

    // The kind of another type.
    root!(Impostor, "v1", "Thing");

    // A rule in standard about a field of experimental.
    root!(Narrow, "v1", "Narrow", NarrowSpec);

    /// +kubebuilder:validation:XValidation:rule="has(self.volume)",message="too quiet"
    #[api]
    pub struct NarrowSpec {
        pub size: Option<i32>,
        /// +experimental
        pub volume: Option<i32>,
    }

    /// Paths to fields that do not exist, or only in experimental.
    ///
    /// +kubebuilder:printcolumn:name=Engine,type=string,JSONPath=.spec.enginee
    /// +kubebuilder:printcolumn:name=Colour,type=string,JSONPath=.spec.colour
    /// +kubebuilder:subresource:scale:specpath=.spec.replica,statuspath=.status.engine
    #[api(group = "things.example.com", version = "v1", kind = "Car")]
    pub struct Car {
        pub metadata: ObjectMeta,
        pub spec: CarSpec,
        pub status: Option<CarSpec>,
    }

    #[api]
    pub struct CarSpec {
        /// +kubebuilder:validation:Optional
        pub engine: Option<String>,
        pub replicas: Option<i32>,
        /// +experimental
        pub colour: Option<String>,
    }

    /// Correct, except for `status`.
    #[api(group = "things.example.com", version = "v1", kind = "Boat")]
    pub struct Boat {
        pub metadata: ObjectMeta,
        /// +kubebuilder:validation:Optional
        pub status: Option<CarSpec>,
    }

    // A pattern in single quotes.
    root!(Raft, "v1", "Raft", RaftSpec);

    /// What a raft has.
    /// TODO: more
    #[api]
    pub struct RaftSpec {
        /// Its name.
        /// ---
        /// Not for users.
        ///
        /// +kubebuilder:validation:Pattern='^[a-z]+$'
        pub name: String,
    }

    // A flattened map.
    root!(Sponge, "v1", "Sponge", SpongeSpec);

    /// What a sponge has.
    #[api]
    pub struct SpongeSpec {
        pub pores: Option<i32>,
        #[serde(flatten)]
        pub rest: std::collections::BTreeMap<String, crd_channels::AnyJson>,
    }

    // A rule about a field that does not exist.
    root!(Nowhere, "v1", "Nowhere", NowhereSpec);

    /// +kubebuilder:validation:XValidation:rule="has(self.tone)",message="no tone"
    #[api]
    pub struct NowhereSpec {
        pub size: Option<i32>,
        /// +experimental
        pub volume: Option<i32>,
    }

    /// A default that is not valid.
    #[api(group = "things.example.com", version = "v1", kind = "Default")]
    pub struct Defaulted {
        pub metadata: ObjectMeta,
        /// +kubebuilder:default={size: 12}
        pub spec: Option<good::ThingSpec>,
    }
}

// A field before and after its rename, which a lens converts.
thing!(lens_old Thing(ThingSpec)
pub struct ThingSpec { pub length: Option<i32> });

thing!(lens_new Thing(ThingSpec)
pub struct ThingSpec {
    /// +lens:rename:from=length,since=v2.0.0
    pub size: Option<i32>,
});
