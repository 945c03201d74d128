//! Helm charts: the CRDs of a channel and its policies.
//!
//! Invariants: CRDs are templates of the chart, since Helm installs what is in its `crds/` once and never upgrades it; everything is
//! kept when the release is uninstalled; what Helm renders is the object that the other artefacts hold, whatever its texts say. Objects are
//! compact JSON, which is YAML too, in files called `.yaml`, which is what `helm lint` asks for. No chart is larger than what Helm can store
//! of its release (`stored`).

mod stored;

use crd_diagnostics::layout::count;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::document::{HtmlCharacters, JsonWriter, send_value};
use crd_model::yaml;
use serde_json::{Map, Value};

use crate::archive::{Entry, object_file_name, tar_gz};
use crate::template::{TemplateError, Templates, context};
use crate::{Artefact, Release};

/// What keeps an object in the cluster when its release is uninstalled or no longer has it.
const KEEP: (&str, &str) = ("helm.sh/resource-policy", "keep");

/// Files of a chart that are texts: where they stand in it, and their templates.
const TEXTS: [(&str, &str); 5] = [
    ("Chart.yaml", "chart/Chart.yaml"),
    ("README.md", "chart/README.md"),
    ("templates/NOTES.txt", "chart/NOTES.txt"),
    ("values.schema.json", "chart/values.schema.json"),
    ("values.yaml", "chart/values.yaml"),
];

/// What a chart is called: `gateway-api-standard`.
pub fn chart_name(release: &Release, channel: Channel) -> String {
    format!("{}-{channel}", release.name)
}

/// The name of its file: Helm requires name and version.
pub fn file_name(release: &Release, channel: Channel) -> String {
    format!("{}-{}.tgz", chart_name(release, channel), release.plain_version())
}

/// The chart of a channel.
///
/// # Errors
/// One of its templates, or what became of it: a chart with another name or version than the release's would be published
/// under the wrong one. And that Helm could not store what it installs.
pub fn chart(
    release: &Release,
    channel: Channel,
    safe_upgrades: &[Value],
    guardrails: &[Value],
    templates: &Templates,
) -> Result<Artefact, TemplateError> {
    let entries = entries(release, channel, safe_upgrades, guardrails, templates)?;
    let name = file_name(release, channel);
    let bytes = tar_gz(&entries, release.released).map_err(|refused| refused.of(&name))?;
    if let Some(size) = stored::too_large(&entries, bytes.len()) {
        let crds = release.channel(channel).len();
        let number = count(crds, "CRD");
        let message = format!(
            "{name} would be too large for Helm: what Helm keeps of an installed chart would have about {size} bytes for {number}, and it keeps \
             that in a Secret, which Kubernetes gives 1 MiB. A chart may have {} here, since other versions of Helm pack otherwise. Shorten the \
             descriptions of the types, or release the CRDs in several bundles",
            LARGEST
        );
        return Err(TemplateError::whole("", message));
    }
    Ok(Artefact { name, bytes })
}

/// About how many bytes Helm stores of a release of that chart, with all of its policies switched on.
///
/// # Errors
/// One of its templates.
pub fn stored_size(
    release: &Release,
    channel: Channel,
    safe_upgrades: &[Value],
    guardrails: &[Value],
    templates: &Templates,
) -> Result<usize, TemplateError> {
    Ok(stored::size(&entries(release, channel, safe_upgrades, guardrails, templates)?))
}

/// So many bytes Helm stores at most, with room for other versions of it.
pub const LARGEST: usize = stored::LARGEST;

/// About how many bytes Helm stores of a release of a chart that has only these CRDs.
pub fn stored_crds(crds: &[CustomResourceDefinition]) -> usize {
    stored::size(&crds.iter().map(|crd| template("crds", &crd_bundle::file_name(crd), crd)).collect::<Vec<_>>())
}

/// The file of a CRD in a chart.
fn template(chart: &str, name: &str, crd: &CustomResourceDefinition) -> Entry {
    Entry::new(format!("{chart}/templates/{name}"), format!("{}\n", manifest(crd.to_value())))
}

/// The files of a chart.
fn entries(
    release: &Release,
    channel: Channel,
    safe_upgrades: &[Value],
    guardrails: &[Value],
    templates: &Templates,
) -> Result<Vec<Entry>, TemplateError> {
    let name = chart_name(release, channel);
    let mut context = context::channel(release, channel);
    context::add(&mut context, "chart", name.as_str().into());
    context::add(&mut context, "safe_upgrades", context::objects(safe_upgrades));
    context::add(&mut context, "guardrails", context::objects(guardrails));

    let mut entries = Vec::new();
    for (path, template) in TEXTS {
        let text = templates.render(template, &context)?;
        checked(template, &text, release, &name).map_err(|message| TemplateError::whole(template, message))?;
        entries.push(Entry::new(format!("{name}/{path}"), text));
    }
    entries.extend(release.channel(channel).iter().map(|file| template(&name, &file.name, &file.crd)));
    for (folder, value, objects) in
        [("safe-upgrades", "safeUpgrades", safe_upgrades), ("guardrails", "guardrails", guardrails)]
    {
        for object in objects {
            let manifest = manifest(object.clone());
            let text = format!("{{{{- if .Values.{value}.enabled }}}}\n{manifest}\n{{{{- end }}}}\n");
            entries.push(Entry::new(format!("{name}/templates/{folder}/{}", object_file_name(object)), text));
        }
    }
    Ok(entries)
}

/// An object as a template that Helm renders into just that object, which it then keeps.
fn manifest(mut object: Value) -> String {
    keep(&mut object);
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    send_value(&object, &mut writer);
    plain_text(&writer.finish())
}

fn keep(object: &mut Value) {
    let mut place = object;
    for key in ["metadata", "annotations"] {
        let Value::Object(map) = place else { return };
        place = map.entry(key).or_insert_with(|| Value::Object(Map::new()));
    }
    if let Value::Object(annotations) = place {
        annotations.insert(KEEP.0.to_owned(), KEEP.1.into());
    }
}

/// JSON in which a template engine finds nothing to do and a YAML reader finds what a JSON reader finds.
///
/// Two braces open an action of Go's templates, and JSON has them inside strings only: the second is written as its JSON escape, so
/// that rendering leaves every byte as it is, once or twice. (What closes an action is plain text outside of one.) Of the
/// characters that JSON may hold as they are, YAML reads some as line breaks and refuses some: these are escaped too. And the first line
/// is a short one: `helm lint` reads at most 64 KiB to find it.
fn plain_text(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 64 + 2);
    let mut last = '\0';
    for character in json.chars() {
        match character {
            '{' if last == '{' => text.push_str("\\u007b"),
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => text.push(other),
        }
        last = character;
    }
    if text.starts_with("{\"") {
        text.insert(1, '\n');
    }
    text
}

/// What is wrong with a text of a chart, if its template could have made it wrong.
fn checked(template: &str, text: &str, release: &Release, name: &str) -> Result<(), String> {
    match template {
        "chart/Chart.yaml" => {
            let chart = document(text)?;
            let expected = [
                ("apiVersion", "v2".to_owned()),
                ("name", name.to_owned()),
                ("version", release.plain_version()),
                ("appVersion", release.version.to_string()),
            ];
            for (key, value) in expected {
                if chart.get(key).and_then(Value::as_str) != Some(&value) {
                    let is = chart.get(key).map_or("nothing".to_owned(), |is| format!("`{is}`"));
                    return Err(format!("has {is} for `{key}`, but this release has `{value}`: write that"));
                }
            }
        }
        "chart/values.yaml" => {
            let values = document(text)?;
            for key in ["safeUpgrades", "guardrails"] {
                if !values.get(key).and_then(|value| value.get("enabled")).is_some_and(Value::is_boolean) {
                    return Err(format!(
                        "has no `{key}.enabled` that is `true` or `false`, and the chart asks for it: add it"
                    ));
                }
            }
        }
        "chart/values.schema.json" => {
            serde_json::from_str::<Value>(text)
                .map_err(|error| format!("renders to invalid JSON: {error}: fix the template"))?;
        }
        _ => {}
    }
    Ok(())
}

/// The one document of a YAML text.
fn document(text: &str) -> Result<Value, String> {
    let mut documents =
        yaml::read(text).map_err(|error| format!("renders to invalid YAML: {error}: fix the template"))?;
    match (documents.pop(), documents.is_empty()) {
        (Some(document), true) => Ok(document),
        _ => Err("renders to no or several YAML documents: write exactly one".to_owned()),
    }
}
