//! Install files: everything of a channel in one file for `kubectl apply -f`, also with fewer descriptions, and the files of what is optional:
//! the guardrails, the policies of the catalogue, and the webhook.
//!
//! Invariants: a comment from a template first, which has only comments; then CRDs as the tree has them, byte for byte, sorted
//! by file name; then policies, in their given order (a policy before what binds it).

use crd_model::channel::Channel;
use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter};
use serde_json::Value;

use crate::template::{TemplateError, Templates, context};
use crate::{Artefact, Release, webhook};

/// What the file of the guardrails is called.
pub const GUARDRAILS: &str = "guardrails.yaml";

/// What the install file of a channel is called.
pub fn file_name(channel: Channel) -> String {
    format!("{channel}-install.yaml")
}

/// The CRDs of a channel and the policies that come with them.
///
/// # Errors
/// Its template.
pub fn install(
    release: &Release,
    channel: Channel,
    policies: &[Value],
    templates: &Templates,
) -> Result<Artefact, TemplateError> {
    install_as(file_name(channel), release, channel, policies, templates)
}

/// What the install file of a channel with fewer descriptions is called.
pub fn lean_file_name(channel: Channel) -> String {
    format!("{channel}-lean-install.yaml")
}

/// The same with the CRDs of [`Release::fitted`].
///
/// # Errors
/// Its template.
pub fn lean(
    fitted: &Release,
    channel: Channel,
    policies: &[Value],
    templates: &Templates,
) -> Result<Artefact, TemplateError> {
    install_as(lean_file_name(channel), fitted, channel, policies, templates)
}

/// The install file of this name.
fn install_as(
    name: String,
    release: &Release,
    channel: Channel,
    policies: &[Value],
    templates: &Templates,
) -> Result<Artefact, TemplateError> {
    let mut context = context::channel(release, channel);
    context::add(&mut context, "file", name.as_str().into());
    context::add(&mut context, "policies", context::objects(policies));
    let files = release.channel(channel);
    context::add(&mut context, "client_side", context::client_side(files).into());
    let header = comment(templates, "install/install.yaml", &context)?;
    let mut text = String::with_capacity(header.len() + files.iter().map(|file| file.text.len() + 1).sum::<usize>());
    text.push_str(&header);
    for file in files {
        text.push_str(&file.text);
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(Artefact { name, bytes: documents(text, policies).into_bytes() })
}

/// What the file of the policies of the catalogue is called.
pub const POLICIES: &str = "policies.yaml";

/// What the install file of the webhook for a channel is called.
pub fn webhook_file_name(channel: Channel) -> String {
    format!("{channel}-webhook-install.yaml")
}

/// The webhook for a channel: users apply it in addition to the channel. `objects` are those of [`crate::webhook::objects`].
///
/// # Errors
/// Its template.
pub fn webhook(
    release: &Release,
    channel: Channel,
    objects: &[Value],
    templates: &Templates,
) -> Result<Artefact, TemplateError> {
    let mut context = context::channel(release, channel);
    context::add(&mut context, "install_file", file_name(channel).into());
    context::add(&mut context, "namespace", webhook::namespace(release).into());
    context::add(&mut context, "configuration", webhook::configuration_name(&release.prefix).into());
    optional(webhook_file_name(channel), "install/webhook.yaml", context, objects, templates)
}

/// The policies of the catalogue: users apply them in addition to a channel. `objects` are those of [`crd_bundle::admission::declared::policies`].
///
/// # Errors
/// Its template.
pub fn policies(release: &Release, objects: &[Value], templates: &Templates) -> Result<Artefact, TemplateError> {
    let mut context = context::release(release);
    context::add(&mut context, "policies", context::policies(release));
    optional(POLICIES.to_owned(), "install/policies.yaml", context, objects, templates)
}

/// The guardrails alone: users apply them in addition to a channel.
///
/// # Errors
/// Its template.
pub fn guardrails(release: &Release, policies: &[Value], templates: &Templates) -> Result<Artefact, TemplateError> {
    let mut context = context::release(release);
    context::add(&mut context, "policies", context::objects(policies));
    optional(GUARDRAILS.to_owned(), "install/guardrails.yaml", context, policies, templates)
}

/// A file of objects that users apply in addition to a channel.
fn optional(
    name: String,
    template: &str,
    mut context: Value,
    objects: &[Value],
    templates: &Templates,
) -> Result<Artefact, TemplateError> {
    context::add(&mut context, "file", name.as_str().into());
    let header = comment(templates, template, &context)?;
    Ok(Artefact { name, bytes: documents(header, objects).into_bytes() })
}

/// A text, and these objects behind it as documents.
pub fn documents(mut text: String, objects: &[Value]) -> String {
    for object in objects {
        let mut writer = YamlWriter::append_to(text, Start::Marker);
        send_value(object, &mut writer);
        text = writer.finish();
    }
    text
}

/// Checks a text before the first document: a line other than a comment would become part of what is installed.
fn comment(templates: &Templates, path: &str, context: &Value) -> Result<String, TemplateError> {
    let mut text = templates.render(path, context)?;
    if let Some(line) = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let message = format!(
            "renders the line `{line}`, which is not a comment and would be installed: begin each line with `#`"
        );
        return Err(TemplateError { path: path.to_owned(), line: None, message });
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}
