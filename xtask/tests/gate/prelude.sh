# What the scripts of cases.yaml use. They run in the repository of lamps; ../lamps.yaml is its first CRD, and $OURS a clone of this repository.

commit() { git add --all && git commit --quiet --message "$1"; }

# The CRD with another largest value.
with_maximum() { sed "s/maximum: 10/maximum: $1/" ../lamps.yaml; }

# A breaking change, committed.
break_users() { with_maximum 5 >config/crd/lamps.yaml && commit second; }

# Another CRD.
rooms() { sed 's/lamp/room/g; s/Lamp/Room/g' ../lamps.yaml; }

# A breaking change of a CRD that is moved at the same time.
move_rooms() {
    mkdir config/more
    rooms >config/more/rooms.yaml
    commit two
    rm config/more/rooms.yaml
    rooms | sed 's/10/5/' >config/crd/rooms.yaml
    commit moved
}

# The file of the object with the CRD in a commit.
object() {
    local name
    name=$(git rev-parse "$1:config/crd/lamps.yaml")
    echo ".git/objects/${name:0:2}/${name:2}"
}

# The same with the work tree of a shallow clone.
shallow() { cd .. && mv work origin && git clone --quiet --depth=1 "file://$PWD/origin" work; }

# The gate as a user, with a base, and as the hook runs it.
gate() { "$OURS/.ci/gate" "$@" --channel standard; }
since() { CRD_BASE=$1 gate "${@:2}"; }
hook() { since HEAD~1 config/crd; }

# The last step of the action, with the program that an earlier step built.
action() {
    mkdir -p "$OURS/target/gate/bin"
    printf '#!/bin/sh\n' >"$OURS/target/gate/bin/crd-channels"
    chmod 755 "$OURS/target/gate/bin/crd-channels"
    GITHUB_ACTION_PATH=$OURS CRDS=config/crd CRD_BASE=$1 OPTIONS=$2 bash -eo pipefail -c "$ACTION"
}
