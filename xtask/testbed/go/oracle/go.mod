module github.com/crd-channels/crd-channels/xtask/testbed/go/oracle

go 1.26.0
