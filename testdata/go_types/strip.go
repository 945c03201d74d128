package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// source is a parsed file.
type source struct {
	text     []byte
	file     *ast.File
	position *token.File
}

// lines is the range of bytes from the start of the line of `from`, if only blanks are before it, to the end of the line of `to`, if only blanks
// and comments are after it.
func (s *source) lines(from, to token.Pos) (int, int) {
	start, end := s.position.Offset(from), s.position.Offset(to)
	for start > 0 && strings.ContainsRune(" \t", rune(s.text[start-1])) {
		start--
	}
	rest := s.text[end:]
	if after := regexp.MustCompile(`^[ \t]*(//[^\n]*)?\n`).Find(rest); after != nil && (start == 0 || s.text[start-1] == '\n') {
		end += len(after)
	}
	return start, end
}

func (s *source) without(from, to token.Pos) change {
	start, end := s.lines(from, to)
	return change{start: start, end: end}
}

// kept reports whether a comment is a marker, a tag of Gateway API, or an order to Go.
func kept(comment string) bool {
	text, isLine := strings.CutPrefix(comment, "//")
	isMarker := strings.HasPrefix(strings.TrimSpace(text), "+")
	isTag := strings.Contains(text, "<gateway:") || strings.Contains(text, "</gateway:")
	return isLine && (isMarker || isTag || strings.HasPrefix(text, "go:build"))
}

// Methods that change how a type is written in JSON, which generators of CRDs look for.
var keptMethods = []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "OpenAPISchemaType", "OpenAPISchemaFormat"}

// strip removes prose, functions and variables.
func strip(s *source) []change {
	var changes []change
	for _, declaration := range s.file.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			if declaration.Recv == nil || !slices.Contains(keptMethods, declaration.Name.Name) {
				changes = append(changes, s.without(start(declaration, declaration.Doc), declaration.End()))
			}
		case *ast.GenDecl:
			if declaration.Tok == token.VAR {
				changes = append(changes, s.without(start(declaration, declaration.Doc), declaration.End()))
			}
		}
	}
	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			if !kept(comment.Text) {
				changes = append(changes, s.without(comment.Pos(), comment.End()))
			}
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	return changes
}

func start(node ast.Node, doc *ast.CommentGroup) token.Pos {
	if doc != nil {
		return doc.Pos()
	}
	return node.Pos()
}

// unused removes imports that the file does not use any more. The name of an import without a name is the last part of its path that is not a
// version.
func unused(s *source) []change {
	used := map[string]bool{}
	ast.Inspect(s.file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok {
				used[name.Name] = true
			}
		}
		return true
	})
	var changes []change
	for _, declaration := range s.file.Decls {
		declaration, ok := declaration.(*ast.GenDecl)
		if !ok || declaration.Tok != token.IMPORT {
			continue
		}
		var unused []change
		for _, spec := range declaration.Specs {
			spec := spec.(*ast.ImportSpec)
			if !used[importName(spec)] {
				unused = append(unused, s.without(start(spec, spec.Doc), spec.End()))
			}
		}
		if len(unused) == len(declaration.Specs) {
			unused = []change{s.without(declaration.Pos(), declaration.End())}
		}
		changes = append(changes, unused...)
	}
	return changes
}

func importName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	written, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	name := path.Base(written)
	if isVersion := regexp.MustCompile(`^v[2-9]\d*$`).MatchString(name); isVersion && !strings.Contains(written, "/api/") {
		name = path.Base(path.Dir(written))
	}
	return name
}
