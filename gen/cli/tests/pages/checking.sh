# The workspace is that of getting-started.md, with bundles and CRDs of other versions.
# before: cargo xtask diff v1.5.0 v1.6.0
of_version() { sed "s/v1.0.0-dev/$2/" bundles/unreleased/$1/*.yaml; }
for version in v1.5.0 v1.6.0; do
    of_version experimental $version | cargo xtask import - --version $version --channel experimental
done
of_version standard v1.5.0 | cargo xtask import - --version v1.5.0 --channel standard
# before: cargo xtask import install.yaml
of_version standard v1.6.0 >install.yaml
# elsewhere: crd-channels lint --crds config/crd --against git:v1.2.0:config/crd
