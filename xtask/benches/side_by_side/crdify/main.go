// Asks crdify about the pairs of CRDs in gen/cli/tests/opinions.yaml, and prints what it answers.
//
//	cd xtask/benches/side_by_side/crdify && go run . > ../../../../gen/cli/tests/opinions.tsv
//
// Each line has the case, and the validations that report an error, or "-". The digest in the first line is that of the pairs, so that the
// test notices pairs that were changed later.
package main

import (
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations"
	"sigs.k8s.io/crdify/pkg/validators/version"
	"sigs.k8s.io/yaml"
)

const tool = "sigs.k8s.io/crdify"

// One side of a pair: the schema of `spec` in the only version, or all versions.
type side struct {
	Spec       *apiextensionsv1.JSONSchemaProps                  `json:"spec"`
	Versions   []apiextensionsv1.CustomResourceDefinitionVersion `json:"versions"`
	Conversion *apiextensionsv1.CustomResourceConversion         `json:"conversion"`
	Scope      apiextensionsv1.ResourceScope                     `json:"scope"`
	Stored     []string                                          `json:"stored"`
}

type pair struct {
	Case   string        `json:"case"`
	Config config.Config `json:"config"`
	Old    side          `json:"old"`
	New    side          `json:"new"`
}

// The CRD of one side.
func (s side) crd() *apiextensionsv1.CustomResourceDefinition {
	versions := s.Versions
	if s.Spec != nil {
		root := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": *s.Spec}}
		schema := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root}
		versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: schema}}
	}
	scope := s.Scope
	if scope == "" {
		scope = apiextensionsv1.NamespaceScoped
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "ts.q.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:      "q.example.com",
			Names:      apiextensionsv1.CustomResourceDefinitionNames{Plural: "ts", Singular: "t", Kind: "T", ListKind: "TList"},
			Scope:      scope,
			Versions:   versions,
			Conversion: s.Conversion,
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: s.Stored},
	}
}

// The validations of crdify that report an error, sorted.
func refusals(p pair) ([]string, error) {
	if err := config.ValidateConfig(&p.Config); err != nil {
		return nil, err
	}
	run, err := runner.New(&p.Config, runner.DefaultRegistry())
	if err != nil {
		return nil, err
	}
	results := run.Run(p.Old.crd(), p.New.crd())
	var found []string
	add := func(prefix string, all []validations.ComparisonResult) {
		for _, result := range all {
			if len(result.Errors) > 0 {
				found = append(found, prefix+result.Name)
			}
		}
	}
	add("", results.CRDValidation)
	for prefix, versions := range map[string][]version.VersionedPropertyComparisonResult{
		"":                 results.SameVersionValidation,
		"served versions ": results.ServedVersionValidation,
	} {
		for _, compared := range versions {
			for _, property := range compared.PropertyComparisons {
				add(prefix, property.ComparisonResults)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// The digest of the pairs: of the lines that are not about verdicts.
func digest(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		for _, key := range []string{"- case:", "  config:", "  old:", "  new:"} {
			if strings.HasPrefix(line, key) {
				lines = append(lines, line)
			}
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, ""))))
}

func toolVersion() string {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == tool {
			return module.Version
		}
	}
	return "unknown"
}

func main() {
	_, file, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "../../../../gen/cli/tests/opinions.yaml"))
	if err != nil {
		log.Fatal(err)
	}
	var pairs []pair
	if err := yaml.Unmarshal(text, &pairs); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("# crdify %s, pairs %s\n", toolVersion(), digest(string(text)))
	for _, pair := range pairs {
		found, err := refusals(pair)
		if err != nil {
			log.Fatalf("%s: %v", pair.Case, err)
		}
		if len(found) == 0 {
			found = []string{"-"}
		}
		fmt.Printf("%s\t%s\n", pair.Case, strings.Join(found, ", "))
	}
}
