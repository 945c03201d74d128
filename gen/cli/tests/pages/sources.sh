# Begins in the repository of ci.md, and continues in the workspace.
# after: crd-channels diff git:HEAD:config/crd config/crd
cd "$workspace"
rm -rf "$gated"
# before: crd-channels diff old/ new/ --skip
workspace=$PWD elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
cd "$elsewhere"
mkdir old new
lamp 10 >old/lamps.yaml
lamp 20 >new/lamps.yaml
echo "kind: [" >new/broken.yaml
# before: crd-channels diff old/ new/ --select annotation
rm old/* new/*
for set in Default Preview; do
    lamp 10 "example.com/feature-set: $set" >old/lamps-$set.crd.yaml
    lamp 20 "example.com/feature-set: $set" >new/lamps-$set.crd.yaml
done
# after: crd-channels diff old/ new/ --select 'file=
cd "$workspace"
# elsewhere: crd-channels diff oci://ghcr.io/my-org/my-api/standard:v1.6.0 oci-layout:dist/oci:standard-v1.7.0
# elsewhere: crd-channels history oci://ghcr.io/my-org/my-api/standard
# elsewhere: crd-channels diff cluster:staging bundles/v1.7.0/standard
# before: crd-channels diff my-chart-1.2.0.tgz
for version in 1.2.0 1.3.0; do
  mkdir -p my-chart/crds
  printf 'apiVersion: v2\nname: my-chart\nversion: %s\n' "$version" > my-chart/Chart.yaml
  cp "$PAGES/../charts/crd.yaml" my-chart/crds/lamps.yaml
  tar --create --gzip --file "my-chart-$version.tgz" my-chart
done
# elsewhere: crd-channels diff chart:my-chart
