//! Descriptions: a marker is never published as text, and the backslash of an escape is not published.

use crd_channels::deferred::Deferred;
use crd_channels::descriptor::{Field, Shape, TypeRef, Variant};
use crd_channels::{Channel, ChannelSet, Described, Location, ObjectMeta, Presence, TypeDescriptor, api};
use crd_generate::settings::Settings;
use crd_generate::{Catalogue, annotated, generate, schema_of};
use crd_model::fit::Limit;
use crd_model::{CustomResourceDefinition, Schema};

/// States what the marker \+experimental means; the pattern `^\+[0-9]$` is text.
#[api]
struct Escaped {
    /// Written as `\+ optional`.
    field: Option<String>,
}

#[test]
fn the_backslash_of_an_escape_is_not_published() {
    let schema = schema_of(Escaped::DESCRIPTOR, Channel::Standard).unwrap();
    assert_eq!(
        schema.description.as_deref(),
        Some("States what the marker +experimental means; the pattern `^\\+[0-9]$` is text.")
    );
    let field = schema.properties.get("field").unwrap();
    assert_eq!(field.description.as_deref(), Some("Written as `+ optional`."));
}

/// Of experimental.
///
/// +standard:schema:description="Of `standard`\nwith \\+optional and +optional"
#[api]
struct Channelled {
    /// Of experimental.
    ///
    /// +standard:schema:description=""
    field: Option<String>,
    /// +standard:schema:description="Around the text of the type"
    around: Escaped,
    /// Of experimental.
    ///
    /// +standard:schema:description=""
    without: Option<Escaped>,
    /// +schema:description="Of both"
    both: Vec<i32>,
}

#[test]
fn a_marker_replaces_the_description_of_a_channel() {
    for (channel, expected) in [
        (
            Channel::Standard,
            [Some("Of `standard`\nwith \\+optional and +optional"), None, Some("Around the text of the type"), None],
        ),
        (
            Channel::Experimental,
            [
                Some("Of experimental."),
                Some("Of experimental."),
                Some("States what the marker +experimental means; the pattern `^\\+[0-9]$` is text."),
                Some("Of experimental."),
            ],
        ),
    ] {
        let schema = schema_of(Channelled::DESCRIPTOR, channel).unwrap();
        let of = |name: &str| schema.properties.get(name).unwrap().description.as_deref();
        assert_eq!([schema.description.as_deref(), of("field"), of("around"), of("without")], expected, "{channel}");
        assert_eq!(of("both"), Some("Of both"));
    }
}

#[api(group = "example.com", version = "v1", kind = "Essay")]
struct Essay {
    metadata: ObjectMeta,
    /// One. Two is longer than one.
    ///
    /// Three.
    spec: Escaped,
}

#[test]
fn descriptions_are_shortened_to_the_limit_of_the_settings() {
    let description = |limit: Option<usize>| {
        let settings = Settings::new("example.com", "v1.0.0".parse().unwrap());
        let catalogue = Catalogue::new(Settings { description_limit: limit, ..settings }).resource::<Essay>();
        let crds = generate(&catalogue, Channel::Standard).unwrap();
        let schema = &crds[0].versions[0].schema;
        let longest = |schema: &Schema| schema.description.as_deref().map_or(0, |text| text.chars().count());
        assert!(limit.is_none_or(|limit| schema.properties.values().all(|schema| longest(schema) <= limit)));
        schema.properties.get("spec").unwrap().description.clone()
    };
    assert_eq!(description(None).as_deref(), Some("One. Two is longer than one.\n\nThree."));
    assert_eq!(description(Some(36)), description(None));
    assert_eq!(description(Some(35)).as_deref(), Some("One. Two is longer than one."));
    assert_eq!(description(Some(20)).as_deref(), Some("One. Two is longer…"));
    assert_eq!(description(Some(5)).as_deref(), Some("One."));
    assert_eq!(description(Some(2)), None);
    assert_eq!(description(Some(0)), None);
}

#[test]
fn a_crd_too_large_for_client_side_apply_is_a_warning() {
    let catalogue = Catalogue::new(Settings::new("example.com", "v1.0.0".parse().unwrap())).resource::<Essay>();
    let resource = &annotated(&catalogue).unwrap()[0];
    let mut crd = resource.project(&catalogue, Channel::Standard).unwrap().unwrap();
    assert_eq!(resource.warnings(&crd, Channel::Standard), []);
    let rest = crd.client_side_bytes() - "One. Two is longer than one.\\n\\nThree.".len();
    let spec = crd.versions[0].schema.properties.get_mut("spec").unwrap();
    spec.description = Some("x".repeat(262_144 - rest).into());
    assert_eq!(resource.warnings(&crd, Channel::Standard), []);
    crd.versions[0].schema.properties.get_mut("spec").unwrap().description = Some("x".repeat(262_145 - rest).into());
    let warnings = resource.warnings(&crd, Channel::Standard);
    assert!(matches!(&warnings[..], [warning] if warning.code == "generate::client-side-apply"), "{warnings:?}");
    assert!(warnings[0].message.contains("262145 bytes"), "{}", warnings[0].message);
}

/// The stamps of the bundle are in the CRD that is installed.
#[test]
fn descriptions_are_removed_until_a_crd_with_its_stamps_has_the_size_of_the_settings() {
    let settings = Settings::new("example.com", "v1.0.0".parse().unwrap());
    let generated = |size: Option<Limit>| {
        let catalogue = Catalogue::new(Settings { size, ..settings.clone() }).resource::<Essay>();
        generate(&catalogue, Channel::Standard).map(|mut crds| crds.remove(0))
    };
    let whole = generated(None).unwrap();
    let bytes = |crd: &CustomResourceDefinition| {
        let mut crd = crd.clone();
        crd.annotations.insert("example.com/bundle-version".into(), "v1.0.0-dev".into());
        crd.annotations.insert("example.com/channel".into(), "standard".into());
        Limit::Bytes(0).bytes(&crd)
    };
    assert_eq!(generated(Some(Limit::Apply)), Ok(whole.clone()));
    assert_eq!(generated(Some(Limit::Bytes(bytes(&whole)))), Ok(whole.clone()));
    let fitted = generated(Some(Limit::Bytes(bytes(&whole) - 1))).unwrap();
    assert!(fitted != whole && bytes(&fitted) < bytes(&whole));
    let field = |crd: &CustomResourceDefinition| {
        let spec = crd.versions[0].schema.properties.get("spec").unwrap();
        [spec.description.is_some(), spec.properties.get("field").unwrap().description.is_some()]
    };
    assert_eq!((field(&whole), field(&fitted)), ([true, true], [true, false]));
    let least = bytes(&whole.without_descriptions());
    assert_eq!(generated(Some(Limit::Bytes(least))), Ok(whole.without_descriptions()));
    let errors = generated(Some(Limit::Bytes(least - 1))).unwrap_err();
    let [error] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!(error.code, "generate::unfit");
    assert!(error.message.contains(&format!("has {least} bytes without descriptions")), "{}", error.message);
}

#[test]
fn descriptions_of_a_foreign_type_can_be_left_out() {
    fn schema() -> String {
        r#"{"type": "object", "description": "All", "properties": {"description": {"type": "string", "description": "One"}}}"#.to_owned()
    }
    const SCHEMA: Deferred<String> = Deferred::Compiled(schema);
    static WITH: TypeDescriptor =
        described("", Shape::Newtype(TypeRef::Foreign { name: "F", schema: SCHEMA, descriptions: true }));
    static WITHOUT: TypeDescriptor =
        described("", Shape::Newtype(TypeRef::Foreign { name: "F", schema: SCHEMA, descriptions: false }));
    for (descriptor, expected) in [(&WITH, Some("One")), (&WITHOUT, None)] {
        let schema = schema_of(descriptor, Channel::Standard).unwrap();
        assert_eq!(schema.properties.get("description").unwrap().description.as_deref(), expected);
    }
}

const HERE: Location = Location { file: file!(), line: line!() };

const fn described(description: &'static str, shape: Shape) -> TypeDescriptor {
    let (channels, markers, tombstones) = (ChannelSet::ALL, &[], &[]);
    let (name, experimental, resource) = ("ByHand", None, None);
    let (module, location) = (module_path!(), HERE);
    TypeDescriptor { name, module, description, channels, experimental, shape, markers, tombstones, resource, location }
}

const FIELD: Field = Field {
    name: "field",
    wire_name: "field",
    aliases: &[],
    description: "Its size. +experimental",
    kind: TypeRef::String,
    presence: Presence::Optional,
    nullable: false,
    flatten: false,
    rust_default: None,
    channels: ChannelSet::ALL,
    experimental: None,
    markers: &[],
    line: HERE.line,
};

const VARIANT: Variant = Variant {
    name: "A",
    wire_name: "A",
    aliases: &[],
    description: "- \u{200b}+experimental",
    channels: ChannelSet::ALL,
    experimental: None,
    markers: &[],
    line: HERE.line,
};

#[test]
fn descriptors_written_by_hand_contain_no_disguised_marker() {
    static TYPE: TypeDescriptor = described("Text.\n+ experimental", Shape::Newtype(TypeRef::String));
    static STRUCT: TypeDescriptor = described("", Shape::Struct(&[FIELD]));
    static ENUM: TypeDescriptor = described("", Shape::Enum { variants: &[VARIANT], open: false });
    for (descriptor, text) in [(&TYPE, "`+ experimental`"), (&STRUCT, "`+experimental`"), (&ENUM, "`+experimental`")] {
        let errors = schema_of(descriptor, Channel::Standard).unwrap_err();
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert!(matches!(messages[..], [message] if message.contains(text)), "{messages:?}");
    }
}
