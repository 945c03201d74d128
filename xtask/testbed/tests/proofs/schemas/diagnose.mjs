// Opens documents in yaml-language-server, as an editor does, and prints its diagnostics.
//
// Usage: node diagnose.mjs SERVER < documents.json
// The input is a list of {"name", "schema", "text"}; the output is a map of names to messages.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const documents = JSON.parse(readFileSync(0, "utf8"));
const server = spawn(process.execPath, [process.argv[2], "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
const uris = new Map(documents.map(({ name }, index) => [`file:///documents/${index}.yaml`, name]));
const messages = {};

const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};

const settings = {
  yaml: {
    validate: true,
    schemaStore: { enable: false },
    kubernetesCRDStore: { enable: false },
    schemas: Object.fromEntries(documents.map(({ schema }) => [
      schema,
      documents.flatMap((other, index) => (other.schema === schema ? [`/documents/${index}.yaml`] : [])),
    ])),
  },
};

const receive = ({ id, method, params, result }) => {
  if (method === "workspace/configuration") {
    send({ id, result: params.items.map(({ section }) => settings[section] ?? {}) });
  } else if (method === "textDocument/publishDiagnostics" && uris.has(params.uri)) {
    messages[uris.get(params.uri)] = params.diagnostics.map(({ message }) => message);
    if (Object.keys(messages).length === documents.length) {
      console.log(JSON.stringify(messages));
      server.kill();
    }
  } else if (method && id !== undefined) {
    send({ id, result: null });
  } else if (id === 1 && result) {
    send({ method: "initialized", params: {} });
    send({ method: "workspace/didChangeConfiguration", params: { settings } });
    documents.forEach(({ text }, index) => {
      const textDocument = { uri: `file:///documents/${index}.yaml`, languageId: "yaml", version: 1, text };
      send({ method: "textDocument/didOpen", params: { textDocument } });
    });
  }
};

let buffer = Buffer.alloc(0);
server.stdout.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const start = end + 4;
    const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
    if (buffer.length < start + length) return;
    const message = JSON.parse(buffer.subarray(start, start + length).toString());
    buffer = buffer.subarray(start + length);
    receive(message);
  }
});

send({ id: 1, method: "initialize", params: {
  processId: process.pid,
  rootUri: null,
  capabilities: { workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } }, textDocument: { publishDiagnostics: {} } },
} });
