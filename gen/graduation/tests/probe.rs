use crd_bundle::Bump;
use crd_bundle::history_archive::HistoryArchive;
use crd_bundle::published::Input;
use crd_bundle::timeline::TimelineRelease;
use crd_graduation::*;
use crd_model::graduation::Graduation;
#[test]
fn probe() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bundles/history.tar.xz");
    let start = std::time::Instant::now();
    let archive = HistoryArchive::read(Input::new("h", std::fs::read(root).unwrap())).unwrap();
    let releases: Vec<TimelineRelease> = archive.releases().iter().cloned().map(Into::into).collect();
    eprintln!("read {:?} {}", start.elapsed(), releases.len());
    let lives = Lives::new(&releases, &[], &Default::default(), false);
    eprintln!("lives {:?}", start.elapsed());
    let g = Graduation::default();
    let last = releases.last().unwrap();
    let basis = Basis {
        graduation: &g,
        as_of: last.released,
        last: Some(last.version),
        bundle: "v1.7.0".parse().unwrap(),
        bump: Bump::Minor,
        evidence: None,
        approvals: &[],
    };
    let t = table(&lives, basis, &OfTypes { features: &|_| vec![], blockers: &|_| vec![], source: &|_| None });
    for r in &t.rows {
        eprintln!(
            "{} [{}] first {} unchanged {} minors {} changes {:?} eligible {:?} blockers {:?}",
            r.element,
            r.versions.join(","),
            r.life.first.bundle,
            r.life.unchanged_since.bundle,
            r.life.minors,
            r.life.changes.iter().map(|c| format!("{} {}", c.rule, c.path)).collect::<Vec<_>>(),
            r.assessment.eligible.map(|e| format!("{} {}", e.date.date(), e.bundle)),
            r.blockers
        );
    }
    eprintln!("--- past {:?}", start.elapsed());
    let p = past(&lives, PastBasis { graduation: &g, evidence: None, features: &|_| vec!["x".into()] });
    for g in &p {
        eprintln!(
            "{} {} first {} unchanged {} {:?} changed:{}",
            g.release.bundle,
            g.element,
            g.life.first.bundle,
            g.life.unchanged_since.bundle,
            g.timing,
            g.changes.len()
        );
    }
    eprintln!("{} {:?}", p.len(), start.elapsed());
}
