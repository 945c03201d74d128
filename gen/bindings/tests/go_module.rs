//! A Go module with each feature of the model, for tests of its text.

use crd_bindings::go::model::{Body, Constant, Field, File, GoType, Module, Omit, Package, Type};
use crd_bindings::go::places::Names;

const META: (&str, &str) = ("k8s.io/apimachinery/pkg/apis/meta/v1", "metav1");
const RUNTIME: (&str, &str) = ("k8s.io/apimachinery/pkg/runtime", "runtime");
const INTSTR: (&str, &str) = ("k8s.io/apimachinery/pkg/util/intstr", "intstr");
const RESOURCE: (&str, &str) = ("k8s.io/apimachinery/pkg/api/resource", "resource");
const JSON: (&str, &str) = ("encoding/json", "json");

fn imported((path, alias): (&'static str, &'static str), name: &'static str) -> GoType {
    GoType::Imported { path, alias, name }
}

fn named(package: &str, name: &str) -> GoType {
    GoType::Named { package: package.into(), name: name.into() }
}

fn pointer(element: GoType) -> GoType {
    GoType::Pointer(Box::new(element))
}

fn slice(element: GoType) -> GoType {
    GoType::Slice(Box::new(element))
}

fn map(value: GoType) -> GoType {
    GoType::Map(Box::new(GoType::Plain("string")), Box::new(value))
}

pub(crate) fn field(name: &str, kind: GoType) -> Field {
    let wire_name = name[..1].to_lowercase() + &name[1..];
    let (description, markers) = (format!("{name} is a field."), vec!["optional".into()]);
    Field { name: Some(name.into()), description, markers, kind, wire_name, omit: Omit::Empty }
}

fn embedded(kind: GoType, wire_name: &str) -> Field {
    let (description, markers, wire_name) = (String::new(), Vec::new(), wire_name.to_owned());
    Field { name: None, description, markers, kind, wire_name, omit: Omit::Empty }
}

fn with_type(name: &str, body: Body) -> Type {
    let (description, markers) = (format!("{name} is a type."), Vec::new());
    Type { name: name.into(), description, markers, body, is_root: false, constants: Vec::new() }
}

fn defined(name: &str, kind: GoType) -> Type {
    with_type(name, Body::Defined(kind))
}

fn alias(name: &str, kind: GoType) -> Type {
    with_type(name, Body::Alias(kind))
}

fn with_fields(name: &str, fields: Vec<Field>) -> Type {
    with_type(name, Body::Struct(fields))
}

fn constant(name: &str, kind: Option<GoType>, value: &str) -> Constant {
    Constant { name: name.into(), description: format!("{name} is a constant."), kind, value: value.into() }
}

/// Types that fields refer to.
fn small_types(package: &str) -> Vec<Type> {
    let in_package = |name| named(package, name);
    let mut color = defined("Color", GoType::Plain("string"));
    color.markers = vec!["kubebuilder:validation:Enum=Red;Green".into(), "enum".into()];
    color.constants =
        vec![constant("Red", Some(in_package("Color")), "Red"), constant("Green", Some(in_package("Color")), "Green")];
    let mut quoted = defined("Quoted", GoType::Plain("string"));
    quoted.markers = vec!["kubebuilder:validation:XValidation:message=\"not empty\",rule=\"self != ''\"".into()];
    vec![
        color,
        quoted,
        defined("Names", slice(GoType::Plain("string"))),
        defined("Colors", map(in_package("Color"))),
        defined("Parts", slice(in_package("Part"))),
        defined("Raw", imported(JSON, "RawMessage")),
        defined("Selector", imported(META, "LabelSelector")),
        defined("Port", imported(INTSTR, "IntOrString")),
        with_fields("Empty", Vec::new()),
        with_fields("Flat", vec![field("Name", GoType::Plain("string")), field("Color", in_package("Color"))]),
        with_fields("Part", vec![field("Names", in_package("Names")), field("Count", pointer(GoType::Plain("int32")))]),
        alias("FlatAlias", in_package("Flat")),
        alias("ColorAlias", in_package("Color")),
        alias("MomentAlias", imported(META, "Time")),
        alias("NamesAlias", in_package("Names")),
    ]
}

/// A struct with a field of each type, alone, behind a pointer, in a slice, and in a map.
fn every_type(package: &str) -> Type {
    let plain = ["string", "bool", "int32", "int64", "float64"].map(|name| (name, GoType::Plain(name)));
    let names = [
        "Color",
        "Names",
        "Colors",
        "Parts",
        "Raw",
        "Empty",
        "Flat",
        "Part",
        "FlatAlias",
        "NamesAlias",
        "Selector",
        "Port",
    ];
    let own = names.map(|name| (name, named(package, name)));
    let meta = ["Time", "MicroTime", "Duration", "LabelSelector", "Condition"].map(|name| (name, imported(META, name)));
    let rest = [
        ("RawExtension", imported(RUNTIME, "RawExtension")),
        ("IntOrString", imported(INTSTR, "IntOrString")),
        ("Quantity", imported(RESOURCE, "Quantity")),
        ("RawMessage", imported(JSON, "RawMessage")),
    ];
    let mut fields = Vec::new();
    for (name, kind) in plain.into_iter().chain(own).chain(meta).chain(rest) {
        let title = name[..1].to_uppercase() + &name[1..];
        fields.push(field(&format!("{title}Value"), kind.clone()));
        fields.push(field(&format!("{title}Pointer"), pointer(kind.clone())));
        fields.push(field(&format!("{title}Slice"), slice(kind.clone())));
        fields.push(field(&format!("{title}Map"), map(kind.clone())));
        fields.push(field(&format!("{title}Slices"), slice(slice(kind.clone()))));
        fields.push(field(&format!("{title}MapOfSlices"), map(slice(kind.clone()))));
        fields.push(field(&format!("{title}SliceOfMaps"), slice(map(kind))));
    }
    // controller-gen refuses a map of such values.
    fields.push(field("ColorAliasValue", named(package, "ColorAlias")));
    fields.push(field("ColorAliasSlice", slice(named(package, "ColorAlias"))));
    fields.push(field("MomentAliasPointer", pointer(named(package, "MomentAlias"))));
    fields.push(field("Bytes", slice(GoType::Plain("byte"))));
    with_fields("Everything", fields)
}

fn root(package: &str) -> Type {
    let metadata = Field { markers: vec!["optional".into()], ..embedded(imported(META, "ObjectMeta"), "metadata") };
    let spec = Field { omit: Omit::Never, ..field("Spec", named(package, "WidgetSpec")) };
    let status = Field { omit: Omit::Zero, ..field("Status", named(package, "WidgetStatus")) };
    let mut root = with_fields("Widget", vec![embedded(imported(META, "TypeMeta"), ""), metadata, spec, status]);
    root.markers = vec!["genclient".into(), "kubebuilder:subresource:status".into()];
    root.is_root = true;
    root
}

fn file(name: &str, types: Vec<Type>) -> File {
    File { name: name.into(), types, constants: Vec::new() }
}

fn package(folder: &str, group: &str, files: Vec<File>) -> Package {
    let version = folder.rsplit('/').next().unwrap_or_default().to_owned();
    Package { folder: folder.into(), group: group.into(), client: None, version, description: String::new(), files }
}

/// The module: `apis/v1` has every type, `apis/v1beta1` and `apisx/v1beta1` refer to them.
pub(crate) fn module() -> Module {
    let v1 = "apis/v1";
    let spec = with_fields(
        "WidgetSpec",
        vec![embedded(named(v1, "Flat"), ""), field("Everything", pointer(named(v1, "Everything")))],
    );
    let status = with_fields("WidgetStatus", vec![field("Conditions", slice(imported(META, "Condition")))]);
    let mut widget = file("widget_types.go", vec![root(v1), spec, status]);
    widget.constants = vec![
        constant("WidgetReady", None, "Ready"),
        constant("WidgetText", None, "a \"quoted\" text\\with\nlines\u{1}and é"),
    ];
    let shared = file("shared_types.go", small_types(v1).into_iter().chain([every_type(v1)]).collect());

    let mut converted = defined("Widget", named(v1, "Widget"));
    converted.is_root = true;
    let beta = vec![converted, alias("WidgetSpec", named(v1, "WidgetSpec")), defined("Part", named(v1, "Part"))];
    let uses = with_fields(
        "Uses",
        vec![
            embedded(pointer(named(v1, "Part")), ""),
            field("Beta", slice(named("apis/v1beta1", "Part"))),
            field("Named", map(named(v1, "Parts"))),
            field("Aliased", pointer(named("apis/v1beta1", "WidgetSpec"))),
        ],
    );
    let packages = vec![
        package(v1, "example.com", vec![widget, shared]),
        package("apis/v1beta1", "example.com", vec![file("widget_types.go", beta)]),
        package("apisx/v1beta1", "x.example.com", vec![file("uses_types.go", vec![uses])]),
        package(
            "apisx/v1",
            "x.example.com",
            vec![file("text_types.go", vec![defined("Text", GoType::Plain("string"))])],
        ),
    ];
    Module { path: "example.com/widgets".into(), packages, names: Names::new() }
}
