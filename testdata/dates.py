#!/usr/bin/env python3
"""Writes `dates.tsv`: when the releases in the archives of this folder were made, as the Go modules of the projects state it.

Usage: dates.py

It needs Go. A release whose tag is not a version of a Go module has no date, and OpenShift has branches. The dates of Gateway API are those of
`bundles/history.tar.xz`.
"""

import json
import pathlib
import subprocess
import tarfile

MODULES = {
    "argo-rollouts": ["github.com/argoproj/argo-rollouts"],
    "cert-manager": ["github.com/cert-manager/cert-manager", "github.com/jetstack/cert-manager"],
    "cluster-api": ["sigs.k8s.io/cluster-api"],
    "ec2-controller": ["github.com/aws-controllers-k8s/ec2-controller"],
    "external-secrets": ["github.com/external-secrets/external-secrets"],
    "karpenter": ["sigs.k8s.io/karpenter", "github.com/aws/karpenter-core", "github.com/aws/karpenter"],
    "s3-controller": ["github.com/aws-controllers-k8s/s3-controller"],
}


def date(modules, version):
    for module in modules:
        found = subprocess.run(["go", "list", "-m", "-json", f"{module}@{version}"], capture_output=True, text=True)
        if found.returncode == 0:
            return json.loads(found.stdout)["Time"]
    return None


def gateway_api(archive):
    with tarfile.open(archive) as history:
        releases = json.load(history.extractfile("history.json"))["releases"]
    return [f"gateway-api\t{release['version']}\t{release['released']}\n" for release in releases]


def main():
    folder = pathlib.Path(__file__).parent
    lines = gateway_api(folder.parent / "bundles" / "history.tar.xz")
    for project, modules in MODULES.items():
        with tarfile.open(folder / f"{project}.tar.xz") as archive:
            versions = sorted({entry.name.split("/")[0] for entry in archive if entry.isfile()})
        dates = [(version, date(modules, version)) for version in versions]
        lines += [f"{project}\t{version}\t{found}\n" for version, found in dates if found]
        print(project, len(versions), "releases,", sum(found is None for _, found in dates), "without a date")
    (folder / "dates.tsv").write_text("".join(lines))


main()
