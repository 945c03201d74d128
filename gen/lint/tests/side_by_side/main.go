// Prints what every linter of kube-api-linter reports about Go packages below the working directory, as tab-separated lines:
// the linter, the CRD (`KIND VERSION`), the schema path, and the message; `foreign` is no linter, and lists fields that linters do not look into. A finding about a type has the paths of
// all fields with that type. `names` prints the names of all linters.
package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/registry"
	"sigs.k8s.io/kube-api-linter/pkg/config"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration"
)

// What CRDs need instead of the defaults, which are for types of Kubernetes itself. Linters without a default configuration are left out.
var settings = config.LintersConfig{
	"conditions":     map[string]any{"useProtobuf": "Ignore", "usePatchStrategy": "Ignore"},
	"optionalfields": map[string]any{"pointers": map[string]any{"preference": "WhenRequired"}},
}

var unconfigured = []string{"conflictingmarkers", "dependenttags", "forbiddenmarkers", "namingconventions", "preferredmarkers"}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "names" {
		for _, name := range sets.List(registry.DefaultRegistry().AllLinters()) {
			fmt.Printf("%s\t%t\n", name, registry.DefaultRegistry().DefaultLinters().Has(name))
		}
		return
	}
	mode := packages.LoadAllSyntax
	all := must(packages.Load(&packages.Config{Mode: mode}, os.Args[1:]...))
	enabled := registry.DefaultRegistry().AllLinters().Delete(unconfigured...)
	analyzers := must(registry.DefaultRegistry().InitializeLinters(config.Linters{Enable: sets.List(enabled), Disable: unconfigured}, settings))
	places, local := map[token.Pos][]string{}, map[*types.Package]bool{}
	for _, root := range all {
		local[root.Types] = true
	}
	for _, root := range all {
		roots(root, places, local)
	}
	for action := range must(checker.Analyze(analyzers, all, nil)).All() {
		if !action.IsRoot {
			continue
		}
		if action.Err != nil {
			panic(action.Err)
		}
		for _, finding := range action.Diagnostics {
			for _, place := range places[declaration(action.Package, finding)] {
				fmt.Printf("%s\t%s\t%s\n", action.Analyzer.Name, place, finding.Message)
			}
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// The field or type that a finding is in.
func declaration(in *packages.Package, finding analysis.Diagnostic) token.Pos {
	found := token.NoPos
	for _, file := range in.Syntax {
		ast.Inspect(file, func(node ast.Node) bool {
			start := func(doc *ast.CommentGroup, pos token.Pos) token.Pos {
				if doc != nil {
					return doc.Pos()
				}
				return pos
			}
			switch node := node.(type) {
			case *ast.TypeSpec:
				if node.Pos() <= finding.Pos && finding.Pos < node.End() {
					found = node.Name.Pos()
				}
			case *ast.Field:
				if start(node.Doc, node.Pos()) <= finding.Pos && finding.Pos < node.End() {
					found = node.Pos()
				}
			}
			return true
		})
	}
	return found
}

// Enters the paths of each field and type below the root types of a package.
func roots(in *packages.Package, places map[token.Pos][]string, local map[*types.Package]bool) {
	scope := in.Types.Scope()
	for _, name := range scope.Names() {
		named, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		fields, ok := named.Type().Underlying().(*types.Struct)
		if !ok || fields.NumFields() < 2 || fields.Field(0).Name() != "TypeMeta" || fields.Field(1).Name() != "ObjectMeta" {
			continue
		}
		walker{places, local, map[types.Type]bool{}}.walk(named.Type(), name+" "+in.Types.Name(), "")
		places[named.Pos()] = append(places[named.Pos()], name+" "+in.Types.Name()+"\t(root)")
	}
}

type walker struct {
	places map[token.Pos][]string
	// The packages that are linted.
	local map[*types.Package]bool
	// The types that a path is in.
	above map[types.Type]bool
}

func (w walker) walk(kind types.Type, root, path string) {
	enter := func(pos token.Pos, path string) { w.places[pos] = append(w.places[pos], root+"\t"+path) }
	if named, ok := types.Unalias(kind).(*types.Named); ok {
		if w.above[named] {
			return
		}
		w.above[named] = true
		defer delete(w.above, named)
		if path != "" {
			enter(named.Obj().Pos(), path)
		}
	}
	switch below := kind.Underlying().(type) {
	case *types.Pointer:
		w.walk(below.Elem(), root, path)
	case *types.Slice:
		w.walk(below.Elem(), root, path+"[]")
	case *types.Map:
		w.walk(below.Elem(), root, path+".*")
	case *types.Struct:
		for index := range below.NumFields() {
			field := below.Field(index)
			name, _, _ := strings.Cut(reflect.StructTag(below.Tag(index)).Get("json"), ",")
			if name == "metadata" && path == "" || name == "-" {
				continue
			}
			to := strings.TrimPrefix(path+"."+name, ".")
			if name == "" {
				to = path
			} else {
				enter(field.Pos(), to)
				if !w.local[field.Pkg()] || home(field.Type(), field.Pkg()) != field.Pkg() {
					fmt.Printf("foreign\t%s\t%s\t\n", root, to)
				}
			}
			w.walk(field.Type(), root, to)
		}
	}
}

// The package of a type, or of the items of a list or map.
func home(kind types.Type, usual *types.Package) *types.Package {
	if named, ok := types.Unalias(kind).(*types.Named); ok {
		return named.Obj().Pkg()
	}
	switch below := types.Unalias(kind).(type) {
	case *types.Pointer:
		return home(below.Elem(), usual)
	case *types.Slice:
		return home(below.Elem(), usual)
	case *types.Map:
		return home(below.Elem(), usual)
	}
	return usual
}
