//! Prints what the controller decides and sees.

use std::process::ExitCode;

use gateway_api_controller::{Decided, Handler, KindUse, Seen};
use kube::Client;

struct Printer;

impl Handler for Printer {
    fn decided(&self, decided: &[Decided]) {
        for one in decided {
            match one.version() {
                Some(version) => tracing::info!(kind = one.kind.kind, version, "watched"),
                None => tracing::warn!(kind = one.kind.kind, is_blocking = one.is_blocking(), message = one.message),
            }
        }
    }

    fn seen(&self, kind: &'static KindUse<'static>, seen: Seen) {
        match seen {
            Seen::Object((namespace, name), Ok(_)) => tracing::info!(kind = kind.kind, namespace, name, "reconciled"),
            Seen::Object((namespace, name), Err(why)) => {
                tracing::warn!(kind = kind.kind, namespace, name, why, "ignored");
            }
            Seen::Deleted((namespace, name)) => tracing::info!(kind = kind.kind, namespace, name, "deleted"),
            Seen::Listing | Seen::Listed => {}
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt().init();
    let client = match Client::try_default().await {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(%error, "no cluster");
            return ExitCode::FAILURE;
        }
    };
    let Err(why) = gateway_api_controller::run(client, Printer).await else {
        return ExitCode::SUCCESS;
    };
    tracing::error!(why, "this build is wrong");
    ExitCode::FAILURE
}
