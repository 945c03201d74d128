//! `migrate --job`: the manifest, what is refused, and the memory of a plan. `crd-testbed` proves the Job on a server with controllers.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use http::Request;
use serde_json::{Value, json};

use crate::migrate::{Setting, with_target};
use crate::remote::Printed;

const TARGET: [&str; 4] = ["--to", "v1.1.0", "--conversions", "conversions.json"];

/// The objects of a manifest by kind and namespace.
fn objects(printed: &Printed) -> Vec<(String, Value)> {
    assert_eq!(printed.code, 0, "{printed:?}");
    let documents = crd_model::yaml::read(&printed.out).unwrap().into_iter().filter(|document| !document.is_null());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let key = |object: &Value| text(&object["kind"]) + " " + &text(&object["metadata"]["namespace"]);
    documents.map(|object| (key(&object).trim_end().to_owned(), object)).collect()
}

/// The object of this kind.
fn one<'o>(objects: &'o [(String, Value)], key: &str) -> &'o Value {
    &objects.iter().find(|(known, _)| known == key).unwrap().1
}

#[test]
fn a_manifest_has_the_rights_and_the_command_of_the_plan() {
    let setting = Setting::new(3);
    let before = setting.model.store();
    let printed = setting.run(&["things", "--job", "2", "--rate", "50", "--namespace", "jobs", "--image", "i:1"]);
    assert!(printed.err.contains("write 3 objects without a change"), "the plan is on stderr: {printed:?}");
    let found = objects(&printed);
    let kinds = found.iter().map(|(key, _)| &**key).collect::<Vec<_>>();
    let roles = ["ClusterRole", "ClusterRoleBinding", "Role kube-system", "RoleBinding kube-system"];
    assert_eq!(kinds, [&["ServiceAccount jobs"][..], &roles, &["Job jobs"]].concat());
    let rules = one(&found, "ClusterRole")["rules"].as_array().unwrap();
    let verbs = rules.iter().map(|rule| json!([rule["resources"][0], rule["verbs"], rule["resourceNames"]]));
    let named = json!(["things.example.com"]);
    let expected = [
        json!(["customresourcedefinitions", ["list"], null]),
        json!(["customresourcedefinitions", ["get", "patch"], named]),
        json!(["customresourcedefinitions/status", ["patch"], named]),
        json!(["things", ["list", "patch"], null]),
    ];
    assert_eq!(verbs.collect::<Vec<_>>(), expected);
    let leases = &one(&found, "Role kube-system")["rules"][1]["resourceNames"];
    let lease = |part: u32| format!("crd-channels-migrate.things.example.com.{part}-of-2");
    assert_eq!(*leases, json!([lease(1), lease(2)]));
    let spec = &one(&found, "Job jobs")["spec"];
    assert_eq!((&spec["completions"], &spec["parallelism"]), (&json!(2), &json!(2)));
    let container = &spec["template"]["spec"]["containers"][0];
    let arguments = ["migrate", "things.example.com", "--yes", "--shard=index/2", "--rate=50", "--at-once=8"];
    assert_eq!((&container["image"], &container["args"]), (&json!("i:1"), &json!(arguments)));
    assert_eq!(setting.model.store().objects, before.objects, "nothing is written");
    let other = objects(&setting.run(&["things", "--job", "3", "--image", "i:1"]));
    let name = |objects: &[(String, Value)]| objects[0].1["metadata"]["name"].as_str().unwrap().to_owned();
    assert!(name(&other) != name(&found) && name(&found).len() < 60, "another Job has another name");
}

#[test]
fn a_bundle_is_in_a_config_map_and_a_plan_with_findings_has_no_job() {
    let setting = Setting::new(3);
    with_target(&setting);
    let printed = setting.run(&[&TARGET[..], &["--job", "2", "--drop", "spec.$(x)"]].concat());
    let found = objects(&printed);
    let files = one(&found, "ConfigMap kube-system")["binaryData"].as_object().unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["bundle.tar.xz", "conversions.json"]);
    let container = &one(&found, "Job kube-system")["spec"]["template"]["spec"]["containers"][0];
    let arguments = container["args"].as_array().unwrap();
    for argument in ["--to=/migration/bundle.tar.xz", "--to-channel=standard", "--drop=spec.$$(x)"] {
        assert!(arguments.contains(&json!(argument)), "{arguments:?}");
    }
    let printed = setting.run(&["--to", "v1.1.0", "--job", "2"]);
    assert_eq!((printed.code, &*printed.out), (1, ""));
    assert!(printed.err.contains("[migrate::blocked-object]"), "{printed:?}");
    let done = Setting::new(0);
    done.model.state().store.change(crate::model::CRDS, crate::things::THINGS, |crd| {
        crd["status"]["storedVersions"] = json!(["v1"]);
    });
    let printed = done.run(&["--job", "2"]);
    assert!(
        printed.code == 0 && printed.out.is_empty() && printed.err.contains("0 of 1 CRD to migrate"),
        "{printed:?}"
    );
}

#[test]
fn wrong_usage_of_jobs_is_explained() {
    let setting = Setting::new(1);
    setting.remote.place.write("thing.yaml", "kind: Thing");
    let long = "n".repeat(64);
    for (arguments, part) in [
        (&["--job", "0"][..], "0 is not in 1..=256"),
        (&["--job", "257"], "257 is not in 1..=256"),
        (&["--job", "8", "--shard", "1/8"], "cannot be used with"),
        (&["--job", "8", "--rollback"], "cannot be used with"),
        (&["--job", "8", "--with", "server"], "cannot be used with"),
        (&["--job", "8", "--journal", "j"], "cannot be used with"),
        (&["--job", "8", "--format", "json"], "cannot be used with"),
        (&["--namespace", "jobs"], "--job <N>"),
        (&["--job", "8", "--namespace", &long], "expected at most 63 lower-case letters"),
        (&["--job", "8", "--namespace", "a."], "expected at most 63 lower-case letters"),
        (&["--job", "8", "--image", ""], "a value is required"),
        (&["thing.yaml", "--job", "8"], "`--job` is about the objects of a cluster"),
        (&["--shard", "index/8"], "JOB_COMPLETION_INDEX is not a number"),
    ] {
        let printed = setting.run(arguments);
        assert!(printed.code == 2 && printed.err.contains(part), "{arguments:?}: {printed:?}");
    }
    let nowhere = |variables: &[(&str, &str)]| {
        let mut command = setting.remote.command(&["migrate", "--job", "8"]);
        command.env_remove("KUBECONFIG").envs(variables.iter().copied());
        setting.remote.printed(&command.output().unwrap())
    };
    let printed = nowhere(&[]);
    assert!(printed.code == 2 && printed.err.contains("no kubeconfig found"), "{printed:?}");
    let printed = nowhere(&[("KUBERNETES_SERVICE_HOST", "127.0.0.1"), ("KUBERNETES_SERVICE_PORT", "1")]);
    assert!(printed.code == 2 && printed.err.contains("the service account of this pod cannot be used"), "{printed:?}");
}

/// In a pod, only wrong usage ends with 2: everything about the cluster is tried again.
#[test]
fn the_pod_of_a_job_writes_its_part() {
    let setting = Setting::new(9);
    let run = |index: &str, more: &[&str]| {
        let mut command = setting.remote.command(&[&["migrate", "--yes", "--shard", "index/2"], more].concat());
        setting.remote.printed(&command.env("JOB_COMPLETION_INDEX", index).output().unwrap())
    };
    assert_eq!(run("0", &["things", "--rate", "0"]).code, 2);
    let printed = run("2", &[]);
    assert!(printed.code == 2 && printed.err.contains("with I from 1 to N"), "{printed:?}");
    let printed = run("0", &["gadgets"]);
    assert!(printed.code == 1 && printed.err.contains("[migrate::not-installed]"), "{printed:?}");
    let (first, second) = (run("0", &[]), run("1", &[]));
    assert!(first.code == 0 && first.out.contains("the other parts follow"), "{first:?}");
    assert!(second.code == 0 && second.out.contains("complete: v1beta1 left"), "{second:?}");
}

/// A page of so many things of a million.
fn page(request: &Request<Vec<u8>>, number: usize) -> Option<Vec<u8>> {
    let query = request.uri().query().unwrap_or_default();
    let of = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
    if request.method() != "GET" || request.uri().path() != "/apis/example.com/v1/things" {
        return None;
    }
    let (from, limit) = (of("continue").unwrap_or(0), of("limit").unwrap_or(number));
    let to = number.min(from + limit);
    let padding = "x".repeat(500);
    let item = |index: usize| {
        format!(
            r#"{{"apiVersion":"example.com/v1","kind":"Thing","metadata":{{"namespace":"blue","name":"thing-{index:07}","uid":"{index}",
            "resourceVersion":"1","annotations":{{"example.com/padding":"{padding}"}}}},"spec":{{"size":{index}}}}}"#
        )
    };
    let items = (from..to).map(item).collect::<Vec<_>>().join(",");
    let token = if to < number { to.to_string() } else { String::new() };
    let metadata = json!({"continue": token, "remainingItemCount": number - to, "resourceVersion": "1"});
    Some(
        format!(r#"{{"kind":"ThingList","apiVersion":"example.com/v1","metadata":{metadata},"items":[{items}]}}"#)
            .into(),
    )
}

#[test]
fn a_plan_for_a_million_objects() {
    let number = crd_testdata::sample(1_000_000);
    let setting = Setting::with(1, move |request| page(request, number));
    with_target(&setting);
    let mut command = setting.remote.command(&[&["migrate"], &TARGET[..], &["--job", "8"]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        peak = line.unwrap_or(peak);
        std::thread::sleep(Duration::from_millis(5));
    }
    let printed = setting.remote.printed(&child.wait_with_output().unwrap());
    let plan = printed.err.replace(',', "");
    assert!(plan.contains(&format!("the lens `size-to-count` converts {number} objects")), "{plan}");
    println!("{number} objects planned with {peak} KiB");
    assert!(peak < 100 << 10 && (peak > 0 || !cfg!(target_os = "linux")), "{peak} KiB");
}
