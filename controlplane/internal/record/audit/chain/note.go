package chain

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Origin names a tenant's log in its checkpoints.
func Origin(tenant string) string { return "grantwright/" + tenant }

// Checkpoint says how far a log reached, and what the hash of its last entry was.
type Checkpoint struct {
	// Origin names the log; Seq and Hash are those of its last entry.
	Origin string
	Seq    int64
	Hash   []byte
	At     time.Time
}

// ErrSignature means that a note was not signed by the key it is held against.
var ErrSignature = errors.New("the signature is not good")

const (
	ed25519Algorithm = 1 // of C2SP signed-note
	atPrefix         = "at "
)

// text is the part that is signed, in the form of a C2SP tlog-checkpoint: origin, size, hash, and one line of our own
// with the instant. The hash is that of the last entry: the log is a chain, not a tree.
func (c Checkpoint) text() string {
	return c.Origin + "\n" + strconv.FormatInt(c.Seq, 10) + "\n" + base64.StdEncoding.EncodeToString(c.Hash) + "\n" +
		atPrefix + c.At.UTC().Format(time.RFC3339) + "\n"
}

// Sign makes a C2SP signed note of a checkpoint, under the log's own name.
func (c Checkpoint) Sign(key ed25519.PrivateKey) string { return signNote(c.Origin, c.text(), key) }

// signNote signs a text as a note (C2SP signed-note). Names and texts are our own, so that an error
// is a mistake in the program.
func signNote(name, text string, key ed25519.PrivateKey) string {
	v, err := verifier(name, key.Public().(ed25519.PublicKey))
	if err != nil {
		panic(err) // as below
	}
	signed, err := note.Sign(&note.Note{Text: text}, signer{v, key})
	if err != nil {
		panic(err) // the name or the text is none that a note can have; both are ours
	}
	return string(signed)
}

// signer signs notes with a key that is already unsealed. Its name and hash are those of its verifier.
type signer struct {
	note.Verifier
	key ed25519.PrivateKey
}

// Sign implements note.Signer.
func (s signer) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.key, text), nil }

// VerifierKey is a public key as other tools for signed notes take it: name+id+key.
func VerifierKey(name string, public ed25519.PublicKey) string {
	text, err := note.NewEd25519VerifierKey(name, public)
	if err != nil {
		panic(err) // a key of another length is no public key
	}
	return text
}

// verifier verifies notes by a key.
func verifier(name string, public ed25519.PublicKey) (note.Verifier, error) {
	return note.NewVerifier(VerifierKey(name, public))
}

// openNote checks a note of the named signer and gives its text. It returns ErrSignature when none of the keys made it.
func openNote(name, signed string, keys []ed25519.PublicKey) (string, error) {
	known := map[uint32]note.Verifier{}
	for _, key := range keys {
		v, err := verifier(name, key)
		if err != nil {
			return "", fmt.Errorf("the name or the key of the note's signer: %w", err)
		}
		known[v.KeyHash()] = v
	}
	opened, err := note.Open([]byte(signed), note.VerifierList(slices.Collect(maps.Values(known))...))
	var (
		unverified *note.UnverifiedNoteError
		wrong      *note.InvalidSignatureError
	)
	switch {
	case errors.As(err, &unverified) || errors.As(err, &wrong):
		return "", ErrSignature
	case err != nil:
		return "", fmt.Errorf("not a signed note: %w", err)
	}
	return opened.Text, nil
}

// OpenCheckpoint reads a signed checkpoint of a log. It returns ErrSignature when none of the keys signed it under that
// origin.
func OpenCheckpoint(origin, signed string, keys ...ed25519.PublicKey) (Checkpoint, error) {
	text, err := openNote(origin, signed, keys)
	if err != nil {
		return Checkpoint{}, err
	}
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] != origin {
		return Checkpoint{}, errors.New("not a checkpoint of this log")
	}
	c := Checkpoint{Origin: lines[0]}
	if c.Seq, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Seq < 0 {
		return Checkpoint{}, errors.New("a checkpoint without a size")
	}
	if c.Hash, err = base64.StdEncoding.DecodeString(lines[2]); err != nil || len(c.Hash) != sha256.Size {
		return Checkpoint{}, errors.New("a checkpoint without a hash")
	}
	if at, found := strings.CutPrefix(lines[3], atPrefix); found {
		c.At, err = time.Parse(time.RFC3339, at)
	}
	return c, err
}
