package main

import (
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
)

// table reads the fields of a table as `PACKAGE.TYPE.FIELD`, each with whether it was found.
func table(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		kind, field, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			return nil, fmt.Errorf("%s: a line without a tab: %s", path, line)
		}
		wanted[kind+"."+field] = false
	}
	return wanted, nil
}

// mark writes `// +experimental` above each wanted field, below its other comments.
func mark(wanted map[string]bool) edit {
	return func(s *source) []change {
		return changed(s, wanted, func(field *ast.Field) change {
			start, _ := s.lines(field.Pos(), field.End())
			return change{start: start, end: start, text: "// +experimental\n"}
		})
	}
}

// remove deletes each wanted field with its comments.
func remove(wanted map[string]bool) edit {
	return func(s *source) []change {
		return changed(s, wanted, func(field *ast.Field) change { return s.without(start(field, field.Doc), field.End()) })
	}
}

func changed(s *source, wanted map[string]bool, edited func(*ast.Field) change) []change {
	var changes []change
	ast.Inspect(s.file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		structure, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range structure.Fields.List {
			name := s.file.Name.Name + "." + spec.Name.Name + "." + fieldName(field)
			if _, ok := wanted[name]; ok {
				wanted[name] = true
				changes = append(changes, edited(field))
			}
		}
		return true
	})
	slices.SortFunc(changes, func(a, b change) int { return a.start - b.start })
	return changes
}

// fieldName is the name of a field; an embedded one has the name of its type.
func fieldName(field *ast.Field) string {
	if len(field.Names) > 0 {
		return field.Names[0].Name
	}
	kind := field.Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	switch kind := kind.(type) {
	case *ast.Ident:
		return kind.Name
	case *ast.SelectorExpr:
		return kind.Sel.Name
	}
	return ""
}
