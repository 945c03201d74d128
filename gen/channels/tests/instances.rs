//! Generic types: named instances read and write as structs of their own.

use crd_channels::api;
use crd_channels::strict::read;
use serde_json::json;

/// A reference with settings.
#[api(instances(TextRef = Ref<String>, InnerRef = Ref<Option<TextRef>>))]
#[derive(Eq)]
pub struct Ref<T> {
    pub name: String,
    pub settings: T,
}

/// A list with at least one item.
///
/// +kubebuilder:validation:MinItems=1
#[api(instances(Texts = List<String>))]
pub struct List<T>(pub Vec<T>);

/// A value or its name.
#[api(instances(TextOrName = ValueOrName<String>))]
#[serde(tag = "type")]
pub enum ValueOrName<T> {
    Value { value: T },
    Name { name: String },
}

#[api]
pub struct Holder {
    pub outer: InnerRef,
    pub texts: Texts,
    pub either: Vec<ValueOrName<String>>,
}

#[test]
fn instances_read_and_write() {
    let value = json!({
        "outer": {"name": "a", "settings": {"name": "b", "settings": "c"}},
        "texts": ["d"],
        "either": [{"type": "Value", "value": "e"}, {"type": "Name", "name": "f"}],
    });
    let holder: Holder = read(&value).unwrap();
    let inner = TextRef { name: "b".to_owned(), settings: "c".to_owned() };
    assert_eq!(holder.outer, Ref { name: "a".to_owned(), settings: Some(inner) });
    assert_eq!(holder.texts, List(vec!["d".to_owned()]));
    assert_eq!(holder.either[1], TextOrName::Name { name: "f".to_owned() });
    assert_eq!(serde_json::to_value(&holder).unwrap(), value);
}

#[test]
fn markers_hold_for_each_instance() {
    assert_eq!(serde_json::to_value(Holder::default()).unwrap(), json!({"outer": {"name": ""}, "either": []}));
    let error = read::<InnerRef>(&json!({"name": "a", "settings": {}})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "settings.name: a required field is absent\nsettings.settings: a required field is absent"
    );
}
