// Package console holds the web console as it was built. In a program that was built without it there is no index.html.
package console

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files are what the build has left: index.html, and what it names beneath assets. Each that can be packed has a twin
// with .gz.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only for a path that is not well-formed
	}
	return files
}
