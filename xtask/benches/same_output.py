#!/usr/bin/env python3
"""Compares what two builds of the full command line print and write, byte for byte.

    python3 xtask/benches/same_output.py OLD_PROGRAM NEW_PROGRAM [--renamed OLD=NEW …]

Both run in a clone of HEAD, for the flagship (`generate`, `check`, `graduate`, `release`, `docs`, `validate`), the history (`diff` of all
releases in a row) and the corpus (`history` of nine projects, `diff` of the verdict cases). Prints a line for each call that differs, with the
first lines that do; then the number of calls. Exits with 1 if a call differs. With `--renamed`, JSON on stdout is equal if it is so after
members with the old name got the new one, in any order.
"""
import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = sorted(path.name.removesuffix(".tar.xz") for path in (ROOT / "testdata").glob("*.tar.xz"))


def version(text):
    """Releases in order: numbers as numbers."""
    return [int(part) if part.isdigit() else part for part in text.replace("-", ".").lstrip("v").split(".")]


def calls(place):
    """Each call as its name, its arguments, and the folder that it writes."""
    yield "generate", ["generate", "--out", "out"], "out"
    for format in ("text", "json"):
        yield f"check ({format})", ["check", "--verbose", "--format", format], None
        yield f"graduate ({format})", ["graduate", "--format", format], None
        yield f"rules ({format})", ["rules", "--format", format], None
        yield f"markers ({format})", ["markers", "--format", format], None
        yield f"conversions ({format})", ["conversions", "--format", format], None
        for channel in ("standard", "experimental"):
            examples = ["validate", "inputs/examples", "--crds", f"bundles/v1.7.0/{channel}", "--format", format]
            yield f"validate examples, {channel} ({format})", examples, None
    releases = sorted(os.listdir(place / "inputs/gateway-api"), key=version)
    for old, new in zip(releases, releases[1:]):
        pair = [f"inputs/gateway-api/{old}", f"inputs/gateway-api/{new}"]
        yield f"diff {old} {new}", ["diff", *pair, "--format", "json", "--verbose"], None
    for project in CORPUS:
        for format in ("text", "json"):
            yield f"history {project} ({format})", ["history", f"inputs/{project}", "--format", format], None
    for case in sorted(os.listdir(place / "testdata/cases/diff")):
        folder = f"testdata/cases/diff/{case}"
        yield f"diff {case}", ["diff", f"{folder}/old.yaml", f"{folder}/new.yaml", "--channel", "standard"], None
    yield "docs", ["docs", "--out", "out"], "out"
    yield "release", ["release", "v1.7.0", "--date", "2026-01-01"], "dist"


def files(folder):
    """The files below a folder, with their bytes."""
    below = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.exists() else []
    return {str(path.relative_to(folder)): path.read_bytes() for path in below}


def run(program, arguments, place, written):
    """The exit code, the outputs and the written files of a call."""
    environment = {**os.environ, "CARGO_MANIFEST_DIR": str(place / "xtask"), "COLUMNS": "120"}
    # A step that takes long is named on stderr.
    environment["CARGO_TERM_QUIET"] = "true"
    ran = subprocess.run([program, *arguments], cwd=place, capture_output=True, env=environment)
    parts = {"exit code": str(ran.returncode).encode(), "stdout": ran.stdout, "stderr": ran.stderr}
    if written:
        parts |= files(place / written)
        subprocess.run(["rm", "-rf", written], cwd=place, check=True)
    subprocess.run(["git", "checkout", "--quiet", "."], cwd=place, check=True)
    subprocess.run(["git", "clean", "--quiet", "-fd", "--exclude", "inputs", "bundles"], cwd=place, check=True)
    return parts


def document(output, renamed):
    """JSON with its members renamed; none for another output."""
    def members(pairs):
        return {renamed.get(name, name): value for name, value in pairs}

    try:
        return json.loads(output, object_pairs_hook=members)
    except ValueError:
        return None


def unequal(old, new, renamed):
    """The first lines that differ, for each part that does."""
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        if renamed and name == "stdout":
            documents = [document(part, renamed) for part in (before, after)]
            if documents[0] is not None and documents[0] == documents[1]:
                continue
        lines = [(part or b"").decode(errors="replace").splitlines() for part in (before, after)]
        changed = (line for line in difflib.unified_diff(*lines, n=0, lineterm="") if line[:3] not in ("---", "+++"))
        yield f"   {name}: " + "\n      ".join(line[:300] for line, _ in zip(changed, range(6)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("--renamed", metavar="OLD=NEW", action="append", default=[], help="a member with a new name")
    arguments = parser.parse_args()
    renamed = dict(pair.split("=", 1) for pair in arguments.renamed)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, place], check=True)
        for project in CORPUS:
            with tarfile.open(ROOT / f"testdata/{project}.tar.xz") as archive:
                archive.extractall(place / "inputs" / project, filter="data")
        with tarfile.open(ROOT / "testdata/gateway-api-v1.7.0.tar.gz") as archive:
            archive.extractall(place / "inputs", filter="data")
        (place / ".git/info/exclude").write_text("/inputs\n/out\n")
        all_calls, differing = list(calls(place)), 0
        for number, (name, call, written) in enumerate(all_calls, 1):
            if sys.stderr.isatty():
                print(f"\r\033[K{number} of {len(all_calls)}: {name}", end="", file=sys.stderr)
            ran = [run(program, call, place, written) for program in (arguments.old, arguments.new)]
            faults = list(unequal(*ran, renamed))
            if faults:
                differing += 1
                print(f"{name}:", *faults, sep="\n")
        print(f"{len(all_calls)} calls: {len(all_calls) - differing} equal, {differing} different")
        return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
