// Program go_types edits Go source for `go_types.py`.
//
// Usage:
//
//	go_types strip FOLDER...         remove prose, functions and variables
//	go_types mark TABLE FOLDER       write `// +experimental` above the fields of the table
//	go_types delete TABLE FOLDER     delete the fields of the table
//
// Each `.go` file below a folder is written again. A line of a table is `PACKAGE.TYPE<tab>FIELD`. The program fails if a field of the table does not
// exist. It uses only the standard library.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) >= 2 && arguments[0] == "strip" {
		for _, folder := range arguments[1:] {
			if err := rewrite(folder, strip); err != nil {
				return err
			}
		}
		return nil
	}
	if len(arguments) != 3 {
		return fmt.Errorf("usage: go_types strip FOLDER... | mark TABLE FOLDER | delete TABLE FOLDER")
	}
	wanted, err := table(arguments[1])
	if err != nil {
		return err
	}
	edit := map[string]edit{"mark": mark(wanted), "delete": remove(wanted)}[arguments[0]]
	if edit == nil {
		return fmt.Errorf("unknown command %s", arguments[0])
	}
	if err := rewrite(arguments[2], edit); err != nil {
		return err
	}
	for field, found := range wanted {
		if !found {
			return fmt.Errorf("no field %s", field)
		}
	}
	return nil
}

// change replaces a range of bytes of a file.
type change struct {
	start, end int
	text       string
}

// edit returns the changes of a file.
type edit func(source *source) []change

func rewrite(folder string, edit edit) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, edit := range []func(*source) []change{edit, unused} {
			source, err := parse(path, text)
			if err != nil {
				return err
			}
			if changes := edit(source); len(changes) > 0 {
				if text, err = format.Source(applied(text, changes)); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
		}
		return os.WriteFile(path, text, 0o644)
	})
}

func parse(path string, text []byte) (*source, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &source{text: text, file: file, position: files.File(file.FileStart)}, nil
}

// applied returns the text with changes, which are sorted and do not overlap.
func applied(text []byte, changes []change) []byte {
	var result bytes.Buffer
	start := 0
	for _, change := range changes {
		if change.start < start {
			continue // It is inside of the one before.
		}
		result.Write(text[start:change.start])
		result.WriteString(change.text)
		start = change.end
	}
	result.Write(text[start:])
	return result.Bytes()
}
