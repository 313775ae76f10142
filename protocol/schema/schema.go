// Package schema holds the JSON Schemas (draft 2020-12) of protocol v1 and of the frames between control plane and
// agent, one file an envelope. They are generated from the Go structs and refer to each other by file name. Unknown
// members are always allowed: v1 only ever gains members.
package schema

import (
	"embed"
	"fmt"
	"strings"
)

//go:generate go run ../internal/schemagen -root ..

//go:embed v1/*.schema.json
var files embed.FS

// ending is what follows a schema's name in its file's name.
const ending = ".schema.json"

// List names the schemas in alphabetical order, such as "sync_request".
func List() []string {
	entries, err := files.ReadDir("v1")
	if err != nil {
		panic(err) // cannot happen: the folder is part of the binary
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ending)
	}
	return names
}

// Read gives a schema's text by its name.
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile("v1/" + name + ending)
	if err != nil {
		return nil, fmt.Errorf("read schema %q: %w", name, err)
	}
	return text, nil
}
