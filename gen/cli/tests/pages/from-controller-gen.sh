# A project with one CRD, and then Karpenter.
# before: crd-channels diff released/ new/
mkdir released
lamp 10 >released/example.com_lamps.yaml
# before: crd-channels new widgets-api
mkdir -p config/crd && cp -r new config/crd/bases
# before: mkdir published
cd ..
# exit 1: crd-channels new karpenter
