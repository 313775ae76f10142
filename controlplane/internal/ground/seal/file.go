package seal

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
)

// keySize is the size of every key here: AES-256.
const keySize = 32

// OpenFile reads the master key from a file that the operator provides: 32 bytes, as they are, in base64 or in
// hexadecimal.
func OpenFile(path string) (*Keyring, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the master key: %w", err)
	}
	key, err := parseKey(raw)
	if err != nil {
		return nil, fmt.Errorf("the master key in %s: %w", path, err)
	}
	return New(key)
}

// OpenOrCreateFile is OpenFile for a file of our own, which is made at the first start with rights for its owner alone.
// Several processes may start at once: all end with the same key.
func OpenOrCreateFile(path string) (*Keyring, error) {
	k, err := OpenFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, err
	}
	if err := createFile(path); err != nil {
		return nil, err
	}
	return OpenFile(path)
}

// createFile writes a new key beside path and links it into place: nobody ever reads half a key, and who comes second
// finds the first one's.
func createFile(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of the master key: %w", err)
	}
	temp, err := os.CreateTemp(dir, ".master-*")
	if err != nil {
		return fmt.Errorf("create the master key: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	text := base64.StdEncoding.EncodeToString(newKey()) + "\n"
	_, err = temp.WriteString(text)
	if err := errors.Join(err, temp.Chmod(0o600), temp.Sync(), temp.Close()); err != nil {
		return fmt.Errorf("write the master key: %w", err)
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("put the master key in place: %w", err)
	}
	return nil
}

// newKey makes a random key. crypto/rand never fails: it ends the process instead.
func newKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key)
	return key
}

func parseKey(raw []byte) ([]byte, error) {
	if len(raw) == keySize {
		return raw, nil
	}
	text := string(bytes.TrimSpace(raw))
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == keySize {
			return key, nil
		}
	}
	return nil, errors.New("it must be 32 bytes: raw, in base64 or in hexadecimal")
}
