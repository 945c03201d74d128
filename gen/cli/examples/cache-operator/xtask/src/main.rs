use cache_api::{v1, v1beta1};
use crd_channels_cli::{Catalogue, Profile, run};

fn main() -> std::process::ExitCode {
    let catalogue = Catalogue::new("cache.example.com", "v1.0.0").profile(Profile::Semver).standard_only();
    run(catalogue.resource::<v1::Cache>().resource::<v1beta1::Cache>())
}
