"""The archives in this folder: their files without the text of their authors, and their bytes."""

import gzip
import io
import json
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
        for schema in below:
            if isinstance(schema, dict):
                remove_text(schema)


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
    path.write_bytes(gzip.compress(tar.getvalue(), compresslevel=9, mtime=0))
