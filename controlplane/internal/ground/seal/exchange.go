package seal

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal/keyfile"
)

// AddToFile puts the master key in newKey, a file that is made when it is not there, into the key file at path: last,
// where it opens, or first, where it seals. It returns its fingerprint. The file is replaced at once; a key that is in
// the wanted place already leaves it as it is.
func AddToFile(path, newKey string, first bool) (Fingerprint, error) {
	added, err := theOneKey(newKey)
	if err != nil {
		return "", err
	}
	keys, err := keyfile.Read(path)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(keys, func(key []byte) bool { return bytes.Equal(key, added.key) })
	if at == 0 || (at > 0 && !first) {
		return added.name(), nil
	}
	keys = without(keys, added)
	if first {
		keys = slices.Insert(keys, 0, added.key)
	} else {
		keys = append(keys, added.key)
	}
	return added.name(), keyfile.Replace(path, keys)
}

// RemoveFromFile takes a master key out of the key file at path. The last one stays.
func RemoveFromFile(path string, key Fingerprint) error {
	keys, err := keyfile.Read(path)
	if err != nil {
		return err
	}
	masters, err := newMasters(keys)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(masters, func(m *master) bool { return m.name() == key })
	switch {
	case at < 0:
		return fmt.Errorf("there is no master key %s in %s", key, path)
	case len(keys) == 1:
		return fmt.Errorf("%s is the only master key in %s", key, path)
	}
	return keyfile.Replace(path, slices.Delete(keys, at, at+1))
}

// theOneKey reads a file with one key, and makes it when it is not there.
func theOneKey(path string) (*master, error) {
	if _, err := OpenOrCreateFile(path); err != nil {
		return nil, err
	}
	keys, err := keyfile.Read(path)
	if err != nil {
		return nil, err
	}
	if len(keys) != 1 {
		return nil, fmt.Errorf("%s holds %d keys; a new master key is one", path, len(keys))
	}
	return newMaster(keys[0])
}

// without removes a master key from a list of keys, in place.
func without(keys [][]byte, m *master) [][]byte {
	return slices.DeleteFunc(keys, func(key []byte) bool { return bytes.Equal(key, m.key) })
}
