//go:build tools

// Package tools names the command that the testbed builds, so that `go mod tidy` keeps what it needs.
package tools

import _ "github.com/fluxcd/helm-controller"
