//! Conversions: which changes need a lens and have none, and what is wrong with the lenses of the types.
//!
//! "Designers MUST define how controllers should manage conversion for every semantic breaking change", and "MUST NOT make changes that can't be
//! converted without knowing the stored version" ("API versioning guide" of Gateway API).
//!
//! Invariants: a lens is right if the laws hold for generated objects of the releases on both sides of it; see [`crate::laws`]. What no known
//! release can show is not an error.

use std::collections::BTreeMap;

use crd_bundle::{BundleVersion, Release};
use crd_compat::policy::Need;
use crd_compat::tombstone::Tombstone;
use crd_compat::{Declared, Finding};
use crd_convert::{Code, Document, Lens};
use crd_diagnostics::{Diagnostic, Severity};
use crd_generate::{AnnotatedResource, DeclaredLenses, DeclaredTombstone, Projection, at};
use crd_markers::descriptor::Location;

use crate::comparison::names_of;
use crate::history::History;
use crate::laws::{Law, Laws, Proven, Unproven};

/// The objects for each lens and direction that a review generates.
const OBJECTS: usize = 100;

/// The lenses of the types and of their catalogue.
#[derive(Debug)]
pub struct Lenses<'c> {
    pub document: Document,
    /// The lines of those that types declare.
    locations: BTreeMap<String, Location>,
    /// The functions of those that are code.
    functions: &'c [Code],
}

impl<'c> Lenses<'c> {
    /// The lenses of these types.
    ///
    /// # Errors
    /// Everything that is wrong in the lenses.
    pub fn of(types: &Projection<'c>) -> Result<Self, Vec<Diagnostic>> {
        let DeclaredLenses { document, locations } = types.lenses()?.clone();
        Ok(Self { document, locations, functions: types.catalogue.lens_functions() })
    }

    /// A diagnostic at the line of a lens, if a type declares it.
    fn locate(&self, lens: &str, problem: Diagnostic) -> Diagnostic {
        match self.locations.get(lens) {
            Some(location) => at(problem, *location),
            None => problem,
        }
    }
}

/// Removes the need of a conversion from findings that a lens converts.
pub(crate) fn without_converted(findings: &mut [Finding], marks: &[(Tombstone, DeclaredTombstone)]) {
    let with_lens = marks.iter().filter(|(_, mark)| mark.has_lens).map(|(tombstone, _)| &tombstone.name);
    let with_lens = with_lens.collect::<Vec<_>>();
    for finding in findings.iter_mut().filter(|finding| finding.needs.iter().any(is_conversion)) {
        if names_of(finding).iter().any(|name| with_lens.iter().any(|known| known.covers(name))) {
            finding.needs.retain(|need| !is_conversion(need));
        }
    }
}

fn is_conversion(need: &Need) -> bool {
    matches!(need, Need::Conversion | Need::ConversionBothWays)
}

/// A problem for each name that needs a lens and has none. `since` is the bundle that the new form appears in.
pub(crate) fn missing(
    findings: &[Finding],
    declared: &Declared,
    resources: &[AnnotatedResource],
    since: BundleVersion,
) -> Vec<Diagnostic> {
    let mut found: BTreeMap<(&str, &str, String), Diagnostic> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.waived.is_none() && finding.needs.iter().any(is_conversion))
    {
        let value = finding.before.as_ref().and_then(|value| value.as_str()).unwrap_or_default();
        let key = (&*finding.crd, &*finding.path, value.to_owned());
        found.entry(key).or_insert_with(|| without_lens(finding, declared, resources, since.core()));
    }
    found.into_values().collect()
}

fn without_lens(
    finding: &Finding,
    declared: &Declared,
    resources: &[AnnotatedResource],
    since: BundleVersion,
) -> Diagnostic {
    let (around, name) = finding.path.rsplit_once('.').unwrap_or(("", &finding.path));
    let resource = resources.iter().find(|resource| resource.crd_name() == finding.crd);
    let origin = |path: &str| {
        let mut versions = resource?.version_names();
        versions.find_map(|version| resource?.origin(version, path))
    };
    let new = declared.renames.of(&finding.crd, around, name);
    // A finding about a field has its name.
    let value = finding.before.as_ref().and_then(|value| value.as_str()).filter(|value| *value != name);
    let below = |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
    let (message, help, origin) = match (new, value) {
        (Some(new), _) => (
            format!("the field `{name}` has the name `{new}` now, and no lens converts it"),
            format!(
                "Write this line above `{new}`, instead of the tombstone of `{name}`:\n/// +lens:rename:from={name},since={since}"
            ),
            origin(&below(new)),
        ),
        (None, Some(value)) => (
            format!("the value `{value}` is gone, and no lens converts it"),
            format!(
                "Write this line above the enum, with the value that takes over, instead of its tombstone:\n/// +lens:values:values={{\"{value}\": \"{}\"}},since={since}",
                declared.replaced_values.of(&finding.crd, &finding.path, value).unwrap_or("…")
            ),
            origin(&finding.path),
        ),
        (None, None) => (
            format!("the field `{name}` is gone, and no lens converts it"),
            format!(
                "If another field has its value, write this line above that field, instead of the tombstone:\n/// +lens:rename:from={name},since={since}\nIf none has it, write this line above the struct that had the field:\n/// +lens:drop:path={name},reason=\"…\",since={since}"
            ),
            origin(around),
        ),
    };
    let problem = Diagnostic::error("conversion-missing", message).help(help);
    let problem = problem.of_crd(&*finding.crd, None, finding.path.clone());
    match origin {
        Some(origin) => at(problem, origin.location),
        None => problem,
    }
}

/// The errors of published lenses that are gone or differ. Conversion data refers to a lens by its name and steps, and implementers have it.
pub(crate) fn altered(lenses: &Lenses<'_>, history: &History) -> Vec<Diagnostic> {
    let mut found: BTreeMap<&str, Diagnostic> = BTreeMap::new();
    for (bundle, published) in history.releases.bundles.iter().flat_map(|(version, bundle)| {
        let lenses = bundle.lenses.iter();
        lenses.map(move |lens| (version, lens))
    }) {
        let now = lenses.document.lenses.iter().find(|lens| lens.name == published.name);
        // The resource is that of the current form.
        let is_same = |lens: &Lens| Lens { resource: published.resource.clone(), ..lens.clone() } == *published;
        let what = match now {
            Some(lens) if is_same(lens) => continue,
            Some(_) => "differs from the one",
            None => "is gone",
        };
        let since = if now.is_some() { "that was published with" } else { "after" };
        let message = format!("the lens `{}` {what} {since} {bundle}", published.name);
        let problem = Diagnostic::error("conversion-altered", message)
            .help(
                "A published lens never changes. Restore its marker from git, and add another lens for another change.",
            )
            .of_crd(&*published.resource, None, String::new());
        found.entry(&published.name).or_insert_with(|| lenses.locate(&published.name, problem));
    }
    found.into_values().collect()
}

/// The errors and warnings of lenses whose laws do not hold, or cannot be shown, on the releases of the history and the candidate.
pub(crate) fn checked(
    lenses: &Lenses<'_>,
    history: &History,
    candidate: &Release,
    version: BundleVersion,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let (mut problems, mut warnings) = (Vec::new(), Vec::new());
    if lenses.document.lenses.is_empty() {
        return (problems, warnings);
    }
    // A form never appears in a pre-release.
    let known = history.releases.all().filter(|(known, _)| known.is_release() && *known < version.core());
    let releases = known.chain([(version.core(), candidate)]).collect::<Vec<_>>();
    let laws = Laws { document: &lenses.document, functions: lenses.functions, releases: &releases, count: OBJECTS };
    // What is wrong in the lenses themselves is an error of the types.
    for proven in laws.prove().unwrap_or_default() {
        let of_lens = |problem: Diagnostic| {
            lenses.locate(&proven.lens.name, problem.of_crd(&*proven.lens.resource, None, String::new()))
        };
        problems.extend(broken(&proven).into_iter().map(of_lens));
        match unproven(&proven).map(of_lens) {
            Some(warning) if warning.severity == Severity::Warning => warnings.push(warning),
            problem => problems.extend(problem),
        }
    }
    (problems, warnings)
}

fn broken(proven: &Proven<'_>) -> Vec<Diagnostic> {
    let problem = |broken: &crate::laws::Broken| {
        let (code, help) = match broken.law {
            Law::Contained => (
                "conversion-target",
                "Correct the places of the lens, or add the lens from its new form to the current one.",
            ),
            Law::Total => {
                ("conversion-broken", "Give every old object a new form, or declare what is lost with `+lens:drop`.")
            }
            Law::Accepted => {
                ("conversion-broken", "Let the other form accept what the lens writes, or write what it accepts.")
            }
            Law::Returns | Law::Restored => (
                "conversion-broken",
                "Declare what is lost: with `+lens:drop` and a reason, `merged` of `+lens:values`, or `keeps=true`, which keeps it in the object.",
            ),
            Law::Edit => ("conversion-broken", "Let each old value become a new one of its own."),
        };
        let becomes = broken.converted.iter().map(|converted| format!("\nand becomes {converted}"));
        let help = format!("{help} An object that shows it:\n{}{}", broken.object, becomes.collect::<String>());
        let message = format!("the lens `{}` breaks a law: {}", proven.lens.name, broken.problem);
        Diagnostic::error(code, message).help(help)
    };
    proven.broken.iter().map(problem).collect()
}

/// Why a lens cannot be shown to be right.
fn unproven(proven: &Proven<'_>) -> Option<Diagnostic> {
    let unproven = proven.unproven?;
    let message = format!("the lens `{}`: {unproven}", proven.lens.name);
    let diagnostic = match unproven {
        Unproven::NoRelease => return None,
        Unproven::NoOldForm(_) => Diagnostic::error("conversion-gap", message).help(
            "Name the first bundle with the new form in `since`. If another change came between them, add its lens.",
        ),
        Unproven::NoNewForm(_) => Diagnostic::error("conversion-target", message)
            .help("Name a place of the new form, and in `since` the first bundle that has it."),
        Unproven::NotApplied(_) => Diagnostic::error("conversion-gap", message)
            .help("Correct the places of the lens, as the old objects have them."),
        Unproven::NoObject(_) => Diagnostic::warning("conversion-unproven", message)
            .help("The laws of this lens are not checked. Test it with objects of your own."),
    };
    Some(diagnostic)
}
