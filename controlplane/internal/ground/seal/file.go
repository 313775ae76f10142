package seal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal/keyfile"
)

// OpenFiles reads master keys from files that the operator provides. A file holds 32 raw bytes, or keys in base64 or
// hexadecimal, one a line; lines that begin with # say something to people. The first key of all is for sealing.
func OpenFiles(paths ...string) (*Keyring, error) {
	s := &source{paths: slices.Clone(paths)}
	keys, _, err := s.changed()
	if err != nil {
		return nil, err
	}
	k, err := New(keys...)
	if err != nil {
		return nil, fmt.Errorf("the master key in %s: %w", strings.Join(paths, ", "), err)
	}
	k.source = s
	return k, nil
}

// OpenOrCreateFile is OpenFiles for a file of our own, which is made at the first start with rights for its owner
// alone. Several processes may start at once: all end with the same key.
func OpenOrCreateFile(path string) (*Keyring, error) {
	k, err := OpenFiles(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := keyfile.Create(path); err != nil {
		return nil, err
	}
	return OpenFiles(path)
}

// source is the files that master keys come from.
type source struct {
	paths []string
	mu    sync.Mutex
	seen  []fs.FileInfo // of each file, as last read
}

// changed reads the files when they are others than those it has read last.
func (s *source) changed() (keys [][]byte, changed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look := make([]fs.FileInfo, len(s.paths))
	for i, path := range s.paths {
		if look[i], err = os.Stat(path); err != nil {
			return nil, false, fmt.Errorf("read the master key: %w", err)
		}
	}
	if slices.EqualFunc(look, s.seen, keyfile.SameFile) {
		return nil, false, nil
	}
	for _, path := range s.paths {
		found, err := keyfile.Read(path)
		if err != nil {
			return nil, false, err
		}
		keys = append(keys, found...)
	}
	s.seen = look
	return keys, true, nil
}
