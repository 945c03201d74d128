use crd_channels_cli::{Catalogue, run};
use widgets_api::{v1, v1alpha1};

fn main() -> std::process::ExitCode {
    let catalogue = Catalogue::new("widgets.example.com", "v1.0.0");
    run(catalogue.resource::<v1::Widget>().resource::<v1alpha1::Widget>())
}
