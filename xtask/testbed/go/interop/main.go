// Command interop is code of other projects around a registry that has no command of its own, or none that the module proxy builds:
//
//	interop push ADDRESS FOLDER    what `flux push artifact` does
//	interop pull ADDRESS FOLDER    what source-controller does for an OCIRepository without a layerSelector
//	interop serve HOST:PORT        the registry of `crane registry serve`, with the API for referrers, which that command leaves off
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/fluxcd/pkg/oci"
	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	ctx, client := context.Background(), oci.NewClient(oci.DefaultOptions())
	switch {
	case len(arguments) == 3 && arguments[0] == "push":
		digest, err := client.Push(ctx, arguments[1], arguments[2])
		fmt.Println(digest)
		return err
	case len(arguments) == 3 && arguments[0] == "pull":
		_, err := client.Pull(ctx, arguments[1], arguments[2])
		return err
	case len(arguments) == 2 && arguments[0] == "serve":
		listener, err := net.Listen("tcp", arguments[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "serving on port %d\n", listener.Addr().(*net.TCPAddr).Port)
		return http.Serve(listener, registry.New(registry.WithReferrersSupport(true)))
	}
	return fmt.Errorf("usage: interop push|pull ADDRESS FOLDER, interop serve HOST:PORT")
}
