// Prints the OpenAPI definitions that openapi-gen wrote, with the names that applyconfiguration-gen looks up.
package main

import (
	"encoding/json"
	"os"
	"strings"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/gateway-api/pkg/generated/openapi"
)

func main() {
	definitions := spec.Definitions{}
	escaped := func(name string) string { return strings.ReplaceAll(name, "/", "~1") }
	ref := func(name string) spec.Ref { return spec.MustCreateRef("#/definitions/" + escaped(name)) }
	for name, definition := range openapi.GetOpenAPIDefinitions(ref) {
		schema := definition.Schema
		if v2, ok := schema.Extensions[common.ExtensionV2Schema].(spec.Schema); ok {
			schema = v2
		}
		definitions[name] = schema
	}
	swagger := &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Swagger: "2.0", Definitions: definitions, Info: &spec.Info{InfoProps: spec.InfoProps{Title: "types", Version: "v1"}}, Paths: &spec.Paths{Paths: map[string]spec.PathItem{}},
	}}
	if err := json.NewEncoder(os.Stdout).Encode(swagger); err != nil {
		panic(err)
	}
}
