//! The macro that declares condition types and reasons.

/// Declares recommended condition types and reasons: a public string constant for each, and `CONSTANTS`, which lists them for the catalogue.
///
/// ```
/// mod conditions {
///     crd_channels::conditions! {
///         /// True once the cache answers requests.
///         condition CACHE_CONDITION_READY = "Ready";
///         /// Ready is False because no replica has started.
///         reason CACHE_REASON_STARTING = "Starting";
///     }
/// }
/// assert_eq!(conditions::CACHE_CONDITION_READY, "Ready");
/// assert_eq!(conditions::CONSTANTS.len(), 2);
/// ```
///
/// Any other word in the place of `condition` and `reason` is a compile error:
///
/// ```compile_fail
/// crd_channels::conditions! { state CACHE_READY = "Ready"; }
/// ```
#[macro_export]
macro_rules! conditions {
    (@kind condition) => { $crate::ConstantKind::Condition };
    (@kind reason) => { $crate::ConstantKind::Reason };
    ($($(#[$documentation:meta])* $kind:ident $name:ident = $value:literal;)*) => {
        $($(#[$documentation])* pub const $name: &str = $value;)*

        /// Every condition type and reason, for the catalogue.
        pub const CONSTANTS: &[$crate::Constant] = &[$($crate::Constant {
            kind: $crate::conditions!(@kind $kind),
            name: ::core::stringify!($name),
            value: $value,
        },)*];
    };
}
