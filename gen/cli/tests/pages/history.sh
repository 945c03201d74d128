# In the workspace of checking.md.
# before: crd-channels history config/crd
mkdir -p config/crd
for version in v0.1.0 v0.2.0; do
    lamp 1${version:3:1} >config/crd/lamps.yaml
    git add config/crd && git commit --quiet --message $version && git tag $version
done
# before: crd-channels history releases/widgets
for version in v1.0.0 v1.1.0; do
    for channel in standard experimental; do
        mkdir -p releases/widgets/$version/$channel
        of_version $channel $version >releases/widgets/$version/$channel/widgets.yaml
    done
done
