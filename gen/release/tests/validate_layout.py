#!/usr/bin/env python3
"""Walks an OCI layout by the image specification 1.1, with Python's own libraries.

    validate_layout.py DIST BUNDLE-FOLDER

Asked is: the version of the layout; that each blob has the name of its SHA-256, and each descriptor the size, digest and media type of its blob; that
every blob is reached from index.json; that a referrer has the type, the subject and the time that are asked of it; that a layer for Flux has the CRDs of
BUNDLE-FOLDER and a kustomization at its root, and nothing else; that a chart and the documents have the bytes of DIST; that signatures are about
what they should be about (cosign verifies them elsewhere). Exit codes: 0 valid, 1 not.
"""
import base64
import gzip
import hashlib
import io
import json
import pathlib
import re
import sys
import tarfile

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
EMPTY = "application/vnd.oci.empty.v1+json"
FLUX = "application/vnd.cncf.flux."
HELM = "application/vnd.cncf.helm."
SIGNATURE = "application/vnd.dev.sigstore.bundle.v0.3+json"
PROVENANCE = "https://slsa.dev/provenance/v1"
ANNOTATION = "org.opencontainers.image."
MEDIA_TYPE = re.compile(r"[a-z]+/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}")
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
REFERENCE = re.compile(r"[A-Za-z0-9]+([-._:@/+][A-Za-z0-9]+)*")
REPOSITORY = re.compile(r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*")
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


class Layout:
    def __init__(self, folder):
        self.folder, self.reached = folder, set()
        self.blobs = {path.name: path.read_bytes() for path in (folder / "blobs" / "sha256").iterdir()}
        for name, blob in self.blobs.items():
            assert hashlib.sha256(blob).hexdigest() == name, name

    def blob(self, descriptor):
        assert set(descriptor) <= {"mediaType", "digest", "size", "annotations", "artifactType"}, descriptor
        assert DIGEST.fullmatch(descriptor["digest"]) and MEDIA_TYPE.fullmatch(descriptor["mediaType"]), descriptor
        name = descriptor["digest"].removeprefix("sha256:")
        self.reached.add(name)
        assert len(self.blobs[name]) == descriptor["size"], descriptor
        return self.blobs[name]


def members(layer):
    with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
        found = archive.getmembers()
        for member in found:
            assert member.isfile() and (member.mode, member.uid, member.gid, member.uname) == (0o644, 0, 0, ""), member
        return {member.name: archive.extractfile(member).read() for member in found}, found[0].mtime


def artefact(layout, manifest, name, tag, dist, bundle):
    """An artefact with a name: a bundle for Flux, or a chart."""
    [layer] = manifest["layers"]
    content, config = layout.blob(layer), json.loads(layout.blob(manifest["config"]))
    kind = manifest["config"]["mediaType"]
    assert "artifactType" not in manifest and manifest["annotations"][ANNOTATION + "version"] == tag.replace("_", "+")
    if kind == FLUX + "config.v1+json":
        assert layer["mediaType"] == FLUX + "content.v1.tar+gzip"
        assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(gzip.decompress(content)).hexdigest()]
        assert config["created"] == manifest["annotations"][ANNOTATION + "created"]
        there = {path.name: path.read_bytes() for path in (bundle / name).iterdir()}
        assert members(content)[0] == there, name
    else:
        assert (kind, layer["mediaType"]) == (HELM + "config.v1+json", HELM + "chart.content.v1.tar+gzip")
        assert content == (dist / layer["annotations"][ANNOTATION + "title"]).read_bytes()
        chart = name.removeprefix("charts/")
        assert config["name"] == chart and config["version"] == tag.replace("_", "+") and config["apiVersion"] == "v2"
        text = members(content)[0][f"{chart}/Chart.yaml"].decode()
        for key, value in config.items():
            assert re.search(rf"^{key}:", text, re.M) and (not isinstance(value, str) or value in text), key


def referrer(layout, manifest, earlier, dist, bundle):
    """A document about a bundle, or a signature. `earlier` are the referrers before it. Returns its title."""
    [layer] = manifest["layers"]
    assert layout.blob(manifest["config"]) == b"{}" and manifest["config"]["mediaType"] == EMPTY
    assert MEDIA_TYPE.fullmatch(manifest["artifactType"]), manifest
    if manifest["artifactType"] == SIGNATURE:
        statement = signed(layout.blob(layer))
        assert statement["predicateType"] == manifest["annotations"]["dev.sigstore.bundle.predicateType"]
        subjects = {"sha256:" + subject["digest"]["sha256"] for subject in statement["subject"]}
        of = manifest["subject"]["digest"]
        assert subjects == ({of} if PROVENANCE != statement["predicateType"] else {of, *earlier}), (subjects, earlier)
        return statement["predicateType"]
    title = layer["annotations"][ANNOTATION + "title"]
    there = bundle if title == "bundle.yaml" else dist
    assert layout.blob(layer) == (there / title).read_bytes(), title
    return title


def signed(bundle):
    """The statement in a bundle of Sigstore."""
    envelope = json.loads(bundle)["dsseEnvelope"]
    return json.loads(base64.b64decode(envelope["payload"], validate=True))


def signatures_of_files(dist):
    """Each file has a signature with its digest, and the provenance is about all of them and the sums of folders."""
    files = {path.name: hashlib.sha256(path.read_bytes()).digest() for path in dist.iterdir() if path.is_file()}
    there = {path.name: path.read_bytes() for path in (dist / "signatures").iterdir()}
    statement = signed(there.pop("provenance.sigstore.json"))
    sums = {f"{folder}/SHA256SUMS": dist / folder / "SHA256SUMS" for folder in ("oci", "schemas")}
    sums = {name: hashlib.sha256(path.read_bytes()).digest() for name, path in sums.items()}
    assert {subject["name"]: bytes.fromhex(subject["digest"]["sha256"]) for subject in statement["subject"]} == files | sums
    del there["SHA256SUMS"]
    of = {name: json.loads(text)["messageSignature"]["messageDigest"] for name, text in there.items()}
    assert {name.removesuffix(".sigstore.json"): base64.b64decode(digest["digest"]) for name, digest in of.items()} == files
    return len(files)


def main(dist, bundle):
    layout = Layout(dist / "oci")
    assert json.loads((layout.folder / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
    index = json.loads((layout.folder / "index.json").read_text())
    assert (index["schemaVersion"], index["mediaType"]) == (2, "application/vnd.oci.image.index.v1+json")
    named, about, times, digests = {}, {}, set(), set()
    for descriptor in index["manifests"]:
        assert descriptor["mediaType"] == MANIFEST and descriptor["digest"] not in digests, descriptor
        digests.add(descriptor["digest"])
        manifest = json.loads(layout.blob(descriptor))
        assert (manifest["schemaVersion"], manifest["mediaType"]) == (2, MANIFEST)
        assert descriptor.get("artifactType") == manifest.get("artifactType"), descriptor
        times.add(manifest["annotations"][ANNOTATION + "created"])
        for layer in manifest["layers"]:
            layout.blob(layer)
        if "subject" in manifest:
            subject = manifest["subject"]
            layout.blob(subject)
            assert subject["digest"] in digests and set(subject) == {"mediaType", "digest", "size"}, subject
            earlier = about.setdefault(subject["digest"], {})
            earlier[descriptor["digest"]] = referrer(layout, manifest, earlier, dist, bundle)
        else:
            keys = descriptor["annotations"]
            name, tag = keys["crd-channels/repository"], keys["crd-channels/tag"]
            assert REPOSITORY.fullmatch(name) and TAG.fullmatch(tag), keys
            assert keys[ANNOTATION + "ref.name"] == f"{name.replace('/', '-')}-{tag}" and REFERENCE.fullmatch(keys[ANNOTATION + "ref.name"])
            artefact(layout, manifest, name, tag, dist, bundle)
            named[name] = descriptor["digest"]
    assert len(times) == 1, times
    assert set(layout.blobs) == layout.reached, set(layout.blobs) - layout.reached

    channels = sorted(path.name for path in bundle.iterdir() if path.is_dir())
    assert sorted(named) == sorted([*channels, *(name for name in named if name.startswith("charts/"))])
    assert len(named) == 2 * len(channels), named
    documents = {path.name for path in bundle.iterdir() if path.is_file()}
    documents |= {"crd-schemas.tar.gz", "release-notes.md", "reference.html", *(path.name for path in dist.glob("*.cdx.json"))}
    signatures = ["https://sigstore.dev/cosign/sign/v1", PROVENANCE] if (dist / "signatures").exists() else []
    for name, digest in named.items():
        wanted = signatures + (sorted(documents) if name in channels else [])
        assert sorted(about.get(digest, {}).values()) == sorted(wanted), (name, about.get(digest))
    files = signatures_of_files(dist) if signatures else 0
    print(f"{len(named)} artefacts with {len(digests) - len(named)} referrers, {len(layout.blobs)} blobs, {files} signed files")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*map(pathlib.Path, sys.argv[1:]))
