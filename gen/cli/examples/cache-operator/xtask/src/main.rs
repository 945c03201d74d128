use cache_api::RESOURCES;
use command_line::{Catalogue, run};

fn main() -> std::process::ExitCode {
    run(Catalogue::default().resources(RESOURCES))
}
