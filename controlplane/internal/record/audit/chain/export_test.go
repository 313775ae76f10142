package chain

import "crypto/ed25519"

// OpenNote is for the tests against other tools' notes.
func OpenNote(name, note string, key ed25519.PublicKey) (string, error) {
	return openNote(name, note, []ed25519.PublicKey{key})
}
