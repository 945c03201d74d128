//! Where releases are on a time axis.
//!
//! Invariants: a release that came after a higher version, such as a late patch of an older minor, is not on the axis: lives of fields follow
//! versions. Without all dates, releases are at equal distances.

use crate::Site;
use crate::picture::figure::{at, float, spaced, tail};

/// A day, in seconds.
const DAY: i64 = 86_400;
/// The releases on the axis.
pub(super) struct Time {
    /// Their indices, lowest version first.
    pub(super) releases: Vec<usize>,
    /// Where each is, from 0 to 1.
    positions: Vec<f64>,
    /// Whether distances are those of dates.
    pub(super) is_dated: bool,
}

impl Time {
    /// The axis of a site.
    pub(super) fn of(site: &Site) -> Self {
        let seconds = |index: usize| {
            let released = site.releases.get(index).and_then(|release| release.release.released);
            released.map(|released| i64::from(released.unix_seconds()))
        };
        let mut releases = Vec::new();
        let mut earliest = i64::MAX;
        for index in (0..site.releases.len()).rev() {
            match seconds(index) {
                Some(date) if date > earliest => {}
                date => {
                    earliest = date.unwrap_or(earliest);
                    releases.push(index);
                }
            }
        }
        releases.reverse();
        // The candidate has no date: it is shown some time after the last release.
        let dated = releases.iter().map(|index| seconds(*index)).collect::<Vec<_>>();
        let known = dated.iter().flatten().copied().collect::<Vec<_>>();
        let is_dated = known.len() > 1 && dated.iter().take(dated.len().saturating_sub(1)).all(Option::is_some);
        let (Some(first), Some(last)) = (known.first().copied(), known.last().copied()) else {
            return Self::equal(releases);
        };
        let length = last - first;
        if !is_dated || length < DAY {
            return Self::equal(releases);
        }
        let until = if dated.last().is_some_and(Option::is_none) { last + length / 16 } else { last };
        let position = |seconds: i64| float(seconds - first) / float(until - first);
        let positions = dated.iter().map(|date| position(date.unwrap_or(until))).collect();
        Self { releases, positions, is_dated }
    }

    fn equal(releases: Vec<usize>) -> Self {
        let last = at(releases.len().saturating_sub(1)).max(1.0);
        let positions = (0..releases.len()).map(|index| at(index) / last).collect();
        Self { releases, positions, is_dated: false }
    }

    /// The labels of minors and of the first and the last release, where there is room: the newest first. `x` is where a release is in the
    /// picture.
    pub(super) fn labels(&self, site: &Site, x: impl Fn(usize) -> f64) -> Vec<(f64, String)> {
        let last = self.releases.len().saturating_sub(1);
        let labels = self.releases.iter().enumerate().filter_map(|(number, index)| {
            let release = site.releases.get(*index)?;
            let is_minor =
                release.release.version.is_none_or(|version| version.patch == 0) || number == 0 || number == last;
            is_minor.then(|| (x(number), tail(&release.label, 10)))
        });
        spaced(labels)
    }

    /// What the nth release of the axis is called.
    pub(super) fn label(&self, site: &Site, number: usize) -> String {
        let release = self.releases.get(number).and_then(|index| site.releases.get(*index));
        release.map(|release| release.label.clone()).unwrap_or_default()
    }

    /// Where the nth release of the axis is, from 0 to 1.
    pub(super) fn position(&self, number: usize) -> f64 {
        self.positions.get(number).copied().unwrap_or(1.0)
    }
}
