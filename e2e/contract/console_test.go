package contract

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/grantwright/grantwright/e2e/npm"
)

// consoleTypes makes the console's types anew from the description, and holds its sources against them; and looks for
// what linter and unit tests find.
func consoleTypes(t *testing.T, description string) {
	sources := filepath.Join("..", "..", "controlplane", "console")
	installed, err := npm.Install(sources)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	dir := filepath.Join(root, "controlplane", "console")
	// what it shows as its documentation, too
	for _, part := range []string{"controlplane/console/src", "controlplane/console/docs", "docs"} {
		if err := os.CopyFS(filepath.Join(root, part), os.DirFS(filepath.Join("..", "..", part))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "tsconfig.json", "biome.json"} {
		b, err := os.ReadFile(filepath.Join(sources, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{
		{"openapi-typescript", description, "-o", "src/api/schema.d.ts"}, {"tsc", "--noEmit"}, {"biome", "lint", "src"},
		{"vitest", "run"},
	} {
		cmd := exec.Command(filepath.Join(dir, "node_modules", ".bin", command[0]), command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
}
