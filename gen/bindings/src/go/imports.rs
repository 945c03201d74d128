//! The imports of one Go file, and types as the file writes them.
//!
//! Invariants: a path has one alias and an alias one path; an alias is never the name of the file's own package.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{GoType, Module, Package};

pub(super) struct Imports<'a> {
    module: &'a Module,
    folder: &'a str,
    aliases: BTreeMap<String, String>,
    /// Whether types of apimachinery have the alias of the model; otherwise aliases are made of paths, as controller-gen makes them.
    has_usual_aliases: bool,
}

impl<'a> Imports<'a> {
    pub(super) fn new(module: &'a Module, package: &'a Package, has_usual_aliases: bool) -> Self {
        Self { module, folder: &package.folder, aliases: BTreeMap::new(), has_usual_aliases }
    }

    /// The type as text.
    pub(super) fn text_of(&mut self, kind: &GoType) -> String {
        match kind {
            GoType::Plain(name) => (*name).to_owned(),
            GoType::Pointer(element) => format!("*{}", self.text_of(element)),
            GoType::Slice(element) => format!("[]{}", self.text_of(element)),
            GoType::Map(key, value) => format!("map[{}]{}", self.text_of(key), self.text_of(value)),
            GoType::Named { package, name } if package == self.folder => name.clone(),
            GoType::Named { package, name } => {
                let alias = self.import(&joined(&self.module.path, package), None);
                format!("{alias}.{name}")
            }
            GoType::Imported { path, alias, name } => {
                let alias = self.import(path, self.has_usual_aliases.then_some(alias));
                format!("{alias}.{name}")
            }
        }
    }

    /// The alias of an imported path: the usual one, or as many of the last parts of the path as make it unique.
    pub(super) fn import(&mut self, path: &str, usual: Option<&str>) -> String {
        if let Some(alias) = self.aliases.get(path) {
            return alias.clone();
        }
        let mut parts = path.rsplit('/');
        let mut alias = usual.unwrap_or_default().to_owned();
        while alias.is_empty() || self.is_taken(&alias) {
            let part = parts.next().unwrap_or("x").trim_start_matches(|character: char| character.is_ascii_digit());
            let is_valid = |character: char| character.is_alphanumeric() || character == '_';
            alias =
                part.replace(|character| !is_valid(character), "_") + if usual == Some(&alias) { "" } else { &alias };
        }
        self.aliases.insert(path.to_owned(), alias.clone());
        alias
    }

    fn is_taken(&self, alias: &str) -> bool {
        alias == package_name(self.module, self.folder) || self.aliases.values().any(|taken| taken == alias)
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &String> {
        self.aliases.keys()
    }

    /// `import (…)` with a blank line after it: the standard library, then the rest. Nothing if nothing is imported.
    pub(super) fn text(&self) -> String {
        let is_standard = |path: &str| !path.split('/').next().unwrap_or_default().contains('.');
        let groups = [true, false].map(|wanted| self.lines(|path| is_standard(path) == wanted, |_| true));
        let groups: Vec<String> = groups.into_iter().filter(|group| !group.is_empty()).collect();
        if groups.is_empty() { String::new() } else { format!("import (\n{})\n\n", groups.join("\n")) }
    }

    /// As [`Imports::text`] in one group, where only paths that the package imports elsewhere have no alias.
    pub(super) fn text_of_controller_gen(&self, elsewhere: &BTreeSet<String>) -> String {
        let lines = self.lines(|_| true, |path| elsewhere.contains(path));
        if lines.is_empty() { "import ()\n\n".to_owned() } else { format!("import (\n{lines})\n\n") }
    }

    /// Lines without an alias where that is the last part of the path, and it may be left out.
    fn lines(&self, is_wanted: impl Fn(&str) -> bool, may_be_plain: impl Fn(&str) -> bool) -> String {
        let lines = self.aliases.iter().filter(|(path, _)| is_wanted(path)).map(|(path, alias)| {
            let is_plain = path.rsplit('/').next() == Some(alias) && may_be_plain(path);
            if is_plain { format!("\t\"{path}\"\n") } else { format!("\t{alias} \"{path}\"\n") }
        });
        lines.collect()
    }
}

/// The name of the package in a folder.
pub(super) fn package_name<'a>(module: &'a Module, folder: &'a str) -> &'a str {
    let path = if folder.is_empty() { &module.path } else { folder };
    path.rsplit('/').next().unwrap_or_default()
}

/// Two paths with a slash between them.
pub(super) fn joined(left: &str, right: &str) -> String {
    if left.is_empty() || right.is_empty() { format!("{left}{right}") } else { format!("{left}/{right}") }
}
