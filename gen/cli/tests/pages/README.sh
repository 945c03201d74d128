# The clone is this repository. `tests/adopter.rs` runs the quickstart, with the files and the report around it. CI runs the test command.
# before: cargo install
clone
# exit 1: crd-channels diff v1.10.0
# before: crd-channels gate
git init --quiet
mkdir -p released config/crd examples
lamp 10 >config/crd/lamps.yaml
git add config && git commit --quiet --message lamps
cp config/crd/lamps.yaml released
lamp 20 >config/crd/lamps.yaml
echo '{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "a", "namespace": "b"}, "spec": {"watts": 15}}' >examples/lamp.yaml
# elsewhere: cargo xtask new
# elsewhere: cargo xtask generate
# elsewhere: cd ../my-api
# elsewhere: cargo test
