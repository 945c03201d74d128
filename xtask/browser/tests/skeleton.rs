//! The YAML to copy is an object that the CRD accepts, except for its CEL rules.

use std::fs;
use std::path::PathBuf;

use crd_channels_cli::Exit;
use serde_json::{Value, json};

use crate::pages;
use crate::published::{Release, releases};

#[test]
fn the_skeleton_of_each_kind_is_an_object_that_its_crd_accepts() {
    let Some(browser) = pages::browser_at(pages::gateway_api(), "") else { return };
    let folder = pages::folder("skeletons");
    let newest = releases().last().expect("a release");
    let mut refused = Vec::new();
    for version in newest.versions().into_iter().filter(|version| version.is_served) {
        let address = format!("#/{}/{}?channel={}", version.crd, version.name, version.channel);
        pages::go(&browser, &address);
        let texts = browser.evaluate(
            "const box = document.querySelector('details.skeleton');
             box.open = true;
             while (!box.querySelector('pre').textContent) await new Promise(done => setTimeout(done, 5));
             const read = () => box.querySelector('pre').textContent, [required, all] = box.querySelectorAll('input');
             all.click();
             const long = read();
             required.click();
             return [read(), long]",
            json!([]),
        );
        for (text, has_all) in pages::texts(&texts).into_iter().zip([false, true]) {
            let what = format!("{address}, all fields: {has_all}:\n{text}");
            let objects = crd_model::yaml::read(text).unwrap_or_else(|error| panic!("{what}{error:?}"));
            assert_eq!(objects.len(), 1, "{what}");
            assert_eq!(
                (objects[0]["kind"].as_str(), objects[0]["metadata"]["name"].is_string()),
                (Some(version.kind), true),
                "{what}"
            );
            if has_all {
                continue;
            }
            let file = folder.join("object.yaml");
            fs::write(&file, text).expect("the file is written");
            let crds = without_rules(newest, version.channel);
            let [file, crds] = [&file, &crds].map(|path| path.to_str().expect("a path in UTF-8"));
            let (exit, out, err) = pages::run(&["validate", file, "--crds", crds]);
            if exit != Exit::Fine {
                refused.push(format!("{what}{out}{err}"));
            }
        }
    }
    assert!(refused.is_empty(), "{} skeletons are refused:\n{}", refused.len(), refused.join("\n"));
    assert_eq!(browser.messages(), []);
}

/// The CRDs of a channel in a file, without CEL rules: a skeleton has placeholders, and no program knows which rules they meet.
fn without_rules(release: &Release, channel: &str) -> PathBuf {
    let path = pages::folder("without-rules").join(format!("{channel}.json"));
    let mut crds = json!({"apiVersion": "v1", "kind": "List", "items": release.crds[channel]});
    remove_rules(&mut crds);
    fs::write(&path, crds.to_string()).expect("the CRDs are written");
    path
}

fn remove_rules(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("x-kubernetes-validations");
            map.values_mut().for_each(remove_rules);
        }
        Value::Array(list) => list.iter_mut().for_each(remove_rules),
        _ => {}
    }
}

#[test]
fn the_button_copies_the_yaml() {
    let Some(browser) = pages::browser_at(pages::gateway_api(), "#/gateways.gateway.networking.k8s.io/v1") else {
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
