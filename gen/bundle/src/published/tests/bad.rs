//! Bad input: each kind has one clear message, with file and line.
#![allow(clippy::too_many_lines, reason = "a test lists its cases")]

use std::io::Read as _;

use serde_json::{Value, json};

use super::super::limits::{MOST_BYTES, MOST_CRD_BYTES, MOST_ERRORS, MOST_MAPS, MOST_PASSED_OVER, MOST_UNPACKED};
use super::*;

const SYNTAX: &str = "Fix this line or the lines before it; if the file was cut off, fetch it again";
const ADD: &str = "Add it; if the file was cut off, fetch it again";

#[test]
fn not_yaml() {
    assert_eq!(
        errors("x.yaml", "a: b: c\n"),
        [format!("x.yaml:1:5: this is not YAML: mapping values are not allowed in this context. {SYNTAX}")]
    );
    assert_eq!(
        errors("x.yaml", format!("a: @b\n---\n{THING}---\nb: c: d\n")),
        [
            format!("x.yaml:1:4: this is not YAML: found character that cannot start any token. {SYNTAX}"),
            format!("x.yaml:30:5: this is not YAML: mapping values are not allowed in this context. {SYNTAX}"),
        ]
    );
}

#[test]
fn not_a_crd() {
    let fix = "Name a folder, file or archive that holds CRDs as YAML or JSON";
    for (text, found) in [
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n", "there is Pod `web` (x.yaml:1)"),
        ("hello world\n", "there is a string (x.yaml:1)"),
        ("- a\n- b\n", "there is a list (x.yaml:1)"),
        ("\na: 1\n", "there is no Kubernetes object (x.yaml:2)"),
        ("", "there is no other object"),
        ("# only a comment\n---\n", "there is no other object"),
        (
            "1\n---\n2\n---\ntrue\n---\nx\n---\n[]\n",
            "there is a number (x.yaml:1), a number (x.yaml:3), a boolean (x.yaml:5) and 2 more",
        ),
    ] {
        assert_eq!(
            errors("x.yaml", text),
            [format!("the bundle: no CustomResourceDefinition found; {found}. {fix}")],
            "{text:?}"
        );
    }
    let none = read("crds/", []).unwrap_err();
    assert_eq!(lines(&none), format!("crds/: no CustomResourceDefinition found; there is no other object. {fix}\n"));
}

#[test]
fn nearly_a_crd() {
    for (from, to, expected) in [
        (
            "kind: CustomResourceDefinition",
            "kind: CustomResourceDefinitions",
            "x.yaml:2:1: the kind is \"CustomResourceDefinitions\", which no server supports. Write `kind: \
             CustomResourceDefinition`",
        ),
        (
            "kind: CustomResourceDefinition\n",
            "",
            "x.yaml:1:1: this is of \"apiextensions.k8s.io/v1\", and has no kind. Add `kind: CustomResourceDefinition`, if \
             it is one",
        ),
        (
            "apiVersion: apiextensions.k8s.io/v1",
            "apiVersion: apiextensions.k8s.io/v2",
            "x.yaml:1:1: the CRD `things.example.com` is of \"apiextensions.k8s.io/v2\", which does not exist. Write \
             `apiVersion: apiextensions.k8s.io/v1`",
        ),
        (
            "apiVersion: apiextensions.k8s.io/v1\n",
            "",
            "x.yaml:1:1: the CRD `things.example.com` has no apiVersion. Write `apiVersion: apiextensions.k8s.io/v1`, if it \
             is of that",
        ),
    ] {
        assert_eq!(errors("x.yaml", THING.replace(from, to)), [expected]);
    }
    assert_eq!(
        errors("x.yaml", "kind: List\nitems: 5\n"),
        ["x.yaml:2:1: `items` of a list is a number. Write the objects as a list, or as documents of their own"]
    );
}

/// Wherever a file is cut off, it is a error or it was not cut: nothing is read that has less in it.
#[test]
fn truncated_files() {
    let whole = names("x.yaml", THING);
    for length in 0..THING.len() {
        match read("x.yaml", [Input::new("x.yaml", &THING.as_bytes()[..length])]) {
            // What is left out is the last line break.
            Ok(published) => assert_eq!((length, published.crds.len()), (THING.len() - 1, whole.len())),
            Err(errors) => assert!(!errors.is_empty()),
        }
    }
    assert_eq!(
        errors("x.yaml", &THING[..THING.find("    served").unwrap()]),
        [
            format!("x.yaml:15:5: spec.versions[0]: `served` is missing. {ADD}"),
            format!("x.yaml:15:5: spec.versions[0]: `storage` is missing. {ADD}"),
        ]
    );
    assert_eq!(
        errors("x.yaml", &THING[..THING.find("    schema").unwrap()]),
        [
            format!("x.yaml:15:5: spec.versions[0]: `schema` is missing. {ADD}"),
            format!("x.yaml:15:5: spec.versions[0]: `served` is missing. {ADD}"),
            format!("x.yaml:15:5: spec.versions[0]: `storage` is missing. {ADD}"),
        ]
    );
    let value: Value = crd_model::yaml::read(THING).unwrap().remove(0);
    let json = serde_json::to_string_pretty(&value).unwrap();
    for length in 1..json.len() {
        assert!(read("x.json", [Input::new("x.json", &json.as_bytes()[..length])]).is_err(), "{}", &json[..length]);
    }
    assert_eq!(
        errors("x.json", &json[..json.len() - 1]),
        [format!("x.json:1:1: this is not YAML: unclosed bracket '{{', and the text ends. {SYNTAX}")]
    );
    let archive = tar(&[("a.yaml", thing("a")), ("b.yaml", thing("b"))]);
    let cut = |bytes: &[u8], length: usize| errors("a.tar", &bytes[..length]);
    let expected = ["a.tar: this archive ends too early: it was cut off. Fetch it again"];
    for length in [600, 1024, 1100, 1536, 2048, 2100, 3072, 3500] {
        assert_eq!(cut(&archive, length), expected, "{length}");
    }
    let zipped = gzip(&archive);
    for length in [2, 10, 11, 50, zipped.len() / 2, zipped.len() - 8, zipped.len() - 1] {
        assert_eq!(cut(&zipped, length), expected, "{length}");
    }
    let mut damaged = zipped;
    let last = damaged.len() - 8;
    damaged[last] ^= 1;
    assert_eq!(
        errors("a.tgz", damaged),
        [
            "a.tgz: this archive cannot be unpacked: corrupt gzip stream does not have a matching checksum. Fetch it again, or \
         unpack it and name the folder"
        ]
    );
}

#[test]
fn bombs_and_cycles() {
    let mut laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        laughs.push_str(&format!("a{level}: &a{level} [{}]\n", [below.as_str(); 9].join(", ")));
    }
    assert_eq!(
        errors("x.yaml", laughs),
        [
            "x.yaml:4:25: anchors and aliases copy more than 20 MB, or nearly the whole document, up to here: write the values out \
             where they are needed"
        ]
    );
    assert_eq!(
        errors("x.yaml", "a: &a\n  b: [*a]\n"),
        ["x.yaml:2:7: this alias is inside the value that it refers to"]
    );
    assert_eq!(
        errors("x.yaml", "a: *b\n"),
        [format!("x.yaml:1:4: this is not YAML: found unknown anchor `b`. {SYNTAX}")]
    );
    for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)] {
        let found = errors("x.yaml", deep);
        assert!(found[0].ends_with("maps and lists nest more than 255 levels deep here"), "{found:?}");
    }
}

#[test]
fn large_files() {
    assert_eq!(
        errors("x.yaml", vec![b'#'; MOST_BYTES + 1]),
        ["x.yaml: this is 64 MiB or more, and at most 64 MiB are read. Name the CRDs alone, or in several files"]
    );
    let zeros = gzip(vec![0; MOST_BYTES + 1]);
    assert!(zeros.len() < 1_000_000);
    assert_eq!(
        errors("x.gz", zeros),
        ["x.gz: this unpacks to 64 MiB or more, and at most 64 MiB are read. Name the CRDs alone, or in several files"]
    );
    let long = "x".repeat(MOST_CRD_BYTES);
    assert_eq!(
        errors("x.yaml", THING.replace("type: integer", &format!("description: {long}"))),
        [
            "x.yaml:1:1: this CRD is 3072 KiB as JSON, and no API server takes more than 3072 KiB. Make it smaller, or read \
         fewer CRDs at once"
        ]
    );
    // A thousand maps at the end of a path of 70 kB.
    let mut deep = format!("{{x: [{}]}}", vec!["{}"; 1000].join(", "));
    for _ in 0..70 {
        deep = format!("{{{}: {deep}}}", "k".repeat(1000));
    }
    assert_eq!(
        errors("x.yaml", THING.replace("type: integer", &format!("example: {deep}"))),
        [
            "x.yaml:1:1: this CRD nests so deeply, by so long names, that no message about it could be read. Make it smaller, \
         or read fewer CRDs at once"
        ]
    );
    let many = format!("default: [{}]", vec!["{}"; 60_000].join(", "));
    let stream: String =
        (0..9).map(|number| format!("{}---\n", thing(&format!("n{number}")).replace("type: integer", &many))).collect();
    assert_eq!(
        errors("x.yaml", stream),
        [format!(
            "x.yaml:217:1: the CRDs up to here have more than {MOST_MAPS} maps, which is a hundred times those of Gateway API. \
         Make it smaller, or read fewer CRDs at once"
        )]
    );
}

/// A small archive that unpacks to more than a disk: no more of it is unpacked than is read, and none of it is kept.
#[test]
fn archives_that_unpack_to_much() {
    let mut builder = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_path("zeros.bin").unwrap();
    header.set_size(2 * MOST_UNPACKED);
    header.set_cksum();
    builder.append(&header, std::io::repeat(0).take(MOST_UNPACKED + (1 << 20))).unwrap();
    let bytes = builder.into_inner().unwrap().finish().unwrap();
    assert_eq!(
        errors("x.tgz", bytes),
        [
            "x.tgz: this unpacks to 256 MiB or more, and at most 256 MiB are read. Name the CRDs alone, or in several files"
        ]
    );
    let mut header = tar::Header::new_gnu();
    header.set_path("huge.yaml").unwrap();
    header.set_size(1 << 40);
    header.set_cksum();
    let lying = [header.as_bytes().as_slice(), &[b'a'; 4096]].concat();
    assert_eq!(
        errors("x.tar", lying),
        [
            "x.tar: the files in it are 64 MiB or more, and at most 64 MiB are read. Name the CRDs alone, or in several files"
        ]
    );
}

#[test]
fn binary_data() {
    assert_eq!(
        errors("x", b"a: 1\nb\0c\n".as_slice()),
        [
            "x:2:2: this is binary data: there is a NUL byte here. Name a file of YAML or JSON, or an archive (.tar, .tar.gz, .tar.xz) \
         of such files"
        ]
    );
    assert_eq!(
        errors("x", b"a: caf\xc3\xa9\nb: caf\xe9\n".as_slice()),
        [
            "x:2:7: the byte 0xe9 here is not valid UTF-8, which Kubernetes requires. Convert the text to UTF-8, for example by \
         `iconv -f ISO-8859-1 -t UTF-8`"
        ]
    );
    assert_eq!(
        errors("x", b"\xff\xfea\0".as_slice()),
        ["x:1:1: this is UTF-16, and Kubernetes reads UTF-8. Convert it: `iconv -f UTF-16 -t UTF-8`"]
    );
    for (bytes, what) in [(b"PK\x03\x04".as_slice(), "a zip archive"), (b"\x28\xb5\x2f\xfd", "compressed by zstd")] {
        assert_eq!(
            errors("x", bytes),
            [format!(
                "x: this is {what}, and only YAML, JSON, .tar, .tar.gz and .tar.xz are read. Unpack it, and name the CRDs in it"
            )]
        );
    }
    assert_eq!(errors("x.tar", tar(&[("b.yaml", b"\0".as_slice()), ("a.yaml", THING.as_bytes())])).len(), 1);
    let names = errors("x.tar", tar(&[("\u{1b}[31m\n.yaml", "[")]));
    assert!(names[0].starts_with("x.tar!\\u{1b}[31m .yaml:1:1: this is not YAML"), "{names:?}");
}

#[test]
fn two_of_one_name() {
    let inputs = || [Input::new("a.yaml", THING), Input::new("b.yaml", format!("# again\n{THING}"))];
    assert_eq!(
        lines(&read("bundle", inputs()).unwrap_err()),
        "b.yaml:2: the CRD `things.example.com` is here for the second time, the first is in a.yaml:1, and they are both \
         of the channel standard. Choose one with `--select file=NAME`; the files are a.yaml, b.yaml\n"
    );
    let unstamped = THING.replace("example.com/channel: standard", "a: b");
    assert_eq!(
        errors("x.yaml", format!("{unstamped}---\n{THING}")),
        [
            "x.yaml:28: the CRD `things.example.com` is here for the second time, the first is in x.yaml:1, and they are both of \
         the channel standard. Remove one, or name the folder of one bundle only"
        ]
    );
    assert_eq!(
        errors("x.yaml", format!("{THING}---\n{unstamped}")),
        [
            "x.yaml:28: the CRD `things.example.com` is here for the second time, the first is in x.yaml:1, and they are not \
         distinguished by channel stamps. Remove one, or name the folder of one bundle only"
        ]
    );
}

#[test]
fn structure_faults_have_lines() {
    for (from, to, expected) in [
        (
            "  scope: Namespaced",
            "  scopes: Namespaced",
            vec![
                format!("x.yaml:8:1: spec: `scope` is missing. {ADD}"),
                "x.yaml:13:3: spec.scopes: this is not a key of a CRD's spec. Remove it, or correct its spelling".to_owned(),
            ],
        ),
        (
            "type: integer",
            "$ref: x",
            vec![
                "x.yaml:22:17: spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.$ref: a structural \
                 schema cannot have this keyword. Replace it with the schema that it means: Kubernetes follows no references, and has \
                 no such keyword"
                    .to_owned(),
            ],
        ),
        (
            "type: integer",
            "minLength: '1'",
            vec![
                "x.yaml:22:17: spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.minLength: expected \
                 an integer, found \"1\". Write what is expected there"
                    .to_owned(),
            ],
        ),
        // Warnings are errors if there is an error, since they may be its cause.
        (
            "metadata:\n  annotations:\n    example.com/bundle-version: v1.2.0\n    example.com/channel: standard\n  name:",
            "extra: 1\nmetadata:\n  lables: {}\n  nam:",
            vec![
                "x.yaml:3:1: extra: this is not a key of a CustomResourceDefinition. Remove it, or correct its spelling"
                    .to_owned(),
                format!("x.yaml:4:1: metadata: `name` is missing. {ADD}"),
                "x.yaml:5:3: metadata.lables: this is not a key of an object's metadata. Remove it, or correct its spelling"
                    .to_owned(),
                "x.yaml:6:3: metadata.nam: this is not a key of an object's metadata. Remove it, or correct its spelling"
                    .to_owned(),
            ],
        ),
        ("  name: things.example.com\n", "", vec![format!("x.yaml:3:1: metadata: `name` is missing. {ADD}")]),
        ("    kind: Thing\n", "", vec![format!("x.yaml:10:3: spec.names: `kind` is missing. {ADD}")]),
        (
            "    storage: true\n",
            "    storage: true\n  - {name: v1, schema: {openAPIV3Schema: {}}, served: true, storage: false}\n",
            vec![
                "x.yaml:27:6: spec.versions[1].name: spec.versions[0] is called \"v1\" already. Remove one, or rename it"
                    .to_owned(),
            ],
        ),
        (
            "name: things.example.com",
            "name: thing.example.com",
            vec![
                "x.yaml:7:3: metadata.name is \"thing.example.com\", and the CRD of \"things\" in \"example.com\" can only \
                 be called \"things.example.com\". Correct metadata.name, or spec.names.plural and spec.group"
                    .to_owned(),
            ],
        ),
    ] {
        assert_eq!(errors("x.yaml", THING.replace(from, to)), expected, "{to}");
    }
    let empty =
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {}\nspec: {versions: []}\n";
    assert_eq!(
        errors("x.yaml", empty),
        [
            format!("x.yaml:3:1: metadata: `name` is missing. {ADD}"),
            format!("x.yaml:4:1: spec: `group` is missing. {ADD}"),
            format!("x.yaml:4:1: spec: `names` is missing. {ADD}"),
            format!("x.yaml:4:1: spec: `scope` is missing. {ADD}"),
            format!("x.yaml:4:8: spec.versions: the list is empty, and at least one version is missing. {ADD}"),
        ]
    );
    let list = json!({"kind": "List", "items": [{"kind": "Pod"}, {"apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition", "metadata": {"name": "x"}, "spec": 5}]});
    let text = serde_json::to_string_pretty(&list).unwrap();
    let line = text.lines().position(|line| line.contains("spec")).unwrap() + 1;
    assert_eq!(
        errors("x.json", text),
        [format!("x.json:{line}:7: spec: expected an object, found a number. Write what is expected there")]
    );
}

#[test]
fn all_faults_are_reported_together_up_to_a_limit() {
    let inputs = [
        Input::new("a.yaml", "a: [\n"),
        Input::new("b.yaml", THING.replace("k8s.io/v1", "k8s.io/v2")),
        Input::new("c.yaml", THING),
        Input::new("d.yaml", THING),
    ];
    let found: Vec<&str> = read("bundle", inputs).unwrap_err().iter().map(|error| error.code).collect();
    assert_eq!(found, [codes::YAML, codes::CRD_VERSION, codes::CRD_TWICE]);
    let found = errors("x.yaml", "[\n---\n".repeat(100_000));
    assert_eq!(found.len(), MOST_ERRORS + 1);
    assert_eq!(
        found[MOST_ERRORS],
        "x.yaml: these are the first 100 errors of this input. Fix them and run the command again to see the rest"
    );
    let wrong: String = (0..10_000).map(|number| format!("        k{number}: 1\n")).collect();
    let odd = THING.replace("        type: object\n    served", &format!("{wrong}    served"));
    let (_, warnings) = warned("x.yaml", &*odd);
    assert_eq!(warnings.len(), MOST_ERRORS + 1);
    assert_eq!(
        warnings[MOST_ERRORS],
        "x.yaml: this input has 9900 more warnings. Fix the first ones, and run the command again"
    );
    assert_eq!(errors("x.yaml", odd.replace("scope:", "scop:")).len(), MOST_ERRORS + 1);
    let published = read("x", [Input::new("x", format!("{}{THING}", "a\n---\n".repeat(5000)))]).unwrap();
    assert_eq!((published.passed_over.len(), published.more_passed_over), (MOST_PASSED_OVER, 5000 - MOST_PASSED_OVER));
    let list = format!("kind: List\nitems:\n{}", "- {apiVersion: apiextensions.k8s.io/v1}\n".repeat(100_000));
    assert_eq!(errors("x", list).len(), MOST_ERRORS + 1);
}

#[test]
fn every_rule_has_a_name_of_its_own() {
    let ids: std::collections::BTreeSet<&str> =
        crd_diagnostics::page::pages(codes::PAGES).map(|page| page.code).collect();
    assert_eq!(ids.len(), crd_diagnostics::page::pages(codes::PAGES).count());
}
