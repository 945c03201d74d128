//! The exchange of messages with an editor.
//!
//! Invariants: one thread, messages in their order; of several changes of one text that wait, only the last is checked, and a request that was
//! cancelled while it waited is answered as cancelled. A project's CRDs are read when a text of it is first checked, and again after a change of its
//! files. A project that cannot be read has one message, and everything that needs no CRDs goes on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crd_apiserver::objects::FieldValidation;
use crd_compat::tombstone::Ledger;
use crd_diagnostics::{Diagnostic, Severity};
use crd_model::yaml::TextPosition;
use crd_suite::objects::validation::crds::ReadCrds;
use crd_suite::objects::validation::{Settings, UnknownKinds, Validator};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _, Progress, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    CodeActionRequest, Completion, ExecuteCommand, HoverRequest, Request as _, WorkDoneProgressCreate,
};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability, CompletionItem,
    CompletionItemKind, CompletionOptions, CompletionParams, CompletionTextEdit, DiagnosticSeverity, Documentation,
    ExecuteCommandOptions, ExecuteCommandParams, HoverContents, HoverParams, HoverProviderCapability, InitializeParams,
    MarkupContent, MarkupKind, MessageType, NumberOrString, OneOf, ProgressParams, ProgressParamsValue,
    PublishDiagnosticsParams, Range, SaveOptions, ServerCapabilities, ShowMessageParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, TextEdit, Uri, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkspaceEdit,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::{Value, json};

use crate::completion::completion;
use crate::documents::{Document, Documents, address, path};
use crate::fixes::{Fix, fix};
use crate::hover::hover;
use crate::kinds::Kinds;
use crate::text::Encoding;
use crate::{objects, settings};

/// The command that shows where the CRDs of a file come from.
const SHOW_CRDS: &str = "crd-channels.showCrds";

/// What the server asks the program that serves.
pub trait Program {
    /// The root of the project of a file; its folder without one.
    fn root(&self, file: &Path) -> PathBuf;

    /// The CRDs against which the objects of a project are checked.
    ///
    /// # Errors
    /// Settings and CRDs that cannot be read.
    fn crds(&self, root: &Path) -> Result<ProjectCrds, Vec<Diagnostic>>;

    /// What `check` reports about the types of a project, as its files are saved; nothing without types.
    fn verdicts(&self, root: &Path) -> Vec<Verdict>;
}

/// What `check` reports at a line of a file with types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: Option<usize>,
    pub severity: Severity,
    pub code: String,
    pub message: String,
}

/// The CRDs of a project.
#[derive(Debug, Default)]
pub struct ProjectCrds {
    pub crds: ReadCrds,
    pub ledger: Ledger,
    /// The Kubernetes minors whose answers count (1.x), lowest first.
    pub minors: Vec<u32>,
    /// Where the CRDs come from, and why, in a sentence.
    pub reason: String,
}

/// A project whose CRDs were read.
struct Project {
    validator: Validator,
    kinds: Kinds,
    reason: String,
}

/// Serves an editor until it exits.
///
/// # Errors
/// Messages that are not those of the protocol, and a closed connection.
pub fn serve(connection: &Connection, program: &dyn Program) -> Result<(), String> {
    let (id, params) = connection.initialize_start().map_err(|error| match error.channel_is_disconnected() {
        true => "standard input ended before the request `initialize`; editors start this command".to_owned(),
        false => error.to_string(),
    })?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|error| error.to_string())?;
    let general = params.capabilities.general.as_ref();
    let encoding = Encoding::chosen(general.and_then(|general| general.position_encodings.as_ref()));
    let has_progress =
        params.capabilities.window.as_ref().and_then(|window| window.work_done_progress).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let result = json!({
        "capabilities": capabilities(encoding),
        "serverInfo": {"name": "crd-channels", "version": version},
    });
    connection.initialize_finish(id, result).map_err(|error| error.to_string())?;
    let server = Server {
        connection,
        program,
        encoding,
        has_progress,
        documents: Documents::default(),
        projects: BTreeMap::new(),
        with_verdicts: BTreeMap::new(),
        waiting: VecDeque::new(),
        requests: 0,
    };
    server.run()
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: None })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([" ", "-", "\""].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![SHOW_CRDS.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    }
}

struct Server<'s> {
    connection: &'s Connection,
    program: &'s dyn Program,
    encoding: Encoding,
    has_progress: bool,
    documents: Documents,
    /// By their roots; none for a project that cannot be read.
    projects: BTreeMap<PathBuf, Option<Project>>,
    /// By their roots: the files that show verdicts about their types.
    with_verdicts: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Messages that arrived and are not handled.
    waiting: VecDeque<Message>,
    /// The number of requests to the editor.
    requests: i32,
}

impl Server<'_> {
    fn run(mut self) -> Result<(), String> {
        loop {
            self.waiting.extend(self.connection.receiver.try_iter());
            let message = match self.waiting.pop_front() {
                Some(message) => message,
                None => match self.connection.receiver.recv() {
                    Ok(message) => message,
                    // The editor is gone.
                    Err(_) => return Ok(()),
                },
            };
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                        return Ok(());
                    }
                    self.request(request);
                }
                Message::Notification(notification) => self.notification(notification),
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // If the editor is gone, the next message that is read ends the loop.
        let _ = self.connection.sender.send(message.into());
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if self.is_cancelled(&id) {
            let message = "the request was cancelled".to_owned();
            return self.send(Response::new_err(id, ErrorCode::RequestCanceled as i32, message));
        }
        let answer = match &*method {
            Completion::METHOD => serde_json::from_value(params).map(|params| self.completion(params)),
            HoverRequest::METHOD => serde_json::from_value(params).map(|params| self.hover(params)),
            CodeActionRequest::METHOD => serde_json::from_value(params).map(|params| self.fixes(params)),
            ExecuteCommand::METHOD => serde_json::from_value(params).map(|params| self.execute(params)),
            _ => {
                let message = format!("the server has no method `{method}`");
                return self.send(Response::new_err(id, ErrorCode::MethodNotFound as i32, message));
            }
        };
        self.send(match answer {
            Ok(answer) => Response::new_ok(id, answer),
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
        });
    }

    /// Whether a message that waits cancels a request.
    fn is_cancelled(&mut self, id: &RequestId) -> bool {
        self.waiting.extend(self.connection.receiver.try_iter());
        let expected = serde_json::to_value(id).unwrap_or_default();
        self.waiting.iter().any(|message| match message {
            Message::Notification(notification) => {
                notification.method == Cancel::METHOD && notification.params["id"] == expected
            }
            _ => false,
        })
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        let result = match &*method {
            DidOpenTextDocument::METHOD => {
                serde_json::from_value::<lsp_types::DidOpenTextDocumentParams>(params).map(|params| {
                    let document = params.text_document;
                    let uri = document.uri.clone();
                    self.documents.open(document.uri, document.text, document.version);
                    self.check(&uri);
                    self.judge(&uri, false);
                })
            }
            DidChangeTextDocument::METHOD => {
                serde_json::from_value(params).map(|params: lsp_types::DidChangeTextDocumentParams| {
                    let (uri, version) = (params.text_document.uri, params.text_document.version);
                    if let Some(document) = self.documents.get_mut(&uri) {
                        document.change(params.content_changes, version, self.encoding);
                    }
                    if !self.changes_again(&uri) {
                        self.check(&uri);
                    }
                })
            }
            DidCloseTextDocument::METHOD => {
                serde_json::from_value(params).map(|params: lsp_types::DidCloseTextDocumentParams| {
                    let uri = params.text_document.uri;
                    self.documents.close(&uri);
                    // Verdicts are about saved files: they stay.
                    if !path(&uri).is_some_and(|file| has_types(&file)) {
                        self.publish(&uri, None, Vec::new());
                    }
                })
            }
            DidSaveTextDocument::METHOD => {
                serde_json::from_value(params).map(|params: lsp_types::DidSaveTextDocumentParams| {
                    let uri = params.text_document.uri;
                    self.files_changed(std::slice::from_ref(&uri));
                    self.judge(&uri, true);
                })
            }
            DidChangeWatchedFiles::METHOD => {
                serde_json::from_value(params).map(|params: lsp_types::DidChangeWatchedFilesParams| {
                    let uris = params.changes.into_iter().map(|change| change.uri).collect::<Vec<_>>();
                    self.files_changed(&uris);
                })
            }
            _ => Ok(()),
        };
        if let Err(error) = result {
            self.show(MessageType::ERROR, format!("`{method}`: {error}"));
        }
    }

    /// Whether a message that waits changes the same text.
    fn changes_again(&mut self, uri: &Uri) -> bool {
        self.waiting.extend(self.connection.receiver.try_iter());
        self.waiting.iter().any(|message| match message {
            Message::Notification(notification) => {
                notification.method == DidChangeTextDocument::METHOD
                    && notification.params["textDocument"]["uri"] == uri.as_str()
            }
            _ => false,
        })
    }

    /// Files of projects changed: their CRDs are read again, and their open texts checked again.
    fn files_changed(&mut self, uris: &[Uri]) {
        let roots = uris.iter().filter_map(path).map(|path| self.program.root(&path)).collect::<Vec<_>>();
        self.projects.retain(|root, _| !roots.contains(root));
        for uri in self.documents.addresses() {
            let root = self.documents.get(&uri).map(|document| self.program.root(&document.path));
            if root.is_some_and(|root| roots.contains(&root)) {
                self.check(&uri);
            }
        }
    }

    /// Checks an open text, and shows its diagnostics.
    fn check(&mut self, uri: &Uri) {
        let Some(Document { path, text, version, .. }) = self.documents.get(uri) else { return };
        if has_types(path) {
            return;
        }
        let (path, text, version) = (path.clone(), text.clone(), *version);
        let found = if settings::are_in(&path) {
            settings::diagnostics(&path, &text)
        } else if objects::has_objects(&text) {
            let name = path.display().to_string();
            self.project(&path).map_or_else(Vec::new, |project| objects::diagnostics(&name, &text, &project.validator))
        } else {
            Vec::new()
        };
        let shown = found.iter().map(|diagnostic| shown(diagnostic, &text, self.encoding)).collect();
        if let Some(document) = self.documents.get_mut(uri) {
            document.diagnostics = found;
        }
        self.publish(uri, Some(version), shown);
    }

    /// Shows the verdicts about the types of a file's project, if they are unknown or the file was saved.
    fn judge(&mut self, uri: &Uri, is_saved: bool) {
        let Some(file) = path(uri).filter(|file| has_types(file)) else { return };
        let root = self.program.root(&file);
        if self.with_verdicts.contains_key(&root) && !is_saved {
            return;
        }
        self.progress("Checking the types", true);
        let verdicts = self.program.verdicts(&root);
        self.progress("", false);
        let mut files = BTreeMap::<PathBuf, Vec<lsp_types::Diagnostic>>::new();
        for verdict in &verdicts {
            files.entry(verdict.file.clone()).or_default().push(self.shown_verdict(verdict));
        }
        let before = self.with_verdicts.insert(root, files.keys().cloned().collect()).unwrap_or_default();
        let gone = before.into_iter().filter(|file| !files.contains_key(file)).collect::<Vec<_>>();
        for (file, diagnostics) in files.into_iter().chain(gone.into_iter().map(|file| (file, Vec::new()))) {
            if let Some(uri) = address(&file) {
                self.publish(&uri, None, diagnostics);
            }
        }
    }

    fn shown_verdict(&self, verdict: &Verdict) -> lsp_types::Diagnostic {
        let open = address(&verdict.file).and_then(|uri| self.documents.get(&uri));
        let text = open.map(|document| &*document.text).unwrap_or_default();
        let indent = text.lines().nth(verdict.line - 1).map_or(0, |line| line.len() - line.trim_start().len());
        let column = verdict.column.unwrap_or(indent + 1);
        let place = |column| self.encoding.position(text, TextPosition { line: verdict.line, column });
        lsp_types::Diagnostic {
            range: Range { start: place(column), end: place(usize::MAX) },
            severity: Some(severity(verdict.severity)),
            code: Some(NumberOrString::String(verdict.code.clone())),
            source: Some("crd-channels check".to_owned()),
            message: verdict.message.clone(),
            ..lsp_types::Diagnostic::default()
        }
    }

    fn publish(&self, uri: &Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
        self.send(Notification::new(PublishDiagnostics::METHOD.to_owned(), params));
    }

    /// The project of a file. One message has the reason why it cannot be read.
    fn project(&mut self, file: &Path) -> Option<&Project> {
        let root = self.program.root(file);
        if !self.projects.contains_key(&root) {
            self.progress("Reading the CRDs", true);
            let read = self.program.crds(&root);
            self.progress("", false);
            let project = match read {
                Ok(read) => Some(Project::new(read)),
                Err(errors) => {
                    let more = errors.len().saturating_sub(1);
                    if let Some(first) = errors.first() {
                        let more = if more > 0 { format!(" ({more} more)") } else { String::new() };
                        let text = crd_diagnostics::text::one_line(&first.clone().relative_to(&root));
                        self.show(MessageType::WARNING, format!("objects are not checked: {text}{more}"));
                    }
                    None
                }
            };
            self.projects.insert(root.clone(), project);
        }
        self.projects.get(&root)?.as_ref()
    }

    /// The beginning or the end of long work.
    fn progress(&mut self, title: &str, begins: bool) {
        if !self.has_progress {
            return;
        }
        let token = NumberOrString::String("crd-channels".to_owned());
        let value = if begins {
            self.requests += 1;
            let params = WorkDoneProgressCreateParams { token: token.clone() };
            self.send(Request::new(self.requests.into(), WorkDoneProgressCreate::METHOD.to_owned(), params));
            WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: title.to_owned(),
                ..WorkDoneProgressBegin::default()
            })
        } else {
            WorkDoneProgress::End(WorkDoneProgressEnd { message: None })
        };
        let params = ProgressParams { token, value: ProgressParamsValue::WorkDone(value) };
        self.send(Notification::new(Progress::METHOD.to_owned(), params));
    }

    fn show(&self, kind: MessageType, message: String) {
        self.send(Notification::new(ShowMessage::METHOD.to_owned(), ShowMessageParams { typ: kind, message }));
    }

    /// The text around a position, and the kinds of its project.
    fn at(&mut self, uri: &Uri, position: lsp_types::Position) -> Option<(String, TextPosition, &Kinds)> {
        let document = self.documents.get(uri)?;
        let (text, path) = (document.text.clone(), document.path.clone());
        let place = self.encoding.place(&text, position);
        Some((text, place, &self.project(&path)?.kinds))
    }

    fn completion(&mut self, params: CompletionParams) -> Value {
        let at = params.text_document_position;
        let encoding = self.encoding;
        let Some((text, place, kinds)) = self.at(&at.text_document.uri, at.position) else { return Value::Null };
        let (start, proposals) = completion(&text, place, kinds);
        let start = encoding.position(&text, TextPosition { column: start, ..place });
        let range = Range { start, end: at.position };
        let items = proposals.into_iter().enumerate().map(|(index, proposal)| CompletionItem {
            label: proposal.label,
            kind: Some(if proposal.is_key { CompletionItemKind::FIELD } else { CompletionItemKind::VALUE }),
            detail: Some(proposal.detail).filter(|detail| !detail.is_empty()),
            documentation: Some(proposal.documentation)
                .filter(|text| !text.is_empty())
                .map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })),
            // In the order of the proposals.
            sort_text: Some(format!("{index:04}")),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: proposal.insert })),
            ..CompletionItem::default()
        });
        serde_json::to_value(items.collect::<Vec<_>>()).unwrap_or_default()
    }

    fn hover(&mut self, params: HoverParams) -> Value {
        let at = params.text_document_position_params;
        let encoding = self.encoding;
        let Some((text, place, kinds)) = self.at(&at.text_document.uri, at.position) else { return Value::Null };
        let Some(found) = hover(&text, place, kinds) else { return Value::Null };
        let end = TextPosition { column: found.start.column + found.length, ..found.start };
        let range = Range { start: encoding.position(&text, found.start), end: encoding.position(&text, end) };
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: found.text });
        serde_json::to_value(lsp_types::Hover { contents, range: Some(range) }).unwrap_or_default()
    }

    fn fixes(&mut self, params: CodeActionParams) -> Value {
        let Some(document) = self.documents.get(&params.text_document.uri) else { return Value::Null };
        let (text, encoding) = (&document.text, self.encoding);
        let is_asked =
            |range: &Range| range.start.line <= params.range.end.line && params.range.start.line <= range.end.line;
        let found = document.diagnostics.iter().filter_map(|diagnostic| {
            let shown = shown(diagnostic, text, encoding);
            let Fix { title, line, column, length, text: new_text } = fix(diagnostic, text)?;
            let place = |column| encoding.position(text, TextPosition { line, column });
            let range = Range { start: place(column), end: place(column + length) };
            let edits = vec![TextEdit { range, new_text }];
            is_asked(&shown.range).then(|| {
                // The protocol has a map of addresses.
                json!(CodeAction {
                    title,
                    kind: Some(CodeActionKind::QUICKFIX),
                    edit: Some(WorkspaceEdit::new([(document.uri.clone(), edits)].into())),
                    diagnostics: Some(vec![shown]),
                    is_preferred: Some(true),
                    ..CodeAction::default()
                })
            })
        });
        Value::Array(found.collect())
    }

    fn execute(&mut self, params: ExecuteCommandParams) -> Value {
        let uri = params.arguments.first().and_then(|uri| serde_json::from_value::<Uri>(uri.clone()).ok());
        let Some(file) = uri.as_ref().and_then(path) else { return Value::Null };
        let reason =
            self.project(&file).map_or_else(|| "no CRDs are known".to_owned(), |project| project.reason.clone());
        self.show(MessageType::INFO, reason.clone());
        Value::String(reason)
    }
}

impl Project {
    fn new(read: ProjectCrds) -> Self {
        let ProjectCrds { crds: ReadCrds { crds, unreadable, .. }, ledger, minors, reason } = read;
        let settings = Settings {
            minors,
            fields: FieldValidation::Strict,
            is_status: false,
            namespace: "default".to_owned(),
            unknown_kinds: UnknownKinds::OfKnownGroups,
            keeps_stored: false,
            ledger,
        };
        let kinds = Kinds::new(crds.clone());
        // Without stored objects, there is no error.
        let validator = Validator::new(crds, unreadable, std::iter::empty(), Arc::new(settings), &mut Vec::new());
        Self { validator, kinds, reason }
    }
}

/// Whether a file can have types, by its name.
fn has_types(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "rs" || extension == "go")
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        _ => DiagnosticSeverity::INFORMATION,
    }
}

/// A diagnostic in the protocol, at the range that the command line underlines.
fn shown(diagnostic: &Diagnostic, text: &str, encoding: Encoding) -> lsp_types::Diagnostic {
    let location = &diagnostic.location;
    let line = location.line.unwrap_or(1);
    let whole = text.lines().nth(line - 1).unwrap_or_default();
    let indent = whole.chars().take_while(|character| character.is_whitespace()).count();
    let column = location.column.unwrap_or(indent + 1);
    let rest = whole.trim_end().chars().count().saturating_sub(column - 1);
    let length = location.excerpt.as_ref().map_or(rest, |excerpt| excerpt.length);
    let place = |column| encoding.position(text, TextPosition { line, column });
    let help = diagnostic.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    lsp_types::Diagnostic {
        range: Range { start: place(column), end: place(column + length) },
        severity: Some(severity(diagnostic.severity)),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        source: Some("crd-channels".to_owned()),
        message: format!("{}{help}", diagnostic.message),
        ..lsp_types::Diagnostic::default()
    }
}
