//! Facts about the server.

use crd_diagnostics::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Target};
use crate::requests::Requests;

/// Facts about a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Server {
    /// The address.
    pub address: String,
    /// The version, such as `v1.37.1`; nothing if the server does not show it.
    pub version: Option<String>,
    /// The minor of the version, such as 37.
    #[serde(skip)]
    pub minor: Option<u32>,
    /// Whether it serves `storagemigration.k8s.io/v1`; nothing if this could not be read.
    #[serde(rename = "migratesStorage")]
    pub serves_storage_migration: Option<bool>,
    /// What could not be read.
    #[serde(skip)]
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    git_version: String,
    minor: String,
}

#[derive(Deserialize)]
struct Resources {
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
struct Resource {
    name: String,
}

/// Reads the facts. A failure that concerns every request is an error.
pub(crate) async fn server(requests: &Requests) -> Result<Server, Diagnostic> {
    let mut server = Server { address: requests.server.clone(), ..Server::default() };
    let target = Target::path("/version");
    match requests.get::<Version>(&target).await {
        Ok(version) => {
            // Some vendors write `37+`.
            let minor = version.minor.trim_end_matches(|character: char| !character.is_ascii_digit()).parse().ok();
            server.minor = minor.filter(|minor| *minor < 1000);
            server.version = Some(version.git_version);
        }
        Err(failure @ Failure::Status { code: 403, .. }) => {
            server.diagnostics.push(failure.diagnostic(&target, &requests.server));
        }
        Err(failure) => return Err(failure.diagnostic(&target, &requests.server)),
    }
    let target = Target::path("/apis/storagemigration.k8s.io/v1");
    match requests.get::<Resources>(&target).await {
        Ok(answer) => {
            let is_migration = |resource: &Resource| resource.name == "storageversionmigrations";
            server.serves_storage_migration = Some(answer.resources.iter().any(is_migration));
        }
        Err(failure) if failure.is_absent() => server.serves_storage_migration = Some(false),
        Err(failure) => server.diagnostics.push(failure.diagnostic(&target, &requests.server)),
    }
    Ok(server)
}
