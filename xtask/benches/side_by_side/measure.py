#!/usr/bin/env python3
"""Measures CRD channels side by side with controller-gen, crdify and kubectl-validate, and writes docs/evidence/benchmarks.md.

    python3 xtask/benches/side_by_side/measure.py                      # prints the page, all sections
    python3 xtask/benches/side_by_side/measure.py --only speed         # prints one section
    python3 xtask/benches/side_by_side/measure.py --base 5203069       # measures an older commit of this repository too
    python3 xtask/benches/side_by_side/measure.py --only steps         # what `cargo bench` measures
    python3 xtask/benches/side_by_side/measure.py --write              # writes docs/evidence/benchmarks.md

Everything of a section is measured in one run on one machine. The programs take turns, so that a busy moment hits all of them. `--write` replaces
the sections that were measured and keeps the rest of the page. Nothing outside a temporary folder and the page is changed. Go's module cache
and cargo's registry are used, and filled where something is missing, before the clock starts.
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGE = ROOT / "docs" / "evidence" / "benchmarks.md"

# The releases whose published files are compared, and the packages that controller-gen reads.
OLD, NEW = "v1.6.3", "v1.7.0"
# The bundle that is released: that after the last one.
NEXT = "v1.7.1"
GATEWAY_API = "sigs.k8s.io/gateway-api"
CONTROLLER_GEN = "sigs.k8s.io/controller-tools/cmd/controller-gen"
CRDIFY = "sigs.k8s.io/crdify"
KUBECTL_VALIDATE = "sigs.k8s.io/kubectl-validate"
PACKAGES = ["crd", f"paths={GATEWAY_API}/apis/...", f"paths={GATEWAY_API}/apisx/..."]
# The edit: the bound of `spec.hostnames`, the first field of HTTPRoute with this marker in both sources.
MARKER = "+kubebuilder:validation:MaxItems="
HTTP_ROUTE = "gateway.networking.k8s.io_httproutes.yaml"


def run(*command, cwd=ROOT, env=None, codes=(0,), quiet=True):
    """Runs a command; returns what it prints. Fails with all of its output."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        text=True,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
    )
    if done.returncode not in codes:
        sys.exit(f"error: `{' '.join(map(str, command))}` in {cwd} ended with {done.returncode}\n{done.stdout or ''}")
    return done.stdout


def seconds(command, cwd, env, codes=(0,)):
    """How long a command runs, output discarded."""
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    elapsed = time.perf_counter() - start
    if done.returncode not in codes:
        sys.exit(f"error: `{' '.join(map(str, command))}` in {cwd} ended with {done.returncode}\n{done.stderr.decode()}")
    return elapsed


def medians(work, runs, warmups):
    """The median of each measurement of `work`, a dict of functions that return seconds. They take turns."""
    taken = {name: [] for name in work}
    for turn in range(warmups + runs):
        for name, measure in work.items():
            elapsed = measure()
            if turn >= warmups:
                taken[name].append(elapsed)
    return {name: statistics.median(times) for name, times in taken.items()}


def shown(value):
    """Seconds with three digits."""
    if value is None:
        return "not measured"
    if value >= 9.995:
        return f"{value:.1f} s"
    if value >= 0.9995:
        return f"{value:.2f} s"
    return f"{value * 1e3:.{1 if value < 0.0995 else 0}f} ms"


def times(theirs, ours):
    return "" if theirs is None or ours is None else f"{theirs / ours:.1f} ×"


def edit(source):
    """Changes the bound in a source file to a value that it did not have; returns the new bound."""
    text = source.read_text()
    bound = re.search(re.escape(MARKER) + r"(\d+)", text)
    new = "17" if bound[1] == "16" else "16"
    source.write_text(text[: bound.start(1)] + new + text[bound.end(1) :])
    return new


def expect(crd, bound):
    """Fails if a measured run did not write the changed bound: then something else was measured."""
    hostnames = crd.read_text().split(" hostnames:\n", 1)[1]
    if re.search(r" maxItems: (\d+)\n", hostnames)[1] != bound:
        sys.exit(f"error: {crd} does not have the changed marker")


class GoTools:
    """The tools that are written in Go, and why one of them is not measured."""

    def __init__(self, work):
        self.work = work
        self.env = dict(os.environ, GOFLAGS="-mod=readonly", GOWORK="off", GOTOOLCHAIN="auto")
        self.missing = None
        self.bin = work / "bin"
        self.bin.mkdir()
        self.module = work / "controller-gen"
        try:
            # The module of this folder, and one whose copy of Gateway API can be edited.
            for file in ["go.mod", "go.sum"]:
                (self.module).mkdir(exist_ok=True)
                shutil.copy(HERE / file, self.module / file)
            self.published = {version: self.folder(version) / "config" / "crd" for version in [OLD, NEW]}
            self.go("mod", "download", cwd=HERE)
            self.go("build", "-o", self.bin / "controller-gen", CONTROLLER_GEN, cwd=HERE)
            self.go("build", "-o", self.bin / "annotation", "./annotation", cwd=HERE)
            self.go("build", "-o", self.bin / "crdify", CRDIFY, cwd=HERE / "crdify")
            self.go("build", "-o", self.bin / "kubectl-validate", KUBECTL_VALIDATE, cwd=HERE / "kubectl-validate")
            self.examples = self.folder(NEW) / "examples" / "standard"
            copy = self.module / "gateway-api"
            shutil.copytree(self.folder(NEW), copy, ignore=shutil.ignore_patterns("site*", "geps"))
            run("chmod", "-R", "u+w", copy)
            self.go("mod", "edit", f"-replace={GATEWAY_API}=./gateway-api", cwd=self.module)
            self.source = copy / "apis" / "v1" / "httproute_types.go"
        except (OSError, RuntimeError) as error:
            self.missing = str(error)

    def go(self, *arguments, cwd):
        done = subprocess.run(["go", *map(str, arguments)], cwd=cwd, env=self.env, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"`go {' '.join(map(str, arguments))}`: {done.stderr.strip().splitlines()[-1:]}")
        return done.stdout

    def folder(self, version):
        printed = self.go("mod", "download", "-json", f"{GATEWAY_API}@{version}", cwd=HERE)
        return pathlib.Path(re.search(r'"Dir": "([^"]+)"', printed)[1])


class Tree:
    """A clone of this repository at one commit, with its built programs."""

    def __init__(self, work, name, commit):
        self.name, self.folder = name, work / name
        run("git", "clone", "--quiet", ROOT, self.folder)
        run("git", "checkout", "--quiet", commit, cwd=self.folder)
        # Each clone builds below itself, also where the user has one folder for all targets.
        self.env = {key: value for key, value in os.environ.items() if key not in ("CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR")}
        run("cargo", "fetch", "--quiet", "--locked", cwd=self.folder)
        self.env["CARGO_NET_OFFLINE"] = "true"
        self.commit = run("git", "rev-parse", "--short", "HEAD", cwd=self.folder).strip()
        self.source = self.folder / "api-types" / "src" / "v1" / "http_route.rs"
        self.generator, self.full = work / f"{name}-xtask", work / f"{name}-xtask-bundles"

    def build(self):
        # Older commits publish what `--release` builds.
        profile = "published" if "[profile.published]" in (self.folder / "Cargo.toml").read_text() else "release"
        # Older commits have one package with a feature.
        is_split = (self.folder / "xtask" / "generator").exists()
        for program, package, features in [(self.generator, "xtask-generator" if is_split else "xtask", []), (self.full, "xtask", [] if is_split else ["--features", "bundles"])]:
            run("cargo", "build", "--quiet", "--profile", profile, "--package", package, *features, cwd=self.folder, env=self.env)
            shutil.copy(self.folder / "target" / profile / package, program)

    def edit(self):
        bound = edit(self.source)
        elapsed = seconds(["cargo", "xtask", "generate"], self.folder, self.env)
        expect(self.folder / "bundles" / "unreleased" / "standard" / HTTP_ROUTE, bound)
        return elapsed

    def edit_alone(self):
        """The same edit with the built program, which reads source."""
        bound = edit(self.source)
        elapsed = seconds([self.generator, "generate"], self.folder, self.env)
        expect(self.folder / "bundles" / "unreleased" / "standard" / HTTP_ROUTE, bound)
        return elapsed

    def cargo(self):
        """What cargo takes to find that nothing has to be built, and to start the program."""
        return seconds(["cargo", "xtask", "--version"], self.folder, self.env)

    def watch(self):
        """From a save to the written CRDs, with a program that watches. The first run, which is not measured, ends with a line."""
        command = [self.full, "generate", "--watch"]
        with subprocess.Popen(command, cwd=self.folder, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as watch:
            self.lines(watch, "watching for the next save")
            # Findings of `check` are searched after the line.
            time.sleep(2)
            written = self.folder / "bundles" / "unreleased" / "standard" / HTTP_ROUTE
            before, start = written.stat().st_mtime_ns, time.perf_counter()
            bound = edit(self.source)
            while written.stat().st_mtime_ns == before:
                time.sleep(0.0005)
                if time.perf_counter() - start > 10:
                    sys.exit("error: `generate --watch` did not write the CRDs within 10 s")
            elapsed = time.perf_counter() - start
            watch.terminate()
        expect(written, bound)
        return elapsed

    @staticmethod
    def lines(process, last):
        for line in process.stderr:
            if last in line:
                return
        sys.exit(f"error: the program ended before it printed `{last}`")

    def write(self, out, *flags):
        shutil.rmtree(out, ignore_errors=True)
        return seconds([self.generator, "generate", *flags, "--out", out], self.folder, self.env)

    def clean(self, work):
        clone = work / "clean"
        shutil.rmtree(clone, ignore_errors=True)
        run("git", "clone", "--quiet", self.folder, clone)
        return seconds(["cargo", "xtask", "generate"], clone, self.env)

    def diff(self, old, new):
        return seconds([self.full, "diff", old, new], self.folder, self.env, codes=(0, 1))

    def validate(self, examples, crds):
        return seconds([self.full, "validate", examples, "--crds", crds], self.folder, self.env)

    def release(self, work):
        """A release in a fresh repository, of the bundle after the last one."""
        clone = work / f"{self.name}-release"
        if not clone.exists():
            run("git", "clone", "--quiet", self.folder, clone)
            # Waivers are for one bundle.
            run("git", "rm", "--quiet", "bundles/waivers.yaml", cwd=clone)
            settings = clone / "crd-channels.yaml"
            settings.write_text(settings.read_text().replace(f"version: {NEW}", f"version: {NEXT}"))
            for arguments in [["generate"], ["graduate", "--write"]]:
                run(self.full, *arguments, cwd=clone, env=self.env)
            author = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"]
            run("git", *author, "commit", "--quiet", "--all", "--message", f"Prepare {NEXT}", cwd=clone)
        for made in [clone / "bundles" / NEXT, clone / "dist"]:
            shutil.rmtree(made, ignore_errors=True)
        return seconds([self.full, "release", NEXT], clone, self.env)


def speed(options, work):
    go = GoTools(work)
    here = Tree(work, "here", "HEAD")
    trees = [here] + ([Tree(work, "base", options.base)] if options.base else [])
    for tree in trees:
        tree.build()
        tree.edit()
    rows = []

    def row(what, ours, tool, other_tool, theirs, runs, warmups, of=trees):
        """Measures a row: `ours` is called with each tree, `theirs` without arguments."""
        measured = {tree.name: (lambda tree=tree: ours(tree)) for tree in of}
        if theirs and not go.missing:
            measured["theirs"] = theirs
        print(f"measuring: {what}", file=sys.stderr, flush=True)
        found = medians(measured, runs, warmups)
        rows.append((what, tool, other_tool, runs, found))

    runs = options.runs
    out = work / "out"

    def edited():
        bound = edit(go.source)
        shutil.rmtree(out, ignore_errors=True)
        command = ["go", "tool", "controller-gen", *PACKAGES, f"output:crd:dir={out}"]
        elapsed = seconds(command, go.module, go.env)
        expect(out / HTTP_ROUTE, bound)
        return elapsed

    def edited_alone():
        bound = edit(go.source)
        shutil.rmtree(out, ignore_errors=True)
        elapsed = seconds([go.bin / "controller-gen", *PACKAGES, f"output:crd:dir={out}"], go.module, go.env)
        expect(out / HTTP_ROUTE, bound)
        return elapsed

    def written():
        shutil.rmtree(out, ignore_errors=True)
        return seconds([go.bin / "controller-gen", *PACKAGES, f"output:crd:dir={out}"], HERE, go.env)

    def cleaned():
        cache = work / "go-cache"
        shutil.rmtree(cache, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)
        command = ["go", "tool", "controller-gen", *PACKAGES, f"output:crd:dir={out}"]
        return seconds(command, HERE, dict(go.env, GOCACHE=str(cache)))

    def crdify():
        start = time.perf_counter()
        for channel in ["standard", "experimental"]:
            for file in sorted((go.published[OLD] / channel).glob("gateway*.yaml")):
                new = go.published[NEW] / channel / file.name
                if "_vap_" not in file.name and new.exists():
                    seconds([go.bin / "crdify", f"file://{file}", f"file://{new}"], HERE, go.env, codes=(0, 1))
        return time.perf_counter() - start

    generator = "controller-gen v0.23"
    row("change one marker of HTTPRoute → CRDs, built", Tree.edit_alone, "`xtask-generator generate`", f"{generator}, built", edited_alone, 2 * runs, 3, of=[here])
    row("the same through cargo", Tree.edit, "`cargo xtask generate`, development build", f"{generator}, built", edited_alone, runs, 2)
    row("the same, both through their build tools", Tree.edit, "`cargo xtask generate`, development build", f"{generator}, `go tool controller-gen`", edited, runs, 2)
    row("cargo's own share of it", Tree.cargo, "`cargo xtask --version`", "", None, runs, 2, of=[here])
    row("from a save to the CRDs", Tree.watch, "`xtask generate --watch`", "", None, 5, 1, of=[here])
    row("write all CRDs into an empty folder, built", lambda tree: tree.write(out, "--no-read-back"), "`xtask generate --no-read-back --out DIR`", f"{generator}, built", written, 2 * runs, 3)
    row("the same, all files read back by an independent YAML reader", lambda tree: tree.write(out), "`xtask generate --out DIR`", "", None, 2 * runs, 3)
    row("clean clone → CRDs, dependencies downloaded", lambda tree: tree.clean(work), "`cargo xtask generate`", f"{generator}, empty build cache, `go tool controller-gen`", cleaned, options.clean_runs, 0)
    if not go.missing:
        old, new = go.published[OLD], go.published[NEW]
        row(f"compare the published {OLD} with {NEW}, both channels", lambda tree: tree.diff(old, new), f"`xtask diff {OLD} {NEW}`", "crdify v0.6.0, one process per file", crdify, runs, 1)
        # kubectl-validate reads every file of the folder as a CRD.
        crds = work / "crds"
        crds.mkdir()
        for file in (go.published[NEW] / "standard").glob("gateway*.yaml"):
            if "_vap_" not in file.name:
                shutil.copy(file, crds)
        kubectl = [go.bin / "kubectl-validate", go.examples, "--local-crds", crds]
        row("validate the examples of Gateway API, standard, on five minors", lambda tree: tree.validate(go.examples, crds), "`xtask validate EXAMPLES --crds CRDS`", "kubectl-validate v0.0.4, on one minor", lambda: seconds(kubectl, HERE, go.env), runs, 1, of=[here])
    row(f"release {NEXT} with all artefacts, synced to the disk", lambda tree: tree.release(work), f"`xtask release {NEXT}`", "", None, runs, 1)

    lines = [
        "| work | here | how | other tool | how | ratio | runs |",
        "|---|---|---|---|---|---|---|",
    ]
    for what, tool, other_tool, count, found in rows:
        ours, theirs = found["here"], found.get("theirs")
        other = f"{shown(theirs)} | {other_tool} | {times(theirs, ours)}" if other_tool else "| | "
        lines.append(f"| {what} | {shown(ours)} | {tool} | {other} | {count} |")
    lines += ["", f"controller-gen writes one set of CRDs (13 files). CRD channels writes both channels (23 files). Medians; programs take turns."]
    if go.missing:
        lines += ["", f"The other tools are not measured: {go.missing}"]
    if options.base:
        base = trees[1]
        lines += ["", f"The same run, compared with commit {base.commit} of this repository:", "", f"| work | {base.commit} | {here.commit} | faster |", "|---|---|---|---|"]
        lines += [f"| {what} | {shown(found['base'])} | {shown(found['here'])} | {times(found['base'], found['here'])} |" for what, _, _, _, found in rows if "base" in found]
    return "Speed, side by side", lines


def growth(options, work):
    run("cargo", "build", "--quiet", "--release", "--package", "xtask", "--example", "scaling")
    target = re.search(r'"target_directory":"([^"]+)"', run("cargo", "metadata", "--format-version", "1", "--no-deps"))[1]
    lines = ["| resources, in two channels | per resource | peak memory above 4 MiB | command |", "|---|---|---|---|"]
    for count in [10, 100, 1000]:
        best, memory = None, ""
        for _ in range(3):
            printed = run(f"{target}/release/examples/scaling", str(count))
            took = float(re.search(r"([\d.]+) us per resource", printed)[1])
            if best is None or took < best:
                best, memory = took, re.search(r"= ([\d.]+) x output", printed)[1]
        lines.append(f"| {count:,} | {shown(best / 1e6)} | {memory} × the output | `cargo run --release -p xtask --example scaling -- {count}`, best of 3 |")
    return "Growth", lines


def steps(options, work):
    """The steps that criterion measures. Its output has the name before the time, or in the line before it."""
    lines = ["| step | time | command |", "|---|---|---|"]
    for bench in ["objects", "diff"]:
        command = f"cargo bench -p crd-benches --bench {bench}"
        print(f"running: {command}", file=sys.stderr, flush=True)
        printed = run("bash", "-c", f"set -o pipefail; {command} 2>&1")
        found = re.findall(r"^(\S.*?)\s+time:\s+\[\S+ \S+ (\S+ \S+) ", printed, re.MULTILINE)
        if not found:
            sys.exit(f"error: `{command}` prints no times\n{printed[-2000:]}")
        lines += [f"| {name} | {time} | `{command}` |" for name, time in found]
    return "Single steps", lines


def size(options, work):
    lines = [
        "What `kubectl apply` writes into an annotation: the CRD as compact JSON. Kubernetes limits the annotations of an object to 262,144 bytes.",
        "",
        "| experimental HTTPRoute of v1.7.0 | bytes | command |",
        "|---|---|---|",
    ]
    go = GoTools(work)
    if go.missing:
        lines.append(f"| with its descriptions | not measured: {go.missing} | |")
    else:
        for whose, folder in [("Gateway API publishes", go.published[NEW]), ("CRD channels writes", ROOT / "bundles" / NEW)]:
            printed = run(go.bin / "annotation", folder / "experimental" / HTTP_ROUTE)
            lines.append(f"| as {whose} it | {int(printed):,} | `go run ./annotation FILE` in `xtask/benches/side_by_side` |")
    for figure in [row for row in EVIDENCE if row[0] == "size"]:
        lines.append(evidence_row(figure))
    lines += ["", "The structure is equal, so the difference comes from shorter descriptions only."]
    return "Size of the annotation", lines


# Where a figure belongs, what it is, the command that prints it, and the pattern that finds it in the output (`{0}`, `{1}`: its groups).
EVIDENCE = [
    ("size", "without text", "cargo test -p xtask --test tests structure -- --show-output", r"HTTPRoute without text: (\d+) bytes here, (\d+) bytes published", "{0} here, {1} published"),
    ("tests", "paths that differ from Gateway API's CRDs, text aside", "cargo test -p xtask --test tests structure -- --show-output", r"(\d+) paths differ in (\d+) CRDs", "{0} in {1} CRDs"),
    ("tests", "marker effects that differ from controller-gen v0.21", "cargo test -p crd-generate --test tests marker_effects -- --show-output", r"(\d+) of (\d+) effects differ", "{0} of {1}"),
    ("tests", "changes between neighbouring releases of Gateway API that a rule claims", "cargo test -p crd-channels-cli --test tests history -- --show-output", r"(\d+) changes, a rule covers all of them", "{0} of {0}"),
    ("tests", "crates that `cargo xtask generate` compiles", "cargo tree -p xtask -e normal,build --prefix none", None, ""),
    ("proofs", "random pairs of schemas whose direction an object contradicts", "cargo xtask prove branches", r"(\d+) pairs: .*?, (none)\s+contradicts", "{1} of {0}"),
    ("proofs", "system calls before which a release of a small API was killed", "cargo xtask prove writers", r"release: (\d+) kills of", "{0}"),
    ("proofs", "random moments at which it was killed", "cargo xtask prove writers", r"release: (\d+) kills in", "{0}"),
    ("kubernetes", "constraints tried on both sides on a real API server", "cargo test -p crd-testbed --test proofs boundaries -- --show-output", r"(\d+) of (\d+) constraints reached", "{0} of {1}"),
    ("kubernetes", "bytes that Helm stores of the standard release", "cargo test -p crd-testbed --test proofs publishing -- --show-output", r"standard: (\d+) bytes stored", "{0}"),
    ("kubernetes", "bytes that Helm stores of the experimental release with guardrails", "cargo test -p crd-testbed --test proofs publishing -- --show-output", r"experimental: (\d+) bytes stored", "{0}"),
]

# The output of each command, so that a command runs once for all of its figures.
PRINTED = {}


def evidence_row(figure):
    _, what, command, pattern, form = figure
    if command not in PRINTED:
        print(f"running: {command}", file=sys.stderr, flush=True)
        PRINTED[command] = run("bash", "-c", f"set -o pipefail; {command} 2>&1")
    if pattern is None:
        names = {line.split(" ")[0] for line in PRINTED[command].splitlines() if line}
        return f"| {what} | {len(names)} | `{command}`, distinct names |"
    found = re.search(pattern, PRINTED[command])
    if not found:
        sys.exit(f"error: `{command}` does not print {pattern!r}\n{PRINTED[command][-2000:]}")
    groups = [f"{int(group):,}" if group.isdigit() else {"none": "0"}.get(group, group) for group in found.groups()]
    return f"| {what} | {form.format(*groups)} | `{command}` |"


def evidence(kind, title):
    def section(options, work):
        rows = [evidence_row(figure) for figure in EVIDENCE if figure[0] == kind]
        return title, ["| what | figure | command |", "|---|---|---|", *rows]

    return section


SECTIONS = {
    "speed": speed,
    "steps": steps,
    "growth": growth,
    "size": size,
    "tests": evidence("tests", "Evidence"),
    "proofs": evidence("proofs", "Proofs"),
    "kubernetes": evidence("kubernetes", "Evidence from real API servers"),
}


def machine():
    def first(*command):
        try:
            return run(*command).splitlines()[0]
        except (OSError, IndexError):
            return f"no {command[0]}"

    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()) if os.path.exists("/proc/cpuinfo") else None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    rust = first("rustc", "--version").split(" (")[0]
    go = first("go", "version").removeprefix("go version ").split(" ")[0]
    return f"{cores} cores ({model[1] if model else platform.machine()}), {platform.system()} {platform.release()}, {rust}, {go}"


HEADER = """# Benchmarks

Generated by `python3 xtask/benches/side_by_side/measure.py --write`. Do not edit.

The script measures CRD channels and tools that anyone can install in one run on one machine: controller-gen v0.23 over the packages of
`sigs.k8s.io/gateway-api` v1.7.0, crdify v0.6.0, and kubectl-validate v0.0.4. It needs Python 3.9, git, Rust and Go. Where Go or a module is missing, the page contains the reason
instead of a number. Compare ratios, because seconds differ between machines. `cargo bench -p crd-benches` measures the single steps.
"""


def sections_of(page):
    """The sections of the page by title."""
    parts = re.split(r"^## (.*)\n", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], (part.strip("\n") for part in parts[2::2])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="writes docs/evidence/benchmarks.md instead of printing")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measures this section only; may be repeated")
    parser.add_argument("--base", metavar="COMMIT", help="measures this commit of the repository too")
    parser.add_argument("--runs", type=int, default=20, help="measured runs of each short measurement (20)")
    parser.add_argument("--clean-runs", type=int, default=3, help="measured runs of each clean build (3)")
    options = parser.parse_args()
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5:
        print(f"warning: the machine is busy (load {os.getloadavg()[0]:.1f}); measure on an idle one", file=sys.stderr)
    titles, measured = [], {}
    for name, section in SECTIONS.items():
        with tempfile.TemporaryDirectory(prefix="crd-channels-bench-") as work:
            if options.only and name not in options.only:
                continue
            title, lines = section(options, pathlib.Path(work))
            measured[title] = f"Measured on {machine()}.\n\n" + "\n".join(lines)
    order = ["Speed, side by side", "Single steps", "Growth", "Size of the annotation", "Evidence", "Evidence from real API servers"]
    kept = sections_of(PAGE.read_text()) if PAGE.exists() and options.write else {}
    kept.update(measured)
    page = HEADER + "".join(f"\n## {title}\n\n{kept[title]}\n" for title in order if title in kept)
    if options.write:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page)
    else:
        print(page)


if __name__ == "__main__":
    main()
