#!/usr/bin/env python3
"""Measures inputs that made loops over pairs slow, each at a size and at twice that size, all below the 3 MiB of a request.

    python3 xtask/benches/large.py            # builds the program, and prints the table
    python3 xtask/benches/large.py PROGRAM    # with this program

Exits with 1 if an input takes more than 5 s of processor time or 1 GiB, or more than 2.5 times as much time at twice the size.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Sorting and caches of the processor add to twice the time; a loop over pairs takes four times as much.
MOST_SECONDS, MOST_MIB, MOST_RATIO = 5.0, 1024, 2.5
# Below this, starting the program decides.
SHORTEST = 0.1
TEXT = {"type": "string"}


def crd(spec, **version):
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
    names = {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
    }


def thing(spec, **metadata):
    metadata = {"name": "a", "namespace": "b", **metadata}
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": metadata, "spec": spec}


def fields(n, schema=TEXT):
    return {f"field{i:05}x": schema for i in range(n)}


def enum(letter, n):
    return crd({"type": "object", "properties": {"e": {"type": "string", "enum": [f"{letter}{i}" for i in range(n)]}}})


def patterns(letter, n):
    """Pairs of them have thousands of states, and texts need many steps."""
    of = lambda i: {"type": "string", "maxLength": 253, "pattern": f"(a|b|x{i})*{letter}(a|b){{13}}$"}
    return crd({"type": "object", "properties": {f"p{i}": of(i) for i in range(n)}})


def unknown_members(n):
    items = {"type": "string", "enum": [f"m{i}" for i in range(n)]}
    schema = {"type": "object", "properties": {"l": {"type": "array", "items": items}}}
    return [crd(schema), thing({"l": [f"x{i}" for i in range(n)]})]


def rules(n):
    validations = [{"rule": f"self.fiald{i:05}y == 'a'"} for i in range(n)]
    return [crd({"type": "object", "properties": fields(n), "x-kubernetes-validations": validations}), thing({})]


def owners(n):
    owner = lambda i: {"apiVersion": "v1", "kind": "A", "name": f"a{i}", "uid": f"u{i}", "controller": True}
    return [crd({"type": "object"}), thing({}, ownerReferences=[owner(i) for i in range(n)])]


def set_of(n):
    schema = {"type": "array", "x-kubernetes-list-type": "set", "items": TEXT}
    return [crd({"type": "object", "properties": {"l": schema}}), thing({"l": [f"m{i % (n // 2)}" for i in range(n)]})]


VALIDATE = ["validate", "1.json", "--crds", "0.json"]
DIFF = ["diff", "0.json", "1.json"]
DOCS = ["docs", "--crds", "0.json=v1.0.0", "1.json=v1.1.0", "--out", "site"]
# What it is, the smaller size, the files of a size, the arguments, and the exit code.
INPUTS = [
    ("unknown names", 4_000, lambda n: [crd({"type": "object", "properties": fields(n)}), thing({f"fiald{i:05}y": "" for i in range(n)})], VALIDATE, 1),
    ("missing required fields", 20_000, lambda n: [crd({"type": "object", "required": list(fields(n)), "properties": fields(n)}), thing({})], VALIDATE, 1),
    ("values outside of a long enum", 20_000, unknown_members, VALIDATE, 1),
    ("repeated items of a set", 50_000, set_of, VALIDATE, 1),
    ("rules with unknown names", 4_000, rules, VALIDATE, 2),
    ("owners", 4_000, owners, VALIDATE, 1),
    ("texts with hard patterns", 400, lambda n: [patterns("a", n), thing({f"p{i}": "ab" * 120 for i in range(n)})], VALIDATE, 0),
    ("members of an enum exchanged", 50_000, lambda n: [enum("v", n), enum("w", n)], DIFF, 1),
    ("hard patterns changed", 400, lambda n: [patterns("a", n), patterns("b", n)], DIFF, 1),
    ("fields exchanged", 8_000, lambda n: [crd({"type": "object", "properties": fields(n)}), crd({"type": "object", "properties": {f"other{i}": TEXT for i in range(n)}})], DIFF, 1),
    ("difference view of exchanged members", 50_000, lambda n: [enum("v", n), enum("w", n)], DOCS, 0),
]


def measured(program, arguments, expected, folder):
    """The seconds of processor time and the MiB of one run."""
    with open(os.devnull, "w") as nothing:
        child = subprocess.Popen([program, *arguments], cwd=folder, stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != expected:
        sys.exit(f"error: {program} {' '.join(arguments)} exits with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    if len(sys.argv) > 1:
        program = os.path.abspath(sys.argv[1])
    else:
        subprocess.run(["cargo", "build", "--quiet", "--release", "--package", "crd-channels-cli"], cwd=ROOT, check=True)
        program = str(ROOT / "target/release/crd-channels")
    missed = False
    print("| input | size | seconds | at twice the size | ratio | MiB |\n|---|---|---|---|---|---|")
    for name, size, files, arguments, expected in INPUTS:
        runs = []
        for n in (size, 2 * size):
            with tempfile.TemporaryDirectory() as folder:
                for number, document in enumerate(files(n)):
                    (pathlib.Path(folder) / f"{number}.json").write_text(json.dumps(document))
                # The fastest of three: a slower one waited for something else.
                runs.append(min(measured(program, arguments, expected, folder) for _ in range(3)))
        (one, _), (two, mib) = runs
        ratio = two / max(one, SHORTEST)
        miss = two > MOST_SECONDS or mib > MOST_MIB or ratio > MOST_RATIO
        missed |= miss
        print(f"| {name} | {size:,} | {one:.2f} | {two:.2f} | {ratio:.1f} | {mib:.0f}{' **missed**' if miss else ''} |", flush=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()
