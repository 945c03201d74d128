//! Enums with data: the wire form is that of serde's derive, and readers keep what they do not recognise.

use crd_channels::strict::{AsRead, read};
use crd_channels::wire::WireValue;
use crd_channels::{RawExtension, api};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The types that serde's derive describes, as an independent implementation of the wire form.
mod oracle {
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Git {
        pub repo_url: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub depth: Option<i32>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
    pub enum Source {
        Git(Git),
        InlineText {
            file_name: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            line_count: Option<u8>,
        },
        Files(Vec<String>),
        #[serde(rename = "none", alias = "nothing")]
        Empty {},
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type", rename_all_fields = "camelCase")]
    pub enum Rollout {
        Recreate,
        RollingUpdate {
            max_surge: i32,
            #[serde(skip_serializing_if = "Option::is_none")]
            repo_url: Option<String>,
        },
        #[serde(rename = "FromGit", alias = "Git")]
        Git(Git),
    }
}

#[api]
pub struct Git {
    pub repo_url: String,
    pub depth: Option<i32>,
}

#[api]
pub enum Source {
    Git(Git),
    InlineText {
        file_name: String,
        line_count: Option<u8>,
    },
    /// +experimental
    Files(Vec<String>),
    #[serde(rename = "none", alias = "nothing")]
    Empty {},
}

#[api]
#[serde(tag = "type")]
pub enum Rollout {
    Recreate,
    RollingUpdate {
        max_surge: i32,
        repo_url: Option<String>,
    },
    #[serde(rename = "FromGit", alias = "Git")]
    Git(Box<Git>),
}

#[api]
pub struct Holder {
    pub source: Source,
    pub strategy: Option<Rollout>,
    pub list: Option<Vec<Source>>,
}

fn git() -> impl Strategy<Value = oracle::Git> {
    (".{0,4}", any::<Option<i32>>()).prop_map(|(repo_url, depth)| oracle::Git { repo_url, depth })
}

fn sources() -> impl Strategy<Value = oracle::Source> {
    prop_oneof![
        git().prop_map(oracle::Source::Git),
        (".{0,4}", any::<Option<u8>>())
            .prop_map(|(file_name, line_count)| oracle::Source::InlineText { file_name, line_count }),
        proptest::collection::vec(".{0,4}", 0..3).prop_map(oracle::Source::Files),
        Just(oracle::Source::Empty {}),
    ]
}

fn strategies() -> impl Strategy<Value = oracle::Rollout> {
    prop_oneof![
        Just(oracle::Rollout::Recreate),
        (any::<i32>(), any::<Option<String>>())
            .prop_map(|(max_surge, repo_url)| oracle::Rollout::RollingUpdate { max_surge, repo_url }),
        git().prop_map(oracle::Rollout::Git),
    ]
}

proptest! {
    #[test]
    fn the_wire_form_of_variants_as_fields_is_that_of_serde(expected in sources()) {
        let value = serde_json::to_value(&expected).unwrap();
        let source: Source = read(&value).unwrap();
        prop_assert!(!matches!(source, Source::Unrecognized(_)));
        // Texts are equal, not only values: the order of the fields is the same.
        prop_assert_eq!(serde_json::to_string(&source).unwrap(), serde_json::to_string(&expected).unwrap());
    }

    #[test]
    fn the_wire_form_of_tagged_variants_is_that_of_serde(expected in strategies()) {
        let value = serde_json::to_value(&expected).unwrap();
        let strategy: Rollout = read(&value).unwrap();
        prop_assert!(!matches!(strategy, Rollout::Unrecognized(_)));
        prop_assert_eq!(serde_json::to_string(&strategy).unwrap(), serde_json::to_string(&expected).unwrap());
    }
}

#[test]
fn variants_have_the_values_that_were_read() {
    let source: Source = serde_json::from_value(json!({"inlineText": {"fileName": "a", "lineCount": null}})).unwrap();
    assert_eq!(source, Source::InlineText { file_name: "a".to_owned(), line_count: None });
    // The tag may be behind the fields: objects of a server are sorted.
    let strategy: Rollout = serde_json::from_str(r#"{"maxSurge": 3, "type": "RollingUpdate"}"#).unwrap();
    assert_eq!(strategy, Rollout::RollingUpdate { max_surge: 3, repo_url: None });
    let git = Git { repo_url: "u".to_owned(), depth: Some(1) };
    let tagged = Rollout::Git(Box::new(git));
    assert_eq!(
        serde_json::to_value(&tagged).unwrap(),
        json!({"type": "FromGit", "repoUrl": "u", "depth": 1}),
        "a box is transparent"
    );
    assert_eq!(serde_json::from_value::<Rollout>(json!({"type": "Git", "repoUrl": "u", "depth": 1})).unwrap(), tagged);
    assert_eq!(serde_json::from_value::<Source>(json!({"nothing": {}, "git": null})).unwrap(), Source::Empty {});
}

#[test]
fn objects_that_are_not_a_variant_are_kept_and_strict_reading_reports_them() {
    let expected = "exactly one of the fields git, inlineText, files, none must be set";
    for (value, problems) in [
        (json!({}), format!("the object: {expected}")),
        (json!({"git": null}), format!("the object: {expected}")),
        (json!({"oci": {"image": "a"}}), format!("oci: the field is unknown\nthe object: {expected}")),
        (json!({"git": {"repoUrl": "u"}, "files": []}), format!("the object: {expected}")),
        (json!({"none": {}, "nothing": {}}), format!("the object: {expected}")),
    ] {
        let source: Source = serde_json::from_value(value.clone()).unwrap();
        assert!(matches!(source, Source::Unrecognized(_)), "{value}");
        assert_eq!(serde_json::to_value(&source).unwrap(), value, "it is written as it was read");
        assert_eq!(read::<Source>(&value).unwrap_err().to_string(), problems, "{value}");
    }
    for (value, problem) in [
        (json!({"maxSurge": 1}), "type: a required field is absent"),
        (json!({"type": "BlueGreen", "colour": 1}), "type: the value \"BlueGreen\" is unknown"),
    ] {
        let strategy: Rollout = serde_json::from_value(value.clone()).unwrap();
        assert!(matches!(strategy, Rollout::Unrecognized(_)), "{value}");
        assert_eq!(serde_json::to_value(&strategy).unwrap(), value);
        assert_eq!(read::<Rollout>(&value).unwrap_err().to_string(), problem);
    }
}

#[test]
fn strict_reading_reports_the_fields_of_a_variant() {
    let problems = |value: Value| read::<Holder>(&value).unwrap_err().to_string();
    assert_eq!(
        problems(
            json!({"source": {"git": {"depth": 1, "oops": 2}}, "strategy": {"type": "RollingUpdate", "depth": 3}})
        ),
        "source.git.oops: the field is unknown\nsource.git.repoUrl: a required field is absent\nstrategy.depth: the field is unknown\n\
         strategy.maxSurge: a required field is absent"
    );
    assert_eq!(problems(json!({"source": {"files": []}, "list": [{}]})), {
        "list[0]: exactly one of the fields git, inlineText, files, none must be set"
    });
    let lenient: AsRead<Holder> = serde_json::from_value(json!({"source": {"git": {}}})).unwrap();
    assert_eq!(lenient.zeros(), ["source.git.repoUrl"]);
}

#[test]
fn values_of_another_kind_are_errors() {
    for value in [json!("git"), json!([]), json!({"git": "u"}), json!({"files": [1]}), json!({"none": 1})] {
        assert!(serde_json::from_value::<Source>(value.clone()).is_err(), "{value}");
    }
    let error = serde_json::from_value::<Rollout>(json!({"type": 1})).unwrap_err();
    assert_eq!(error.to_string(), "`type` must be a string");
    let range = json!({"type": "RollingUpdate", "maxSurge": 1_u64 << 40});
    assert!(serde_json::from_value::<Rollout>(range).is_err());
}

#[test]
fn an_absent_enum_is_not_written() {
    let holder: Holder = serde_json::from_value(json!({"strategy": null})).unwrap();
    assert_eq!(holder.source, Source::default());
    assert_eq!(Source::default(), Source::Unrecognized(RawExtension::default()));
    assert!(holder.source.is_zero());
    assert_eq!(serde_json::to_value(&holder).unwrap(), json!({}));
}

/// Around a struct.
#[api]
pub struct Wrapped(Git);

#[api]
pub struct Flattened {
    #[serde(flatten)]
    pub wrapped: Wrapped,
    #[serde(flatten)]
    pub boxed: Box<Size>,
}

#[api]
pub struct Size {
    pub width: i32,
}

#[test]
fn fields_behind_a_newtype_or_a_box_are_flattened() {
    let value = json!({"repoUrl": "u", "depth": 2, "width": 3});
    let flattened: Flattened = serde_json::from_value(value.clone()).unwrap();
    assert_eq!((flattened.wrapped.0.depth, flattened.boxed.width), (Some(2), 3));
    assert_eq!(serde_json::to_value(&flattened).unwrap(), value);
}
