#!/usr/bin/env python3
"""Builds `gateway-api.tar.xz` and `gateway-api-v1.7.0.tar.gz` in this folder from the Go module `sigs.k8s.io/gateway-api`.

Usage: rebuild.py [--check]

With --check, nothing is written: the script compares these archives with their modules, and the CRDs in `karpenter.tar.xz` with those of the
module `sigs.k8s.io/karpenter`. It exits with 1 if they differ. It needs Go (to download the modules) and PyYAML.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from archive import compact, read, structure, write

FOLDER = pathlib.Path(__file__).parent
MODULE = "sigs.k8s.io/gateway-api"
VERSIONS = """
    v0.5.0 v0.5.1 v0.6.0 v0.6.1 v0.6.2 v0.7.0 v0.7.1 v0.8.0 v0.8.1 v1.0.0 v1.1.0 v1.1.1 v1.2.0 v1.2.1 v1.3.0 v1.4.0 v1.4.1 v1.5.0 v1.5.1
    v1.6.0 v1.6.1 v1.6.2 v1.6.3 v1.7.0
""".split()
CHANNELS = ["standard", "experimental"]
KARPENTER = "sigs.k8s.io/karpenter"
KARPENTER_VERSIONS = "v0.33.0 v0.34.0 v0.35.0 v0.36.0 v0.37.0 v1.0.0 v1.12.0 v1.13.0 v1.14.0".split()


class Loader(yaml.CSafeLoader):
    """Reads timestamps as text, as Kubernetes does."""


Loader.yaml_implicit_resolvers = {
    first: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def module(path, version):
    """The folder of a version of a module in Go's module cache."""
    command = ["go", "mod", "download", "-json", f"{path}@{version}"]
    # A module may need a newer Go than the one that is installed.
    environment = {**os.environ, "GOTOOLCHAIN": "auto"}
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{ran.stdout}{ran.stderr}")
    return pathlib.Path(json.loads(ran.stdout)["Dir"])


def without_comments(text):
    """A manifest without comments. Fails if that would change what it says."""
    lines = [re.sub(r"(^|\s+)#.*$", "", line) for line in text.splitlines()]
    bare = "".join(f"{line}\n" for line in lines if line)
    if list(yaml.load_all(bare, Loader)) != list(yaml.load_all(text, Loader)):
        sys.exit(f"not only comments begin with `#`:\n{text}")
    return bare


def constants(module):
    """The typed string constants of each API version: name, type, value."""
    found = {}
    for package in sorted([*module.glob("apis/v*"), *module.glob("apisx/v*")]):
        text = "".join(file.read_text() for file in sorted(package.glob("*.go")) if not file.name.startswith("zz_"))
        rows = re.findall(r'^(?:const|\t+)\s*(\w+)\s+((?:\w+\.)?[A-Z]\w+)\s*=\s*"([^"]*)"', text, re.MULTILINE)
        if rows:
            found[package.name] = [{"name": name, "type": kind, "value": value} for name, kind, value in rows]
    return found


def crds(folder):
    """The CRDs in the files of a folder: their names, and their structure."""
    for path in folder.glob("*.yaml"):
        for document in yaml.load_all(path.read_text(), Loader):
            if document.get("kind") == "CustomResourceDefinition":
                yield f"{document['metadata']['name']}.json", compact(structure(document))


def gateway_api():
    """The CRDs of the releases of Gateway API by their paths."""
    files = {}
    for version in VERSIONS:
        folder = module(MODULE, version) / "config/crd"
        for channel in CHANNELS:
            files |= {f"{version}/{channel}/{name}": text for name, text in crds(folder / channel)}
    return files


def examples_and_constants():
    """The other files of the newest release of Gateway API by their paths."""
    source = module(MODULE, VERSIONS[-1])
    files = {"constants.json": compact(constants(source))}
    for path in [*source.glob("examples/*/**/*.yaml"), *source.glob("hack/invalid-examples/*/**/*.yaml")]:
        files[path.relative_to(source).as_posix().removeprefix("hack/")] = without_comments(path.read_text())
    return files


def karpenter():
    """The CRDs of some releases of Karpenter by their paths."""
    files = {}
    for version in KARPENTER_VERSIONS:
        folder = module(KARPENTER, version) / "pkg/apis/crds"
        files |= {f"{version}/{name}": text for name, text in crds(folder)}
    return files


def main():
    path = FOLDER / f"gateway-api-{VERSIONS[-1]}.tar.gz"
    if sys.argv[1:] != ["--check"]:
        write(path, examples_and_constants())
        write(FOLDER / "gateway-api.tar.xz", gateway_api())
        return
    of_karpenter = read(FOLDER / "karpenter.tar.xz").items()
    compared = {
        path.name: (read(path), examples_and_constants()),
        "gateway-api.tar.xz": (read(FOLDER / "gateway-api.tar.xz"), gateway_api()),
        "karpenter.tar.xz": (
            {path: text for path, text in of_karpenter if path.split("/")[0] in KARPENTER_VERSIONS},
            karpenter(),
        ),
    }
    differing = [name for name, (archived, published) in compared.items() if archived != published]
    for name, (archived, _) in compared.items():
        print(f"{name}: {len(archived)} files compared")
    if differing:
        sys.exit(f"differ from their modules: {', '.join(differing)}")


main()
