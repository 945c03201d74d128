//! Small APIs: `good`, and the same API after one edit each. Diagnostics name lines of this file, which [`super::line_of`] finds.

use crd_channels::api;

/// The root type of a resource: name in Rust, version, kind, and the type of its spec.
macro_rules! root {
    ($name:ident, $version:tt, $kind:tt $(, $($spec:tt)+)?) => {
        $crate::support::root!(
            /// A thing.
            $name, $version, $kind $(, $($spec)+)?
        );
    };
    ($(#[$attribute:meta])+ $name:ident, $version:tt, $kind:tt $(, $($spec:tt)+)?) => {
        $(#[$attribute])+
        #[allow(unreachable_pub, reason = "the types are written as an author writes them")]
        #[crd_channels::api(group = "things.example.com", version = $version, kind = $kind)]
        pub struct $name {
            /// Standard object metadata.
            pub metadata: crd_channels::ObjectMeta,
            $(
                /// The wanted state.
                pub spec: $($spec)+,
            )?
        }
    };
}
pub(crate) use root;

/// A module with the kind Thing: name in Rust, type of the spec, this type, and more items.
macro_rules! thing {
    ($module:ident $name:ident($spec:ident) $($items:tt)*) => {
        pub mod $module {
            #[allow(unused_imports, reason = "a few modules use other types")]
            use super::*;

            $crate::support::root!($name, "v1", "Thing", $spec);

            #[allow(unreachable_pub, reason = "the types are written as an author writes them")]
            #[crd_channels::api]
            $($items)*
        }
    };
}
pub(crate) use thing;

thing!(good Thing(ThingSpec)
pub struct ThingSpec {
    /// +kubebuilder:validation:Maximum=10
    pub size: Option<i32>,
    /// +experimental
    pub volume: Option<i32>,
}
root!(
    /// A box for things.
    ///
    /// +kubebuilder:resource:scope=Cluster
    Case, "v1", "Box"
);
root!(
    /// A shelf for boxes.
    ///
    /// +kubebuilder:resource:path=shelves
    Shelf, "v1alpha1", "Shelf"
););

// Another limit of Thing, and another description of Box.
thing!(edited Thing(ThingSpec)
pub struct ThingSpec {
    /// +kubebuilder:validation:Maximum=11
    pub size: Option<i32>,
    /// +experimental
    pub volume: Option<i32>,
}
root!(
    /// A box for everything.
    ///
    /// +kubebuilder:resource:scope=Cluster
    Case, "v1", "Box"
););

/// Another description: a patch.
pub mod reworded {
    use super::*;

    root!(
        /// A thing of any kind.
        Thing, "v1", "Thing", good::ThingSpec
    );
}

// A field without its `+experimental`: a minor.
thing!(graduated Thing(ThingSpec)
pub struct ThingSpec {
    /// +kubebuilder:validation:Maximum=10
    pub size: Option<i32>,
    pub volume: Option<i32>,
});

/// A field and a value that only experimental has, and a rule that names the field.
pub mod named {
    use super::*;

    root!(Thing, "v1", "Thing", ThingSpec);

    /// +experimental:kubebuilder:validation:XValidation:message="a loud thing has a volume",rule="self.mode != 'Loud' || has(self.volume)"
    #[api]
    pub struct ThingSpec {
        /// +kubebuilder:validation:Maximum=10
        pub size: Option<i32>,
        /// How loud it is.
        ///
        /// +experimental
        /// +conformance:feature=ThingVolume
        pub volume: Option<i32>,
        pub mode: Mode,
    }

    #[api]
    pub enum Mode {
        Quiet,
        /// A loud thing.
        ///
        /// +experimental
        Loud,
    }
}

/// A shelf that only experimental would have without its marker too.
pub mod hidden {
    use super::*;

    /// A shelf for boxes.
    ///
    /// +experimental
    /// +kubebuilder:resource:path=shelves
    #[api(group = "things.example.com", version = "v1alpha1", kind = "Shelf")]
    pub struct Shelf {
        /// Standard object metadata.
        pub metadata: crd_channels::ObjectMeta,
    }
}

// The volume has another name, without a lens.
thing!(renamed Thing(ThingSpec)
/// +tombstone:name=volume,reason="a better word",removed="v1.2.0",replacement=loudness
pub struct ThingSpec {
    /// +kubebuilder:validation:Maximum=10
    pub size: Option<i32>,
    /// +experimental
    pub loudness: Option<i32>,
});

/// A lower limit, which is a major, and another description.
pub mod tightened {
    use super::*;

    root!(
        /// A thing of any kind.
        Thing, "v1", "Thing", ThingSpec
    );

    #[api]
    pub struct ThingSpec {
        /// +kubebuilder:validation:Maximum=5
        pub size: Option<i32>,
        /// +experimental
        pub volume: Option<i32>,
    }
}

// A number that is a string now, which no version permits.
thing!(retyped Thing(ThingSpec)
pub struct ThingSpec {
    pub size: Option<String>,
    /// +experimental
    pub volume: Option<i32>,
});

// A new field in standard that experimental never had.
thing!(hasty Thing(ThingSpec)
pub struct ThingSpec {
    /// +kubebuilder:validation:Maximum=10
    pub size: Option<i32>,
    /// +experimental
    pub volume: Option<i32>,
    pub weight: Option<i32>,
});

// A removed field, which needs a tombstone.
thing!(removed Thing(ThingSpec)
pub struct ThingSpec {
    /// +kubebuilder:validation:Maximum=10
    pub size: Option<i32>,
});

// Experimental rejects objects that standard accepts.
thing!(narrow Thing(ThingSpec)
pub struct ThingSpec {
    /// +standard:kubebuilder:validation:Maximum=10
    /// +experimental:kubebuilder:validation:Maximum=8
    pub size: Option<i32>,
    /// +experimental
    pub volume: Option<i32>,
});

/// A shelf that graduates with its GA version. Standard does not serve the alpha version.
pub mod graduating {
    use super::*;

    /// A shelf for boxes.
    ///
    /// +experimental
    /// +kubebuilder:resource:path=shelves
    /// +kubebuilder:storageversion
    #[api(group = "things.example.com", version = "v1", kind = "Shelf")]
    pub struct Shelf {
        /// Standard object metadata.
        pub metadata: crd_channels::ObjectMeta,
    }

    root!(
        /// A shelf for boxes.
        ///
        /// +kubebuilder:resource:path=shelves
        AlphaShelf, "v1alpha1", "Shelf"
    );
}
