// Package builtin holds the sector packs that come with the service. They are part of the program, so they are trusted
// as it is.
package builtin

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

//go:embed all:packs
var content embed.FS

// All are the built-in packs by key, in their order.
var All = sync.OnceValue(func() []*format.Source {
	names, err := fs.ReadDir(content, "packs")
	if err != nil {
		panic(err)
	}
	var all []*format.Source
	for _, n := range names {
		source, err := load(n.Name())
		if err != nil {
			panic("built-in pack " + n.Name() + ": " + err.Error())
		}
		all = append(all, source)
	}
	return all
})

// load reads a pack that is embedded in the program. Its signature is not asked for: the program
// itself vouches for it.
func load(name string) (*format.Source, error) {
	dir, err := fs.Sub(content, "packs/"+name)
	if err != nil {
		return nil, err
	}
	files, problems, err := archive.Dir(dir)
	if err != nil {
		return nil, err
	}
	if diagnostic.Failed(problems) {
		return nil, fmt.Errorf("%s", problems[0])
	}
	source, problems := format.Read(files, format.Options{})
	if source == nil {
		return nil, fmt.Errorf("%s", problems[0])
	}
	return source, nil
}

// Find is a built-in pack.
func Find(key string) (*format.Source, bool) {
	for _, s := range All() {
		if s.Pack.Metadata.Key == key {
			return s, true
		}
	}
	return nil, false
}
