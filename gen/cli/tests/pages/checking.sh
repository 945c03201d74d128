# The workspace is that of getting-started.md, with bundles and CRDs of other versions.
# before: cargo xtask diff v1.5.0 v1.6.0
of_version() { sed "s/v1.0.0-dev/$2/" bundles/unreleased/$1/*.yaml; }
for version in v1.5.0 v1.6.0; do
    of_version experimental $version | cargo xtask import - --version $version --channel experimental
done
of_version standard v1.5.0 | cargo xtask import - --version v1.5.0 --channel standard
# before: cargo xtask import install.yaml
of_version standard v1.6.0 >install.yaml
# before: crd-channels history releases/widgets
for version in v1.0.0 v1.1.0; do
    for channel in standard experimental; do
        mkdir -p releases/widgets/$version/$channel
        of_version $channel $version >releases/widgets/$version/$channel/widgets.yaml
    done
done
# elsewhere: crd-channels gate config/crd --base origin/main --format markdown
# elsewhere: gh pr comment
# elsewhere: crd-channels lint --crds config/crd --against git:v1.2.0:config/crd
# elsewhere: crd-channels diff old/ config/crd
# elsewhere: crd-channels diff old/ config/crd
# before: crd-channels gate config/crd
workspace=$PWD gated=$(mktemp -d)
cd "$gated"
git init --quiet
mkdir -p config/crd
lamp 10 >config/crd/lamps.yaml
git add config
git commit --quiet --message lamps
lamp 20 >config/crd/lamps.yaml
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
