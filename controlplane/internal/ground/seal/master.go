package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal/keyfile"
)

// master is one master key.
type master struct {
	key         []byte
	fingerprint []byte

	mu sync.Mutex
	// purposes are the ciphers of keys that were derived, by purpose; mu guards them.
	purposes map[string]cipher.AEAD
}

// newMaster takes a copy of a key. 32 zero bytes are refused: they are what an empty volume or a
// forgotten variable looks like.
func newMaster(key []byte) (*master, error) {
	if len(key) != keyfile.KeySize || bytes.Count(key, []byte{0}) == keyfile.KeySize {
		return nil, errors.New("a master key has 32 bytes that are not all zero")
	}
	m := &master{key: bytes.Clone(key), purposes: map[string]cipher.AEAD{}}
	m.fingerprint = m.expand("fingerprint", headerSize-1)
	return m, nil
}

// name is the fingerprint as people see it.
func (m *master) name() Fingerprint { return Fingerprint(hex.EncodeToString(m.fingerprint)) }

// seal encrypts with AES-256-GCM under a key that is derived for the purpose. The value is one byte
// for the format, the fingerprint, the nonce, and the ciphertext with its tag.
func (m *master) seal(purpose string, plain []byte) ([]byte, error) {
	aead, err := m.forPurpose(purpose)
	if err != nil {
		return nil, err
	}
	head := append([]byte{formatGlobal}, m.fingerprint...)
	return aead.Seal(head, nil, plain, globalBinding(purpose)), nil
}

// open opens a value whose header names this key.
func (m *master) open(purpose string, sealed []byte) ([]byte, error) {
	aead, err := m.forPurpose(purpose)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed[headerSize:], globalBinding(purpose))
	if err != nil {
		return nil, ErrBroken
	}
	return plain, nil
}

// globalBinding is authenticated with a value of the deployment, so that one of another purpose is
// not accepted.
func globalBinding(purpose string) []byte { return []byte("grantwright global|" + purpose) }

// forPurpose is a key for one purpose, so that no two kinds of value share one.
func (m *master) forPurpose(purpose string) (cipher.AEAD, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if aead, ok := m.purposes[purpose]; ok {
		return aead, nil
	}
	aead, err := newAEAD(m.expand("global/"+purpose, keyfile.KeySize))
	if err != nil {
		return nil, err
	}
	m.purposes[purpose] = aead
	return aead, nil
}

// expand is HKDF (RFC 5869) with SHA-256. It fails only for lengths that are not used here.
func (m *master) expand(info string, size int) []byte {
	key, err := hkdf.Key(sha256.New, m.key, nil, "grantwright/"+info, size)
	if err != nil {
		panic(err)
	}
	return key
}

// newAEAD is AES in GCM with nonces of 96 random bits, which are written before the ciphertext.
// NIST SP 800-38D allows 2^32 values under one key so.
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
