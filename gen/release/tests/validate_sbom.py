#!/usr/bin/env python3
"""Checks an SBOM with CycloneDX's own library: python3 -m pip install 'cyclonedx-python-lib[validation]'

    validate_sbom.py SBOM DIST [ARCHIVE-OR-BUNDLE-FOLDER]

Asked is: the strict schema of 1.6; the data model of the library (references, dependencies); that each bom-ref is there once; that package
URLs are canonical; that the components are the files of DIST (except for the SBOM itself and SHA256SUMS), each with the digest that it has
there. With a third argument, a folder such as bundles/v1.6.1, also the CRDs and documents of the subject. Exit codes: 0 valid, 1 not, 77 the library is
not there.
"""
import hashlib
import json
import pathlib
import sys
import warnings

try:
    from cyclonedx.model.bom import Bom
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    from packageurl import PackageURL
except ImportError as error:
    print(f"{error}: python3 -m pip install 'cyclonedx-python-lib[validation]'", file=sys.stderr)
    sys.exit(77)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(components):
    """Name to digest; each component must have exactly one SHA-256."""
    found = {}
    for component in components:
        ours = [h.content for h in component.hashes if h.alg.value == "SHA-256"]
        assert len(ours) == 1 and component.name not in found, component
        found[component.name] = ours[0]
    return found


def references(value):
    """Every bom-ref at any depth."""
    if isinstance(value, dict):
        if "bom-ref" in value:
            yield value["bom-ref"]
        for below in value.values():
            yield from references(below)
    elif isinstance(value, list):
        for below in value:
            yield from references(below)


def main(sbom, dist, bundle=None):
    wrong = []
    text = sbom.read_text(encoding="utf-8")
    document = json.loads(text)
    errors = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text, all_errors=True)
    wrong += [f"schema: {error}" for error in errors or ()]

    known = list(references(document))
    wrong += [f"bom-ref twice: {name}" for name in sorted({name for name in known if known.count(name) > 1})]
    for dependency in document["dependencies"]:
        for name in [dependency["ref"], *dependency.get("dependsOn", [])]:
            if name not in known:
                wrong.append(f"dependency on what is not there: {name}")

    tools = document["metadata"]["tools"]["components"]
    for component in [document["metadata"]["component"], *tools]:
        written = component.get("purl")
        if written and PackageURL.from_string(written).to_string() != written:
            wrong.append(f"purl is not canonical: {written}")

    listed, parts = {}, {}
    try:
        with warnings.catch_warnings():
            # What the library only warns of counts too, but not that it is going to rename a method.
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DeprecationWarning)
            bom = Bom.from_json(document)
            bom.validate()
        if f"urn:uuid:{bom.serial_number}" != document["serialNumber"] or bom.serial_number.version != 8:
            wrong.append(f"serial number: {bom.serial_number}")
        if len(bom.metadata.tools.components) != len(tools):
            wrong.append("the library finds other tools than are written")
        listed, parts = digests(bom.components), digests(bom.metadata.component.components)
    except Exception as error:  # Any error is reported, and the remaining checks still run.
        wrong.append(f"the library cannot read it: {error!r}")

    there = {path.name: sha256(path) for path in dist.iterdir() if path.is_file() and path.name not in (sbom.name, "SHA256SUMS")}
    for name in sorted(listed.keys() | there.keys()):
        if listed.get(name) != there.get(name):
            wrong.append(f"{name}: the SBOM has {listed.get(name)}, the file is {there.get(name)}")
    if bundle:
        for name in sorted(parts):
            if not (bundle / name).is_file() or sha256(bundle / name) != parts[name]:
                wrong.append(f"{name}: the SBOM has {parts[name]}, and {bundle} has other bytes")
        files = [*bundle.glob("*/*_*.yaml"), *bundle.glob("*.json")]
        names = {str(path.relative_to(bundle)) for path in files}
        wrong += [f"{name}: not in the SBOM" for name in sorted(names - parts.keys())]

    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"{sbom.name}: valid, {len(listed)} files, {len(tools)} tools")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
