#!/usr/bin/env python3
"""Builds `projects.tar.gz` from archives of release histories: the CRDs of eight projects.

Usage: projects.py FOLDER

FOLDER contains one `PROJECT.tar.xz` for each project, with `PROJECT/VERSION/…/NAME.json` for each release whose CRDs differ from those of the
release before it. The rule: of each project, the newest release, and the oldest one whose CRDs are all `apiextensions.k8s.io/v1`; without
CRDs that are not structural, which no server accepts. Of OpenShift, the newest release has both channels, and the oldest one standard only.
Texts of the authors are removed.
"""

import json
import pathlib
import re
import sys
import tarfile

from archive import compact, remove_text, write

PROJECTS = "argo-rollouts cert-manager cluster-api ec2-controller external-secrets karpenter openshift-api s3-controller".split()
# CRDs with keywords that Kubernetes does not have.
NOT_STRUCTURAL = ["dnses.operator.openshift.io", "routes.route.openshift.io"]


def structure(crd):
    """A CRD without the text of its authors."""
    crd.pop("status", None)
    for version in crd["spec"]["versions"]:
        remove_text(version["schema"]["openAPIV3Schema"])
        for column in version.get("additionalPrinterColumns", []):
            column.pop("description", None)
        if "deprecationWarning" in version:
            version["deprecationWarning"] = f"{version['name']} is deprecated; use a newer version"
    return crd


def releases(path):
    """The CRDs of each release by their paths."""
    found = {}
    with tarfile.open(path) as archive:
        for entry in archive:
            if entry.isfile():
                _, version, *folders, name = entry.name.split("/")
                found.setdefault(version, {})[(*folders[-1:], name)] = json.load(archive.extractfile(entry))
    return found


def order(version):
    return [int(number) for number in re.findall(r"\d+", version)]


def main():
    files = {}
    for project in PROJECTS:
        found = releases(pathlib.Path(sys.argv[1]) / f"{project}.tar.xz")
        versions = sorted(found, key=order)
        is_v1 = [version for version in versions if all(crd["apiVersion"].endswith("/v1") for crd in found[version].values())]
        for version in [is_v1[0], versions[-1]]:
            for (folder, name), crd in found[version].items():
                if crd["metadata"]["name"] in NOT_STRUCTURAL:
                    continue
                channel = folder if project == "openshift-api" else "standard"
                if channel == "experimental" and version != versions[-1]:
                    continue
                files[f"{project}/{version}/{channel}/{name}"] = compact(structure(crd))
    write(pathlib.Path(__file__).parent / "projects.tar.gz", files)
    print(f"projects.tar.gz: {len(files)} files")


main()
