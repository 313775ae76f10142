// Package npm installs what a test needs from npm, once for each lock file, in the user's cache.
package npm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Install copies the files of a folder that holds a package.json with its lock, installs the packages beside them, and
// answers the folder where they are. Scripts of packages are not run. Tests of several programs may install at once.
func Install(sources string) (string, error) {
	contents, sum, err := read(sources)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "grantwright-npm-"+sum)
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return dir, nil
	}
	return dir, install(dir, contents)
}

func read(sources string) (contents map[string][]byte, sum string, err error) {
	contents = map[string][]byte{}
	hash := sha256.New()
	entries, err := os.ReadDir(sources)
	if err != nil {
		return nil, "", fmt.Errorf("read what to install: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), ".md") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(sources, e.Name()))
		if err != nil {
			return nil, "", fmt.Errorf("read what to install: %w", err)
		}
		contents[e.Name()] = b
		fmt.Fprintf(hash, "%s %d\n%s", e.Name(), len(b), b)
	}
	return contents, hex.EncodeToString(hash.Sum(nil))[:12], nil
}

// install works in a folder of its own and puts it into place whole, so that nobody meets half of it.
func install(dir string, contents map[string][]byte) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "grantwright-npm-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	for name, b := range contents {
		if err := os.WriteFile(filepath.Join(temp, name), b, 0o600); err != nil {
			return err
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir, cmd.Stderr = temp, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm ci: %w", err)
	}
	if err := os.WriteFile(filepath.Join(temp, "installed"), nil, 0o600); err != nil {
		return err
	}
	if err := os.Rename(temp, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, there := os.Stat(filepath.Join(dir, "installed")); there == nil {
			return nil // somebody else was first
		}
		return err
	}
	return nil
}
