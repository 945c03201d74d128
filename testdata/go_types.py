#!/usr/bin/env python3
"""Builds `go-types.tar.xz` in this folder from Go modules, and the CRDs of the project `kubebuilder`, with the program controller-gen.

Usage: go_types.py [--check]

With --check, nothing is written: the script compares, and exits with 1 if something differs. It needs Go, which downloads the modules, and PyYAML.
README.md describes what the archive contains, and what was removed. The script always compares the CRDs of the source that is stored with the CRDs of
the source that was published.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

from archive import compact, read, structure, write

FOLDER = pathlib.Path(__file__).parent
ARCHIVE = FOLDER / "go-types.tar.xz"
TOOLS = "sigs.k8s.io/controller-tools"
TOOLS_VERSION = "v0.23.0"

GATEWAY_API = "sigs.k8s.io/gateway-api"
GATEWAY_API_VERSIONS = ["v1.7.0", "v1.6.3", "v1.5.1", "v1.4.1"]
# The packages that the generator of Gateway API reads.
GATEWAY_API_ROOTS = ["apis/v1alpha3", "apis/v1alpha2", "apis/v1beta1", "apis/v1", "apisx/v1alpha1"]
# controller-gen v0.23 reports markers of this release, and writes its CRDs.
REPORTED = {"gateway-api/v1.4.1"}

# Modules, their versions, packages with resources, and packages that these need.
PROJECTS = {
    "cluster-api": ("sigs.k8s.io/cluster-api", "v1.13.0", ["api/core/v1beta2"], ["errors"]),
    "karpenter": ("sigs.k8s.io/karpenter", "v1.14.0", ["pkg/apis/v1", "pkg/apis/v1alpha1"], ["pkg/apis"]),
}
KUBEBUILDER = "kubebuilder"
KUBEBUILDER_ROOTS = ["api/v1", "api/v1alpha1"]

KUBERNETES = "k8s.io/api"
KUBERNETES_VERSION = "v0.37.1"
GATE = r"\+(k8s:(ifEnabled|ifDisabled|featureGate|enumExclude|ifOptionEnabled|ifOptionDisabled)\b|featureGate=)"

# The fields that only the experimental channel has: by project, type, fields. No rule, list key, default or column names one of them.
OVERLAYS = {
    "cluster-api": {
        "v1beta2.ClusterSpec": ["Paused"],
        "v1beta2.ClusterAvailabilityGate": ["Polarity"],
        "v1beta2.ClusterClassRef": ["Namespace"],
        "v1beta2.ControlPlaneTopologyRolloutSpec": ["After"],
        "v1beta2.MachineDeploymentTopologyRolloutStrategyRollingUpdate": ["MaxSurge"],
        "v1beta2.MachineDeploymentTopologyHealthCheck": ["Remediation"],
        "v1beta2.ClusterNetwork": ["ServiceDomain"],
        "v1beta2.ClusterStatus": ["FailureDomains"],
        "v1beta2.ClusterV1Beta1DeprecatedStatus": ["FailureReason"],
        "v1beta2.MachineHealthCheckStatus": ["Targets"],
        "v1beta2.MachineSpec": ["MinReadySeconds"],
        "v1beta2.MachineTaint": ["Value"],
        "v1beta2.ObjectMeta": ["Annotations"],
        "v1beta2.MachineStatus": ["CertificatesExpiryDate"],
        "v1beta2.UnhealthyNodeCondition": ["TimeoutSeconds"],
        "v1beta2.ContractVersionedObjectReference": ["APIGroup"],
        "v1beta2.ClusterClassVariable": ["Required"],
        "v1beta2.JSONSchemaProps": ["MaxProperties"],
        "v1beta2.MachineDeploymentClass": ["Naming"],
        "v1beta2.MachinePoolStatus": ["NodeRefs"],
    },
    "karpenter": {
        "v1.NodeClaimSpec": ["Taints", "StartupTaints", "Requirements", "TerminationGracePeriod", "ExpireAfter"],
        "v1.NodeClaimStatus": ["Capacity", "Allocatable", "LastPodEventTime"],
        "v1.Disruption": ["ConsolidationPolicy"],
        "v1.Budget": ["Reasons"],
        "v1.NodeClaimTemplateSpec": ["StartupTaints", "Requirements", "TerminationGracePeriod", "ExpireAfter"],
        "v1.ObjectMeta": ["Labels", "Annotations"],
        "v1.NodePoolStatus": ["NodeClassObservedGeneration"],
        "v1.ResourceRequirements": ["Requests"],
        "v1alpha1.NodeOverlaySpec": ["Requirements", "Capacity"],
    },
    KUBEBUILDER: {
        "v1.Placement": ["Zone", "Bench"],
        "v1.Size": ["Depth"],
        "v1.Part": ["Colours", "Supplier"],
        "v1.Schedule": ["Until"],
        "v1.WidgetSpec": ["Labels", "Resources", "Replicas", "Paused", "Engraving"],
        "v1.PartStatus": ["Delivered"],
        "v1.WidgetStatus": ["Conditions", "Replicas", "ObservedGeneration"],
        "v1alpha1.Part": ["Note"],
        "v1alpha1.WidgetSpec": ["Finish", "Resources", "Replicas"],
        "v1alpha1.WidgetStatus": ["Progress"],
    },
}


def run(command, folder, accepted=(0,)):
    # A module may need a newer Go than the one that is installed.
    environment = {**os.environ, "GOTOOLCHAIN": "auto", "GOFLAGS": "-mod=mod", "GOWORK": "off"}
    ran = subprocess.run([str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True)
    if ran.returncode not in accepted:
        sys.exit(f"{' '.join(map(str, command))}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


class Workshop:
    """A temporary folder with the programs `controller-gen` and `go_types`, and the modules that were copied into it."""

    def __init__(self, folder):
        self.folder = folder
        module = self.new("programs")
        run(["go", "mod", "init", "example.com/programs"], module)
        run(["go", "get", f"{TOOLS}/cmd/controller-gen@{TOOLS_VERSION}", f"{TOOLS}@{TOOLS_VERSION}"], module)
        self.controller_gen = module / "controller-gen"
        run(["go", "build", "-o", self.controller_gen, f"{TOOLS}/cmd/controller-gen"], module)
        self.go_types = module / "go_types"
        run(["go", "build", "-o", self.go_types, *sorted((FOLDER / "go_types").glob("*.go"))], FOLDER / "go_types")

    def new(self, name):
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder

    def module(self, module, version):
        """The folder of a version of a module in Go's module cache."""
        name = f"{module}@{version}"
        run(["go", "mod", "download", name], self.folder)
        return pathlib.Path(run(["go", "list", "-m", "-f", "{{.Dir}}", name], self.folder).strip())

    def copy(self, name, source, packages):
        """A module with only these packages, without tests and generated files."""
        folder = self.new(name)
        for file in ["go.mod", "go.sum"]:
            if (source / file).exists():
                (folder / file).write_bytes((source / file).read_bytes())
        for package in packages:
            (folder / package).mkdir(parents=True, exist_ok=True)
            for file in (source / package).glob("*.go"):
                if not file.name.startswith("zz_") and not file.name.endswith("_test.go"):
                    (folder / package / file.name).write_text(file.read_text())
        return folder

    def crds(self, module, packages, accepted=(0,)):
        """The CRDs that controller-gen writes, as YAML files by name."""
        output = self.new(f"crds/{len(list(self.folder.glob('crds/*')))}")
        paths = [f"paths={package}" for package in packages]
        run([self.controller_gen, "crd", *paths, f"output:crd:dir={output}"], module, accepted)
        return {path.name: path.read_text() for path in sorted(output.iterdir())}

    def published_crds(self, module, version, packages, accepted):
        """The CRDs of a published module."""
        folder = self.new(f"published/{module}/{version}")
        run(["go", "mod", "init", "example.com/sample"], folder)
        packages = [f"{module}/{package}" for package in packages]
        run(["go", "get", *[f"{package}@{version}" for package in packages]], folder)
        return self.crds(folder, packages, accepted)


def structures(crds):
    """The structure of CRDs as `NAME.json`."""
    documents = [structure(yaml.load(text, yaml.CSafeLoader)) for text in crds.values()]
    return {f"{crd['metadata']['name']}.json": compact(crd) for crd in documents}


def without_text(text):
    """Go source without the texts in markers that only people read."""
    text = re.sub(r'(// \+kubebuilder:printcolumn:.*),description="[^"]*"', r"\1", text)
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        warning = re.match(r'(// \+kubebuilder:deprecatedversion:warning=)"The (\w+) .*(?:upgrade to|identical) (\w+)', line)
        if warning:
            kind = next(match[1] for later in lines[number:] if (match := re.match(r"type (\w+)", later)))
            lines[number] = f'{warning[1]}"{kind} {warning[2]} is deprecated; use {warning[3]}"\n'
    return "".join(lines)


def sources(folder):
    """The Go files of a module by path, and its `go.mod` with only its name and its Go version."""
    lines = (folder / "go.mod").read_text().splitlines()
    files = {"go.mod": "".join(f"{line}\n" for line in lines if re.match(r"(module|go) ", line))}
    return files | {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.go"))}


def stripped(workshop, name, source, packages):
    """A module with only the stripped source of these packages."""
    folder = workshop.copy(name, source, packages)
    run([workshop.go_types, "strip", folder], folder)
    for path in folder.rglob("*.go"):
        path.write_text(without_text(path.read_text()))
    return folder


def below(folder, files):
    return {f"{folder}/{path}": text for path, text in files.items()}


def compared(name, published, stored):
    if published != stored:
        sys.exit(f"{name}: the stored source has other CRDs: {[key for key in stored if stored[key] != published.get(key)]}")
    return stored


def gateway_api(workshop):
    files = {}
    for version in GATEWAY_API_VERSIONS:
        name = f"gateway-api/{version}"
        accepted = (1,) if name in REPORTED else (0,)
        source = workshop.module(GATEWAY_API, version)
        packages = [path.parent.relative_to(source).as_posix() for root in ["apis", "apisx"] for path in source.glob(f"{root}/**/*.go")]
        packages = sorted({package for package in packages if "applyconfiguration" not in package})
        folder = stripped(workshop, name, source, packages)
        published = structures(workshop.published_crds(GATEWAY_API, version, GATEWAY_API_ROOTS, accepted))
        stored = structures(workshop.crds(folder, [f"./{root}" for root in GATEWAY_API_ROOTS], accepted))
        files |= below(name, sources(folder) | below("crds", compared(name, published, stored)))
    return files


def channels(workshop, name, folder, roots):
    """The overlay of a project, its source with the overlay, and the CRDs of both channels."""
    overlay = "".join(f"{kind}\t{field}\n" for kind, fields in OVERLAYS[name].items() for field in fields)
    table = folder / "overlay.tsv"
    table.write_text(overlay)
    roots = [f"./{root}" for root in roots]
    crds = structures(workshop.crds(folder, roots))
    without = workshop.folder / f"{name}-standard"
    shutil.copytree(folder, without)
    run([workshop.go_types, "delete", table, without], without)
    standard = structures(workshop.crds(without, roots))
    run([workshop.go_types, "mark", table, folder], folder)
    compared(name, crds, structures(workshop.crds(folder, roots)))
    return sources(folder) | {"overlay.tsv": overlay} | below("crds", crds) | below("standard", standard)


def projects(workshop):
    files = {}
    for name, (module, version, roots, needed) in PROJECTS.items():
        source = workshop.module(module, version)
        folder = stripped(workshop, name, source, roots + needed)
        found = channels(workshop, name, folder, roots)
        published = structures(workshop.published_crds(module, version, roots, (0,)))
        compared(name, below("crds", published), {path: text for path, text in found.items() if path.startswith("crds/")})
        files |= below(name, found)
    return files


def kubebuilder(workshop):
    """The project of this repository: its CRDs as YAML, and its files in the archive."""
    source = FOLDER / KUBEBUILDER
    folder = workshop.copy("published-kubebuilder", source, KUBEBUILDER_ROOTS)
    crds = workshop.crds(folder, [f"./{root}" for root in KUBEBUILDER_ROOTS])
    folder = stripped(workshop, KUBEBUILDER, source, KUBEBUILDER_ROOTS)
    found = channels(workshop, KUBEBUILDER, folder, KUBEBUILDER_ROOTS)
    compared(KUBEBUILDER, below("crds", structures(crds)), {path: text for path, text in found.items() if path.startswith("crds/")})
    return crds, below(KUBEBUILDER, found)


def kubernetes(workshop):
    """The Go files with markers that name gates, and the table of these markers."""
    source = workshop.module(KUBERNETES, KUBERNETES_VERSION)
    has_gates = lambda path: not path.name.startswith("zz_") and re.search(rf"^\s*//\s*.*{GATE}", path.read_text(), re.MULTILINE)
    paths = [path for path in source.rglob("*.go") if has_gates(path)]
    folder = workshop.new("kubernetes")
    (folder / "go.mod").write_bytes((source / "go.mod").read_bytes())
    for path in paths:
        copy = folder / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text())
    run([workshop.go_types, "strip", folder], folder)
    grep = run(["grep", "-rnE", "--include=*.go", GATE, "."], folder).splitlines()
    rows = sorted((path.removeprefix("./"), int(line), text.strip()) for path, line, text in (row.split(":", 2) for row in grep))
    table = "file\tline\tmarker\n" + "".join(f"{path}\t{line}\t{text}\n" for path, line, text in rows)
    return below("kubernetes", sources(folder) | {"gates.tsv": table})


def main():
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(pathlib.Path(folder))
        crds, files = kubebuilder(workshop)
        files |= gateway_api(workshop) | projects(workshop) | kubernetes(workshop)
    bases = FOLDER / KUBEBUILDER / "config/crd/bases"
    print(f"{ARCHIVE.name}: {len(files)} files")
    if sys.argv[1:] != ["--check"]:
        write(ARCHIVE, files)
        for name, text in crds.items():
            (bases / name).write_text(text)
        return
    differing = [] if read(ARCHIVE) == files else [ARCHIVE.name]
    if {path.name: path.read_text() for path in bases.iterdir()} != crds:
        differing.append(KUBEBUILDER)
    if differing:
        sys.exit(f"differ from their modules: {', '.join(differing)}")


if __name__ == "__main__":
    main()
