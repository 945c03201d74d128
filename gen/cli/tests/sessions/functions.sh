# Functions for the commands of sessions.

# A git repository with all files of the workspace.
repository() { printf '/dist\n/bundles/.release.lock\n' > .gitignore && git init --quiet && commit; }
commit() { git add --all && git commit --quiet --allow-empty --message "as it is"; }

# A commit of a day with a tag; before it, the CRD whose longest name this is.
commit_at() { (export GIT_COMMITTER_DATE="$1T00:00:00Z" && commit && git tag "$2"); }
thing() { mkdir -p crds && limited $1 > crds/thing.yaml; }

# The errors in a report of `check` that are not findings.
errors() { sed -n '/^Other errors/,/^$/p' | sed '1d;/^$/d'; }

# The summary of a report with its gate, and the findings that decide.
summary() { sed -n '/^Summary/,/^$/p; /^gate: /p' | sed '1d;/^$/d'; }
deciding() { sed -n '/^Deciding findings/,/^$/p' | sed '1d;/^$/d'; }

# A bundle as a publisher writes it: the CRDs alone, in one file, or without stamps.
published() { mv bundles/$1 $2 && rm $2/bundle.yaml; }
install() { for file in "$@"; do cat $file; echo ---; done; }
unstamped() { grep -v -e /bundle-version: -e /channel: -e annotations:; }

# The folder `new` with the files of `old` after an edit.
edited() { for file in new/*/*.yaml; do sed "$1" old/${file#new/} > $file; done; }

# A report of `diff` without the names of its files.
anonymous() { sed -E 's/"name":"[^"]*"//g; s/"source":(null|\{[^}]*\})//g'; }

# A file as git checks it out for Windows. Prints how many lines end so.
with_crlf() {
    git config core.autocrlf true && rm "$1" && git checkout --quiet -- "$1" && grep -c "$(printf '\r')" "$1"
}

# All bundles become past releases.
as_past_releases() {
    mv bundles releases && mkdir bundles && rm releases/*/bundle.yaml
    for version in $(ls releases); do echo "$version 2026-01-02"; done > dates.tsv
}

# The CRD of things with these API versions: name, and whether objects are stored in it.
thing_crd() {
    echo 'apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  scope: Namespaced
  versions:'
    for version in "$@"; do
        echo "  - {name: ${version% *}, served: true, storage: ${version#* }, schema: {openAPIV3Schema: {type: object}}}"
    done
}

# The CRD of widgets, and a widget: name, spec, version. The second one has a status after the spec.
crd() { cp $TESTS/validate/widgets.yaml crd.yaml; }
widget() {
    printf -- '---\napiVersion: example.com/%s\nkind: Widget\nmetadata:\n  name: %s\nspec: %s\n' "${3:-v1}" "$1" "$2"
}
with_status() { widget "$1" "$2" "$4" && echo "status: $3"; }

# A policy with this spec; `lenses.json` has its conversions, and `policies.yaml` its CRD.
policies() { cp $TESTS/sessions/lenses.json $TESTS/sessions/policies.yaml .; }
policy() { printf 'apiVersion: example.com/v1\nkind: Policy\nmetadata:\n  name: a\nspec: %s\n' "$1"; }

# The CRD of lamps; its schema of `lumens` has this text after `minimum: 1`. With the stamps of v1.4.2 of a bundle whose prefix is not its group.
lamp() {
    echo "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {lumens: {type: integer, minimum: 1$1}}"
}
stamped_lamp() {
    stamps="lights.example.org/bundle-version: v1.4.2, lights.example.org/channel: $1"
    lamp "$2" | sed "s|{name: lamps.example.com}|{name: lamps.example.com, annotations: {$stamps, olm.example.net/channel: fast}}|"
}
torches() { sed 's/lamps/torches/g; s/Lamp/Torch/g'; }

# The CRD of things whose `spec.name` has at most this length, and releases of it in a folder: `v1.0.0=5` is one with the length 5.
limited() {
    name="{type: string, maxLength: $1}"
    thing_crd 'v1 true' | sed "s/Schema: {type: object}/Schema: {type: object, properties: {spec: {type: object, properties: {name: $name}}}}/"
}
releases() {
    folder=$1 && shift
    for release in "$@"; do mkdir -p $folder/${release%=*} && limited ${release#*=} > $folder/${release%=*}/thing.yaml; done
}

# The suite of lamps with these cases, from a text with `\n` for line breaks.
suite() { printf 'apiVersion: example.com/v1\nkind: Lamp\nbase: { spec: { lumens: 1 } }\ncases:\n'; printf -- "$@"; }

# A CRD with descriptions, some of them in a type of Kubernetes.
described() {
    text() { echo "{type: string, description: $1}"; }
    labels="{type: object, description: labels that it has, additionalProperties: {type: string}}"
    expressions="{type: array, description: what its labels match, items: {type: string}}"
    selector="{type: object, description: what it selects, properties: {matchLabels: $labels, matchExpressions: $expressions}}"
    spec="{type: object, description: what is wanted, properties: {selector: $selector, name: $(text 'a name'), longer: $(text 'a longer text')}}"
    thing_crd 'v1 true' | sed "s/Schema: {type: object}/Schema: {type: object, description: a thing, properties: {spec: $spec}}/"
}
