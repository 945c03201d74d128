# `tests/adopter.rs` runs the quickstart, with the files and the report around it. CI runs the test command.
# elsewhere: git clone
# elsewhere: cd crd-channels
# elsewhere: cargo xtask new
# elsewhere: cargo xtask generate
# elsewhere: cd ../my-api
# elsewhere: cargo test
# before: crd-channels diff
mkdir -p released config/crd examples
lamp 10 >released/lamps.yaml
lamp 20 >config/crd/lamps.yaml
echo '{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "a", "namespace": "b"}, "spec": {"watts": 15}}' >examples/lamp.yaml
