//! One row of the table on a server: the state before, the action, and what differs from the row.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crd_upgrade::installers::{Action, Before, ChartPlace, Effect, Installer, Row};
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::flux::Controller;
use super::recorder::Recorder;
use crate::requests::{APPLY, CRDS, wait};
use crate::server::Server;

/// The name of the label and the annotation that another program adds.
const ADDED: &str = "injector.example.com/added";

/// The programs that install.
pub(super) struct Programs {
    helm3: PathBuf,
    helm4: PathBuf,
    gitops: PathBuf,
    /// Only in a proof, because it takes minutes to build.
    pub(super) helm_controller: Option<PathBuf>,
}

/// The policy of a HelmRelease.
pub(super) fn policy(installer: Installer) -> Option<&'static str> {
    match installer {
        Installer::FluxSkip => Some("Skip"),
        Installer::FluxCreate => Some("Create"),
        Installer::FluxCreateReplace => Some("CreateReplace"),
        _ => None,
    }
}

impl Programs {
    /// Prints `skipped` and returns `None` if Go is needed and not installed.
    pub(super) fn find() -> Option<Programs> {
        let find = |name| match crd_testbed::program(name) {
            Ok(program) => Some(program),
            Err(failure) if failure.is_missing_go() && !crd_testbed::is_required() => {
                eprintln!("skipped: {failure}");
                None
            }
            Err(failure) => panic!("{failure}"),
        };
        let helm_controller = if crd_testdata::is_proof() { Some(find("helm-controller")?) } else { None };
        Some(Programs { helm3: find("helm3")?, helm4: find("helm")?, gitops: find("gitops")?, helm_controller })
    }

    /// The help of `helm install` of Helm 4.
    pub(super) fn help(&self) -> String {
        let output = Command::new(&self.helm4).args(["install", "--help"]).output().expect("helm runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

/// The two versions of the CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Old,
    New,
}

impl Version {
    /// The version of the chart.
    fn number(self) -> &'static str {
        match self {
            Version::Old => "1.0.0",
            Version::New => "2.0.0",
        }
    }
}

/// What of a CRD a row compares.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    Crd { versions: Value, added: [bool; 3], owners: Vec<String>, resource_version: String },
}

/// A row with its own CRD, files and release.
pub(super) struct Case<'a> {
    number: usize,
    server: &'a Server,
    recorder: &'a Recorder,
    programs: &'a Programs,
    /// For rows of helm-controller, in a proof.
    controller: Option<&'a Controller<'a>>,
    folder: TempDir,
}

impl<'a> Case<'a> {
    pub(super) fn new(
        number: usize,
        server: &'a Server,
        recorder: &'a Recorder,
        programs: &'a Programs,
        controller: Option<&'a Controller<'a>>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { number, server, recorder, programs, controller, folder }
    }

    /// Whether the test sends the requests of the row itself.
    fn sends(&self, row: &Row) -> bool {
        row.source.is_some() || policy(row.installer).is_some() && self.controller.is_none()
    }

    fn name(&self) -> String {
        format!("widgets.row{}.example.com", self.number)
    }

    fn path(&self) -> String {
        format!("{CRDS}/{}", self.name())
    }

    fn crd(&self, version: Version) -> Value {
        let fields = match version {
            Version::Old => json!({"a": {"type": "string"}, "b": {"type": "integer", "maximum": 10}}),
            Version::New => json!({"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "string"}}),
        };
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": self.name(), "annotations": {"example.com/bundle": format!("{version:?}")}},
            "spec": {
                "group": format!("row{}.example.com", self.number),
                "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"},
                "scope": "Namespaced",
                "conversion": {"strategy": "Webhook", "webhook": {
                    "conversionReviewVersions": ["v1"],
                    "clientConfig": {"service": {"namespace": "default", "name": "webhook", "path": "/convert"}},
                }},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "description": format!("{version:?}"),
                    "properties": {"spec": {"type": "object", "properties": fields}},
                }}}],
            },
        })
    }

    /// The file of a version, or the folder of the chart that contains it.
    fn file(&self, place: ChartPlace, version: Version) -> String {
        let chart = self.folder.path().join(format!("{version:?}"));
        let (folder, is_chart) = match place {
            ChartPlace::Crds => (chart.join("crds"), true),
            ChartPlace::Templates => (chart.join("templates"), true),
            ChartPlace::File => (chart.clone(), false),
        };
        let write = |path: &Path, content: &Value| {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, format!("{content:#}")).expect("a file");
        };
        write(&folder.join("crd.yaml"), &self.crd(version));
        if !is_chart {
            return folder.join("crd.yaml").display().to_string();
        }
        let number = version.number();
        write(&chart.join("Chart.yaml"), &json!({"apiVersion": "v2", "name": "widgets", "version": number}));
        let name = format!("row{}", self.number);
        let settings =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"chart": number}});
        write(&chart.join("templates/settings.yaml"), &settings);
        chart.display().to_string()
    }

    /// Runs a program through the recorder. Returns whether it succeeded, and its errors.
    fn program(&self, program: &Path, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("HELM_")) {
            command.env_remove(name);
        }
        for name in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME", "KUBECACHEDIR"] {
            command.env(name, self.folder.path().join("home"));
        }
        command.args(arguments).env("KUBECONFIG", &self.recorder.kubeconfig).env("KUBERC", "off").stdin(Stdio::null());
        let output = command.output().expect("the installer runs");
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Runs the installer of a row with these options.
    fn install(
        &self,
        installer: Installer,
        place: ChartPlace,
        action: Action,
        version: Version,
        options: &str,
    ) -> (bool, String) {
        let (file, release) = (self.file(place, version), format!("row{}", self.number));
        if let Some(policy) = policy(installer) {
            let package = |folder: &Path| {
                let destination = folder.display().to_string();
                let (success, errors) = self.program(&self.programs.helm3, &["package", &file, "-d", &destination]);
                assert!(success, "{errors}");
                folder.join(format!("widgets-{}.tgz", version.number()))
            };
            let controller = self.controller.expect("a row that the test does not send");
            controller.release(&release, policy, version.number(), package);
            return (true, String::new());
        }
        let (program, mut arguments) = match (installer, action) {
            (Installer::Helm3 | Installer::Helm4, _) => {
                let program = if installer == Installer::Helm3 { &self.programs.helm3 } else { &self.programs.helm4 };
                let arguments = match action {
                    Action::Install => vec!["install", &release, &file],
                    Action::Upgrade => vec!["upgrade", &release, &file],
                    Action::Rollback => vec!["rollback", &release, "1"],
                    Action::Uninstall => vec!["uninstall", &release],
                };
                (program.as_path(), arguments)
            }
            (Installer::KubectlApply, _) => (self.server.kubectl_program(), vec!["apply", "-f", &file]),
            (Installer::KubectlServerSide, _) => {
                (self.server.kubectl_program(), vec!["apply", "--server-side", "-f", &file])
            }
            (Installer::KubectlCreate, _) => (self.server.kubectl_program(), vec!["create", "-f", &file]),
            (Installer::KubectlReplace, _) => (self.server.kubectl_program(), vec!["replace", "-f", &file]),
            (Installer::FluxKustomization, _) => (self.programs.gitops.as_path(), vec!["flux", &file]),
            (Installer::ArgoClient, _) => (self.programs.gitops.as_path(), vec!["argo", &file]),
            (Installer::ArgoServer, _) => (self.programs.gitops.as_path(), vec!["argo", &file, "ServerSideApply=true"]),
            (Installer::ArgoReplace, _) => (self.programs.gitops.as_path(), vec!["argo", &file, "Replace=true"]),
            (Installer::FluxSkip | Installer::FluxCreate | Installer::FluxCreateReplace, _) => {
                unreachable!("released above")
            }
        };
        arguments.extend(options.split_whitespace());
        self.program(program, &arguments)
    }

    /// Sends the request of a source, and returns it with the status of the answer.
    fn send(&self, request: &str, version: Version) -> String {
        let [method, query, content, _] = request.split(' ').collect::<Vec<_>>()[..] else { panic!("{request}") };
        let mut crd = self.crd(version);
        crd["metadata"]["labels"] =
            json!({"helm.toolkit.fluxcd.io/name": "widgets", "helm.toolkit.fluxcd.io/namespace": "default"});
        if method == "PUT" {
            // Helm reads the CRD and sets this before it replaces it.
            crd["metadata"]["resourceVersion"] =
                self.server.send("GET", &self.path(), None).expect("the CRD")["metadata"]["resourceVersion"].take();
        }
        let path = if method == "POST" { CRDS.to_owned() } else { self.path() };
        let answer =
            self.server.send_with(method, &format!("{path}?{query}"), &[("content-type", content)], Some(&crd));
        format!("{method} {query} {content} {}", answer.code)
    }

    /// Makes the state before the action, and returns the version that the action brings.
    fn prepare(&self, row: &Row) -> Version {
        let run = |installer, action, version| {
            let (success, errors) = self.install(installer, row.place, action, version, "");
            assert!(success, "{row:?}: {errors}");
        };
        // Kinds of `own` that a run of the installer itself makes; rows with a source use what the source sends.
        let own = match (row.before, row.installer) {
            (Before::ClientSide, Installer::Helm4) => Installer::Helm3,
            (Before::ClientSide, _) => Installer::KubectlApply,
            // These do not create CRDs.
            (Before::Own, Installer::FluxSkip) => Installer::FluxCreate,
            (Before::Own | Before::Edited, Installer::KubectlReplace) => Installer::KubectlCreate,
            (_, installer) => installer,
        };
        match row.before {
            Before::Absent
                if row.action == Action::Upgrade && row.installer == Installer::FluxSkip && !self.sends(row) =>
            {
                run(own, Action::Install, Version::Old);
            }
            Before::Absent if row.action == Action::Upgrade && !self.sends(row) => {
                run(own, Action::Install, Version::Old);
                self.delete();
            }
            Before::Absent => {}
            Before::Foreign => {
                if row.action == Action::Upgrade && !self.sends(row) {
                    run(own, Action::Install, Version::Old);
                }
                let path = format!("{CRDS}?fieldManager=foreign");
                self.server.send("POST", &path, Some(&self.crd(Version::Old))).with_code(201);
            }
            _ if self.sends(row) => {
                let (method, path, headers) = match row.options.as_str() {
                    "serverSideApply" => ("PATCH", self.path(), vec![APPLY]),
                    _ => ("POST", CRDS.to_owned(), Vec::new()),
                };
                let path = format!("{path}?fieldManager=helm-controller");
                self.server.send_with(method, &path, &headers, Some(&self.crd(Version::Old))).with_code(201);
            }
            Before::Own | Before::Edited | Before::ClientSide => {
                run(own, Action::Install, Version::Old);
                match row.action {
                    Action::Rollback => run(own, Action::Upgrade, Version::New),
                    // The name of the release is free again, and the CRD remains.
                    Action::Install if row.place == ChartPlace::Crds => run(own, Action::Uninstall, Version::Old),
                    _ => {}
                }
            }
        }
        if row.before != Before::Absent {
            self.inject();
        }
        if row.before == Before::Edited {
            let hotfix = json!([{
                "op": "add",
                "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/hotfix",
                "value": {"type": "string"},
            }]);
            let path = format!("{}?fieldManager=editor", self.path());
            let header = ("content-type", "application/json-patch+json");
            self.server.send_with("PATCH", &path, &[header], Some(&hotfix)).with_code(200);
        }
        if row.action == Action::Rollback { Version::Old } else { Version::New }
    }

    /// Adds what another program adds: a label, an annotation, and the certificate of the webhook.
    fn inject(&self) {
        let established = || {
            let crd = self.server.send("GET", &self.path(), None).expect("the CRD");
            let conditions = crd["status"]["conditions"].as_array().cloned().unwrap_or_default();
            conditions.iter().any(|condition| condition["type"] == "Established" && condition["status"] == "True")
        };
        wait("the CRD is established", established);
        let [(_, kubeconfig), _] = self.server.environment();
        let kubeconfig: Value = serde_json::from_slice(&std::fs::read(kubeconfig).expect("readable")).expect("JSON");
        let authority = kubeconfig["clusters"][0]["cluster"]["certificate-authority"].as_str().expect("a path");
        let certificate = ByteString(std::fs::read(authority).expect("a certificate"));
        let added = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": self.name(), "labels": {ADDED: "x"}, "annotations": {ADDED: "x"}},
            "spec": {"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"caBundle": certificate}}}},
        });
        let path = format!("{}?fieldManager=injector", self.path());
        self.server.send_with("PATCH", &path, &[APPLY], Some(&added)).with_code(200);
    }

    fn delete(&self) {
        self.server.send("DELETE", &self.path(), None).with_code(200);
        wait("the CRD is deleted", || self.found() == Found::Nothing);
    }

    fn found(&self) -> Found {
        let answer = self.server.send("GET", &self.path(), None);
        if answer.code == 404 {
            return Found::Nothing;
        }
        let crd = answer.with_code(200);
        let has = |pointer: &str| crd.pointer(pointer).is_some();
        let key = ADDED.replace('/', "~1");
        let added = [
            has(&format!("/metadata/labels/{key}")),
            has(&format!("/metadata/annotations/{key}")),
            has("/spec/conversion/webhook/clientConfig/caBundle"),
        ];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let managers = crd["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        let owners = managers.iter().filter(|entry| !entry["fieldsV1"]["f:spec"]["f:versions"].is_null());
        Found::Crd {
            versions: crd["spec"]["versions"].clone(),
            added,
            owners: owners.map(|entry| format!("{} {}", text(&entry["manager"]), text(&entry["operation"]))).collect(),
            resource_version: text(&crd["metadata"]["resourceVersion"]),
        }
    }

    /// Runs a row. Returns what differs from it.
    pub(super) fn differences(&self, row: &Row) -> Vec<String> {
        let version = self.prepare(row);
        let (before, position) = (self.found(), self.recorder.position());
        let ((success, errors), requests) = match self.sends(row) {
            false => {
                let ran = self.install(row.installer, row.place, row.action, version, &row.options);
                (ran, self.recorder.since(position))
            }
            true => {
                let sent = row.requests.iter().map(|request| self.send(request, version)).collect();
                ((row.effect != Effect::Refused, String::new()), sent)
            }
        };
        if row.effect == Effect::Deleted {
            wait("the CRD is deleted", || self.found() == Found::Nothing);
        }
        let after = self.found();
        let mut differences = Vec::new();
        if success == (row.effect == Effect::Refused) {
            differences.push(format!("success: {success} {errors}"));
        }
        if row.effect == Effect::Unchanged && errors.contains(&self.name()) {
            differences.push(format!("a message about the CRD: {errors}"));
        }
        if requests != row.requests {
            differences.push(format!("requests: {requests:?}"));
        }
        let is_as_stated = match (&after, row.effect) {
            (_, Effect::Unchanged | Effect::Refused) => before == after,
            (after, Effect::Deleted) => *after == Found::Nothing && before != Found::Nothing,
            (Found::Nothing, _) => false,
            (Found::Crd { versions, added, owners, .. }, effect) => {
                let existed = before != Found::Nothing;
                let keeps = effect == Effect::Replaced;
                *versions == self.crd(version)["spec"]["versions"]
                    && *added == [keeps; 3]
                    && existed == (effect != Effect::Created)
                    && owners.iter().eq(row.owner.iter().map(ToString::to_string).collect::<Vec<_>>().iter())
            }
        };
        if !is_as_stated {
            differences.push(format!("after: {after:?}, before: {before:?}"));
        }
        differences
    }
}
