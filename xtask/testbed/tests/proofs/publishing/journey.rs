//! A journey on one server: commands of Helm and kubectl, each with its output and the contents of the cluster before and after it.

use std::path::Path;

use super::cluster::{self, Cluster};
use super::helm::{Helm, Revision};
use crate::server::{self, Crds, Printed, Server};

/// A command and its result.
pub(super) struct Step {
    /// The name in tests and on the page.
    pub(super) name: &'static str,
    /// The command line.
    pub(super) command: String,
    pub(super) printed: Printed,
    /// Helm's revisions of the release after it.
    pub(super) history: Vec<Revision>,
    /// The contents of the cluster before and after it.
    pub(super) before: Cluster,
    pub(super) after: Cluster,
}

impl Step {
    /// Number and status of each revision, as `1 superseded gateway-api-standard-1.6.1`.
    pub(super) fn revisions(&self) -> Vec<String> {
        self.history
            .iter()
            .map(|revision| format!("{} {} {}", revision.number, revision.status, revision.chart))
            .collect()
    }

    /// The objects that it changed in the cluster.
    pub(super) fn written(&self) -> Vec<String> {
        self.before.written_until(&self.after)
    }

    #[track_caller]
    pub(super) fn assert_refused(&self, why: &str) {
        assert!(!self.printed.success, "{}: {}", self.command, self.printed.stdout);
        assert!(self.printed.stderr.contains(why), "{}: {}", self.command, self.printed.stderr);
    }

    #[track_caller]
    pub(super) fn assert_done(&self) {
        assert!(self.printed.success, "{}: {}", self.command, self.printed.stderr);
    }
}

/// All steps, in order.
pub(super) struct Steps(pub(super) Vec<Step>);

impl Steps {
    pub(super) fn step(&self, name: &str) -> &Step {
        self.0.iter().find(|step| step.name == name).unwrap_or_else(|| panic!("no step {name}"))
    }
}

/// Runs the steps and records them.
pub(super) struct Recorder {
    pub(super) helm: Helm,
    pub(super) server: Server,
    pub(super) steps: Vec<Step>,
    /// The contents of the cluster after the last step and later changes.
    seen: Cluster,
}

impl Recorder {
    /// A server without CRDs. Prints `skipped` and returns `None` if Helm is missing or no server can be started.
    pub(super) fn start() -> Option<Self> {
        let helm = Helm::find()?;
        let server = server::start(Crds::Nothing)?;
        let seen = Cluster::look(&server);
        Some(Self { helm, server, steps: Vec::new(), seen })
    }

    /// Runs Helm. The page shows a path to a chart without its folder.
    pub(super) fn step(&mut self, name: &'static str, arguments: &[&str]) {
        let printed = self.helm.run(&self.server, arguments);
        let shown = arguments.iter().map(|argument| argument.rsplit('/').next().unwrap_or(argument));
        let history = self.helm.history(&self.server, "gw");
        self.record(name, format!("helm {}", shown.collect::<Vec<_>>().join(" ")), printed, history);
    }

    /// Runs `kubectl apply` of a file or folder.
    pub(super) fn apply(&mut self, name: &'static str, options: &[&str], path: &Path) {
        let path = path.display().to_string();
        let printed = self.server.kubectl(&[&["apply"], options, &[&*path]].concat());
        self.record(name, format!("kubectl apply {}", options.join(" ")), printed, Vec::new());
    }

    fn record(&mut self, name: &'static str, command: String, printed: Printed, history: Vec<Revision>) {
        let after = Cluster::look(&self.server);
        let before = std::mem::replace(&mut self.seen, after.clone());
        self.steps.push(Step { name, command, printed, history, before, after });
    }

    /// Records changes that were not made by Helm.
    pub(super) fn look(&mut self) {
        self.seen = Cluster::look(&self.server);
    }

    /// Deletes the policy, as its message recommends.
    pub(super) fn delete_policy(&mut self, channel: &str) {
        let name = crd_bundle::admission::safe_upgrades::name(super::release::PREFIX);
        self.server.kubectl(&["delete", "validatingadmissionpolicy", &name]).expect("it is deleted");
        cluster::wait_for_policy(&self.server, channel, false);
        self.look();
    }
}
