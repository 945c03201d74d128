//! The macro that declares condition types and reasons.

/// Declares recommended condition types and reasons: a public string constant for each, and `CONSTANTS`, which lists them for the catalogue.
///
/// ```
/// mod conditions {
///     crd_channels::conditions! {
///         /// True once the cache answers requests.
///         condition CACHE_CONDITION_READY: CacheConditionType = "Ready";
///         /// Ready is False because no replica has started.
///         reason CACHE_REASON_STARTING = "Starting";
///         /// The label of objects that belong to a cache.
///         constant CACHE_LABEL = "caches.example.com/name";
///     }
/// }
/// assert_eq!(conditions::CACHE_CONDITION_READY, "Ready");
/// assert_eq!(conditions::CONSTANTS.len(), 3);
/// assert_eq!(conditions::CONSTANTS[0].go_type, Some("CacheConditionType"));
/// ```
///
/// The name after the colon is the type of the constant in the Go module, which declares it as a string type; `v1::Name` is the type of another API
/// version. Constants without a type are untyped there. A `constant` is neither a condition type nor a reason: bundles do not list it.
///
/// Any other word in the place of `condition`, `reason` and `constant` is a compile error:
///
/// ```compile_fail
/// crd_channels::conditions! { state CACHE_READY = "Ready"; }
/// ```
#[macro_export]
macro_rules! conditions {
    (@kind condition) => { $crate::ConstantKind::Condition };
    (@kind reason) => { $crate::ConstantKind::Reason };
    (@kind constant) => { $crate::ConstantKind::Constant };
    (@docs doc = $text:literal) => { ::core::concat!($text, "\n") };
    (@docs $($other:tt)*) => { "" };
    (@type) => { ::core::option::Option::None };
    (@type $go:path) => { ::core::option::Option::Some(::core::stringify!($go)) };
    ($($(#[$($attribute:tt)*])* $kind:ident $name:ident $(: $go:path)? = $value:literal;)*) => {
        $($(#[$($attribute)*])* pub const $name: &str = $value;)*

        /// Every constant, for the catalogue.
        pub const CONSTANTS: &[$crate::Constant] = &[$($crate::Constant {
            kind: $crate::conditions!(@kind $kind),
            name: ::core::stringify!($name),
            value: $value,
            docs: ::core::concat!($($crate::conditions!(@docs $($attribute)*)),*),
            go_type: $crate::conditions!(@type $($go)?),
            module: ::core::module_path!(),
        },)*];
    };
}
