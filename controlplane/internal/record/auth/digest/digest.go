package digest

import (
	"crypto/sha256"
	"strings"
)

// Of is the hash of the parts, in their order: ("a", "b") and ("ab") have different ones. The first part names what
// the secret is for, so that hashes of two purposes never meet.
func Of(parts ...string) []byte {
	h := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return h[:]
}
