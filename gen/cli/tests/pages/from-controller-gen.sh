# A project of kubebuilder, whose `controller-gen` is replaced by a program that adds one field, and a project with one CRD.
# before: crd-channels init
cp -r "$REPOSITORY/testdata/kubebuilder" widgets && cd widgets && git init --quiet
# before: crd-channels generate
page=$REPOSITORY/docs/from-controller-gen.md types=api/v1/widget_types.go
sed -i 's/^version: .*/version: v1.1.0/' crd-channels.yaml
sed -n '/^```go$/,/^```$/{/^```/d;p}' "$page" >field.go
sed -i -e '/json:"engraving,omitempty"/{G;r field.go' -e '}' "$types" && rm field.go
mkdir bin && echo /bin >.git/info/exclude
cat >bin/controller-gen <<'END'
#!/bin/sh
case "$1" in rbac:*) ;; *) exit 0 ;; esac
crd=config/crd/bases/shop.example.com_widgets.yaml
grep --quiet gift: $crd || sed -i '0,/^              labels:$/s//              gift:\n                description: gift is printed on the box.\n                maxLength: 80\n                type: string\n&/' $crd
END
chmod +x bin/controller-gen && touch bin/controller-gen
# after: crd-channels generate
[ "$(grep --recursive --files-with-matches gift: config bundles/unreleased | sort | xargs -n 1 dirname)" = "$(printf 'bundles/unreleased/experimental\nconfig/crd/bases')" ] || exit 1
# after: crd-channels release v1.1.0
[ -f bundles/v1.1.0/bundle.yaml ] && [ -f crd-dist/standard-install.yaml ] || exit 1
# after: crd-channels schema marks
sed -i 's|^types: .*|marks: channels.yaml|' crd-channels.yaml # The mark gives the channels that the marker gave.
crd-channels generate --check >marks.out 2>&1 || { cat marks.out; exit 1; }
# before: controller-gen crd
cd "$BASE/work"
# before: crd-channels diff released/ new/
mkdir released
lamp 10 >released/example.com_lamps.yaml
# before: crd-channels new widgets-api
mkdir -p config/crd && cp -r new config/crd/bases
