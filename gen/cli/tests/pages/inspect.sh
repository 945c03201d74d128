# What `kubectl` wrote is here. `tests/inspect.rs` has an imitation of a server, and the proofs have real ones.
# elsewhere: crd-channels inspect  
# elsewhere: crd-channels inspect --context
# elsewhere: crd-channels inspect --channel
# elsewhere: crd-channels inspect --releases
# before: crd-channels inspect --from
mkdir new
lamp 10 >dump.yaml
printf '%s\n' --- '{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "a", "namespace": "b"}, "spec": {"watts": 9}}' >>dump.yaml
lamp 5 >new/lamps.yaml
# exit 1: crd-channels inspect --from
# elsewhere: crd-channels guardrails --supported
# elsewhere: crd-channels guardrails --class
# before: crd-channels upgrade --from
for version in 1.2.0 1.3.0; do
  mkdir -p my-chart/crds
  printf 'apiVersion: v2\nname: my-chart\nversion: %s\n' "$version" > my-chart/Chart.yaml
  sed "s/minimum: 1$/minimum: ${version:2:1}/" "$PAGES/../charts/crd.yaml" > my-chart/crds/lamps.yaml
  tar --create --gzip --file "my-chart-$version.tgz" my-chart
done
cp "$PAGES/../charts/lamps.yaml" objects.yaml
# elsewhere: crd-channels upgrade --context
