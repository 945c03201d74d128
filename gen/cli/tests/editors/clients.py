"""The language server with two clients of other projects: pytest-lsp and Neovim.

`CRD_CHANNELS=PROGRAM python3 -m pytest clients.py` runs both. Versions of the clients are in `.ci/steps.bash`. The lines of `docs/editors.md` are the
settings of Neovim. What a client shows is compared with what `validate` prints for the same text.
"""

import json
import os
import pathlib
import subprocess

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

PROGRAM = os.environ["CRD_CHANNELS"]
HERE = pathlib.Path(__file__).parent
PAGE = HERE.parents[3] / "docs/editors.md"

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.home.example.com}
spec:
  group: home.example.com
  names: {kind: Lamp, listKind: LampList, plural: lamps, singular: lamp}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            apiVersion: {type: string}
            kind: {type: string}
            metadata: {type: object}
            spec:
              type: object
              required: [lumens]
              properties:
                lumens: {type: integer, minimum: 1, description: How bright the lamp is.}
                colour: {type: string, enum: [red, green]}
"""

# Characters that need two units of UTF-16, a document that is not YAML, and mistakes on both sides of it.
LAMPS = """\
apiVersion: home.example.com/v1
kind: Lamp
metadata: {name: a}
spec:
  lumens: 0
  colur: red
---
apiVersion: home.example.com/v1
kind: Lamp
spec: [
---
# 😀
apiVersion: home.example.com/v1
kind: Lamp
metadata: {name: b}
spec: {colour: "😀😀", lumen: 3}
"""

SETTINGS = "crd: config/crd\n"


@pytest.fixture
def project(tmp_path):
    """A repository with a CRD, objects, and a folder with settings that have a mistake."""
    files = {"config/crd/lamps.yaml": CRD, "lamps.yaml": LAMPS, "part/crd-channels.yaml": SETTINGS}
    (tmp_path / ".git").mkdir()
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def validated(project, text):
    """Lines, columns, codes and messages that `validate` prints for a text."""
    path = project / "validated.yaml"
    path.write_text(text, encoding="utf-8")
    command = [PROGRAM, "validate", path, "--crds", project / "config/crd", "--format", "json"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)
    path.unlink()
    found = report["errors"] + [finding for checked in report["objects"] for finding in checked["findings"]]
    helped = lambda one: one["message"] + ("\n" + one["help"] if one["help"] else "")
    return sorted((one["line"], one["column"], one["code"], helped(one)) for one in found)


def shown(text, diagnostics):
    """The same for diagnostics with a line, a column in UTF-16 from 0, a code and a message."""
    lines = text.split("\n")
    column = lambda line, unit: len(lines[line].encode("utf-16-le")[: 2 * unit].decode("utf-16-le")) + 1
    return sorted((line + 1, column(line, unit), code, message) for line, unit, code, message in diagnostics)


def of_protocol(text, diagnostics):
    return shown(text, [(one.range.start.line, one.range.start.character, one.code, one.message) for one in diagnostics])


def edited(text, edits):
    """A text after edits on one line each, without characters of two units before them."""
    lines = text.split("\n")
    for edit in edits:
        start, end = edit.range.start, edit.range.end
        line = lines[start.line]
        lines[start.line] = line[: start.character] + edit.new_text + line[end.character :]
    return "\n".join(lines)


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[PROGRAM, "lsp"]))
async def client(lsp_client: LanguageClient):
    params = types.InitializeParams(capabilities=client_capabilities("visual-studio-code"))
    lsp_client.answer = await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_pytest_lsp(client: LanguageClient, project):
    assert client.answer.server_info.name == "crd-channels"
    assert client.answer.capabilities.position_encoding in (None, types.PositionEncodingKind.Utf16)
    uri = (project / "lamps.yaml").as_uri()
    document = types.TextDocumentIdentifier(uri=uri)
    published = "textDocument/publishDiagnostics"

    # A text that is open counts, not that of the file. Then a change makes it that of the file.
    before = LAMPS.replace('"😀😀", lumen: 3', '"😀😀", lumens: 3')
    item = types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=before)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await client.wait_for_notification(published)
    assert of_protocol(before, client.diagnostics[uri]) == validated(project, before)

    line = before.split("\n")[15]
    unit = len(line.split("s: 3")[0].encode("utf-16-le")) // 2
    place = lambda character: types.Position(line=15, character=character)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[
                types.TextDocumentContentChangePartial(range=types.Range(start=place(unit), end=place(unit + 1)), text="")
            ],
        )
    )
    await client.wait_for_notification(published)
    found = of_protocol(LAMPS, client.diagnostics[uri])
    assert found == validated(project, LAMPS)
    assert [code for _, _, code, _ in found] == [
        "object::invalid",
        "object::unknown-field",
        "yaml",
        "object::required",
        "object::unsupported",
        "object::unknown-field",
    ]

    hover = await client.text_document_hover_async(
        types.HoverParams(text_document=document, position=types.Position(line=4, character=4))
    )
    assert "How bright the lamp is." in hover.contents.value

    completion = lambda line, character: client.text_document_completion_async(
        types.CompletionParams(text_document=document, position=types.Position(line=line, character=character))
    )
    assert [item.label for item in await completion(5, 4)] == ["colour"]
    assert [item.label for item in await completion(5, 9)] == []
    # In the quotes, after two characters of two units.
    assert [item.label for item in await completion(15, 20)] == ["red", "green"]

    diagnostic = next(one for one in client.diagnostics[uri] if one.range.start.line == 5)
    [action] = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document, range=diagnostic.range, context=types.CodeActionContext(diagnostics=[diagnostic])
        )
    )
    assert action.kind == types.CodeActionKind.QuickFix
    after = edited(LAMPS, action.edit.changes[uri])
    assert after == LAMPS.replace("colur: red", "colour: red")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=3),
            content_changes=[
                types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)
                for edit in action.edit.changes[uri]
            ],
        )
    )
    await client.wait_for_notification(published)
    assert of_protocol(after, client.diagnostics[uri]) == validated(project, after)

    answer = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="crd-channels.showCrds", arguments=[uri])
    )
    assert "1 CRD: " in answer and "config/crd" in answer
    assert client.messages[-1].message == answer

    settings = (project / "part/crd-channels.yaml").as_uri()
    item = types.TextDocumentItem(uri=settings, language_id="yaml", version=1, text=SETTINGS)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    await client.wait_for_notification(published)
    assert [one.range.start.line for one in client.diagnostics[settings]] == [0]
    assert "`crd`" in client.diagnostics[settings][0].message

    client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document))
    await client.wait_for_notification(published)
    assert list(client.diagnostics[uri]) == []


def test_neovim(project):
    folder = project / "neovim"
    programs = folder / "programs"
    programs.mkdir(parents=True)
    (programs / "crd-channels").symlink_to(PROGRAM)
    lines = PAGE.read_text(encoding="utf-8").split("```lua\n")[1].split("```")[0]
    (folder / "init.lua").write_text(lines, encoding="utf-8")
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", RESULT=str(folder / "result.json"))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        environment[f"XDG_{name}_HOME"] = str(folder / name.lower())
    command = ["nvim", "--headless", "-n", "-i", "NONE", "-u", folder / "init.lua", "-S", HERE / "neovim.lua", "lamps.yaml"]
    ran = subprocess.run(command, cwd=project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))

    for state, text in (("opened", LAMPS), ("fixed", LAMPS.replace("colur: red", "colour: red"))):
        assert result[state]["text"] == text, state
        assert shown(text, result[state]["diagnostics"]) == validated(project, text), state
    typed = result["typed"]["text"]
    assert typed == LAMPS.replace("colur: red", "colour: red").replace('"😀😀"', '"😀😀é"')
    assert shown(typed, result["typed"]["diagnostics"]) == validated(project, typed)
    assert "How bright the lamp is." in result["hover"]
    assert result["completion"] == ["colour:"]
    assert "1 CRD: " in result["crds"] and "config/crd" in result["crds"]
    assert [line for line, *_ in result["settings"]] == [0]
    assert result["closed"] == 0
