//! Advice about deprecated names of markers.

use crd_channels::{ObjectMeta, api};
use crd_diagnostics::Severity;
use crd_generate::settings::Settings;
use crd_generate::{Catalogue, annotated, deprecated_names};

#[api(group = "example.com", version = "v1", kind = "Lamp")]
pub struct Lamp {
    pub metadata: ObjectMeta,
    /// +kubebuilder:validation:Required
    pub spec: Spec,
}

#[api(group = "example.com", version = "v1", kind = "Torch")]
pub struct Torch {
    pub metadata: ObjectMeta,
    /// +required
    pub spec: Spec,
}

#[api]
pub struct Spec {
    /// +kubebuilder:validation:Optional
    pub colours: Option<Vec<Colour>>,
    /// +k8s:required
    pub name: String,
}

#[api]
pub struct Colour {
    /// +kubebuilder:validation:Optional
    pub shade: Option<i32>,
    /// +optional
    pub tone: Option<i32>,
}

#[test]
fn each_name_is_one_warning_with_all_its_lines() {
    let settings = Settings::new("example.com", "v1.0.0".parse().unwrap());
    let catalogue = Catalogue::new(settings).resource::<Lamp>().resource::<Torch>();
    let warnings = deprecated_names(&annotated(&catalogue).unwrap());
    assert_eq!(warnings.len(), 2);
    for (warning, (old, new)) in warnings.iter().zip([("Optional", "optional"), ("Required", "required")]) {
        let marker = format!("+kubebuilder:validation:{old}");
        assert_eq!(warning.message, format!("`{marker}` is deprecated"));
        assert!(warning.help.as_ref().is_some_and(|help| help.starts_with(&format!("write `+{new}`"))), "{warning}");
        assert_eq!(warning.severity, Severity::Warning);
        let lines = include_str!("deprecated.rs").lines().enumerate();
        let lines = lines.filter(|(_, line)| line.trim_start() == format!("/// {marker}"));
        let related = warning.related.iter().map(|related| &related.location);
        let located = std::iter::once(&*warning.location).chain(related).map(|location| location.line);
        assert_eq!(located.collect::<Vec<_>>(), lines.map(|(index, _)| Some(index + 1)).collect::<Vec<_>>());
    }
}
