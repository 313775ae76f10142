package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Keyring opens the deployment's master key, making it on the first start.
func Keyring(c Config) (*seal.Keyring, error) {
	if len(c.MasterKeyFile) > 0 {
		return seal.OpenFiles(c.MasterKeyFile...)
	}
	return seal.OpenOrCreateFile(DefaultKeyFile(c))
}

// DefaultKeyFile is where the master key is kept when the configuration names no other file.
func DefaultKeyFile(c Config) string { return filepath.Join(c.Data, "keys", "master.key") }

// OwnKeyFile is the one key file that may be rewritten. Where several are given, another program puts them together.
func OwnKeyFile(c Config) (string, error) {
	switch len(c.MasterKeyFile) {
	case 0:
		return DefaultKeyFile(c), nil
	case 1:
		return c.MasterKeyFile[0], nil
	}
	return "", errors.New("several master key files are given")
}

// AddMasterKey puts the key in newKeyFile, which is made when it is not there, into this installation's key file: last,
// where it opens, or first, where it seals. A file that cannot be written is refused unless the key is in it already.
func AddMasterKey(c Config, newKeyFile string, first bool) (seal.Fingerprint, error) {
	ring, err := Keyring(c)
	if err != nil {
		return "", err
	}
	added, err := seal.OpenOrCreateFile(newKeyFile)
	if err != nil {
		return "", err
	}
	key := added.Masters()[0]
	for i, known := range ring.Masters() {
		if known == key && (i == 0 || !first) {
			return key, nil
		}
	}
	path, err := OwnKeyFile(c)
	if err == nil {
		key, err = seal.AddToFile(path, newKeyFile, first)
	}
	if err != nil {
		return "", fmt.Errorf(
			"cannot put the new master key %s into the key file; put it there yourself: %w",
			place(first),
			err,
		)
	}
	return key, nil
}

func place(first bool) string {
	if first {
		return "first, before the old one,"
	}
	return "last, after the old one,"
}

// RemoveMasterKey takes a key out of this installation's key file.
func RemoveMasterKey(c Config, key seal.Fingerprint) error {
	path, err := OwnKeyFile(c)
	if err != nil {
		return fmt.Errorf("take the key %s out of them yourself: %w", key, err)
	}
	return seal.RemoveFromFile(path, key)
}
