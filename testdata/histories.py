#!/usr/bin/env python3
"""Builds the archives `PROJECT.tar.xz` in this folder: the release histories of eight projects; `rebuild.py` builds that of Gateway API.

Usage: histories.py FOLDER

FOLDER contains one `PROJECT.tar.xz` for each project, with `PROJECT/VERSION/…/NAME.json` for each stable release whose CRDs differ from those
of the release before it. Texts of the authors are removed. Folders other than those of channels are left out.
"""

import json
import pathlib
import sys
import tarfile

from archive import compact, structure, write

PROJECTS = """
    argo-rollouts cert-manager cluster-api ec2-controller external-secrets karpenter openshift-api s3-controller
""".split()
# OpenShift has channels.
CHANNELS = ["standard", "experimental"]


def history(path):
    """The files of a project by their paths: `VERSION/NAME.json`, or `VERSION/CHANNEL/NAME.json`."""
    found = {}
    with tarfile.open(path) as archive:
        for entry in archive:
            if not entry.isfile():
                continue
            _, version, *folders, name = entry.name.split("/")
            target = "/".join([version, *[folder for folder in folders if folder in CHANNELS], name])
            if target in found:
                sys.exit(f"{path}: two files would be {target}")
            found[target] = compact(structure(json.load(archive.extractfile(entry))))
    return found


def main():
    for project in PROJECTS:
        name = f"{project}.tar.xz"
        files = history(pathlib.Path(sys.argv[1]) / name)
        write(pathlib.Path(__file__).parent / name, files)
        print(f"{name}: {len(files)} files")


main()
