//! The tags of a repository that are releases: their versions, commits and dates, and the newest stable one before HEAD.
//!
//! Invariants: a pre-release is never a base. Without a pattern, a tag is a release only if it is a version and nothing else, so that the tag of a
//! chart is none. What is not before HEAD is not a base: neither a tag that HEAD is an ancestor of, nor one of HEAD itself if nothing has changed.

use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::{BundleVersion, Released};
use crd_diagnostics::Diagnostic;
use crd_review::releases::{LeftOut, Tag, releases, version};

use crate::working_tree::git::Git;

/// A tag that is a stable release.
#[derive(Clone, Debug)]
pub(crate) struct GitTag {
    /// Its name, version and date.
    pub(crate) tag: Tag,
    pub(crate) commit: String,
}

/// The stable releases among the tags that match a pattern of git, such as `v*`, in the order of their versions, and the other tags that match.
pub(crate) fn stable(git: &Git, pattern: Option<&str>) -> Result<(Vec<GitTag>, Vec<LeftOut>), Diagnostic> {
    let refs = format!("refs/tags/{}", pattern.unwrap_or("**"));
    let format = "--format=%(refname:strip=2)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)";
    let listed = git.output(&["for-each-ref", format, &refs])?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let mut known = BTreeMap::new();
    for line in listed.lines() {
        let [name, object, behind, seconds] = *line.split('\0').collect::<Vec<_>>() else { continue };
        let version = match pattern {
            Some(pattern) => version_below(name, pattern),
            None => plain(name),
        };
        if pattern.is_some() || version.is_some() {
            let released = seconds.parse().ok().and_then(|seconds| Released::of_unix_seconds(seconds).ok());
            let commit = if behind.is_empty() { object } else { behind };
            known.insert(name.to_owned(), (commit.to_owned(), released, version));
        }
    }
    let (tags, left_out) = releases(known.iter().map(|(name, (_, _, version))| (name.clone(), *version)));
    let tags = tags.into_iter().filter_map(|tag| {
        let (commit, released, _) = known.get(&tag.name)?;
        Some(GitTag { commit: commit.clone(), tag: Tag { released: *released, ..tag } })
    });
    Ok((tags.collect(), left_out))
}

/// The version of a tag that is one and nothing else: `v1.2.3` or `1.2.3`.
fn plain(tag: &str) -> Option<BundleVersion> {
    format!("v{}", tag.strip_prefix('v').unwrap_or(tag)).parse().ok()
}

/// The version of a tag behind what the pattern begins with: that of `k8s-1.2.3` is v1.2.3 with the pattern `k8s-*`.
fn version_below(tag: &str, pattern: &str) -> Option<BundleVersion> {
    let fixed = pattern.split(['*', '?', '[', '\\']).next().unwrap_or_default();
    // `v1.*` does not take the first number away.
    let fixed = fixed.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    tag.strip_prefix(fixed).and_then(version).or_else(|| version(tag))
}

/// Finds the newest stable release before HEAD, and a clause about why it is that one: the highest version in the history of HEAD, or a higher one
/// whose branch left this history later. Projects tag on release branches. If nothing has changed, HEAD itself is not compared with its tag.
pub(crate) fn newest<'t>(
    git: &Git,
    tags: &'t [GitTag],
    head: &str,
    is_clean: bool,
) -> Result<Option<(&'t GitTag, String)>, Diagnostic> {
    let merged = git.output(&["for-each-ref", "--format=%(refname:strip=2)", "--merged", head, "refs/tags"])?;
    let merged = String::from_utf8_lossy(&merged).into_owned();
    let merged = merged.lines().collect::<BTreeSet<_>>();
    let is_before = |known: &GitTag| merged.contains(&*known.tag.name) && !(is_clean && known.commit == head);
    let ancestor = tags.iter().rposition(is_before);
    let mut found = ancestor.and_then(|index| tags.get(index)).map(|known| (known, known.commit.clone()));
    let mut why = "the newest stable release in the history of HEAD".to_owned();
    let mut minor = None;
    for known in tags.get(ancestor.map_or(0, |index| index + 1)..).unwrap_or_default().iter().rev() {
        // All patches of a minor version are tagged on one branch: the highest one counts.
        let this = Some(minor_of(known));
        if std::mem::replace(&mut minor, this) == this {
            continue;
        }
        let Some(left) = merge_base(git, &known.commit, head).filter(|left| left != head) else { continue };
        let is_later = match &found {
            Some((other, at)) if *at == left => {
                // A higher minor version that leaves where this one was tagged is the future of an older release branch.
                minor_of(other) == minor_of(known) && other.tag.version < known.tag.version
            }
            Some((_, at)) => is_ancestor(git, at, &left),
            None => true,
        };
        if is_later {
            let short = left.get(..12).unwrap_or(&left);
            why = format!("the newest stable release; its branch left the history of HEAD at {short}");
            found = Some((known, left));
        }
    }
    Ok(found.map(|(tag, _)| (tag, why)))
}

fn minor_of(known: &GitTag) -> (u64, u64) {
    (known.tag.version.major, known.tag.version.minor)
}

/// The commit at which two histories part.
fn merge_base(git: &Git, one: &str, other: &str) -> Option<String> {
    let found = git.output(&["merge-base", one, other]).ok()?;
    Some(String::from_utf8_lossy(&found).trim().to_owned())
}

fn is_ancestor(git: &Git, one: &str, other: &str) -> bool {
    git.run(&["merge-base", "--is-ancestor", one, other]).is_ok_and(|output| output.status.success())
}
