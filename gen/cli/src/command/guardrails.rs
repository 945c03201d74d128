//! `guardrails`: an admission policy for the fields that an implementation does not support.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{ArgGroup, ArgMatches, Command, value_parser};
use crd_bundle::admission::unsupported::{Action, Policy};
use crd_cluster::run as run_to_end;
use crd_diagnostics::Diagnostic;
use crd_generator::arguments::{after_help, choice, named_root, option, positional, root_argument, value};
use crd_generator::command::{Group, Outcome, Run, Subcommand};
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_release::install::documents;

use crate::features;
use crate::implementation::{of_class, of_file};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "guardrails",
    about: "Write an admission policy for fields that an implementation does not support",
    group: Group::Clusters,
    arguments,
    run: Run::WithoutTypes(run),
};

const SUPPORTED: &str = "supported";
const CLASS: &str = "class";
const CONTEXT: &str = "context";
const BUNDLE: &str = "bundle";
const ACTION: &str = "action";

fn arguments(command: Command, program: Program) -> Command {
    let path = |name: &'static str, value_name: &'static str, help: &'static str| {
        option(name, value_name, help).value_parser(value_parser!(OsString))
    };
    command
        .long_about(
            "Print an admission policy, and its binding, for the fields, values and resources whose conformance feature an implementation does not \
             support. What objects used before may stay: an update is refused only if it adds something.\n\n\
             `--supported` reads a conformance report or a list of features, and the policy is about all objects. `--class` reads the features \
             from the class in the cluster, and the policy is about objects of that class where they name it themselves, such as Gateways. The \
             parents of a route are other objects, which a policy cannot read: routes of all classes are checked. With several implementations in \
             a cluster, use `--action warn`, or add a namespace selector to the binding.\n\n\
             Values that are equal to a default of the schema are accepted, because their author did not write them.",
        )
        .arg(positional(BUNDLE, "BUNDLE", "The CRDs, of the channel with most fields [default: `bundles/unreleased`; with `--class`, those of the cluster]").value_parser(value_parser!(OsString)))
        .arg(path(SUPPORTED, "FILE", "A conformance report, or a list of the names of features, in YAML or as words"))
        .arg(option(CLASS, "NAME", "A class of the cluster, such as the name of a GatewayClass").conflicts_with(BUNDLE))
        .arg(option(CONTEXT, "NAME", "The context of the kubeconfig [default: the current one]").requires(CLASS))
        .group(ArgGroup::new("implementation").args([SUPPORTED, CLASS]).required(true))
        .arg(path(features::OPTION, "FILE", features::HELP))
        .arg(choice(ACTION, "ACTION", "deny", "What is done about such an object", [
            ("deny", "it is refused"),
            ("warn", "its author gets a warning"),
        ]))
        .arg(root_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable], &[
            ("guardrails --supported report.yaml", "refuse what the implementation of a report does not support"),
            ("guardrails --supported report.yaml --action warn", "warn only"),
            ("guardrails --class nginx --features v1.8.0", "for a class of the cluster"),
        ]))
}

/// What a policy is written for.
struct Request {
    features: Option<OsString>,
    class: Option<String>,
    supported: Option<OsString>,
    bundle: Option<OsString>,
    context: Option<String>,
    action: Action,
    root: Option<PathBuf>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        let warns = value::<String>(matches, ACTION).is_some_and(|action| action == "warn");
        Self {
            features: value(matches, features::OPTION),
            class: value(matches, CLASS),
            supported: value(matches, SUPPORTED),
            bundle: value(matches, BUNDLE),
            context: value(matches, CONTEXT),
            action: if warns { Action::Warn } else { Action::Deny },
            root: named_root(matches),
        }
    }
}

fn run(matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let root = request.root.as_deref();
    let Some(features) = features::chosen(request.features.as_ref(), root, session)? else {
        let error = Diagnostic::error("features::document", "the workspace has no `bundles/unreleased/features.json`");
        return Err(error.help("name the file of a bundle with `--features`").into());
    };
    let class = request.class.as_deref();
    let (supported, crds) = match (class, &request.supported) {
        (Some(class), _) => {
            session.begin("reading the cluster");
            run_to_end(of_class(request.context.as_deref(), class, &features))?
        }
        (None, report) => {
            let file = report.as_deref().unwrap_or(OsStr::new(""));
            of_file(file, request.bundle.as_ref(), root, session)?
        }
    };
    let policy = Policy { features: &features, supported: &supported, class, action: request.action };
    let objects = policy.objects(crds.iter().map(|crd| &**crd));
    if objects.is_empty() {
        session.notes(&["everything is supported, so no policy is needed".to_owned()]);
    }
    session.print_unchanged(&documents(String::new(), &objects));
    Ok(Exit::Fine)
}
