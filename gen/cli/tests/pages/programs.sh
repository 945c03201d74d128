# What replaces the network, and programs of other projects. The folder of the pages is in PAGES, this repository in REPOSITORY.
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} HOME=$BASE
export GIT_AUTHOR_NAME=Author GIT_AUTHOR_EMAIL=author@example.com GIT_COMMITTER_NAME=Author GIT_COMMITTER_EMAIL=author@example.com
ln -s "$REPOSITORY" "$HOME/crd-channels"

# The program under test is installed. In the clone, `cargo xtask` is that of this repository, and is built in its target folder. Other commands have
# the versions that were tested here.
cargo() {
    if [ "$1" = install ]; then
        [ -f "$3/src/bin/crd-channels.rs" ]
        return
    fi
    if [ "$1 ${PWD##*/}" = "xtask crd-channels" ]; then
        env -u CARGO_TARGET_DIR -u CARGO_PROFILE_DEV_BUILD_OVERRIDE_OPT_LEVEL \
            cargo --offline run --manifest-path "$REPOSITORY/Cargo.toml" --package xtask-generator -- "${@:2}"
        return
    fi
    [ -f Cargo.lock ] || cp "$REPOSITORY/Cargo.lock" .
    command cargo --offline "$@"
}

# A clone of this repository, which the reader is in.
clone() { mkdir crd-channels && ln -s "$REPOSITORY/gen" "$REPOSITORY/testdata" crd-channels && cd crd-channels; }

crd-channels() { "$PROGRAM" "$@"; }

# The CRD that kube-rs derived, with the names of the page.
kubectl() { sed -e 's/Farm/Cache/g' -e 's/farm/cache/g' "$PAGES/../source/kube-rs.json"; }

controller-gen() { mkdir new && lamp 20 >new/example.com_lamps.yaml; }

# A CRD whose `watts` are at most `$1`, with the annotation `$2`.
lamp() {
    cat <<END
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: lamps.example.com
  annotations: {${2:-controller-gen.kubebuilder.io/version: v0.21.0}}
spec:
  group: example.com
  names: {kind: Lamp, listKind: LampList, plural: lamps, singular: lamp}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            properties:
              watts: {type: integer, format: int32, maximum: $1}
END
}
