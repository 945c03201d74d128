use command_line::{Catalogue, run};
use widgets_api::RESOURCES;

fn main() -> std::process::ExitCode {
    run(Catalogue::default().resources(RESOURCES))
}
