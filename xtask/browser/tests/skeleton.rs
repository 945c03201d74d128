//! The YAML to copy is an object with the structure of the CRD.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::pages::{self, GO};
use crate::published::{CHANNELS, nodes, releases};

/// The messages of all rules of a schema. A skeleton is made from types, so a rule over several fields may refuse it.
fn rule_messages(schema: &Value) -> Vec<&str> {
    let below = nodes(schema);
    let schemas = std::iter::once(schema).chain(below.iter().map(|node| node.schema));
    let rules = schemas.flat_map(|schema| schema["x-kubernetes-validations"].as_array().into_iter().flatten());
    rules.filter_map(|rule| rule["message"].as_str()).collect()
}

#[test]
fn the_skeleton_of_each_kind_has_the_structure_of_its_crd() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "") else { return };
    let newest = releases().last().expect("a release");
    for channel in CHANNELS {
        let versions = newest.versions().into_iter().filter(|version| version.channel == channel);
        let versions = crd_testdata::sample_of(versions.collect(), |version| version.kind == "HTTPRoute");
        let addresses = versions.iter().map(|version| format!("#/{}/{}?channel={channel}", version.crd, version.name));
        let shown = browser.evaluate(
            &format!(
                "{GO} const found = [];
                 for (const address of args) {{
                   await go(address);
                   const box = document.querySelector('details.skeleton'), opened = new Promise(done => box.addEventListener('toggle', done, {{ once: true }}));
                   box.open = true;
                   await opened;
                   const read = () => box.querySelector('pre').textContent, [required, all] = box.querySelectorAll('input');
                   all.click();
                   const long = read();
                   required.click();
                   found.push([read(), long]);
                 }}
                 return found;"
            ),
            addresses.collect::<Vec<_>>().into(),
        );
        let folder = pages::folder("skeletons");
        let mut messages = BTreeSet::new();
        let mut written = 0;
        for (index, (version, texts)) in versions.iter().zip(shown.as_array().expect("skeletons")).enumerate() {
            let texts = pages::texts(texts);
            for text in &texts {
                let objects = crd_model::yaml::read(text).unwrap_or_else(|error| panic!("{text}{error:?}"));
                assert_eq!((objects.len(), objects[0]["kind"].as_str()), (1, Some(version.kind)), "{text}");
                assert!(objects[0]["metadata"]["name"].is_string(), "{text}");
            }
            // The long one has the name of each field that users set.
            let fields =
                nodes(version.schema).into_iter().filter(|node| node.is_field && node.path.starts_with("spec."));
            for name in fields.filter_map(|node| node.path.rsplit('.').next().map(str::to_owned)) {
                assert!(texts[1].contains(&format!("{name}:")), "{name} is not in\n{}", texts[1]);
            }
            if version.is_served {
                fs::write(folder.join(format!("object{index}.yaml")), texts[0]).expect("the file is written");
                messages.extend(rule_messages(version.schema));
                written += 1;
            }
        }
        let crds = newest.folder.join(channel);
        let arguments = [Some("validate"), folder.to_str(), Some("--crds"), crds.to_str(), Some("--format=json")];
        let (_, out, err) = pages::run(&arguments.map(|argument| argument.expect("a path in UTF-8")));
        let document: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {err}"));
        let objects = document["objects"].as_array().expect("objects");
        assert_eq!((objects.len(), &document["errors"]), (written, &json!([])), "{err}");
        for object in objects {
            let findings = object["findings"].as_array().into_iter().flatten();
            for finding in findings.filter(|finding| finding["severity"] == "error") {
                let message = finding["message"].as_str().expect("a message");
                let is_of_a_rule = messages.iter().any(|rule| message.ends_with(&format!(": Invalid value: {rule}")));
                assert!(is_of_a_rule, "{}: {message}", object["file"]);
            }
        }
        println!("{channel}: {written} skeletons are objects; {}", document["summary"]);
    }
    assert_eq!(browser.messages(), []);
}

#[test]
fn the_button_copies_the_yaml() {
    let Some(browser) = pages::browser_at(pages::gateway_api, "#/gateways.gateway.networking.k8s.io/v1") else {
        return;
    };
    browser.developer_tools(
        "Browser.grantPermissions",
        json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}),
    );
    let copied = browser.evaluate(
        "const box = document.querySelector('details.skeleton');
         box.open = true;
         while (!box.querySelector('pre').textContent) await new Promise(done => setTimeout(done, 5));
         await navigator.clipboard.writeText('nothing');
         const button = [...box.querySelectorAll('button')].find(x => x.textContent === 'Copy');
         button.focus();
         button.click();
         for (let i = 0; i < 6000 && await navigator.clipboard.readText() === 'nothing'; i++) await new Promise(done => setTimeout(done, 10));
         return [await navigator.clipboard.readText(), box.querySelector('pre').textContent, box.querySelector('[role=status]').textContent]",
        json!([]),
    );
    assert_eq!(copied[0], copied[1]);
    assert_eq!(copied[2], json!("Copied"));
    assert!(copied[0].as_str().is_some_and(|text| text.contains("kind: Gateway\n")), "{copied}");
}
