//! The linters of kube-api-linter, each compared with the conventions of this crate.

use crate::rule::{Convention, RULES};

/// A linter of kube-api-linter.
#[derive(Clone, Copy, Debug)]
pub struct Linter {
    pub name: &'static str,
    /// How our conventions differ.
    pub relation: Relation,
    /// Why, in one sentence.
    pub reason: &'static str,
}

/// How the conventions that name a linter differ from it, on the CRDs of the Go types that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They find the same.
    Same,
    Stricter,
    Looser,
    /// CRDs do not have what it checks.
    NotApplicable,
}

impl Linter {
    /// The conventions that check the same or a part of it, by name.
    pub fn rules(&self) -> impl Iterator<Item = &'static Convention> + use<> {
        let name = self.name;
        RULES.iter().copied().filter(move |rule| rule.linters.contains(&name))
    }
}

const fn row(name: &'static str, relation: Relation, reason: &'static str) -> Linter {
    Linter { name, relation, reason }
}

use Relation::{Looser, NotApplicable, Same, Stricter};

/// Every linter of the version that tests compare with, by name.
#[rustfmt::skip]
pub const LINTERS: &[Linter] = &[
    row("arrayofstruct", Stricter, "Types of other packages are checked too; required fields of embedded types count."),
    row("commentstart", Same, "The first word is checked in descriptions; a missing description is a convention of its own."),
    row("conditions", Looser, "A CRD does not keep the order of fields, protobuf tags and patch strategies."),
    row("conflictingmarkers", NotApplicable, "CRDs have no markers; conflicting markers are errors when our types compile."),
    row("defaultorrequired", Same, "A default of a required field is visible in the CRD."),
    row("defaults", Looser, "`omitempty` and the spelling of markers exist in Go only."),
    row("dependenttags", NotApplicable, "CRDs have no markers; a project would configure its own pairs."),
    row("duplicatemarkers", NotApplicable, "CRDs have no markers; a repeated marker is an error when our types compile."),
    row("forbiddenmarkers", NotApplicable, "CRDs have no markers; a project would configure its own list."),
    row("integers", Looser, "An integer without a format is visible; unsigned types become `int32` or `int64` in a CRD."),
    row("jsontags", Stricter, "The form of names is the same; abbreviations are found as well."),
    row("maxlength", Stricter, "Maps and types of other packages are checked too."),
    row("minlength", Stricter, "Types of other packages and items of lists are checked too."),
    row("namingconventions", NotApplicable, "It has no convention of its own; a project would configure expressions."),
    row("nobools", Same, "Booleans are visible in the CRD."),
    row("nodurations", Stricter, "A Go duration is a plain string in a CRD, so names and patterns decide; integers need a unit."),
    row("nofloats", Same, "Floating-point types are numbers in the CRD."),
    row("nomaps", Looser, "Maps of quantities, such as resource limits, are allowed."),
    row("nonpointerstructs", Looser, "Pointers exist in Go only; a required object without required fields is visible."),
    row("nonullable", Same, "`nullable` is a keyword of the CRD."),
    row("nophase", Same, "The name is checked."),
    row("noreferences", Stricter, "Names of lists of references are checked too."),
    row("notimestamp", Same, "The name is checked."),
    row("optionalfields", NotApplicable, "Pointers and `omitempty` exist in Go only; `bindings` writes them."),
    row("optionalorrequired", NotApplicable, "Each field of a CRD is one of both; in Rust, `Option` decides."),
    row("preferredmarkers", NotApplicable, "CRDs have no markers; our marker table has one spelling of each."),
    row("requiredfields", NotApplicable, "Pointers and `omitempty` exist in Go only; `bindings` writes them."),
    row("ssatags", Same, "Servers refuse the other mistakes: unknown list types, and keys that are not fields."),
    row("statusoptional", Same, "The required fields of the status are visible in the CRD."),
    row("statussubresource", Same, "The subresource is a part of the CRD."),
    row("uniquemarkers", NotApplicable, "CRDs have no markers; a repeated marker is an error when our types compile."),
];
