#!/usr/bin/env python3
"""Builds `controller-gen-v0.21.tar.gz` and `controller-gen-v0.23.tar.gz` in this folder with the program controller-gen itself.

Usage: controller_gen.py [--check]

Each archive has the table of the program's CRD markers, and Go types with markers, one in each line. The schemas of the lines are recorded anew. To
add a line, add it to the archive without `schema`, and run this script. With --check, nothing is written: the script compares, and exits with 1 if
something differs. It needs Go, which downloads the module `sigs.k8s.io/controller-tools`, and PyYAML.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import yaml

from archive import read, remove_text, write

FOLDER = pathlib.Path(__file__).parent
MODULE = "sigs.k8s.io/controller-tools"
# The name of each archive, and the version of the program.
VERSIONS = {"v0.21": "v0.21.0", "v0.23": "v0.23.0"}

# The types that the lines name, as in README.md.
TYPES = """
type Item struct {
	Name  string `json:"name"`
	Port  *int32 `json:"port,omitempty"`
	Group string `json:"group,omitempty"`
}

type Obj struct {
	A *int32 `json:"a,omitempty"`
	B *int32 `json:"b,omitempty"`
}

type Union struct {
	A *string `json:"a,omitempty"`
	B *string `json:"b,omitempty"`
	C *string `json:"c,omitempty"`
	D *string `json:"d,omitempty"`
}

// +kubebuilder:pruning:PreserveUnknownFields
type Any struct{}

// +kubebuilder:validation:Enum=Yes;No
type Choice string

// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=20
// +kubebuilder:validation:XValidation:rule="self != 'type'",message="type rule"
type Limited string

// +listType=atomic
// +kubebuilder:validation:MaxItems=9
type LimitedList []Limited

// +listType=map
// +listMapKey=name
type Keyed []Item

// +kubebuilder:validation:MinProperties=1
type Labels map[string]string

// +kubebuilder:validation:Maximum=9
type Number int32

// +kubebuilder:validation:MinProperties=1
type Counted struct {
	Part `json:",inline"`
	B    *string `json:"b,omitempty"`
}

// +kubebuilder:validation:MinProperties=1
type Part struct {
	A *string `json:"a,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="has(self.a)",message="base rule"
type Base struct {
	A string `json:"a,omitempty"`
}

// +kubebuilder:validation:XValidation:rule="has(self.z)",message="outer rule"
type Inlined struct {
	Base `json:",inline"`
	Z    string `json:"z"`
}

type Nested struct {
	// +kubebuilder:validation:XValidation:rule="size(self.z) > 0",message="field rule"
	In Inlined `json:"in"`
	// +kubebuilder:default={{z: d}}
	Ins []Inlined `json:"ins,omitempty"`
}
"""
HEAD = """package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var _ resource.Quantity
var _ runtime.RawExtension
var _ intstr.IntOrString
"""
ROOT = """
// +kubebuilder:object:root=true
type {kind} struct {{
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
{markers}
	Field {type} `json:"field"`
}}
"""


def source(kind, line):
    """The Go file of a line: a resource of that kind with one field."""
    markers = "\n".join(f"// {marker}" for marker in line["markers"])
    if line["target"] == "field":
        return HEAD + ROOT.format(kind=kind, markers=markers, type=line["go_type"])
    name = f"{kind}Type"
    written = line["go_type"]
    start = f"type {written} struct {{"
    if start in TYPES:
        written = "struct {" + TYPES.split(start)[1].split("\n}")[0] + "\n}"
    return HEAD + f"\n{markers}\ntype {name} {written}\n" + ROOT.format(kind=kind, markers="", type=name)


def run(command, folder):
    # The module may need a newer Go than the one that is installed.
    environment = {**os.environ, "GOTOOLCHAIN": "auto", "GOFLAGS": "-mod=mod"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def program(version, folder):
    """A folder with a Go module that has the program, and the path of the program."""
    path = folder / "controller-gen"
    for command in [
        ["go", "mod", "init", "example.com/sample"],
        ["go", "get", f"{MODULE}/cmd/controller-gen@{version}", f"{MODULE}@{version}"],
        ["go", "build", "-o", str(path), f"{MODULE}/cmd/controller-gen"],
    ]:
        ran = run(command, folder)
        if ran.returncode != 0:
            sys.exit(f"{' '.join(command)}:\n{ran.stdout}{ran.stderr}")
    return path


def recorded(lines, program, folder):
    """The lines with the schemas that the program makes. `refused`: the program reports an error for the line."""
    package = folder / "v1"
    package.mkdir()
    (package / "types.go").write_text("// +groupName=example.com\npackage v1\n" + TYPES)
    for number, line in enumerate(lines, 1):
        (package / f"line{number}.go").write_text(source(f"Line{number}", line))
    ran = run([program, "crd", "paths=./v1", f"output:crd:dir={folder}/crds"], folder)
    result = []
    for number, line in enumerate(lines, 1):
        crd = yaml.safe_load((folder / f"crds/example.com_line{number}s.yaml").read_text())
        root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        schema = root["properties"]["field"]
        described = {key: schema[key] for key in ["title", "example", "externalDocs"] if key in schema}
        remove_text(schema)
        line = {key: line[key] for key in ["target", "go_type", "markers"]}
        if line["target"] == "field":
            line["required"] = "field" in root.get("required", [])
        if f"line{number}.go:" in ran.stdout + ran.stderr:
            line["refused"] = True
        result.append({**line, "schema": dict(sorted({**schema, **described}.items()))})
    return result


def markers(program, folder):
    """The table of the program's CRD markers."""
    def kind(argument):
        text = argument["type"] if argument["type"] != "slice" else f"[{argument['itemType']['type']}]"
        return f"{argument['name']}:{text}".removeprefix(":") + ("?" if argument["optional"] else "")

    rows = set()
    for category in json.loads(run([program, "crd", "-wwww"], folder).stdout):
        for marker in category["markers"]:
            arguments = sorted(map(kind, marker.get("fields", [])))
            deprecated = "" if marker.get("deprecatedInFavorOf") is None else "deprecated"
            rows.add("\t".join([marker["name"], marker["target"], ";".join(arguments), deprecated]).rstrip("\t"))
    return "".join(f"{row}\n" for row in ["marker\ttarget\targuments\tdeprecated", *sorted(rows)])


def main():
    differing = []
    for name, version in VERSIONS.items():
        path = FOLDER / f"controller-gen-{name}.tar.gz"
        archived = read(path)
        lines = [json.loads(line) for line in archived["effects.jsonl"].splitlines()]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            controller_gen = program(version, folder)
            files = {
                "effects.jsonl": "".join(f"{json.dumps(line)}\n" for line in recorded(lines, controller_gen, folder)),
                "markers.tsv": markers(controller_gen, folder),
            }
        if sys.argv[1:] != ["--check"]:
            write(path, files)
        elif archived != files:
            differing.append(path.name)
        print(f"{path.name}: {len(lines)} effects, {len(files['markers.tsv'].splitlines()) - 1} markers")
    if differing:
        sys.exit(f"differ from their programs: {', '.join(differing)}")


main()
