//! `--job`: the manifest of a Job that carries out the plan.
//!
//! Invariant: the pods get the plan that was shown: the CRDs by name, the target, the known releases and the lenses. They need no registry and no files.

use crd_diagnostics::Diagnostic;
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter};
use crd_upgrade::migrate::{FOLDER, Migration, Target};

use super::question::{Job, Question};
use super::target::ReadTarget;
use super::text::{self, Losses};

/// The most bytes of a ConfigMap.
const MOST_BYTES: usize = 1 << 20;

impl Job<'_> {
    /// Prints the manifest, and the plan to stderr. `target` is the target with its prefix.
    ///
    /// # Errors
    /// The files of the pods are too large, or cannot be packed.
    pub(crate) fn print(
        &self,
        migration: &Migration<'_>,
        target: Option<(&Target, &ReadTarget, &str)>,
        losses: &Losses,
        question: &Question<'_>,
        session: &mut Session<'_>,
    ) -> Result<Exit, Vec<Diagnostic>> {
        session.print_err(text::plan(migration, losses, session.width));
        let pending = migration.rows.iter().filter(|row| row.is_pending()).map(|row| row.name.clone());
        let mut arguments = vec!["migrate".to_owned()];
        arguments.extend(pending);
        // A Job that cannot complete the plan is not begun.
        if migration.rows.iter().any(|row| !row.findings.is_empty()) {
            return Ok(Exit::Findings);
        }
        if arguments.len() == 1 {
            return Ok(Exit::Fine);
        }
        let mut files = Vec::new();
        if let Some((target, read, prefix)) = target {
            let packed = read.packed(prefix, &question.known).map_err(|error| unpacked(&error.to_string()))?;
            for (option, file, bytes) in packed {
                arguments.push(format!("--{option}={FOLDER}/{file}"));
                files.push((file, bytes));
            }
            let channel = target.name.rsplit(' ').next().unwrap_or_default();
            arguments.extend([format!("--to-channel={channel}"), format!("--prefix={prefix}")]);
            arguments.extend(target.drops.iter().map(|path| format!("--drop={path}")));
            let flags = [
                (target.looks_for_removed_fields, "--removed-fields"),
                (question.options.deletes, "--delete-replaced"),
            ];
            arguments.extend(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| (*flag).to_owned()));
        }
        let bytes = files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        if bytes > MOST_BYTES {
            let message = format!("they have {bytes} bytes, and a ConfigMap has at most {MOST_BYTES}");
            return Err(unpacked(&message).into());
        }
        let (rate, at_once) = (question.settings.rate, question.settings.at_once);
        arguments.push("--yes".to_owned());
        arguments.push(format!("--shard=index/{}", self.shards));
        arguments.extend([format!("--rate={rate}"), format!("--at-once={at_once}")]);
        let Self { shards, namespace, image } = *self;
        let job = crd_upgrade::migrate::Job { namespace, image, shards, arguments: &arguments, files: &files };
        for object in job.manifest(migration) {
            let mut writer = YamlWriter::new(Start::Marker);
            send_value(&object, &mut writer);
            session.print(writer.finish());
        }
        Ok(Exit::Fine)
    }
}

fn unpacked(message: &str) -> Diagnostic {
    Diagnostic::error("usage::job", format!("the bundle and the releases cannot be given to pods: {message}"))
        .help("name fewer `--releases`, or run `migrate --shard I/N` where the files are")
}
