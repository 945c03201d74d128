//! Updates: `--old`, `--subresource status`, and what is stored.

use super::{Printed, findings, place, run, widget};
use crate::support::Place;
use crd_channels_cli::Exit;

/// A place with an object and its stored object.
fn stored(text: &str, old: &str) -> Place {
    let place = place(text);
    place.write("old.yaml", old);
    place
}

fn update(place: &Place, arguments: &[&str]) -> Printed {
    run(place, b"", &[&["in.yaml", "--old", "old.yaml", "--crds", "crd.yaml"], arguments].concat())
}

#[test]
fn transition_rules_and_ratcheting_need_the_stored_object() {
    let place = stored(&widget("{size: 3, min: 2}"), &widget("{size: 3, min: 1}"));
    let printed = update(&place, &[]);
    let expected = "error[object::invalid]: spec.min: Invalid value: 2: min is immutable @ in.yaml:5:17";
    assert_eq!((printed.exit, findings(&printed.out)), (Exit::Findings, vec![expected.to_owned()]), "{}", printed.out);
    assert_eq!(run(&place, b"", &["in.yaml", "--crds", "crd.yaml"]).exit, Exit::Fine, "a creation");
    // A value that was not valid before may stay.
    let place = stored(&widget("{size: 11, mode: b}"), &widget("{size: 11}"));
    assert_eq!(update(&place, &["--kubernetes", "1.37"]).exit, Exit::Fine);
    assert_eq!(run(&place, b"", &["in.yaml", "--crds", "crd.yaml"]).exit, Exit::Findings);
}

#[test]
fn objects_are_matched_by_kind_namespace_and_name() {
    let text = widget("{size: 1}");
    let place = stored(&text, &widget("{size: 1}").replace("  name: a", "  name: a\n  namespace: shop"));
    let printed = update(&place, &[]);
    assert_eq!(printed.exit, Exit::Fine);
    assert_eq!(
        printed.err,
        "warning[object::unmatched]: no input updates the stored Widget shop/a
  --> old.yaml:1:1
   = help: check its namespace and name; `--namespace` sets the namespace of objects without one
"
    );
    let printed = update(&place, &["--namespace", "shop"]);
    assert_eq!((printed.exit, &*printed.err), (Exit::Fine, ""));
    // Skipped objects are skipped among the stored ones too.
    place.write("old.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n");
    assert_eq!(update(&place, &[]).err, "");
}

#[test]
fn the_stored_object_may_have_another_version() {
    let place = stored(&widget("{size: 3, min: 2}"), &widget("{size: 3, min: 1}").replace("/v1\n", "/v1beta1\n"));
    assert_eq!(findings(&update(&place, &[]).out).len(), 1);
    let crd = super::CRD.replace("  scope:", "  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig: {service: {namespace: a, name: a}}\n  scope:");
    place.write("crd.yaml", crd);
    let printed = update(&place, &[]);
    assert_eq!(printed.exit, Exit::Findings, "{}", printed.err);
    assert!(
        findings(&printed.out)[0]
            .starts_with("error[object::undecided]: the stored Widget default/a has another API version"),
        "{}",
        printed.out
    );
}

#[test]
fn stored_objects_are_checked_and_errors_reported_together() {
    let twice = format!(
        "{}---\n{}---\nkind: x\n---\n{}",
        widget("{size: 1}"),
        widget("{size: 1}"),
        widget("{}").replace("  name: a", "  labels: {}")
    );
    let place = stored(&widget("{size: 1}"), &twice);
    let printed = update(&place, &[]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert_eq!(
        findings(&printed.err),
        [
            "error[object::twice]: `--old` contains Widget default/a twice; the first one is at old.yaml:1:1 @ old.yaml:7:1",
            "error[object::not-an-object]: this object has no `apiVersion` @ old.yaml:13:1",
            "error[object::not-an-object]: this stored Widget has no name @ old.yaml:15:1",
        ]
    );
    let printed = run(&place, b"", &["in.yaml", "--old", "missing.yaml", "--crds", "crd.yaml"]);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.starts_with("error[file::io]: `missing.yaml` cannot be read"), "{}", printed.err);
    // The object may be stored there: its creation would be another question.
    assert_eq!(printed.out, "no object was checked (Kubernetes 1.33 to 1.37)\n");
}

#[test]
fn the_status_has_requests_of_its_own() {
    let with_status = |status: &str| format!("{}status: {status}\n", widget("{size: 1}"));
    let place = stored(&with_status("{ready: 1}"), &widget("{size: 1}"));
    // Any other request drops the status.
    let printed = update(&place, &[]);
    let ignored = "warning[object::ignored]: a server ignores `status` in this request @ in.yaml:6:1";
    assert_eq!((printed.exit, findings(&printed.out)), (Exit::Fine, vec![ignored.to_owned()]));
    assert!(printed.out.contains("`--subresource status`"), "{}", printed.out);
    let printed = update(&place, &["--subresource", "status"]);
    assert_eq!(printed.exit, Exit::Findings);
    assert!(findings(&printed.out)[0].ends_with(" @ in.yaml:6:10"), "{}", printed.out);
    place.write("in.yaml", with_status("{ready: true}"));
    assert_eq!(update(&place, &["--subresource", "status"]).exit, Exit::Fine);
    // A status needs the stored object, and the subresource.
    place.write("in.yaml", with_status("{ready: true}").replace("name: a", "name: b"));
    let printed = update(&place, &["--subresource", "status"]);
    let expected = "error[object::not-stored]: `--old` does not contain Widget default/b @ in.yaml:4:3";
    assert_eq!((printed.exit, findings(&printed.out)), (Exit::Findings, vec![expected.to_owned()]));
    place.write("in.yaml", with_status("{ready: true}").replace("/v1\n", "/v1alpha1\n"));
    let printed = update(&place, &["--subresource", "status"]);
    let expected = "error[object::no-status]: `widgets.example.com` v1alpha1 has no status subresource @ in.yaml:4:3";
    assert_eq!((printed.exit, findings(&printed.out)), (Exit::Findings, vec![expected.to_owned()]));
    assert_eq!(
        run(&place, b"", &["in.yaml", "--subresource", "status", "--crds", "crd.yaml"]).exit,
        Exit::Unusable,
        "without --old"
    );
}

#[test]
fn the_stored_objects_are_printed_as_a_server_would_store_them() {
    let place = stored(&widget("{size: 1, extra: x}"), "");
    let printed = run(&place, b"", &["in.yaml", "--crds", "crd.yaml", "--stored", "--fields", "warn"]);
    assert_eq!(
        printed.out,
        "---\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  generation: 1\n  name: a\n  namespace: default\nspec:\n  mode: a\n  size: 1\n"
    );
    assert!(
        printed.err.contains("warning[object::unknown-field]")
            && printed.err.ends_with("1 object is valid (Kubernetes 1.33 to 1.37)\n"),
        "{}",
        printed.err
    );
    // An update keeps what only a server sets. A resource version is not made up.
    let old = widget("{size: 1}")
        .replace("  name: a", "  name: a\n  uid: u\n  generation: 4\n  creationTimestamp: 2024-01-01T00:00:00Z");
    let place = stored(&widget("{size: 2}"), &old);
    let printed = update(&place, &["--stored"]);
    assert_eq!(
        printed.out,
        "---\napiVersion: example.com/v1\nkind: Widget\nmetadata:\n  creationTimestamp: '2024-01-01T00:00:00Z'\n  generation: 5\n  name: a\n  namespace: default\n  uid: u\nspec:\n  mode: a\n  size: 2\n"
    );
    // Nothing is stored of a refused object.
    let place = stored(&widget("{size: 11}"), "");
    assert_eq!(run(&place, b"", &["in.yaml", "--crds", "crd.yaml", "--stored"]).out, "");
}

#[test]
fn only_what_an_object_changes_is_ignored() {
    let status = |text: &str, status: &str| format!("{text}status: {status}\n");
    let object = |spec: &str| widget(spec);
    let exported = |text: String| text.replace("  name: a", "  name: a\n  uid: u");
    for (new, old, arguments, expected) in [
        // The stored object has more: defaults, and what other clients wrote.
        (status(&object("{size: 1}"), "{}"), status(&object("{size: 1}"), "{ready: true}"), &[][..], None),
        (status(&object("{size: 1}"), "null"), status(&object("{size: 1}"), "{ready: true}"), &[], None),
        (status(&object("{size: 1}"), "{ready: true}"), status(&object("{size: 1}"), "{ready: true}"), &[], None),
        (
            status(&object("{size: 2}"), "{ready: true}"),
            status(&object("{size: 1}"), "{ready: false}"),
            &[],
            Some("status"),
        ),
        (
            status(&object("{size: 2}"), "{ready: true}"),
            status(&object("{size: 1}"), "{}"),
            &["--subresource", "status"],
            Some("spec"),
        ),
        (
            status(&object("{size: 1}"), "{ready: true}"),
            object("{size: 1, mode: b, tags: [u]}"),
            &["--subresource", "status"],
            None,
        ),
        (
            status(&object("{size: 1, tags: [v]}"), "{}"),
            object("{size: 1, tags: [u]}"),
            &["--subresource", "status"],
            Some("spec"),
        ),
        // Without the subresource, the status is a field as any other.
        (status(&object("{size: 1}"), "{ready: true}").replace("/v1\n", "/v1alpha1\n"), object("{size: 1}"), &[], None),
    ] {
        let printed = update(&stored(&new, &old), arguments);
        let found =
            findings(&printed.out).into_iter().filter(|line| line.contains("object::ignored")).collect::<Vec<_>>();
        let is_expected = match expected {
            None => found.is_empty(),
            Some(field) => found.len() == 1 && found[0].contains(&format!("a server ignores `{field}` in ")),
        };
        assert!(is_expected, "{new}{old}{}", printed.out);
        assert_eq!(printed.exit, Exit::Fine, "{}", printed.out);
    }
    // A new object has no status either; an exported one has the status of its server.
    let create = |text: &str| run(&place(text), b"", &["in.yaml", "--crds", "crd.yaml"]);
    let printed = create(&status(&object("{size: 1}"), "{ready: 1}"));
    assert_eq!((printed.exit, findings(&printed.out).len()), (Exit::Fine, 1), "{}", printed.out);
    let printed = create(&exported(status(&object("{size: 1}"), "{ready: true}")));
    assert_eq!(printed.out, "1 object is valid (Kubernetes 1.33 to 1.37)\n");
}

#[test]
fn the_former_option_names_the_new_one() {
    let place = stored(&widget("{size: 1}"), &widget("{size: 1}"));
    for arguments in [
        &["in.yaml", "--old", "old.yaml", "--crds", "crd.yaml", "--status"][..],
        &["--status", "in.yaml", "--old", "old.yaml", "--crds", "crd.yaml"],
        &["in.yaml", "--status", "--crds", "crd.yaml"],
    ] {
        let printed = run(&place, b"", arguments);
        assert_eq!(printed.exit, Exit::Unusable);
        assert!(
            printed.err.contains("unexpected argument '--status") && printed.err.contains("'--subresource status'"),
            "{}",
            printed.err
        );
    }
    let help = run(&place, b"", &["--help"]).out;
    assert!(help.contains("--subresource <NAME>") && !help.contains("--status"), "{help}");
    let printed = update(&place, &["--subresource", "scale"]);
    assert!(printed.err.contains("[possible values: status]"), "{}", printed.err);
}

#[test]
fn stored_objects_without_any_text_are_an_error() {
    for nothing in ["", "---\n", "# kubectl failed\n"] {
        let printed = update(&stored(&widget("{size: 1}"), nothing), &[]);
        assert_eq!(printed.exit, Exit::Unusable, "{nothing:?}");
        assert!(printed.err.starts_with("error[object::none]: `--old` contains no objects\n"), "{}", printed.err);
        assert_eq!(printed.out, "no object was checked (Kubernetes 1.33 to 1.37)\n");
    }
    // What `kubectl get -o yaml` prints if there are none.
    let printed = update(&stored(&widget("{size: 1}"), "apiVersion: v1\nkind: List\nitems: []\n"), &[]);
    assert_eq!((printed.exit, &*printed.err), (Exit::Fine, ""));
}
