package keyfile

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Replace writes the keys to a new file beside the old one and renames it, so that at any
// moment one whole file is there. A symbolic link is replaced, not followed.
func Replace(path string, keys [][]byte) error {
	temp, err := writeBeside(path, keys)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("replace the master key file: %w", err)
	}
	return keepEntry(path)
}

// KeySize is the size of every key here: AES-256.
const KeySize = 32

// SameFile says whether a file is likely as it was read. A change that keeps the size, the
// modification time and the inode is not noticed.
func SameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Read reads the master keys of one file, that which seals first. An error names the file and
// never says what it holds.
func Read(path string) ([][]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the master key: %w", err)
	}
	keys, err := parseKeys(raw)
	if err != nil {
		return nil, fmt.Errorf("the master key in %s: %w", path, err)
	}
	return keys, nil
}

// parseKeys reads a file of exactly 32 bytes as one raw key, and any other as lines: one key each,
// in hexadecimal or base64; empty lines and those that begin with # are skipped. A file without a
// key is an error.
func parseKeys(raw []byte) (keys [][]byte, err error) {
	if len(raw) == KeySize {
		return [][]byte{raw}, nil
	}
	for line := range bytes.Lines(raw) {
		text := string(bytes.TrimSpace(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		key, err := parseKey(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errNotAKey
	}
	return keys, nil
}

var errNotAKey = errors.New("it must be 32 bytes: raw, in base64 or in hexadecimal")

// parseKey tries the encodings in an order in which none is mistaken for another: 64 hexadecimal
// digits are valid base64 as well, but of 48 bytes.
func parseKey(text string) ([]byte, error) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == KeySize {
			return key, nil
		}
	}
	return nil, errNotAKey
}

// Create writes a new key beside path and links it into place: no process ever reads half a key, and the second one
// finds the first one's.
func Create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the master key: %w", err)
	}
	temp, err := writeBeside(path, [][]byte{NewKey()})
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }()
	if err := os.Link(temp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("put the master key in place: %w", err)
	}
	return keepEntry(path)
}

// keepEntry makes sure that a file is still in its folder after the power fails: the database keeps what is sealed
// under a key from the commit on, and so the key must be there for good before.
func keepEntry(path string) error {
	if runtime.GOOS == "windows" { // which cannot sync a folder, and keeps entries itself
		return nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err == nil {
		err = errors.Join(dir.Sync(), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("make the master key durable: %w", err)
	}
	return nil
}

// writeBeside writes keys into a new file in path's folder, for its owner alone.
func writeBeside(path string, keys [][]byte) (string, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), ".master-*")
	if err != nil {
		return "", fmt.Errorf("write the master key: %w", err)
	}
	var text strings.Builder
	for _, key := range keys {
		text.WriteString(base64.StdEncoding.EncodeToString(key) + "\n")
	}
	_, err = temp.WriteString(text.String())
	if err := errors.Join(err, temp.Chmod(0o600), temp.Sync(), temp.Close()); err != nil {
		_ = os.Remove(temp.Name())
		return "", fmt.Errorf("write the master key: %w", err)
	}
	return temp.Name(), nil
}

// NewKey makes a random key. crypto/rand never fails: it ends the process instead.
func NewKey() []byte {
	key := make([]byte, KeySize)
	_, _ = rand.Read(key)
	return key
}
