package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
)

// Errors of opening. Neither says anything about the value.
var (
	// ErrOtherMasterKey means that the value was sealed under another master key than the one in use: database and key
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

// Keyring seals and opens under one master key. It is safe for concurrent use.
type Keyring struct {
	master      []byte
	fingerprint []byte

	mu      sync.Mutex
	tenants map[string]dataKey        // the newest data key of a tenant
	byID    map[dataKeyID]cipher.AEAD // every data key that was needed
	global  map[string]cipher.AEAD    // by purpose
}

type dataKey struct {
	version uint32
	aead    cipher.AEAD
}

type dataKeyID struct {
	tenant  string
	version uint32
}

// New makes a keyring from a master key of 32 bytes.
func New(master []byte) (*Keyring, error) {
	if len(master) != keySize || bytes.Count(master, []byte{0}) == keySize {
		return nil, errors.New("a master key has 32 bytes that are not all zero")
	}
	k := &Keyring{
		master: bytes.Clone(master), tenants: map[string]dataKey{}, byID: map[dataKeyID]cipher.AEAD{}, global: map[string]cipher.AEAD{},
	}
	k.fingerprint = k.expand("fingerprint", 4)
	return k, nil
}

// Derive makes a key of 32 bytes for a purpose, e.g. the cursors of lists. The same purpose always gives the same key.
func (k *Keyring) Derive(purpose string) []byte { return k.expand("derive/"+purpose, keySize) }

// SealGlobal seals what belongs to the deployment and not to a tenant. purpose must be given again to open.
func (k *Keyring) SealGlobal(purpose string, plain []byte) ([]byte, error) {
	aead, err := k.globalKey(purpose)
	if err != nil {
		return nil, err
	}
	head := append([]byte{formatGlobal}, k.fingerprint...)
	return aead.Seal(head, nil, plain, globalBinding(purpose)), nil
}

// OpenGlobal opens what SealGlobal sealed for the same purpose.
func (k *Keyring) OpenGlobal(purpose string, sealed []byte) ([]byte, error) {
	if len(sealed) < headerSize || sealed[0] != formatGlobal {
		return nil, ErrBroken
	}
	if !bytes.Equal(sealed[1:headerSize], k.fingerprint) {
		return nil, ErrOtherMasterKey
	}
	aead, err := k.globalKey(purpose)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed[headerSize:], globalBinding(purpose))
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}

func globalBinding(purpose string) []byte { return []byte("grantwright global|" + purpose) }

// globalKey is a key for one purpose, so that no two kinds of value share one.
func (k *Keyring) globalKey(purpose string) (cipher.AEAD, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if aead, ok := k.global[purpose]; ok {
		return aead, nil
	}
	aead, err := newAEAD(k.expand("global/"+purpose, keySize))
	if err != nil {
		return nil, err
	}
	k.global[purpose] = aead
	return aead, nil
}

// expand is HKDF (RFC 5869) with SHA-256. It fails only for lengths that nobody asks for here.
func (k *Keyring) expand(info string, size int) []byte {
	key, err := hkdf.Key(sha256.New, k.master, nil, "grantwright/"+info, size)
	if err != nil {
		panic(err)
	}
	return key
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return aead, nil
}
