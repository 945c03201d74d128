#!/usr/bin/env python3
"""Builds the archives of Gateway API and Karpenter in this folder from the Go modules `sigs.k8s.io/gateway-api` and `sigs.k8s.io/karpenter`.

Usage: rebuild.py [--check]

With --check, nothing is written: the script compares the content of each archive with what it would write, and exits with 1 if they
differ. It needs Go (to download the modules) and PyYAML.
"""

import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import yaml

from archive import compact, remove_text, write

FOLDER = pathlib.Path(__file__).parent
MODULE = "sigs.k8s.io/gateway-api"
VERSIONS = "v0.5.0 v0.6.0 v0.7.0 v0.8.1 v1.0.0 v1.1.0 v1.2.0 v1.3.0 v1.4.0 v1.5.0 v1.6.0 v1.6.1".split()
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
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{ran.stdout}{ran.stderr}")
    return pathlib.Path(json.loads(ran.stdout)["Dir"])


def structure(crd):
    """A CRD without the text of its authors."""
    crd.pop("status", None)
    kind = crd["spec"]["names"]["kind"]
    for version in crd["spec"]["versions"]:
        remove_text(version["schema"]["openAPIV3Schema"])
        for column in version.get("additionalPrinterColumns", []):
            column.pop("description", None)
        if "deprecationWarning" in version:
            # Our words, which keep the fact: what to use instead.
            instead = re.search(r"upgrade to (\w+)|identical (\w+) resource", version["deprecationWarning"])
            version["deprecationWarning"] = f"{kind} {version['name']} is deprecated; use {instead[1] or instead[2]}"
    return crd


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
        rows = re.findall(r'^(?:const|\t+)\s*(\w+)\s+([A-Z]\w+)\s*=\s*"([^"]*)"', text, re.MULTILINE)
        if rows:
            found[package.name] = [{"name": name, "type": kind, "value": value} for name, kind, value in rows]
    return found


def crds(folder):
    """The CRDs in the files of a folder: their names, and their structure."""
    for path in folder.glob("*.yaml"):
        for document in yaml.load_all(path.read_text(), Loader):
            if document.get("kind") == "CustomResourceDefinition":
                yield f"{document['metadata']['name']}.json", compact(structure(document))


def gateway_api(version):
    """The files of an archive of Gateway API by their paths."""
    source = module(MODULE, version)
    files = {}
    for channel in CHANNELS:
        files |= {f"{channel}/{name}": text for name, text in crds(source / "config/crd" / channel)}
    if version == VERSIONS[-1]:
        files["constants.json"] = compact(constants(source))
        for path in source.glob("examples/*/**/*.yaml"):
            files[path.relative_to(source).as_posix()] = without_comments(path.read_text())
    return files


def karpenter():
    """The files of the archive of Karpenter by their paths."""
    files = {}
    for version in KARPENTER_VERSIONS:
        folder = module(KARPENTER, version) / "pkg/apis/crds"
        files |= {f"{version}/{name}": text for name, text in crds(folder)}
    return files


def read(path):
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read().decode() for entry in archive}


def main():
    archives = {f"gateway-api-{version}.tar.gz": gateway_api(version) for version in VERSIONS}
    archives["karpenter.tar.gz"] = karpenter()
    differing = []
    for name, files in archives.items():
        path = FOLDER / name
        if sys.argv[1:] != ["--check"]:
            write(path, files)
        elif read(path) != files:
            differing.append(name)
        print(f"{name}: {len(files)} files")
    if differing:
        sys.exit(f"differ from their modules: {', '.join(differing)}")


main()
