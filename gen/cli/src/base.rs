//! The base of `gate`: the commit to compare with, and the CRDs on both sides.
//!
//! Invariants: what is absent on a side was looked for; all that cannot be read is an error. A comparison of a commit with itself, where another
//! one was meant, is an error.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use crd_bundle::Release;
use crd_bundle::published::choice::{Choice, Chosen};
use crd_bundle::published::codes::NO_CRDS;
use crd_bundle::published::layout::can_have_crds;
use crd_bundle::published::tree::{Entry, Tree as _};
use crd_diagnostics::{Diagnostic, fail_on, printable};
use crd_generate::settings::{FILE_NAME, Settings};
use crd_generator::file;
use crd_generator::session::WorkingFolder;
use crd_review::assembly::Unstamped;

use crate::commit_files::CommitFiles;
use crate::crd_files::Folder;
use crate::files::{self, Files, visible};
use crate::source::read_root;
use crate::tags::{newest, stable};
use crate::working_tree::git::Git;

/// The commit to compare with.
pub(crate) struct Base {
    /// Its name in messages; none before the first commit or push.
    name: Option<String>,
    revision: String,
    note: Option<String>,
}

/// The CRDs to compare.
pub(crate) struct Sides {
    pub(crate) old: Release,
    pub(crate) new: Release,
    pub(crate) notes: Vec<String>,
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error("git::base", message)
}

impl Base {
    /// The commit that the user names, or else the newest stable release before HEAD, or HEAD. `pattern` chooses the tags.
    pub(crate) fn choose(
        named: Option<&str>,
        pattern: Option<&str>,
        path: &str,
        from: WorkingFolder<'_>,
    ) -> Result<Self, Diagnostic> {
        let git = Git::new(from);
        git.folder_in_repository()?;
        let none = |note: &str| Self { name: None, revision: String::new(), note: Some(note.to_owned()) };
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            if name.bytes().all(|byte| byte == b'0') {
                return Ok(none("this is the first push: nothing to compare with"));
            }
            let revision = commit(&git, name).or_else(|_| fetched(&git, name))?;
            let is_head = commit(&git, "HEAD").is_ok_and(|head| head == revision);
            let note = is_head.then(|| format!("the base {name} is HEAD: only what is not committed is compared"));
            return Ok(Self { name: Some(name.to_owned()), revision, note });
        }
        let branch = text(&git, &["symbolic-ref", "--quiet", "HEAD"]);
        if branch.is_ok_and(|branch| text(&git, &["for-each-ref", &branch]).is_ok_and(|refs| refs.is_empty())) {
            return Ok(none("the branch has no commit yet: nothing to compare with"));
        }
        let head = commit(&git, "HEAD")?;
        let status = ["--literal-pathspecs", "status", "--porcelain", "--untracked-files=all", "--", path];
        let is_clean = text(&git, &status)?.is_empty();
        let (tags, _) = stable(&git, pattern)?;
        if let Some((tag, why)) = newest(&git, &tags, &head, is_clean)? {
            let (name, revision) = (tag.tag.name.clone(), tag.commit.clone());
            let note = Some(format!("the base is {name}, {why}"));
            return Ok(Self { name: Some(name), revision, note });
        }
        let is_shallow = text(&git, &["rev-parse", "--is-shallow-repository"])? == "true";
        if is_clean && (named.is_some() || is_shallow || pattern.is_some()) {
            let why = match (is_shallow, pattern) {
                (true, _) => "this is a shallow clone, which lacks the tags of releases".to_owned(),
                (false, Some(pattern)) => format!("no tag that matches `{pattern}` is a stable release before HEAD"),
                (false, None) => "the base is empty, and no tag is a stable release before HEAD".to_owned(),
            };
            let help = "fetch all tags, in GitHub Actions with `fetch-depth: 0` of `actions/checkout`; or name the commit to compare with: `--base`, `CRD_BASE`, or `base` of the action";
            return Err(wrong(format!("`{path}` would be compared with itself: {why}")).help(help));
        }
        let note = Some("the base is HEAD, because no tag is a stable release before it".to_owned());
        Ok(Self { name: Some("HEAD".to_owned()), revision: head, note })
    }

    /// The settings of the base, of the nearest folder that has some; none before the first push. An author of a change does not set the threshold
    /// for it.
    pub(crate) fn settings(
        &self,
        root: Option<&Path>,
        start: &Path,
        from: WorkingFolder<'_>,
    ) -> Result<Option<Settings>, Vec<Diagnostic>> {
        if self.name.is_none() {
            return Ok(None);
        }
        let (git, _) = at_top(from)?;
        let top = git.folder.canonicalize().unwrap_or(git.folder);
        let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
        let folders = start.ancestors().take_while(|folder| folder.starts_with(&top));
        for folder in root.map_or_else(|| folders.map(Path::to_owned).collect(), |root| vec![root.to_owned()]) {
            if let Some((shown, text)) = self.text(&folder.join(FILE_NAME), from)? {
                return Settings::read(Path::new(&shown), &text, &[]).map(Some);
            }
        }
        Ok(Some(Settings::default()))
    }

    /// A file of the base: how it is shown, and its text. Nothing if it does not exist there.
    pub(crate) fn text(&self, path: &Path, from: WorkingFolder<'_>) -> Result<Option<(String, String)>, Diagnostic> {
        let Some((name, path)) = self.name.as_deref().zip(path.to_str()) else { return Ok(None) };
        let files = CommitFiles::of(name, &self.revision, path, from)?;
        Ok(files::text(&files, "")?.map(|text| (files.shown(""), text)))
    }

    pub(crate) fn sides(
        &self,
        path: &str,
        old_path: Option<&str>,
        unstamped: Unstamped,
        choice: &Choice,
        from: WorkingFolder<'_>,
    ) -> Chosen<Sides> {
        let open = |files: &dyn Files, name: String| match files.entry("") {
            None => Chosen::from(Ok::<_, Diagnostic>(None)),
            Some(_) => {
                let Chosen { kept, used } = read_root(files, name, from).release(unstamped, choice);
                let kept = match kept {
                    Ok(bundle) => Ok(Some(bundle)),
                    Err(errors) if errors.iter().all(|error| error.code == NO_CRDS) => Ok(None),
                    Err(errors) => Err(errors),
                };
                Chosen { kept, used }
            }
        };
        let now = Folder::new(from.path.join(path), from).without(&choice.skips);
        let new = open(&now, path.to_owned());
        let Some(name) = &self.name else { return new.and_then(|new| self.without_base(path, new)) };
        let commit = |path: &str| {
            let files = CommitFiles::of(name, &self.revision, path, from);
            files.map(|files| files.without(&choice.skips))
        };
        let before = match commit(path) {
            Ok(before) => before,
            Err(error) => return Chosen { kept: Err(error.into()), used: new.used },
        };
        let old = open(&before, before.shown(""));
        let more = match old_path {
            Some(path) => Chosen::from(commit(path)).then(|files| open(&files, files.shown(""))),
            None => Chosen::from(Ok::<_, Diagnostic>(None)),
        };
        let both = old.and(more).and(new);
        both.and_then(|((old, more), new)| {
            let old = with_moved(old, more, new.as_ref());
            self.with_base(name, path, &before, (old, new), from)
        })
    }

    /// Both sides, without a base: nothing has changed.
    fn without_base(&self, path: &str, new: Option<Release>) -> Result<Sides, Vec<Diagnostic>> {
        let new = new.ok_or_else(|| wrong(format!("`{path}` has no CRDs")).at_file(path))?;
        let old = Release { channels: new.channels.clone(), ..like(path, &new) };
        Ok(Sides { old, new, notes: self.note.iter().cloned().collect() })
    }

    /// Both sides, each if it has CRDs.
    fn with_base(
        &self,
        name: &str,
        path: &str,
        before: &CommitFiles,
        sides: (Option<Release>, Option<Release>),
        from: WorkingFolder<'_>,
    ) -> Result<Sides, Vec<Diagnostic>> {
        let mut notes = self.note.iter().cloned().collect::<Vec<_>>();
        match sides {
            (None, None) => {
                let error = wrong(format!("`{path}` has no CRDs, neither in {name} nor now")).at_file(path);
                Err(error.help("correct the path, which is relative to the current folder").into())
            }
            (None, Some(new)) => {
                not_moved(&self.revision, None, &new, from)?;
                notes.push(format!("{path} is not part of {name}: nothing to compare with"));
                Ok(Sides { old: like(&before.shown(""), &new), new, notes })
            }
            (Some(old), None) => {
                notes.push(format!(
                    "`{path}` has no CRDs now, and has some in {name}: if it was renamed, name the new path, with `--old-path {path}`"
                ));
                Ok(Sides { new: like(path, &old), old, notes })
            }
            (Some(old), Some(mut new)) => {
                compared_by_git(before, from)?;
                not_moved(&self.revision, Some(&old), &new, from)?;
                // The path is the same, so a channel without CRDs lost them.
                for channel in old.channels.keys() {
                    new.channels.entry(*channel).or_default();
                }
                Ok(Sides { old, new, notes })
            }
        }
    }
}

/// A bundle without CRDs, in the channels of another one.
fn like(name: &str, other: &Release) -> Release {
    let channels = other.channels.keys().map(|channel| (*channel, Vec::new())).collect();
    Release { has_channels: other.has_channels, ..Release::new(name, None, channels) }
}

fn names(bundle: &Release) -> impl Iterator<Item = String> {
    bundle.crds().map(|(_, crd)| crd.name.to_string())
}

/// The baseline with the CRDs that were moved to the path. Of a baseline with CRDs, only those count that the path has now.
fn with_moved(old: Option<Release>, more: Option<Release>, new: Option<&Release>) -> Option<Release> {
    let (mut old, mut more) = match (old, more) {
        (Some(old), Some(more)) => (old, more),
        (old, more) => return old.or(more),
    };
    let known = names(&old).collect::<BTreeSet<_>>();
    let now = new.into_iter().flat_map(names).collect::<BTreeSet<_>>();
    for (channel, crds) in more.channels {
        let origins = more.origins.remove(&channel).unwrap_or_default();
        for (crd, origin) in crds.into_iter().zip(origins) {
            if now.contains(&*crd.name) && !known.contains(&*crd.name) {
                old.channels.entry(channel).or_default().push(crd);
                old.origins.entry(channel).or_default().push(origin);
            }
        }
    }
    Some(old)
}

fn text(git: &Git, arguments: &[&str]) -> Result<String, Diagnostic> {
    git.output(arguments).map(|output| String::from_utf8_lossy(&output).trim_end().to_owned())
}

fn commit(git: &Git, name: &str) -> Result<String, Diagnostic> {
    git.resolve(&format!("{name}^{{commit}}")).map_err(|cause| wrong(format!("{name} is not a commit{cause}")))
}

/// Fetches a commit that the clone lacks. A shallow clone stays shallow.
fn fetched(git: &Git, name: &str) -> Result<String, Diagnostic> {
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte));
    let lacks = |cause: &str| {
        let message =
            format!("the commit {} is not here, and cannot be fetched: {}", printable(name), printable(cause));
        wrong(message).help("correct the name, or fetch the commit before")
    };
    if !is_name || name.starts_with('-') {
        return Err(lacks("this is not the name of a commit"));
    }
    let is_shallow = text(git, &["rev-parse", "--is-shallow-repository"])? == "true";
    let depth = is_shallow.then_some("--depth=1");
    let name = name.strip_prefix("origin/").unwrap_or(name);
    let fetch = ["fetch", "--quiet", "--no-tags"].into_iter().chain(depth).chain(["origin", name]);
    git.output(&fetch.collect::<Vec<_>>()).map_err(|error| lacks(&error.message))?;
    commit(git, "FETCH_HEAD")
}

/// git at the top of the repository, and the way there from the current folder.
fn at_top(from: WorkingFolder<'_>) -> Result<(Git, String), Diagnostic> {
    let git = Git::new(from);
    let prefix = git.folder_in_repository()?;
    let to_top = "../".repeat(prefix.matches('/').count());
    Ok((git.below(&to_top), to_top))
}

/// The error of CRDs that the base has at another path, which no longer has them.
fn not_moved(revision: &str, old: Option<&Release>, new: &Release, from: WorkingFolder<'_>) -> Result<(), Diagnostic> {
    let known = old.into_iter().flat_map(names).collect::<BTreeSet<_>>();
    let added = names(new).filter(|name| !known.contains(name)).collect::<Vec<_>>();
    if added.is_empty() {
        return Ok(());
    }
    let (git, to_top) = at_top(from)?;
    let grep =
        ["grep", "--text", "--no-color", "--no-recurse-submodules", "-lzF", "CustomResourceDefinition", revision];
    let found = git.run(&grep).ok().filter(|output| output.status.code().is_some_and(|code| code < 2));
    let found = found.ok_or_else(|| wrong("the files of the base cannot be searched for its CRDs".to_owned()))?;
    for path in String::from_utf8_lossy(&found.stdout).split('\0').filter_map(|found| Some(found.split_once(':')?.1)) {
        let text = match can_have_crds(path) {
            true => text(&git, &["cat-file", "blob", &format!("{revision}:{path}")])?,
            false => continue,
        };
        let disk = format!("{to_top}{path}");
        let now = fs::read_to_string(from.path.join(&disk)).unwrap_or_default();
        if let Some(name) = added.iter().find(|name| text.contains(&***name) && !now.contains(&***name)) {
            let folder = disk.rsplit_once('/').map_or(".", |(folder, _)| folder);
            let error = wrong(format!("the CRD `{name}` is not new: the base has it in `{disk}`")).at_file(&disk);
            return Err(error.help(format!("pass `--old-path {folder}`, so that it is compared")));
        }
    }
    Ok(())
}

/// The errors of files on disk that are not what git would commit, although it does not show them as changed.
fn compared_by_git(before: &CommitFiles, from: WorkingFolder<'_>) -> Result<(), Vec<Diagnostic>> {
    let (git, to_top) = at_top(from)?;
    let index = git.output(&["ls-files", "-v", "-s", "-z"])?;
    let index = String::from_utf8_lossy(&index).into_owned();
    // TAG MODE OBJECT STAGE, a tab, and the path.
    let known = index.split('\0').filter_map(|entry| entry.split_once('\t').map(|(state, path)| (path, state)));
    let known = known.collect::<HashMap<_, _>>();
    let listed = match before.entry("") {
        Some(Entry::Folder) => visible(before, "", &can_have_crds, &mut Vec::new()),
        Some(_) => vec![String::new()],
        None => Vec::new(),
    };
    let mut errors = Vec::new();
    for path in listed {
        let path = before.real(&path);
        let wrong = match known.get(&*path) {
            None => git
                .folder
                .join(&path)
                .exists()
                .then_some("is on disk, and git no longer tracks it: a commit removes it"),
            Some(state) if state.starts_with(|tag: char| tag == 'S' || tag.is_ascii_lowercase()) => {
                let object = state.split(' ').nth(2).unwrap_or_default();
                let now = fs::read(git.folder.join(&path)).ok();
                (before.blob(object).ok() != now)
                    .then_some("differs, and git does not compare it: `assume-unchanged` or `skip-worktree` is set")
            }
            Some(_) => None,
        };
        errors.extend(wrong.map(|wrong| file::error("git::base", format!("{to_top}{path}"), wrong)));
    }
    fail_on(errors)
}
