"""The archives in this folder: their files without the text of their authors, and their bytes."""

import gzip
import io
import json
import lzma
import re
import tarfile


def remove_text(schema):
    """Removes what only people read. A property that is called `description` stays."""
    for keyword in ["description", "title", "example", "externalDocs"]:
        schema.pop(keyword, None)
    for keyword, value in schema.items():
        if keyword == "properties":
            below = list(value.values())
        elif keyword in ["items", "additionalProperties", "not"]:
            below = [value]
        elif keyword in ["allOf", "anyOf", "oneOf"]:
            below = value
        else:
            continue
        # Some published keywords are null.
        for schema in below or []:
            if isinstance(schema, dict):
                remove_text(schema)


def structure(crd):
    """A CRD without the text of its authors."""
    crd.pop("status", None)
    spec = crd["spec"]
    kind = spec["names"]["kind"]
    # `apiextensions.k8s.io/v1beta1` has a schema and columns of all versions.
    for version in [spec, *(spec.get("versions") or [])]:
        schema = version.get("schema") or version.get("validation") or {}
        remove_text(schema.get("openAPIV3Schema") or {})
        for column in version.get("additionalPrinterColumns") or []:
            column.pop("description", None)
        if "deprecationWarning" in version:
            # Our words, which keep the fact: what to use instead.
            instead = re.search(r"upgrade to (\w+)|identical (\w+) resource|deprecated; use (\w+)$", version["deprecationWarning"])
            version["deprecationWarning"] = f"{kind} {version['name']} is deprecated; use {instead[instead.lastindex]}"
    return crd


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


def write(path, files):
    """Writes an archive whose bytes depend on the files only."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    data = tar.getvalue()
    is_xz = path.suffix == ".xz"
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME) if is_xz else gzip.compress(data, compresslevel=9, mtime=0))


def read(path):
    """The files of an archive by their paths."""
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read().decode() for entry in archive}
