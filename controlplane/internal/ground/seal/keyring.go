package seal

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal/keyfile"
)

// Errors of opening. Neither says anything about the value.
var (
	// ErrOtherMasterKey means that the value was sealed under a master key that is not in use here: database and key
	// file do not belong together.
	ErrOtherMasterKey = errors.New("sealed under another master key; the key file does not belong to this database")
	// ErrBroken means that the value was changed, or moved from where it was sealed.
	ErrBroken = errors.New("the sealed value does not open: it was changed, or moved from another place")
)

const (
	formatTenant = 1 // under a tenant's data key: format, data key version (4 bytes), nonce and ciphertext
	formatGlobal = 2 // under the master key: format, master key fingerprint (4 bytes), nonce and ciphertext
	headerSize   = 5
)

// freshFor is how long a process goes on sealing under the data key that it knows as the newest. After that long, every
// process seals under the key that a rotation made.
const freshFor = 3 * time.Second

// Keyring seals under one master key and opens under several, so that one can take the place of another while processes
// work. It is safe for concurrent use.
type Keyring struct {
	source *source // where the master keys come from; nil for keys that were handed over

	mu      sync.Mutex
	masters []*master                 // the first seals
	tenants map[string]dataKey        // the newest data key of a tenant
	byID    map[dataKeyID]cipher.AEAD // every data key that was needed
}

type dataKey struct {
	version   uint32
	aead      cipher.AEAD
	committed bool      // by another transaction than the one that read it
	learned   time.Time // when it was last seen to be the newest
}

// dataKeyID is the key of table tenant_key: data keys are numbered from 1 within a tenant.
type dataKeyID struct {
	tenant  string
	version uint32
}

// New makes a keyring from master keys of 32 bytes. The first is for sealing, all are for opening.
func New(masters ...[]byte) (*Keyring, error) {
	k := &Keyring{tenants: map[string]dataKey{}, byID: map[dataKeyID]cipher.AEAD{}}
	var err error
	k.masters, err = newMasters(masters)
	return k, err
}

// Fingerprint identifies a master key without disclosing it: 8 hexadecimal digits.
type Fingerprint string

// Masters are the fingerprints of the master keys, that which seals first.
func (k *Keyring) Masters() []Fingerprint {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]Fingerprint, len(k.masters))
	for i, m := range k.masters {
		out[i] = m.name()
	}
	return out
}

// Derive makes a key of 32 bytes for a purpose from the master key that has been there longest, the last one. It
// changes when that key is taken away: what must outlive it is kept by Lasting.
func (k *Keyring) Derive(purpose string) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.masters[len(k.masters)-1].expand("derive/"+purpose, keyfile.KeySize)
}

// SealGlobal seals what belongs to the deployment and not to a tenant. purpose must be given again to open.
func (k *Keyring) SealGlobal(purpose string, plain []byte) ([]byte, error) {
	k.refresh()
	k.mu.Lock()
	first := k.masters[0]
	k.mu.Unlock()
	return first.seal(purpose, plain)
}

// OpenGlobal opens what SealGlobal sealed for the same purpose, under any of the master keys.
func (k *Keyring) OpenGlobal(purpose string, sealed []byte) ([]byte, error) {
	if len(sealed) < headerSize || sealed[0] != formatGlobal {
		return nil, ErrBroken
	}
	m := k.master(sealed[1:headerSize])
	if m == nil && k.refresh() {
		m = k.master(sealed[1:headerSize])
	}
	if m == nil {
		return nil, ErrOtherMasterKey
	}
	return m.open(purpose, sealed)
}

// master finds a master key by its fingerprint, which a value of the deployment has after its first
// byte; nil if the key is not known here.
func (k *Keyring) master(fingerprint []byte) *master {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range k.masters {
		if bytes.Equal(m.fingerprint, fingerprint) {
			return m
		}
	}
	return nil
}

// refresh reads the key files again when they have changed, and reports whether it did. A rotation needs no restart: a
// key that was added to the files is known as soon as it is needed. Files that cannot be read leave the keys as they
// are.
func (k *Keyring) refresh() bool {
	if k.source == nil {
		return false
	}
	keys, changed, err := k.source.changed()
	if err != nil || !changed {
		return false
	}
	masters, err := newMasters(keys)
	if err != nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.masters = masters
	return true
}

// newMasters checks keys and keeps their order. No key, and the same key twice, are errors.
func newMasters(keys [][]byte) ([]*master, error) {
	masters := make([]*master, 0, len(keys))
	for _, key := range keys {
		m, err := newMaster(key)
		if err != nil {
			return nil, err
		}
		masters = append(masters, m)
	}
	if len(masters) == 0 {
		return nil, errors.New("there is no master key")
	}
	for i, m := range masters {
		for _, other := range masters[:i] {
			if m.name() == other.name() {
				return nil, fmt.Errorf("the master key %s is there twice", m.name())
			}
		}
	}
	return masters, nil
}
