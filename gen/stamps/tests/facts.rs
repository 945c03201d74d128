//! Verdicts about the releases of Gateway API, as its CRDs and release notes state them.

use std::path::Path;

use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_model::channel::Channel::{self, Experimental, Standard};
use crd_stamps::skew::{Bundles, Cell, Client, Offer, Verdict, neighbours};

/// The releases of the history archive, v0.5.0 to v1.7.0.
pub(crate) fn bundles() -> Bundles {
    let mut bundles = Bundles::default();
    releases().releases().iter().for_each(|release| bundles.add(release.version.unwrap(), &release.channels));
    bundles
}

fn releases() -> HistoryArchive {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundles/history.tar.xz");
    HistoryArchive::read(Input::new("history.tar.xz", std::fs::read(path).unwrap())).unwrap()
}

fn client(built_for: Option<(&str, Channel)>, kinds: &[(&str, &[&str], bool)]) -> Client {
    let kind = |(kind, versions, is_optional): &(&str, &[&str], bool)| {
        let versions = versions.join(", ");
        format!(
            "- {{ group: gateway.networking.k8s.io, kind: {kind}, versions: [{versions}], optional: {is_optional} }}\n"
        )
    };
    let built_for =
        built_for.map(|(version, channel)| format!("builtFor: {{ version: {version}, channel: {channel} }}\n"));
    let kinds = kinds.iter().map(kind).collect::<String>();
    let file = format!("name: test\n{}kinds:\n{kinds}", built_for.unwrap_or_default());
    Client::read(&file, Path::new("client.yaml")).unwrap()
}

fn cell(bundles: &Bundles, client: &Client, on: (&str, Channel)) -> Cell {
    let on = (on.0.parse().unwrap(), on.1);
    bundles.row(client).into_iter().find(|cell| cell.bundle == Some(on)).unwrap()
}

#[test]
fn a_verdict_has_its_cause() {
    let bundles = bundles();
    let check = |client: &Client, on: (&str, Channel), verdict: Verdict, texts: &[&str]| {
        let cell = cell(&bundles, client, on);
        let found = cell.findings.iter().map(|finding| finding.text()).collect::<Vec<_>>();
        assert_eq!((cell.verdict, found), (verdict, texts.iter().map(|text| (*text).to_owned()).collect()), "{on:?}");
    };
    let alpha = |built_for| client(built_for, &[("TLSRoute", &["v1alpha2"], false)]);
    for built_for in [Some(("v1.4.0", Experimental)), None] {
        let alpha = alpha(built_for);
        let served = "TLSRoute v1alpha2 is not served in standard since v1.5.0; served: v1";
        check(&alpha, ("v1.4.0", Experimental), Verdict::Works, &[]);
        check(&alpha, ("v1.7.0", Experimental), Verdict::Works, &[]);
        check(&alpha, ("v1.4.0", Standard), Verdict::Fails, &["only experimental has TLSRoute"]);
        check(&alpha, ("v1.5.0", Standard), Verdict::Fails, &[served]);
        check(&alpha, ("v1.7.0", Standard), Verdict::Fails, &[served]);
    }
    // Without a bundle of its own, a client is compared by the fields that it lists.
    let mut fields = client(None, &[("HTTPRoute", &["v1"], false)]);
    fields.kinds[0].fields = Some(["metadata.name", "spec.rules[*].retry"].map(str::to_owned).to_vec());
    check(
        &fields,
        ("v1.0.0", Standard),
        Verdict::WithoutFields,
        &["spec.rules[*].retry of HTTPRoute v1 is in standard from v1.7.0 on"],
    );
    let newer = client(Some(("v1.7.0", Standard)), &[("ListenerSet", &["v1"], true), ("HTTPRoute", &["v1"], false)]);
    check(&newer, ("v1.7.0", Experimental), Verdict::Works, &[]);
    let retry = "spec.rules[*].retry of HTTPRoute v1 is in standard from v1.7.0 on";
    check(&newer, ("v1.5.0", Standard), Verdict::WithoutFields, &[retry]);
    let cors = "spec.rules[*].backendRefs[*].filters[*].cors, spec.rules[*].filters[*].cors of HTTPRoute v1 are in standard from v1.5.0 on";
    check(&newer, ("v1.4.1", Standard), Verdict::Skips, &["ListenerSet is in standard from v1.5.0 on", cors, retry]);
}

/// Discovery has no schemas.
#[test]
fn discovery_is_enough_for_versions() {
    const GROUP: &str = "gateway.networking.k8s.io";
    let offer = Offer::of_discovery([
        (GROUP, "TLSRoute", "v1"),
        (GROUP, "TLSRoute", "v1alpha3"),
        ("example.com", "TLSRoute", "v9"),
    ]);
    let bundles = bundles();
    let on = |kinds| bundles.on(&client(Some(("v1.4.0", Experimental)), kinds), &offer, None);
    let texts = |cell: Cell| cell.findings.iter().map(|finding| finding.text()).collect::<Vec<_>>();
    assert_eq!(on(&[("TLSRoute", &["v1alpha3", "v1alpha2"], false)]).verdict, Verdict::Works);
    let cell = on(&[("TLSRoute", &["v1alpha2"], true), ("UDPRoute", &["v1"], true)]);
    assert_eq!(cell.verdict, Verdict::Skips);
    assert_eq!(texts(cell), ["TLSRoute v1alpha2 is not served; served: v1, v1alpha3", "UDPRoute is absent"]);
}

#[test]
fn neighbours_have_an_order() {
    let releases = releases();
    let channels = |version: &str| {
        let version = version.parse().unwrap();
        let release = releases.releases().iter().find(|release| release.version == Some(version)).unwrap();
        (version, &release.channels)
    };
    let order = |previous: &str, current: &str| neighbours(channels(previous), channels(current)).order;
    let first = "CRDs first, then clients: clients of v1.5.1 work on v1.6.0".to_owned();
    assert_eq!(order("v1.5.1", "v1.6.0"), [(Standard, first.clone()), (Experimental, first)]);
    // XListenerSet became ListenerSet, and XMesh is newer.
    let neither = "neither order works: clients of v1.4.1 fail until they are updated; v1.5.0 would have to serve longer: XListenerSet v1alpha1";
    assert_eq!(order("v1.4.1", "v1.5.0")[1], (Experimental, neither.to_owned()));
    let rows = neighbours(channels("v1.4.1"), channels("v1.5.0")).rows;
    assert_eq!(rows.len(), 8);
    assert!(rows[..4].iter().all(|row| row.client.0 == channels("v1.4.1").0));
}
