//! The client file: what is read, what is written, and errors.

use std::path::Path;

use crd_diagnostics::text;
use crd_model::channel::Channel;
use crd_stamps::installed::{BuiltFor, KindUse};
use crd_stamps::skew::{Client, ClientKind};

const FILE: &str = "\
builtFor:
  channel: experimental
  version: v1.6.1
kinds:
- group: gateway.networking.k8s.io
  kind: Gateway
  versions:
  - v1
- fields:
  - spec.rules[*].sessionPersistence
  group: gateway.networking.k8s.io
  kind: TLSRoute
  optional: true
  versions:
  - v1
  - v1alpha3
name: my-controller
";

#[test]
fn what_is_written_reads_back() {
    let group = "gateway.networking.k8s.io".to_owned();
    let client = Client {
        name: "my-controller".to_owned(),
        built_for: Some(("v1.6.1".parse().unwrap(), Channel::Experimental)),
        kinds: vec![
            ClientKind {
                group: group.clone(),
                kind: "Gateway".to_owned(),
                versions: vec!["v1".to_owned()],
                is_optional: false,
                fields: None,
            },
            ClientKind {
                group,
                kind: "TLSRoute".to_owned(),
                versions: ["v1", "v1alpha3"].map(str::to_owned).to_vec(),
                is_optional: true,
                fields: Some(vec!["spec.rules[*].sessionPersistence".to_owned()]),
            },
        ],
    };
    assert_eq!(client.yaml(), FILE);
    assert_eq!(Client::read(FILE, Path::new("client.yaml")), Ok(client));
}

#[test]
fn constants_of_a_controller_write_its_file() {
    let kinds = [
        KindUse { group: "example.com", plural: "boats", kind: "Boat", versions: &["v1"], is_optional: false },
        KindUse { group: "example.com", plural: "nets", kind: "Net", versions: &["v1", "v1beta1"], is_optional: true },
    ];
    let built = BuiltFor { version: "v1.2.0".parse().unwrap(), channel: Channel::Standard, kinds: &kinds };
    let expected = "\
builtFor:
  channel: standard
  version: v1.2.0
kinds:
- group: example.com
  kind: Boat
  versions:
  - v1
- group: example.com
  kind: Net
  optional: true
  versions:
  - v1
  - v1beta1
name: controller
";
    assert_eq!(Client::from(&built).yaml(), expected);
}

#[track_caller]
fn check(file: &str, expected: &[(usize, &str, &str)]) {
    let errors = Client::read(file, Path::new("client.yaml")).unwrap_err();
    let found = errors.iter().map(|error| {
        assert_eq!((error.code, error.location.file.as_deref()), ("skew::client", Some(Path::new("client.yaml"))));
        (error.location.line.unwrap(), &*error.message, error.help.as_deref().unwrap_or_default())
    });
    let texts = errors.iter().map(text::plain).collect::<String>();
    assert_eq!(found.collect::<Vec<_>>(), expected, "{texts}");
}

#[test]
fn all_errors_are_reported_together_with_their_lines() {
    check(
        "\
name: ''
builtfor: {}
builtFor:
  version: 1.6
  channel: beta
kinds:
- group: gateway
  kind: gateway
  versions: v1
- { group: example.com, kind: Net, versions: [], optional: 'yes' }
- { group: example.com, kind: Net, versions: [V1, v1, v1, 2] }
- { kind: Boat, fields: [spec..a], optionel: true, versions: [v1] }
- text
",
        &[
            (1, "`` is not a valid value of `name`", "write a name"),
            (2, "unknown key `builtfor`", "did you mean `builtFor`?"),
            (4, "`builtFor.version` must be a string", "write a bundle version such as v1.6.1"),
            (5, "`beta` is not a value of `builtFor.channel`", "the values are standard, experimental"),
            (
                7,
                "`gateway` is not a valid value of `kinds[0].group`",
                "write an API group such as gateway.networking.k8s.io",
            ),
            (8, "`gateway` is not a valid value of `kinds[0].kind`", "write a kind such as HTTPRoute"),
            (9, "`kinds[0].versions` must be a list of strings", "write `[v1]`"),
            (10, "`kinds[1].versions` is empty", "add an item"),
            (10, "`kinds[1].optional` must be true or false", ""),
            (11, "the kind Net of example.com is listed twice", "remove one"),
            (11, "`V1` is not a valid value of `kinds[2].versions[0]`", "write an API version such as v1"),
            (11, "`kinds[2].versions` has \"v1\" twice", "remove one of them"),
            (11, "`kinds[2].versions[3]` must be a string", "write an API version such as v1"),
            (12, "`kinds[3]` lacks the key `group`", "add `group: …`"),
            (12, "`spec..a` is not a valid value of `kinds[3].fields[0]`", "write a path such as spec.rules[*].name"),
            (12, "unknown key `optionel` of `kinds[3]`", "did you mean `optional`?"),
            (13, "`kinds[4]` must be a map of keys", ""),
        ],
    );
}

#[test]
fn files_of_another_form_are_errors() {
    check("name: a\n", &[(1, "the file lacks the key `kinds`", "add `kinds: …`")]);
    check("name: a\nkinds: []\n", &[(2, "`kinds` is empty", "add an item")]);
    check("- a\n", &[(1, "the file must be a map of keys", "write the keys `name`, `builtFor` and `kinds`")]);
    let version = "builtFor: { version: v1.x, channel: standard }";
    check(
        &format!("name: a\n{version}\nkinds: [{{ group: a.b, kind: A, versions: [v1] }}]\n"),
        &[(
            2,
            "`v1.x` is not a bundle version: unexpected character 'x' while parsing minor version number. Write vMAJOR.MINOR.PATCH, such as v1.6.1, or a pre-release such as v1.7.0-rc.1",
            "",
        )],
    );
    check("a: b: c\n", &[(1, "this is not YAML: mapping values are not allowed in this context", "")]);
    check("name: a\n---\nname: b\n", &[(3, "the file has more than one document", "write all keys into the first")]);
    let errors = Client::read("", Path::new("client.yaml")).unwrap_err();
    assert!(!errors.is_empty());
}
