//! The other direction: `crd-channels` reads the CRDs of what programs of other projects push.

use std::fs;

use super::programs::Names;
use super::registry::{Registry, SERVERS};
use super::release::Release;

/// What pushes, and the address of what it pushed.
const PUSHED: [(&str, &str); 6] = [
    ("oras push --plain-http --disable-path-validation {repo}/files:v1 {files}", "{repo}/files:v1"),
    ("oras push --plain-http --disable-path-validation {repo}/folder:v1 {crds}", "{repo}/folder:v1"),
    ("oras push --plain-http --disable-path-validation {repo}/archive:v1 {archive}", "{repo}/archive:v1"),
    ("helm push --plain-http {dist}/{chart}-1.7.0.tgz oci://{repo}", "{repo}/{chart}:1.7.0"),
    ("interop push {repo}/flux:v1 {crds}", "{repo}/flux:v1"),
    ("crane append --insecure --oci-empty-base --new_layer {archive} --new_tag {repo}/image:v1", "{repo}/image:v1"),
];

#[test]
fn crds_are_read_from_what_programs_of_other_projects_push() {
    let Some(release) = Release::get() else { return };
    for (server, channel) in SERVERS.iter().zip(["standard", "experimental"]) {
        let registry = Registry::start(server);
        let names = pushable(&release.names(channel)).with("repo", format!("{}/their", registry.host));
        let same = &*format!("nothing to report in {channel}");
        for (push, address) in PUSHED {
            let pushed = names.run(push);
            assert!(pushed.success, "{push}\n{}", pushed.text);
            let diff = format!("crd-channels diff {{bundles}}/{channel} oci://{address}");
            names.run(&diff).has(&names.fill(&diff), same);
            let digest = names.run(&format!("crane digest {address}"));
            let (repository, _) = address.rsplit_once(':').expect("a tag");
            let diff = format!("crd-channels diff {{bundles}}/{channel} oci://{repository}@{}", digest.text.trim());
            names.run(&diff).has(&names.fill(&diff), same);
        }
    }
}

/// The CRDs of a bundle as files, in a folder, and in an archive.
fn pushable(names: &Names) -> Names {
    let folder = names.fill("{bundles}/{channel}");
    let files = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| !path.ends_with("kustomization.yaml")).map(|path| path.display().to_string());
    let archive = format!("{folder}.tar.gz");
    let tar = std::process::Command::new("tar").args(["-czf", &archive, "-C", &folder, "."]).status();
    assert!(tar.expect("tar runs").success());
    names.with("files", files.collect::<Vec<_>>().join(" ")).with("crds", folder).with("archive", archive)
}
