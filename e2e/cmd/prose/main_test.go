package main

import "testing"

func TestFilesBelowExceptedPathsAreNotChecked(t *testing.T) {
	const except = "controlplane/console/,e2e/console/"
	for path, want := range map[string]bool{
		"controlplane/console/src/app.tsx": true, "e2e/console/README.md": true,
		"controlplane/internal/app/app.go": false, "docs/console.md": false,
	} {
		if got := anyPrefix(path, except); got != want {
			t.Errorf("%s is excepted: %v, want %v", path, got, want)
		}
	}
	if anyPrefix("docs/console.md", "") {
		t.Error("an empty list excepts everything")
	}
}
