package archive

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// Signature is what stands in SIGNATURE.
type Signature struct {
	// Algorithm of the signature.
	Alg string `json:"alg"`
	// The first 16 hexadecimal digits of the SHA-256 of the public key.
	KeyID string `json:"key_id"`
	// Signature itself, which follows the header in the file.
	Signature []byte `json:"-"`
}

// algorithm is the only one: there is nothing to negotiate, and so nothing to downgrade.
const algorithm = "ed25519"

// KeyID names a public key.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

// Sign puts a signature of all other files among the files.
func (f Files) Sign(key ed25519.PrivateKey) {
	public, _ := key.Public().(ed25519.PublicKey)
	f[signatureName] = fmt.Appendf(
		nil,
		"alg: %s\nkey_id: %s\nsignature: %s\n",
		algorithm,
		KeyID(public),
		base64.StdEncoding.EncodeToString(ed25519.Sign(key, f.Digest())),
	)
}

// Signature reads the signature; ok is false where there is none. It says nothing about whether it is right.
func (f Files) Signature() (s Signature, ok bool, err error) {
	text, ok := f[signatureName]
	if !ok {
		return s, false, nil
	}
	broken := errors.New("SIGNATURE has the lines alg, key_id and signature; sign the pack again")
	if len(text) > 4096 {
		return s, true, broken
	}
	lines := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, found := strings.Cut(strings.TrimRight(line, "\r\n"), ": ")
		if _, twice := lines[name]; !found || twice {
			return s, true, broken
		}
		lines[name] = value
	}
	s = Signature{Alg: lines["alg"], KeyID: lines["key_id"]}
	s.Signature, err = base64.StdEncoding.Strict().DecodeString(lines["signature"])
	if err != nil || len(lines) != 3 || s.Alg != algorithm || len(s.Signature) != ed25519.SignatureSize {
		return s, true, broken
	}
	return s, true, nil
}

// Verify returns whose of the keys has signed exactly these files. The key id in the file only names which key to
// look for.
func (f Files) Verify(keys ...ed25519.PublicKey) (ed25519.PublicKey, error) {
	s, ok, err := f.Signature()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errors.New("the pack is not signed: it has no file SIGNATURE")
	}
	digest := f.Digest()
	for _, k := range keys {
		if len(k) == ed25519.PublicKeySize && ed25519.Verify(k, digest, s.Signature) {
			return k, nil
		}
	}
	for _, k := range keys {
		if KeyID(k) == s.KeyID {
			return nil, fmt.Errorf(
				"the signature does not fit: the pack was changed after it was signed under the key %s",
				s.KeyID,
			)
		}
	}
	return nil, fmt.Errorf(
		"no trusted key has signed this pack: it says that the key %s has",
		diagnostic.Printable(s.KeyID),
	)
}

// NewKey makes a pair of keys, both as PEM.
func NewKey() (private, public []byte, err error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	privateDER, err := x509.MarshalPKCS8PrivateKey(priv)
	if err != nil {
		return nil, nil, err
	}
	publicDER, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(
		&pem.Block{Type: "PRIVATE KEY", Bytes: privateDER},
	), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: publicDER}), nil
}

// ParsePrivateKey reads an Ed25519 key as PEM (PKCS #8).
func ParsePrivateKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("this is no private key as PEM; make one with: grantwright pack keygen")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if k, ok := key.(ed25519.PrivateKey); err == nil && ok {
		return k, nil
	}
	return nil, errors.New("this is no Ed25519 key; make one with: grantwright pack keygen")
}

// ParsePublicKeys reads Ed25519 keys as PEM, one after the other.
func ParsePublicKeys(text []byte) ([]ed25519.PublicKey, error) {
	var keys []ed25519.PublicKey
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			break
		}
		text = rest
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		k, ok := key.(ed25519.PublicKey)
		if err != nil || !ok || block.Type != "PUBLIC KEY" {
			return nil, fmt.Errorf("a block %q holds no public Ed25519 key", block.Type)
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no public key as PEM in it")
	}
	return keys, nil
}

// Names are the paths of the files in their order.
func (f Files) Names() []string { return slices.Sorted(maps.Keys(f)) }
