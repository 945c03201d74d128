use cache_api::RESOURCES;
use crd_channels_cli::{Catalogue, run};

fn main() -> std::process::ExitCode {
    run(Catalogue::default().resources(RESOURCES))
}
