package config

import (
	"crypto/ecdh"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
)

// Keys are what an agent is known by (identity, Ed25519) and what secrets can be sealed to (sealing, X25519). The
// private halves never leave the host.
type Keys struct {
	Identity ed25519.PrivateKey
	Sealing  *ecdh.PrivateKey
}

// EnsureKeys loads the keys, or makes and stores them where there are none yet.
func (d Dir) EnsureKeys() (Keys, error) {
	k, err := d.LoadKeys()
	if found, err := exists(err); found || err != nil {
		return k, err
	}
	if _, k.Identity, err = ed25519.GenerateKey(rand.Reader); err != nil {
		return k, fmt.Errorf("make identity key: %w", err)
	}
	if k.Sealing, err = ecdh.X25519().GenerateKey(rand.Reader); err != nil {
		return k, fmt.Errorf("make sealing key: %w", err)
	}
	// The sealing key first: LoadKeys asks for the identity key first, so a crash in between makes both anew.
	if err := d.saveKey(sealingFile, k.Sealing); err != nil {
		return k, err
	}
	return k, d.saveKey(identityFile, k.Identity)
}

// LoadKeys reads the keys. It refuses key files that other users can read.
func (d Dir) LoadKeys() (Keys, error) {
	var k Keys
	identity, err := d.loadKey(identityFile)
	if err != nil {
		return k, err
	}
	sealing, err := d.loadKey(sealingFile)
	if err != nil {
		return k, err
	}
	var right [2]bool
	k.Identity, right[0] = identity.(ed25519.PrivateKey)
	k.Sealing, right[1] = sealing.(*ecdh.PrivateKey)
	if !right[0] || !right[1] || k.Sealing.Curve() != ecdh.X25519() {
		return k, fmt.Errorf("the key files in %s hold keys of another kind", d)
	}
	return k, nil
}

// saveKey writes a private key as PKCS #8 in PEM, durably: a key that was enrolled and lost would
// need a new enrollment.
func (d Dir) saveKey(name string, key any) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return d.write(name, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), true)
}

// loadKey reads a private key, and refuses one that others than its owner can read.
func (d Dir) loadKey(name string) (any, error) {
	data, err := os.ReadFile(d.path(name))
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if err := checkPrivate(d.path(name)); err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("%s holds no key", d.path(name))
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path(name), err)
	}
	return key, nil
}

// IdentityPublic is the public identity key as it crosses the wire: base64url of 32 bytes.
func (k Keys) IdentityPublic() string {
	return base64.RawURLEncoding.EncodeToString(k.Identity.Public().(ed25519.PublicKey))
}

// SealingPublic is the public sealing key as it crosses the wire: base64url of 32 bytes.
func (k Keys) SealingPublic() string {
	return base64.RawURLEncoding.EncodeToString(k.Sealing.PublicKey().Bytes())
}

// Sign signs with the identity key, in base64url.
func (k Keys) Sign(message []byte) string {
	return base64.RawURLEncoding.EncodeToString(ed25519.Sign(k.Identity, message))
}

// IdentityFingerprint is for people to compare: SHA256: and the base64 of the public key's hash.
func (k Keys) IdentityFingerprint() string {
	return fingerprint(k.Identity.Public().(ed25519.PublicKey))
}

// SealingFingerprint is for people to compare: SHA256: and the base64 of the public key's hash.
func (k Keys) SealingFingerprint() string { return fingerprint(k.Sealing.PublicKey().Bytes()) }

// fingerprint is the SHA-256 of a public key, written as OpenSSH does.
func fingerprint(public []byte) string {
	sum := sha256.Sum256(public)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}
