package chain

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// Fingerprint is what people compare: SHA-256 over the raw public key, in hexadecimal.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:])
}

// PEM is a public key as most tools take it.
func PEM(key ed25519.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", fmt.Errorf("encode public key: %w", err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), nil
}

// parsePEM gives nil and no error for what is not PEM.
func parsePEM(text string) (ed25519.PublicKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, nil
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read public key: %w", err)
	}
	key, ok := parsed.(ed25519.PublicKey)
	if !ok {
		return nil, errors.New("the PEM holds a key of another kind than Ed25519")
	}
	return key, nil
}

// lastPlusOfVerifier finds where the key of a name+id+key starts: base64 knows the plus sign as well, the id before it
// has eight hexadecimal digits.
func lastPlusOfVerifier(text string) int {
	name, rest, found := strings.Cut(text, "+")
	if !found {
		return -1
	}
	id, _, found := strings.Cut(rest, "+")
	if _, err := hex.DecodeString(id); !found || err != nil || len(id) != 8 {
		return -1
	}
	return len(name) + 1 + len(id)
}
