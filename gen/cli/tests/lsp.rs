//! `lsp` as a process: its diagnostics are those of `validate`, range by range, and it survives what editors send.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crd_testdata::{gateway_api, gateway_api_examples, gateway_api_invalid_examples};
use serde_json::{Value, json};

use crate::support::{Place, program};

/// An editor without a library: frames by hand.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Editor {
    fn new(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new("timeout");
        command.args(["120", env!("CARGO_BIN_EXE_crd-channels"), "lsp"]).args(arguments).current_dir(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut editor = Self { child, input, output, requests: 0 };
        let capabilities = json!({"general": {"positionEncodings": ["utf-16"]}});
        let answer = editor.request("initialize", &json!({"capabilities": capabilities, "processId": null}));
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        editor.notify("initialized", &json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message of the server.
    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server ended");
            match line.trim() {
                "" => break,
                header => length = header.strip_prefix("Content-Length: ").map_or(length, |text| text.parse().unwrap()),
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// The answer to a request; messages before it are left out.
    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// The next diagnostics of a text.
    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        loop {
            let message = self.receive();
            let is_shown = message["method"] == "textDocument/publishDiagnostics";
            if is_shown && message["params"]["uri"] == uri {
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
        self.diagnostics(uri)
    }

    fn change(&mut self, uri: &str, changes: &Value) -> Vec<Value> {
        let document = json!({"uri": uri, "version": 2});
        self.notify("textDocument/didChange", &json!({"textDocument": document, "contentChanges": changes}));
        self.diagnostics(uri)
    }

    fn close(mut self) {
        assert_eq!(self.request("shutdown", &Value::Null), Value::Null);
        self.notify("exit", &Value::Null);
        assert!(self.child.wait().unwrap().success());
    }
}

/// `LINE:COLUMN CODE MESSAGE`, columns in characters.
fn lines(diagnostics: &[Value]) -> Vec<String> {
    let line = |found: &Value| {
        let start = &found["range"]["start"];
        let (line, column) = (start["line"].as_u64().unwrap() + 1, start["character"].as_u64().unwrap() + 1);
        let message = found["message"].as_str().unwrap().split('\n').next().unwrap().to_owned();
        format!("{line}:{column} {} {message}", found["code"].as_str().unwrap())
    };
    diagnostics.iter().map(line).collect()
}

/// The findings and errors of `validate` for each file, in the same form.
fn validated(place: &Place, files: &[String]) -> BTreeMap<String, Vec<String>> {
    let mut arguments = vec!["validate", "--crds", "crds", "--format", "json"];
    arguments.extend(files.iter().map(String::as_str));
    let report: Value = serde_json::from_str(&program(place, &arguments).out).unwrap();
    let mut all = files.iter().map(|file| (file.clone(), Vec::new())).collect::<BTreeMap<_, Vec<_>>>();
    let findings = report["objects"].as_array().into_iter().flatten();
    let findings = findings.flat_map(|object| object["findings"].as_array().into_iter().flatten());
    for found in report["errors"].as_array().into_iter().flatten().chain(findings) {
        let first = found["message"].as_str().unwrap().split('\n').next().unwrap().to_owned();
        let line = format!("{}:{} {} {first}", found["line"], found["column"], found["code"].as_str().unwrap());
        all.get_mut(found["file"].as_str().unwrap()).unwrap().push(line);
    }
    all
}

/// The CRDs of the experimental channel, and the examples and invalid objects of Gateway API in files.
fn gateway() -> (Place, Vec<String>) {
    let place = Place::new();
    gateway_api("v1.7.0", "experimental")
        .iter()
        .for_each(|file| place.write(&format!("crds/{}", file.path), file.text));
    let examples = gateway_api_examples("experimental").into_iter().chain(gateway_api_invalid_examples("experimental"));
    let mut names = Vec::new();
    for (index, file) in examples.enumerate() {
        names.push(format!("objects/{index}.yaml"));
        place.write(&names[index], file.text);
    }
    (place, names)
}

#[test]
fn diagnostics_are_those_of_validate() {
    let (place, mut files) = gateway();
    let odd = "# é𝄞\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: \"é𝄞\", nam: x}\nspec: {listeners: [{port: 0}]}\n\
        ---\nspec: [\n---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gatway\n";
    place.write("objects/odd.yaml", odd);
    files.push("objects/odd.yaml".to_owned());
    let expected = validated(&place, &files);
    let mut editor = Editor::new(place.path(), &["--crds", "crds"]);
    let mut count = 0;
    for (file, expected) in expected {
        let path = place.path().join(&file);
        let text = std::fs::read_to_string(&path).unwrap();
        let found = editor.open(&format!("file://{}", path.display()), &text);
        count += found.len();
        if file != "objects/odd.yaml" {
            assert_eq!(lines(&found), expected, "{file}");
            continue;
        }
        // UTF-16 counts the clef twice.
        let messages =
            |all: &[String]| all.iter().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect::<Vec<_>>();
        let (mut ours, mut theirs) = (messages(&lines(&found)), messages(&expected));
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs);
        assert!(lines(&found).iter().any(|line| line.starts_with("4:25 ")), "{:?}", lines(&found));
    }
    assert!(count >= 20, "{count}");
    editor.close();
}

#[test]
fn an_edit_changes_what_it_is_about() {
    let (place, _) = gateway();
    let uri = format!("file://{}/new.yaml", place.path().display());
    let mut editor = Editor::new(place.path(), &["--crds", "crds"]);
    let text = "apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: a}\nspec: {controllerNam: a.b/c}\n";
    let found = lines(&editor.open(&uri, text));
    assert!(found.iter().any(|line| line.contains("controllerNam")), "{found:?}");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let asked = json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}});
    let fixes = editor.request("textDocument/codeAction", &asked);
    let fixes = fixes.as_array().unwrap().iter().map(|fix| fix["edit"]["changes"][&uri][0].clone()).collect::<Vec<_>>();
    // A required field is missing, and the unknown one has no nearest name in the server's text.
    let edit = fixes.first().cloned().unwrap_or_else(|| {
        json!({"range": {"start": {"line": 3, "character": 7}, "end": {"line": 3, "character": 20}}, "newText": "controllerName"})
    });
    let changed = editor.change(&uri, &json!([{"range": edit["range"], "text": edit["newText"]}]));
    assert_eq!(lines(&changed), Vec::<String>::new());
    let at = json!({"textDocument": {"uri": uri}, "position": {"line": 3, "character": 10}});
    let hover = editor.request("textDocument/hover", &at);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("spec.controllerName"), "{hover}");
    let at = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 6}});
    let proposals = editor.request("textDocument/completion", &at);
    assert!(proposals.as_array().unwrap().iter().any(|item| item["label"] == "HTTPRoute"), "{proposals}");
    let shown = json!({"command": "crd-channels.showCrds", "arguments": [uri]});
    assert!(editor.request("workspace/executeCommand", &shown).as_str().unwrap().contains("`--crds`"));
    // An unknown method and wrong parameters are answers, not the end.
    assert_eq!(editor.request("textDocument/rename", &json!({})), Value::Null);
    assert_eq!(editor.request("textDocument/hover", &json!({"textDocument": 3})), Value::Null);
    editor.close();
}

#[test]
fn settings_and_projects_without_crds_are_served() {
    let place = Place::new();
    place.write("crd-channels.yaml", "crds: nowhere\n");
    let mut editor = Editor::new(place.path(), &[]);
    let uri = |name: &str| format!("file://{}/{name}", place.path().display());
    let found = lines(&editor.open(&uri("crd-channels.yaml"), "prefix: a.b\nprofile: semvr\n"));
    assert_eq!(found, ["2:1 settings::value `semvr` is not a value of `profile`"]);
    let object = "apiVersion: a.b/v1\nkind: A\n";
    assert_eq!(lines(&editor.open(&uri("a.yaml"), object)), Vec::<String>::new());
    let template = "apiVersion: a.b/v1\nkind: A\nmetadata:\n  {{- if .a }}\n  name: b\n  {{- end }}\n";
    place.write("crd-channels.yaml", "profile: semver\n");
    editor
        .notify("workspace/didChangeWatchedFiles", &json!({"changes": [{"uri": uri("crd-channels.yaml"), "type": 2}]}));
    let found = lines(&editor.open(&uri("chart/templates/a.yaml"), template));
    assert_eq!(found, ["4:5 lsp::template this is a template of Helm: its objects are not checked"]);
    editor.close();
}

#[test]
fn types_have_the_verdicts_of_check() {
    let place = Place::new();
    let types = include_str!("sessions/lamp.go");
    let misspelt = types.replace("+experimental\n", "+experimentl\n");
    assert_ne!(misspelt, types);
    place.write("go.mod", "module example.com/lamps\n");
    place.write("api/v1/lamp.go", &misspelt);
    place.write("crds/lamps.yaml", include_str!("sessions/lamp.yaml"));
    let settings = "prefix: example.com\nversion: v1.0.0\nprofile: semver\ncrds: crds\ntypes: go:./api/...\n";
    place.write("crd-channels.yaml", format!("{settings}gates: {{Bulbs: experimental}}\n"));
    let uri = format!("file://{}/api/v1/lamp.go", place.path().display());
    let mut editor = Editor::new(place.path(), &[]);
    let found = editor.open(&uri, &misspelt);
    let report: Value = serde_json::from_str(&program(&place, &["check", "--source", "--format", "json"]).out).unwrap();
    let first = |found: &Value| found["message"].as_str().unwrap().split('\n').next().unwrap().to_owned();
    let line = |found: &Value| format!("{}:{} {}", found["line"], found["column"], first(found));
    let expected = report["errors"].as_array().unwrap().iter().map(line).collect::<Vec<_>>();
    let place_of = |found: &Value| {
        let start = &found["range"]["start"];
        let (line, column) = (start["line"].as_u64().unwrap() + 1, start["character"].as_u64().unwrap() + 1);
        format!("{line}:{column} {}", first(found))
    };
    assert_eq!(found.iter().map(place_of).collect::<Vec<_>>(), expected);
    assert!(!expected.is_empty());
    place.write("api/v1/lamp.go", types);
    editor.notify("textDocument/didSave", &json!({"textDocument": {"uri": uri}}));
    let found = lines(&editor.diagnostics(&uri));
    assert!(found.iter().all(|line| !line.contains("experimentl")), "{found:?}");
    editor.close();
}

#[test]
fn input_that_ends_at_once_says_who_starts_the_server() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crd-channels"));
    let output = command.arg("lsp").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("editors start this command"));
}
