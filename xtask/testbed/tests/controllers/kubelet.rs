//! A kubelet: runs the commands of the pods of a Job as processes, with the token of their service account, and kills some of them.
//!
//! Invariants: a process has of its pod what the manifest states: arguments, the variable of the Job controller, files of ConfigMaps, and rights. The
//! program is this test program with one test, because cargo gives a test the programs of its own package only.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crd_channels_cli::{Session, run_without_types_in};
use crd_testbed::Testbed;
use kube::Client;
use kube::config::Kubeconfig;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::requests::send;
use crd_testdata::Dice;

/// The arguments of the program, as JSON.
const ARGUMENTS: &str = "CRD_TEST_ARGUMENTS";
const NAMESPACE: &str = "/api/v1/namespaces/kube-system";

#[test]
#[ignore = "the program that pods run"]
fn program() {
    let Some(arguments) = std::env::var_os(ARGUMENTS) else { return };
    let arguments = serde_json::from_str::<Vec<String>>(arguments.to_str().expect("UTF-8")).expect("JSON");
    let (mut out, mut err) = (anstream::stdout(), anstream::stderr());
    let exit = run_without_types_in(arguments, &mut Session::new(".", &mut out, &mut err));
    std::process::exit(exit.code().into());
}

/// The program with these arguments.
pub(crate) fn command(arguments: &[String], kubeconfig: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["kubelet::program", "--exact", "--ignored", "--nocapture"]);
    command.env(ARGUMENTS, json!(arguments).to_string()).env("KUBECONFIG", kubeconfig).env_remove("HTTPS_PROXY");
    command
}

/// Which processes are killed.
pub(crate) struct Kills {
    /// How many, and at most so many of an index.
    pub(crate) most: usize,
    pub(crate) most_of_index: usize,
    /// At random after this time and before twice this time: since the start of a process, and since the last kill.
    pub(crate) pause: Duration,
}

struct Running {
    child: Child,
    index: String,
    since: Instant,
}

pub(crate) struct Kubelet<'t> {
    testbed: &'t Testbed,
    runtime: Runtime,
    pub(crate) client: Client,
    folder: tempfile::TempDir,
    running: BTreeMap<String, Running>,
    dice: Dice,
    kills: Kills,
    /// The indices of processes that were killed.
    pub(crate) killed: Vec<String>,
    next_kill: Instant,
    /// The most objects that the lease of a part has shown as written.
    pub(crate) shown: u64,
    /// The peak of the memory of a process, in KiB.
    pub(crate) peak: u64,
}

impl<'t> Kubelet<'t> {
    pub(crate) fn new(testbed: &'t Testbed, kills: Kills) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let client = runtime.block_on(async {
            let kubeconfig = Kubeconfig::read_from(testbed.kubeconfig()).expect("a kubeconfig");
            let config = kube::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await;
            let mut config = config.expect("it is complete");
            config.proxy_url = None;
            Client::try_from(config).expect("a client")
        });
        let (folder, dice) = (tempfile::tempdir().expect("a folder"), Dice::new(44));
        let (running, killed, next_kill) = (BTreeMap::new(), Vec::new(), Instant::now());
        Self { testbed, runtime, client, folder, running, dice, kills, killed, next_kill, shown: 0, peak: 0 }
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        self.block_on(send(&self.client, method, path, body)).expect(path)
    }

    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Runs the pods of a Job until it is complete or has failed. Returns it.
    pub(crate) fn run(&mut self, job: &str, limit: Duration) -> Value {
        let (begun, path) = (Instant::now(), format!("/apis/batch/v1/namespaces/kube-system/jobs/{job}"));
        loop {
            let pods = self.call("GET", &format!("{NAMESPACE}/pods?labelSelector=job-name%3D{job}"), None);
            for pod in pods["items"].as_array().expect("pods").iter().filter(|pod| pod["status"]["phase"] == "Pending")
            {
                let name = pod["metadata"]["name"].as_str().expect("a name");
                if !self.running.contains_key(name) {
                    let running = self.start(pod, name);
                    self.running.insert(name.to_owned(), running);
                    self.set_status(name, &json!({"phase": "Running"}));
                }
            }
            self.kill();
            self.report();
            self.read_leases();
            let job = self.call("GET", &path, None);
            let mut conditions = job["status"]["conditions"].as_array().into_iter().flatten();
            let is_ended = |kind: &Value| kind == "Complete" || kind == "Failed";
            if conditions.any(|condition| is_ended(&condition["type"])) {
                return job;
            }
            assert!(begun.elapsed() < limit, "not complete within {limit:?}: {:#}\n{}", job["status"], self.logs());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn start(&self, pod: &Value, name: &str) -> Running {
        let (spec, container) = (&pod["spec"], &pod["spec"]["containers"][0]);
        let index =
            pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"].as_str().expect("an index");
        let variables = container["env"].as_array().expect("variables");
        assert!(variables.iter().any(|variable| variable["name"] == "JOB_COMPLETION_INDEX"), "{container:#}");
        let own = self.folder.path().join(name);
        let volumes = spec["volumes"].as_array().into_iter().flatten();
        for name in volumes.filter_map(|volume| volume["configMap"]["name"].as_str()) {
            let map = self.call("GET", &format!("{NAMESPACE}/configmaps/{name}"), None);
            for (file, text) in map["binaryData"].as_object().expect("files") {
                let bytes = serde_json::from_value::<k8s_openapi::ByteString>(text.clone()).expect("base64").0;
                fs::create_dir_all(&own).and_then(|()| fs::write(own.join(file), bytes)).expect("written");
            }
        }
        let mount = container["volumeMounts"][0]["mountPath"].as_str().unwrap_or("/nothing");
        let arguments = container["args"].as_array().expect("arguments").iter().map(|argument| {
            argument.as_str().expect("a text").replace(mount, &own.display().to_string()).replace("$$", "$")
        });
        let kubeconfig = self.kubeconfig(name, spec["serviceAccountName"].as_str().expect("an account"));
        let log = || File::options().append(true).create(true).open(self.folder.path().join(format!("{name}.log")));
        let child = command(&arguments.collect::<Vec<_>>(), &kubeconfig)
            .env("JOB_COMPLETION_INDEX", index)
            .stdout(log().expect("a log"))
            .stderr(log().expect("a log"))
            .spawn();
        Running { child: child.expect("it starts"), index: index.to_owned(), since: Instant::now() }
    }

    /// A kubeconfig with a token of a service account.
    fn kubeconfig(&self, pod: &str, account: &str) -> std::path::PathBuf {
        let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        let answer = self.call("POST", &format!("{NAMESPACE}/serviceaccounts/{account}/token"), Some(&request));
        let authority = self.testbed.folder().join("authority.crt");
        let text = json!({
            "clusters": [{"name": "c", "cluster": {"server": self.testbed.address(), "certificate-authority": authority}}],
            "users": [{"name": "u", "user": {"token": answer["status"]["token"]}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "c",
        });
        let path = self.folder.path().join(format!("{pod}.kubeconfig"));
        fs::write(&path, text.to_string()).expect("written");
        path
    }

    /// Kills one process at random.
    fn kill(&mut self) {
        let Kills { most, most_of_index, pause } = self.kills;
        if self.killed.len() == most || Instant::now() < self.next_kill {
            return;
        }
        let of_index = |index: &str| self.killed.iter().filter(|killed| *killed == index).count();
        let can_die =
            |running: &&mut Running| running.since.elapsed() > pause && of_index(&running.index) < most_of_index;
        let mut chosen = self.running.values_mut().filter(can_die).collect::<Vec<_>>();
        if chosen.is_empty() {
            return;
        }
        let which = self.dice.below(chosen.len());
        chosen[which].child.kill().expect("it is killed");
        let index = chosen[which].index.clone();
        self.killed.push(index);
        self.next_kill = Instant::now() + pause.mul_f64(self.dice.below(100) as f64 / 100.0);
    }

    /// Reports the processes that have ended to the server.
    fn report(&mut self) {
        let mut ended = Vec::new();
        for (name, running) in &mut self.running {
            let status = fs::read_to_string(format!("/proc/{}/status", running.child.id())).unwrap_or_default();
            let peak =
                status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
            self.peak = self.peak.max(peak.unwrap_or_default());
            if let Some(status) = running.child.try_wait().expect("its status") {
                ended.push((name.clone(), status.code().or(status.signal().map(|signal| 128 + signal))));
            }
        }
        for (name, code) in ended {
            self.running.remove(&name);
            let phase = if code == Some(0) { "Succeeded" } else { "Failed" };
            let state = json!({"terminated": {"exitCode": code}});
            let container = json!({
                "name": "migrate", "image": "i", "imageID": "", "ready": false, "restartCount": 0, "state": state,
            });
            self.set_status(&name, &json!({"phase": phase, "containerStatuses": [container]}));
        }
    }

    fn set_status(&self, pod: &str, status: &Value) {
        self.call("PATCH", &format!("{NAMESPACE}/pods/{pod}/status"), Some(&json!({"status": status})));
    }

    fn read_leases(&mut self) {
        let leases = self.call("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", None);
        for lease in leases["items"].as_array().into_iter().flatten() {
            let written = lease["metadata"]["annotations"]["crd-channels/written"].as_str();
            self.shown = self.shown.max(written.and_then(|written| written.parse().ok()).unwrap_or_default());
        }
    }

    /// What all processes have printed.
    pub(crate) fn logs(&self) -> String {
        let entries = fs::read_dir(self.folder.path()).expect("the folder").flatten().map(|entry| entry.path());
        let logs = entries.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
        logs.map(|path| fs::read_to_string(path).expect("a log")).collect()
    }
}

impl Drop for Kubelet<'_> {
    fn drop(&mut self) {
        for running in self.running.values_mut() {
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}
