//go:build linux

package embedded_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
)

// fakeBinaries is a folder whose postgres only knows its version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := openFolder(t)
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	for _, program := range []string{"postgres", "initdb"} {
		check(t, os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755))
	}
	return dir
}

func TestMissingBinariesAreNamedWithTheWayToGetThem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ bin, want string }{
		"none":    {t.TempDir(), "no PostgreSQL binaries found"},
		"too old": {fakeBinaries(t, "14.9 (Debian 14.9-1)"), "found only PostgreSQL older than 15 (14.9"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := embedded.Start(soon(t), embedded.Config{Dir: filepath.Join(t.TempDir(), "pg"), BinDir: tt.bin})
			missing, ok := errors.AsType[*embedded.NotFoundError](err)
			if !ok || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), missing.Hint) {
				t.Errorf("Start fails with %v, want %q and a hint", err, tt.want)
			}
		})
	}
}

func TestBinariesThatDoNotFitTheDataAreNamed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	check(t, os.MkdirAll(dir, 0o700))
	check(t, os.WriteFile(filepath.Join(dir, "PG_VERSION"), []byte("15\n"), 0o600))
	_, err := embedded.Start(soon(t), embedded.Config{Dir: dir, BinDir: fakeBinaries(t, "99beta1")})
	version, ok := errors.AsType[*embedded.VersionError](err)
	if !ok || version.Data != 15 || len(version.Binaries) != 1 || !strings.HasPrefix(version.Binaries[0], "99beta1") {
		t.Errorf("Start fails with %v, want a VersionError of 15 and 99beta1", err)
	}
}

func TestHintIsOneLineForEverySystem(t *testing.T) {
	for goos, want := range map[string]string{"darwin": "brew install", "windows": "winget install",
		"plan9": "install the PostgreSQL server", "linux": "install "} {
		if got := embedded.PendingHint(goos); !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("PendingHint(%q) = %q, want one line with %q", goos, got, want)
		}
	}
}
