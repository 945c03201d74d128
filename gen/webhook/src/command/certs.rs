//! `certs`: makes and rotates the CA and the certificate of the webhook.

use std::time::{Duration, SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use crd_diagnostics::Diagnostic;
use crd_diagnostics::json::line;
use serde_json::json;

use super::{RESULTS, context, format, is_json, option, print, runtime, seconds};
use crate::certs::{LONGEST, LONGEST_OVERLAP, Namespaced, SHORTEST, Settings, Step, Until, run as rotate};
use crate::webhook::Webhook;

pub(super) fn command(name: &'static str) -> Command {
    let lifetime = || SHORTEST.as_secs()..=LONGEST.as_secs();
    let object = |name: &'static str, help: &'static str| {
        option(name, "NAMESPACE/NAME", help).value_parser(value_parser!(Namespaced))
    };
    let flag = |name, help| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("certs")
        .about("Make the CA and the certificate of the webhook, and rotate them when it is time")
        .after_help(format!(
            "Examples:\n  {name} certs --once\n  {name} certs --rotate --format json\n\n\
             API is the name of the catalogue, such as gateway-api, and PREFIX that of its stamps, such as gateway.networking.k8s.io.\n\
             A CA is rotated in three steps, with a pause of `--overlap` between them: the old and the new CA in `caBundle`,\n\
             then a certificate of the new CA, then the old CA is removed. A run that was interrupted is continued by the next one."
        ))
        .arg(object("secret", "The Secret that the replicas share [default: API-webhook/webhook-certificate]"))
        .arg(object("service", "The Service of the webhook [default: API-webhook/webhook]"))
        .arg(option(
            "configuration",
            "NAME",
            "The ValidatingWebhookConfiguration whose `caBundle` is written [default: webhook.PREFIX]",
        ))
        .arg(
            option("host", "NAME", "One more DNS name or IP address of the certificate").action(ArgAction::Append),
        )
        .arg(seconds("overlap", "300", 0..=LONGEST_OVERLAP, "How long replicas and API servers may lag behind a change"))
        .arg(seconds("ca-lifetime", "31536000", lifetime(), "The lifetime of a CA; it is rotated when a third of it remains"))
        .arg(seconds("lifetime", "7776000", lifetime(), "The lifetime of a certificate; it is renewed when a third of it remains"))
        .arg(flag("rotate", "Rotate the CA now"))
        .arg(flag("once", "Take the steps that are due, and do not wait for those that follow"))
        .arg(context())
        .arg(format("format", RESULTS))
}

/// The settings of these arguments. Objects without a name are those of the published manifests.
fn settings(webhook: &Webhook, matches: &ArgMatches) -> Settings {
    let bundle = &webhook.bundle;
    let namespaced = |option: &str, name: &str| {
        let named = matches.get_one::<Namespaced>(option).cloned();
        named.unwrap_or_else(|| Namespaced { namespace: format!("{}-webhook", bundle.name), name: name.to_owned() })
    };
    let configuration = matches.get_one::<String>("configuration").cloned();
    let configuration = configuration.unwrap_or_else(|| format!("webhook.{}", bundle.prefix));
    let seconds = |option: &str| matches.get_one::<u64>(option).copied().map(Duration::from_secs).unwrap_or_default();
    Settings {
        hosts: matches.get_many::<String>("host").into_iter().flatten().cloned().collect(),
        ca_lifetime: seconds("ca-lifetime"),
        leaf_lifetime: seconds("lifetime"),
        overlap: seconds("overlap"),
        rotate: matches.get_flag("rotate"),
        ..Settings::new(
            &bundle.prefix,
            namespaced("secret", "webhook-certificate"),
            &configuration,
            namespaced("service", "webhook"),
        )
    }
}

pub(super) fn run(webhook: &Webhook, matches: &ArgMatches) -> Result<(), Vec<Diagnostic>> {
    let settings = settings(webhook, matches);
    let until = if matches.get_flag("once") { Until::Once } else { Until::Complete };
    let is_json = is_json(matches);
    let mut on_step = |step: &Step| match is_json {
        true => print(&line(&step.json())),
        false => print(&format!("{step}\n")),
    };
    let context = matches.get_one::<String>("context").cloned();
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let (client, _) = crd_cluster::client_of(context.as_deref(), crd_cluster::Limits::default()).await?;
        rotate(client, &settings, until, &SystemTime::now, &mut on_step).await
    });
    runtime.shutdown_background();
    let outcome = result?;
    let next = crate::certificate::rfc3339(outcome.next);
    print(&match (is_json, outcome.is_complete) {
        (true, is_complete) => line(&json!({"complete": is_complete, "next": next})),
        (false, true) => format!("complete: the next renewal is due at {next}\n"),
        (false, false) => format!("not complete: run this again after {next}\n"),
    });
    Ok(())
}
