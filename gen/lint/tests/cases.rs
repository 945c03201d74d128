//! The branches of conventions that their own examples do not show.

use crd_lint::Convention;

use crate::example::found;

const CONDITION: &str = "type: object, required: [lastTransitionTime, message, reason, status, type]";

/// A convention, the fields of a root node, and the places with what is wrong there.
const CASES: &[(&str, &str, &[&str])] = &[
    ("boolean-name", "isolated: {type: boolean}, isOn: {type: string}", &[]),
    (
        "camel-case",
        "Name: {type: string}, a-b: {type: string}, x1: {type: string}, minTLS: {type: string}",
        &["Name: the field name is not in camelCase", "a-b: the field name is not in camelCase"],
    ),
    ("conditions", "conditions: {type: array}", &[]),
    (
        "description-start",
        "a: {description: a is}, ab: {description: a is}",
        &["ab: the description starts with another word"],
    ),
    (
        "durations",
        "a: {type: string, format: duration}, b: {type: string, pattern: '^[0-9]+(h|m|s)$'}",
        &["a: the duration is a string", "b: the duration is a string"],
    ),
    (
        "durations",
        "maxAge: {type: integer}, ttl: {type: number}",
        &["maxAge: the name of the duration has no unit", "ttl: the name of the duration has no unit"],
    ),
    (
        "durations",
        "notAfter: {type: string, format: date-time}, timeout: {enum: [Short], type: string}, delay: {type: object}, usage: {type: string}",
        &[],
    ),
    ("enum-case", "a: {enum: [v1.2, eBPF, ECDHE-RSA-AES256, '', HTTP]}", &[]),
    (
        "enum-case",
        "a: {enum: [roundRobin, A_B]}",
        &["a: the enum value `A_B` is not in CamelCase", "a: the enum value `roundRobin` is not in CamelCase"],
    ),
    ("field-words", "apiURLs: {}, clusterIPs: {}, httpGet: {}, podID: {}, tlsURL: {}, ids: {}", &[]),
    (
        "field-words",
        "podIds: {}, tokenUrl: {}, maxNum: {}",
        &[
            "maxNum: `Num` is an abbreviation",
            "podIds: `Ids` is an acronym, whose letters have one case",
            "tokenUrl: `Url` is an acronym, whose letters have one case",
        ],
    ),
    ("identifiable-items", "a: {items: {properties: {b: {}, c: {}}, oneOf: [{required: [b]}, {required: [c]}]}}", &[]),
    (
        "identifiable-items",
        "a: {items: {properties: {b: {}}, x-kubernetes-validations: [{rule: '[has(self.b),has(self.c)].filter(x,x==true).size() == 1'}]}}",
        &[],
    ),
    (
        "identifiable-items",
        "a: {items: {properties: {b: {}}, oneOf: [{required: [b]}, {properties: {b: {}}}]}}",
        &["a: the items have no required field"],
    ),
    (
        "identifiable-items",
        "a: {items: {properties: {b: {}}, x-kubernetes-validations: [{rule: '[has(self.b),has(self.c)].filter(x,x==true).size() <= 1'}]}}",
        &["a: the items have no required field"],
    ),
    (
        "integer-format",
        "a: {type: integer, format: int64}, b: {type: integer, format: byte}",
        &["b: the integer has no known format"],
    ),
    (
        "list-type",
        "a: {type: array, x-kubernetes-list-type: set, items: {type: object}}",
        &["a: the list is a set of objects"],
    ),
    (
        "list-type",
        "a: {type: array, x-kubernetes-list-type: atomic, items: {type: array}}",
        &["a[*]: the list has no list type"],
    ),
    (
        "max-length",
        "a: {type: array}, b: {type: object, additionalProperties: {type: integer}}",
        &["a: the size of the value has no maximum", "b: the size of the value has no maximum"],
    ),
    (
        "max-length",
        "a: {type: string, enum: [A]}, b: {type: string, format: uuid}, c: {type: string, allOf: [{maxLength: 1}]}",
        &[],
    ),
    (
        "min-length",
        "a: {type: array}, b: {type: object}",
        &["a: the size of the value has no minimum", "b: the size of the value has no minimum"],
    ),
    (
        "min-length",
        "a: {type: object, minProperties: 0}, b: {type: object, anyOf: [{required: [c]}, {required: [d]}]}",
        &[],
    ),
    ("no-maps", "a: {additionalProperties: {x-kubernetes-int-or-string: true}}, b: {additionalProperties: true}", &[]),
    ("number-bounds", "status: {properties: {a: {type: integer}}}, b: {type: number, enum: [1]}", &[]),
    (
        "reference-name",
        "aRef: {type: array, items: {}}, references: {}, isReference: {type: boolean}, preferencesA: {}",
        &["aRef: the name of a list of references ends with `Ref`", "references: the name of a reference is not short"],
    ),
    (
        "rule-message",
        "a: {x-kubernetes-validations: [{rule: '1', messageExpression: '2'}, {rule: '3', message: it should be}]}",
        &["a: the message of the rule contains `should`"],
    ),
    (
        "status-optional",
        "spec: {required: [a], properties: {a: {}}}, status: {properties: {a: {required: [b], properties: {b: {}}}}}",
        &[],
    ),
    // Fields that Kubernetes fixes, and types of Kubernetes below fields of the author.
    ("min-length", "apiVersion: {type: string}, metadata: {type: object}", &[]),
    (
        "min-length",
        "selector: {properties: {matchExpressions: {type: array}, matchLabels: {type: object}}}, z: {type: array}",
        &["z: the size of the value has no minimum"],
    ),
];

fn named(name: &str) -> &'static Convention {
    Convention::named(name).unwrap()
}

#[test]
fn each_branch_finds_what_it_should() {
    for (name, fields, expected) in CASES {
        let found = found(named(name), &format!("{{properties: {{{fields}}}}}"));
        let places = found.iter().map(|finding| format!("{}: {}", finding.places[0].path, finding.problem.message));
        let mut places = places.collect::<Vec<_>>();
        places.sort();
        assert_eq!(places, *expected, "{name}: {fields}");
    }
}

#[test]
fn conditions_have_three_problems() {
    let problems = |text: String| {
        let found = found(named("conditions"), &text);
        found.into_iter().map(|finding| finding.problem.message).collect::<Vec<_>>()
    };
    let conditions = |of_item: &str| {
        format!(
            "{{properties: {{status: {{required: [conditions], properties: {{conditions: {{items: {{{of_item}}}}}}}}}}}}}"
        )
    };
    let [required, map] = ["conditions are required", "conditions are not a list map by `type`"];
    assert_eq!(problems(conditions(CONDITION)), [map, required]);
    assert_eq!(
        problems(conditions("type: object")),
        ["`lastTransitionTime` is not required in each condition", map, required]
    );
}
