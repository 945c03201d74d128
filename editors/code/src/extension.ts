// Starts `crd-channels lsp`, and connects it with the editor. What the server answers is in `gen/lsp`.

import { commands, ExtensionContext, window, workspace } from "vscode";
import { ExecuteCommandRequest, LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

const SECTION = "crd-channels";
// The server's own command: the client registers it in the editor, with an address as its argument.
const SHOW_CRDS = "crd-channels.showCrds";

let client: LanguageClient | undefined;

function server(): ServerOptions {
  const settings = workspace.getConfiguration(SECTION);
  const channel = settings.get<string>("channel", "");
  return {
    command: settings.get<string>("path", "crd-channels"),
    args: channel === "" ? ["lsp"] : ["lsp", "--channel", channel],
  };
}

async function start(): Promise<void> {
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "yaml" },
      { scheme: "file", language: "json" },
      { scheme: "file", language: "go" },
      { scheme: "file", language: "rust" },
    ],
  };
  client = new LanguageClient(SECTION, "CRD channels", server(), options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void window.showErrorMessage(`CRD channels does not start: ${String(error)}. The setting crd-channels.path names the program.`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

// Starts and stops follow each other.
let last: Promise<void> = Promise.resolve();

function then(step: () => Promise<void>): Promise<void> {
  last = last.then(step, step);
  return last;
}

async function showCrds(): Promise<void> {
  const document = window.activeTextEditor?.document;
  if (document !== undefined) {
    // The server shows the answer as a message.
    const params = { command: SHOW_CRDS, arguments: [document.uri.toString()] };
    await client?.sendRequest(ExecuteCommandRequest.type, params);
  }
}

export function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("crd-channels.showCrdsOfFile", showCrds),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SECTION)) {
        void then(stop);
        void then(start);
      }
    }),
  );
  return then(start);
}

export function deactivate(): Promise<void> {
  return then(stop);
}
