package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryCodeOfAnErrorIsDocumented looks for the codes of refusals in the sources and for each in the API's page.
func TestEveryCodeOfAnErrorIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	coded := regexp.MustCompile(`fault\.Coded\(fault\.\w+, "(\w+)"`)
	seen := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range coded.FindAllSubmatch(source, -1) {
			code := string(found[1])
			if !seen[code] && !strings.Contains(string(page), "`"+code+"`") {
				t.Errorf("docs/api.md does not name the code %s of %s", code, path)
			}
			seen[code] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 50 {
		t.Fatalf("only %d codes were found: the expression does not fit the sources any more", len(seen))
	}
}
