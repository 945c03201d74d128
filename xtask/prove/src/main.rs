//! `cargo xtask prove NAME`: a test with all of its cases, in an optimised build. `cargo test` runs a seeded sample of the same cases.
//!
//! Invariants: the table below is the only list of proofs; parser, help and tests read it. A proof is a test that calls `crd_testdata::sample`
//! or `crd_testdata::is_proof`, which read the variable that this program sets.

use std::io::Write as _;
use std::process::{Command, ExitCode};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction};

/// A test with more cases than CI runs.
struct Proof {
    name: &'static str,
    /// What it shows, and with how many cases.
    about: &'static str,
    /// The arguments of `cargo test`.
    test: &'static [&'static str],
}

const PROOFS: &[Proof] = &[
    Proof {
        name: "branches",
        about: "Loosened and tightened schemas, and branches, defaults and keywords without effect, agree with objects: 40,000 pairs of schemas, 60 objects each",
        test: &["--package", "crd-compat", "--test", "tests", "structural"],
    },
    Proof {
        name: "implications",
        about: "Rules, keywords and defaults that are proven to have no effect refuse no object and no update: 40,000 pairs, 16 objects each",
        test: &["--package", "crd-compat", "--test", "tests", "implications"],
    },
    Proof {
        name: "laws",
        about: "Rules that are rewritten by laws are equal, and rules that differ have a witness: 2,000 pairs of each kind, 200 objects each",
        test: &["--package", "crd-compat", "--test", "tests", "laws"],
    },
    Proof {
        name: "laws-libraries",
        about: "Kubernetes' own libraries accept the same objects with both of two rules that laws make equal: 2,000 pairs, 1,000 objects each",
        test: &["--package", "crd-testbed", "--test", "proofs", "laws::"],
    },
    Proof {
        name: "techniques",
        about: "Each technique of proof and of witness search decides something that no other one decides: a table over nine histories and all verdict cases",
        test: &["--package", "crd-compat", "--test", "tests", "techniques"],
    },
    Proof {
        name: "patterns",
        about: "Inclusion of patterns agrees with another engine of regular expressions on all short texts: 1,500 pairs",
        test: &["--package", "crd-regexp", "agrees_with_another_implementation"],
    },
    Proof {
        name: "compatibility",
        about: "The pages of `docs/evidence/compatibility` are those that `history` writes for 382 releases of nine projects",
        test: &["--package", "crd-channels-cli", "--test", "tests", "the_pages_are_those_of_the_command"],
    },
    Proof {
        name: "witnesses",
        about: "Each change of Gateway API's history that refuses objects has a witness or a reason",
        test: &["--package", "crd-compat", "--test", "tests", "nothing_of_the_history_lacks_a_witness"],
    },
    Proof {
        name: "gate",
        about: "No value of a change makes the gate pass in spite of a break: each value of the CRDs of three layouts, changed alone",
        test: &["--package", "crd-channels-cli", "--test", "tests", "gate_author"],
    },
    Proof {
        name: "lens-operations",
        about: "The laws of lenses hold for each operation in each place: 500 random objects for each direction",
        test: &["--package", "crd-convert", "--test", "tests", "laws"],
    },
    Proof {
        name: "lens-edits",
        about: "No value that a conversion keeps is lost silently: 10,000 random edits between the two directions",
        test: &["--package", "crd-convert", "--test", "tests", "edits"],
    },
    Proof {
        name: "lens-history",
        about: "Objects of every release of Gateway API become current by its lenses, and return: 12 places of each CRD",
        test: &["--package", "xtask", "--test", "tests", "objects_of_every_release"],
    },
    Proof {
        name: "transition-objects",
        about: "Transitional CRDs keep the objects of every release of Gateway API: 160 places of each CRD, on two minors",
        test: &["--package", "crd-upgrade", "--test", "tests", "migrate::history"],
    },
    Proof {
        name: "yaml",
        about: "YAML and JSON are read as kubectl reads them: 100,000 generated texts, each file of nine histories, 100,000 changed texts",
        test: &["--package", "crd-testbed", "--test", "proofs", "yaml::"],
    },
    Proof {
        name: "plain-yaml",
        about: "The fast readers of YAML read what the usual reader reads: 200,000 changed files and schemas",
        test: &["--package", "crd-model", "--lib", "yaml"],
    },
    Proof {
        name: "types",
        about: "Gateway API's types read and write back at least 220 random documents of each version in each channel",
        test: &["--package", "gateway-api-types", "--test", "types", "properties"],
    },
    Proof {
        name: "disguises",
        about: "No marker in disguise passes as prose: every combination of what may be before, in place of, and after the plus",
        test: &["--package", "crd-markers", "--test", "tests", "disguise"],
    },
    Proof {
        name: "forms",
        about: "No form of a marker in or above a type is silent: comments and attributes in each place, 16,000 forms; and no comment of the crates that cargo has is taken for a marker",
        test: &["--package", "crd-source", "--test", "tests", "forms"],
    },
    Proof {
        name: "generated-crates",
        about: "What `generate` writes from source is what the compiled types give, or source is refused: 1,500 modules from a grammar, in three editions",
        test: &["--package", "crd-channels-cli", "--test", "reader", "both_paths"],
    },
    Proof {
        name: "hostile-sources",
        about: "Hostile sources of types take little memory and time, and never abort: 56 kinds in 40 sizes",
        test: &["--package", "crd-channels-cli", "--test", "tests", "hostile_sources"],
    },
    Proof {
        name: "writers",
        about: "`import`, `convert`, `init`, `generate`, `docs`, `new`, `release` and a page: each killed 200 times and at each call that changes something; 200 edits during `convert`",
        test: &["--package", "crd-channels-cli", "--test", "tests", "writers"],
    },
    Proof {
        name: "parallel-runs",
        about: "Six runs of `generate` at the same time wait for each other and write whole files: five rounds",
        test: &["--package", "xtask", "--test", "tests", "processes_at_the_same_time"],
    },
    Proof {
        name: "verify",
        about: "One flipped bit of any file of a signed release is refused, also with checksums that were written again",
        test: &["--package", "crd-channels-cli", "--test", "tests", "verify::one_flipped_bit"],
    },
    Proof {
        name: "outputs",
        about: "No text of a hostile CRD is interpreted where it is printed: 40 texts in each format of each command",
        test: &["--package", "crd-channels-cli", "--test", "tests", "outputs"],
    },
    Proof {
        name: "publication-steps",
        about: "Each step of a publication: every system call fails once, and the process is killed at each one that changes something",
        test: &["--package", "crd-channels-cli", "--lib", "publication"],
    },
    Proof {
        name: "source",
        about: "The types that `new` writes for Gateway API and 365 CRDs of eight projects generate CRDs of the same structure, except for listed differences",
        test: &["--package", "crd-channels-cli", "--test", "source"],
    },
    Proof {
        name: "layouts",
        about: "`diff`, `validate`, `docs` and `new` read the CRD folders of five projects from their Go modules: the CRDs that kustomize lists",
        test: &["--package", "crd-channels-cli", "--test", "tests", "layouts"],
    },
    Proof {
        name: "boundaries",
        about: "Every constraint of Gateway API's CRDs has a value just inside and one just outside, as the validator confirms",
        test: &["--package", "crd-boundary", "every_constraint_of_the_bundles"],
    },
    Proof {
        name: "boundaries-server",
        about: "A server agrees with both sides of every constraint of Gateway API's CRDs: 7,000 constraints",
        test: &["--package", "crd-testbed", "--test", "proofs", "boundaries::"],
    },
    Proof {
        name: "suites",
        about: "A server answers each case of the suites of Gateway API as the case expects: 1,500 cases in two channels",
        test: &["--package", "crd-testbed", "--test", "proofs", "suites::"],
    },
    Proof {
        name: "suite-mutants",
        about: "The suites of Gateway API notice at least 95 % of the mistakes in its rules and constraints: 11,000 mutants, 5,000 in at most 10 s",
        test: &["--package", "crd-suite", "--test", "tests", "the_suites_of_the_flagship_notice_mistakes"],
    },
    Proof {
        name: "oci",
        about: "cosign, oras, crane, Helm and Flux read the layout, the signatures and the pushed artefacts of a release, and refuse 16 changes of them",
        test: &["--package", "crd-testbed", "--test", "proofs", "oci::"],
    },
    Proof {
        name: "installers",
        about: "Each row of the table of installers is what Helm, kubectl, Flux and Argo CD do with a CRD, now also with Flux's helm-controller",
        test: &["--package", "crd-testbed", "--test", "proofs", "installers::"],
    },
    Proof {
        name: "recorded-answers",
        about: "The recorded answers to objects are those of Kubernetes' libraries of their minors",
        test: &["--package", "crd-testbed", "--test", "proofs", "objects::recorded_answers"],
    },
    Proof {
        name: "objects",
        about: "Creations, updates and status updates of Gateway API's examples and of each variant of them, answered as by Kubernetes 1.32 to 1.37",
        test: &["--package", "crd-testbed", "--test", "proofs", "objects::objects_of_gateway_api"],
    },
    Proof {
        name: "random",
        about: "Random rules over random schemas and objects have the verdicts and texts of Kubernetes' own libraries: 200,000 cases on each minor",
        test: &["--package", "crd-testbed", "--test", "proofs", "random_rules_have_the_results_of_kubernetes"],
    },
    Proof {
        name: "sets",
        about: "Sums and comparisons of sets and of lists with keys have the results of Kubernetes' own libraries: 20,000 random expressions on each minor",
        test: &["--package", "crd-testbed", "--test", "proofs", "sets::"],
    },
    Proof {
        name: "estimates",
        about: "The estimated cost of published rules and of 20,000 random expressions is that of servers, on each minor from 1.32 to 1.37",
        test: &["--package", "crd-testbed", "--test", "proofs", "estimates"],
    },
    Proof {
        name: "verdicts",
        about: "Verdicts on the releases of nine projects and on generated schemas: a server confirms each witness, and no object breaks where a minor is enough: 200,000 objects",
        test: &["--package", "crd-testbed", "--test", "proofs", "verdicts"],
    },
    Proof {
        name: "outside-projects",
        about: "Verdicts on the releases of ten other projects, from their Go modules: at most 3 % are not decided, and no object breaks where a minor is enough: 100,000 objects",
        test: &["--package", "crd-testbed", "--test", "proofs", "outside::"],
    },
    Proof {
        name: "mutations",
        about: "Random changes of 354 nodes of 49 projects, a fifth of them defaults near rules that read `oldSelf`: where a minor is enough, Kubernetes' libraries refuse no object and no update that they accepted: 50,000 changes",
        test: &["--package", "crd-testbed", "--test", "proofs", "mutations::"],
    },
    Proof {
        name: "lenses-server",
        about: "Objects of each kind and past release of Gateway API are accepted by a server before conversion, after it, and after the conversion back: 50 of each",
        test: &["--package", "crd-testbed", "--test", "proofs", "objects_of_past_releases_are_accepted"],
    },
    Proof {
        name: "openshift",
        about: "The suites of OpenShift, from their Go module: 231 suites of 104 CRDs, 3,445 cases, each with the answer that its suite expects, except for listed ones",
        test: &["--package", "crd-suite", "--test", "tests", "openshift::"],
    },
    Proof {
        name: "openshift-server",
        about: "Each request of OpenShift's suites is answered as by Kubernetes' own libraries, and a server confirms the listed answers: 10,562 requests",
        test: &["--package", "crd-testbed", "--test", "proofs", "openshift::"],
    },
    Proof {
        name: "hostile",
        about: "No random object, rule or schema makes the validation of objects panic: 100,000 objects, each created, updated, and its status updated",
        test: &["--package", "crd-apiserver", "--test", "tests", "hostile"],
    },
    Proof {
        name: "lenses",
        about: "The laws of the lenses of Gateway API hold: 10,000 generated objects for each lens and direction",
        test: &["--package", "xtask", "--test", "tests", "the_laws_of_all_lenses_hold"],
    },
    Proof {
        name: "clusters",
        about: "A cluster with 10,000 objects of 13 kinds is read, and inspected, in 10 s, with at most 60 MiB of memory and the same for 1,000",
        test: &["--package", "crd-testbed", "--test", "proofs", "clusters::reading_a_cluster"],
    },
    Proof {
        name: "forecasts",
        about: "After an upgrade or a switch of channels, a server shows, updates and creates objects of 12 releases of Gateway API as forecast: 7,000 objects",
        test: &["--package", "crd-testbed", "--test", "proofs", "forecasts::a_server_does_what_was_forecast"],
    },
    Proof {
        name: "inspect",
        about: "Every planted defect of a cluster is found, and none is invented: hand-edited CRDs, wrong stamps, versions, policies, uses of experimental; and policies refuse CRDs as predicted",
        test: &["--package", "crd-testbed", "--test", "proofs", "inspect::"],
    },
    Proof {
        name: "migrations",
        about: "Migrations of Gateway API on a server: from release to release, between channels and back, and killed at each request",
        test: &["--package", "crd-testbed", "--test", "proofs", "migration::"],
    },
    Proof {
        name: "throughput",
        about: "A migration of 10,000 objects is at least twice as fast as one request after the other",
        test: &["--package", "crd-testbed", "--test", "proofs", "throughput::"],
    },
    Proof {
        name: "json-schemas",
        about: "JSON schemas accept and refuse both sides of each constraint as a server does: the flagship, and the newest CRDs of nine projects",
        test: &["--package", "crd-bindings", "--test", "tests", "both_sides_of_constraints"],
    },
    Proof {
        name: "linters",
        about: "kube-api-linter on the Go types of Gateway API and of four Go modules, and our conventions on their CRDs: each difference has a reason",
        test: &["--package", "crd-lint", "--test", "tests", "side_by_side"],
    },
    Proof {
        name: "language-server",
        about: "yaml-language-server, from npm, reads the strict schemas: upstream's examples and invalid examples, and unknown fields",
        test: &["--package", "crd-testbed", "--test", "proofs", "schemas::"],
    },
    Proof {
        name: "openapi-clients",
        about: "Generators of TypeScript, Python and Java, from npm, PyPI and Maven, read the OpenAPI documents: 135 objects return equal",
        test: &["--package", "crd-testbed", "--test", "proofs", "openapi::clients::"],
    },
    Proof {
        name: "upstream-go",
        about: "Gateway API v1.7.0 builds on our Go packages: its clients are generated from ours, its packages and conformance suite build, their tests pass",
        test: &["--package", "crd-testbed", "--test", "proofs", "upstream_go::"],
    },
    Proof {
        name: "go-crds",
        about: "controller-gen makes our CRDs of our Go modules: Gateway API's in both channels, and published CRDs of nine projects",
        test: &["--package", "crd-testbed", "--test", "proofs", "go_crds::"],
    },
    Proof {
        name: "go-objects",
        about: "Random objects of Gateway API return equal from our Go module, with absent, empty and zero values: 10,000 of each version of each kind",
        test: &["--package", "crd-testbed", "--test", "proofs", "go_objects::"],
    },
    Proof {
        name: "controller",
        about: "The example controller while all releases of Gateway API from v1.0.0 on are installed, up, down and across the channels: no crash, each object seen in the current form",
        test: &["--package", "crd-testbed", "--test", "proofs", "controller::"],
    },
    Proof {
        name: "skew",
        about: "A client on a server finds what the matrix of `skew` states: 20 pairs of a client and a bundle, and the example controller on these bundles, on each minor that is built",
        test: &["--package", "crd-testbed", "--test", "proofs", "skew::"],
    },
    Proof {
        name: "controllers",
        about: "With kube-controller-manager: namespaces are deleted during a migration, and the server migrates stored versions on request",
        test: &["--package", "crd-testbed", "--test", "controllers"],
    },
    Proof {
        name: "job",
        about: "A Job of `migrate --job` in eight pods, of which 20 are killed, writes each of 100,000 objects once, with the rights of its manifest only",
        test: &["--package", "crd-testbed", "--test", "controllers", "job::"],
    },
    Proof {
        name: "million",
        about: "A migration of a million objects is planned with at most 100 MiB of memory",
        test: &["--package", "crd-channels-cli", "--test", "tests", "a_plan_for_a_million_objects"],
    },
    Proof {
        name: "transitions",
        about: "Transitional CRDs between all releases of Gateway API and the newest one are accepted, keep old values and refuse old forms: 240 ways",
        test: &["--package", "crd-testbed", "--test", "proofs", "transition::"],
    },
    Proof {
        name: "listeners",
        about: "Conflicts of the listeners of a Gateway and its ListenerSets are those of the definition, pair by pair: 20,000 Gateways",
        test: &["--package", "gateway-api-webhook", "--test", "tests", "listener_conflicts"],
    },
    Proof {
        name: "webhook",
        about: "The webhook of Gateway API has the verdict of the validator and of its rules for 2,000 objects and updates, also through an API server",
        test: &["--package", "crd-testbed", "--test", "proofs", "webhook::verdicts"],
    },
    Proof {
        name: "webhook-policy",
        about: "A server checks the policy of unique names on the largest routes within the limits of CEL",
        test: &["--package", "crd-testbed", "--test", "proofs", "webhook_install::policy"],
    },
    Proof {
        name: "webhook-load",
        about: "2,000 reviews in a second are answered within 10 ms (99 of 100), with the load generator on the same processors; and the highest such rate",
        test: &["--package", "crd-testbed", "--test", "proofs", "webhook::load"],
    },
    Proof {
        name: "webhook-certificates",
        about: "No request of an API server fails during 100 rotations of the webhook's CA and certificate, with two replicas",
        test: &["--package", "crd-testbed", "--test", "proofs", "webhook::rotations"],
    },
    Proof {
        name: "webhook-restarts",
        about: "No request of an API server fails during 20 rolling restarts of two replicas of the webhook",
        test: &["--package", "crd-testbed", "--test", "proofs", "webhook::restarts"],
    },
    Proof {
        name: "webhook-memory",
        about: "The memory of the webhook is bounded under the largest bodies: 192 reviews of 7 MiB over 48 connections",
        test: &["--package", "crd-testbed", "--test", "proofs", "webhook::flood"],
    },
    Proof {
        name: "webhook-fuzz",
        about: "100,000 fuzzed reviews get an answer over TLS",
        test: &["--package", "crd-webhook", "--test", "tests", "hostile::fuzzed_reviews_get_an_answer"],
    },
    Proof {
        name: "webhook-starvation",
        about: "Honest reviews are answered within 50 ms (99 of 100), and none fails, with 2,000 hostile connections of one address and slow bodies of ten",
        test: &["--package", "crd-webhook", "--test", "tests", "starvation::honest_reviews_are_answered_in_time"],
    },
    Proof {
        name: "site-size",
        about: "The page of Gateway API with all of its releases has at most 1.5 MB; the time to write it is printed",
        test: &["--package", "crd-channels-cli", "--test", "tests", "docs::the_page_of_gateway_api"],
    },
    Proof {
        name: "site-schemas",
        about: "The data of the page has the schema of each CRD in each release of nine projects",
        test: &["--package", "crd-channels-cli", "--test", "tests", "docs::the_schemas_of_all_releases"],
    },
    Proof {
        name: "site",
        about: "The site in Chromium: each field of each release is found and shown as in its CRD, all differences, accessibility, and 1,000 CRDs; on an idle machine",
        test: &["--package", "crd-browser", "--test", "site"],
    },
];

/// The exit code for a proof that cannot start; the same as for `cargo xtask`.
const UNUSABLE: u8 = 2;

fn command_line() -> clap::Command {
    let names = PROOFS.iter().map(|proof| PossibleValue::new(proof.name).help(proof.about));
    clap::Command::new("crd-prove")
        .bin_name("cargo xtask prove")
        .about("Run a test with all its cases, where `cargo test` runs a sample")
        .after_help(
            "Examples:\n  cargo xtask prove branches\n  cargo xtask prove writers\n\n\
             Exit codes: 0 proven, 2 wrong usage; otherwise the exit code of `cargo test`",
        )
        .arg_required_else_help(true)
        .arg(
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .exclusive(true)
                .help("Print the names of all proofs"),
        )
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .required_unless_present("list")
                .value_parser(PossibleValuesParser::new(names))
                .help("The proof"),
        )
}

fn main() -> ExitCode {
    let matches = command_line().try_get_matches().unwrap_or_else(|error| error.exit());
    if matches.get_flag("list") {
        PROOFS.iter().for_each(|proof| anstream::println!("{}", proof.name));
        return ExitCode::SUCCESS;
    }
    let name = matches.get_one::<String>("name");
    let Some(proof) = PROOFS.iter().find(|proof| name.is_some_and(|name| name == proof.name)) else {
        return ExitCode::from(UNUSABLE);
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(["test", "--release"]).args(proof.test).args(["--", "--show-output"]).env("CRD_PROVE", "1");
    match command.status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            let _ = writeln!(
                anstream::stderr(),
                "error: cannot run {}: {error}\n  = help: install cargo, or add it to the `PATH`",
                cargo.display()
            );
            ExitCode::from(UNUSABLE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path());
        entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    /// The folder of a package of this workspace.
    fn folder(package: &str) -> String {
        match package {
            "gateway-api-types" => "api-types".to_owned(),
            "gateway-api-webhook" => "api-types/webhook".to_owned(),
            "crd-channels-cli" => "gen/cli".to_owned(),
            "crd-browser" | "crd-testbed" => format!("xtask/{}", &package["crd-".len()..]),
            _ => package.strip_prefix("crd-").map_or(package.to_owned(), |name| format!("gen/{name}")),
        }
    }

    /// Every file that asks for its number of cases, below the folder of its package.
    fn sampled_files(folder: &str) -> Vec<(PathBuf, String)> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let files = ["src", "tests"].iter().flat_map(|part| sources(&package.join(part)));
        let texts = files.map(|path| (path.clone(), fs::read_to_string(path).unwrap_or_default()));
        texts
            .filter(|(_, text)| text.contains("crd_testdata::sample") || text.contains("crd_testdata::is_proof("))
            .collect()
    }

    /// Whether the proof runs tests of this file: its path or its functions have all names of the filter.
    fn runs(proof: &Proof, path: &Path, text: &str) -> bool {
        let mut words = proof.test.iter().skip(2).peekable();
        let mut filters = Vec::new();
        while let Some(word) = words.next() {
            match *word {
                "--test" => drop(words.next()),
                "--lib" => {}
                filter => filters.push(filter),
            }
        }
        filters
            .iter()
            .flat_map(|filter| filter.split("::"))
            .filter(|name| !name.is_empty())
            .all(|name| path.with_extension("").iter().any(|part| part == name) || text.contains(&format!("fn {name}")))
    }

    #[test]
    fn each_proof_names_a_test_that_is_sampled() {
        command_line().debug_assert();
        for proof in PROOFS {
            let folder = folder(proof.test[1]);
            let is_sampled = sampled_files(&folder).iter().any(|(path, text)| runs(proof, path, text));
            assert!(is_sampled, "{}: no such test in {folder} reads how many cases it has", proof.name);
        }
    }

    /// What a sample leaves out must run elsewhere: `.ci/nightly` runs all proofs.
    #[test]
    fn each_test_that_is_sampled_belongs_to_a_proof() {
        let mut packages =
            ["xtask", "xtask/browser", "xtask/testbed", "api-types", "api-types/webhook"].map(str::to_owned).to_vec();
        let libraries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gen")).expect("gen");
        packages.extend(libraries.map(|entry| format!("gen/{}", entry.expect("an entry").file_name().display())));
        for package in packages {
            for (path, text) in sampled_files(&package) {
                let has_proof =
                    PROOFS.iter().any(|proof| folder(proof.test[1]) == package && runs(proof, &path, &text));
                assert!(has_proof, "{}: no proof runs its tests with all cases", path.display());
            }
        }
    }
}
