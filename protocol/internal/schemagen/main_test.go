package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheCommittedSchemasAreTheGeneratedOnes(t *testing.T) {
	files, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../schema/v1", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf(
				"%s differs from what the structs say (%v): run go generate ./... in the protocol module",
				name,
				err,
			)
		}
	}
	there, err := filepath.Glob("../../schema/v1/*")
	if err != nil || len(there) != len(files) {
		t.Errorf("schema/v1 holds %d files, want %d (%v)", len(there), len(files), err)
	}
}

func TestEveryRefinementNamesAField(t *testing.T) {
	met := map[string]bool{}
	for path, refine := range refinements {
		refinements[path] = func(s *schema) { met[path] = true; refine(s) }
		t.Cleanup(func() { refinements[path] = refine })
	}
	if _, err := generate("../.."); err != nil {
		t.Fatal(err)
	}
	for path := range refinements {
		if !met[path] {
			t.Errorf("no field %s: a bound is lost", path)
		}
	}
}
