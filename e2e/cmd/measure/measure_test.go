package main

import (
	"path/filepath"
	"testing"
)

// Figures that have reached their goal stay there.
func TestTheSourceTreeKeepsWhatItHasReached(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	packages, err := readImports(root)
	if err != nil {
		t.Fatal(err)
	}
	if pairs := packages.folderPairs(); len(packages) < 50 || len(pairs) > 0 {
		t.Errorf("of %d packages, these folders import each other: %v", len(packages), pairs)
	}
	scripts, err := readScripts(root)
	if err != nil {
		t.Fatal(err)
	}
	if circles := scripts.circles(); len(scripts) < 200 || len(circles) > 0 {
		t.Errorf("of %d files of the console, these import each other: %v", len(scripts), circles)
	}
	schema, err := readMigrations(root)
	if err != nil {
		t.Fatal(err)
	}
	if schema.files > 12 || len(schema.twice) > 0 {
		t.Errorf("%d files of migrations; want at most 12, and nothing created twice: %v", schema.files, schema.twice)
	}
}
