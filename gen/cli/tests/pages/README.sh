# `tests/adopter.rs` runs the quickstart, with the files and the report around it. CI runs the test command.
# elsewhere: git clone
# elsewhere: cargo install
# elsewhere: crd-channels new
# elsewhere: cd my-api
# elsewhere: cargo xtask generate
# elsewhere: cargo test
# before: crd-channels diff
mkdir -p released config/crd examples
lamp 10 >released/lamps.yaml
lamp 20 >config/crd/lamps.yaml
echo '{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "a", "namespace": "b"}, "spec": {"watts": 15}}' >examples/lamp.yaml
