package chain

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Origin names a tenant's log in its checkpoints.
func Origin(tenant string) string { return "grantwright/" + tenant }

// Checkpoint says how far a log reached, and what the hash of its last entry was.
type Checkpoint struct {
	Origin string
	Seq    int64
	Hash   []byte
	At     time.Time
}

// ErrSignature means that a note was not signed by the key it is held against.
var ErrSignature = errors.New("the signature is not good")

const (
	ed25519Algorithm = 1 // of C2SP signed-note
	signaturePrefix  = "— "
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

func signNote(name, text string, key ed25519.PrivateKey) string {
	id := keyID(name, key.Public().(ed25519.PublicKey))
	signature := append(id, ed25519.Sign(key, []byte(text))...)
	return text + "\n" + signaturePrefix + name + " " + base64.StdEncoding.EncodeToString(signature) + "\n"
}

// keyID is the four bytes by which a note names its key.
func keyID(name string, public ed25519.PublicKey) []byte {
	h := sha256.New()
	h.Write([]byte(name + "\n"))
	h.Write([]byte{ed25519Algorithm})
	h.Write(public)
	return h.Sum(nil)[:4]
}

// VerifierKey is a public key as other tools for signed notes take it: name+id+key.
func VerifierKey(name string, public ed25519.PublicKey) string {
	return fmt.Sprintf("%s+%08x+%s", name, binary.BigEndian.Uint32(keyID(name, public)),
		base64.StdEncoding.EncodeToString(append([]byte{ed25519Algorithm}, public...)))
}

// openNote checks a note of the named signer and gives its text. It returns ErrSignature when none of the keys made it.
func openNote(name, note string, keys []ed25519.PublicKey) (string, error) {
	text, lines, found := cutLast(note, "\n\n")
	if !found || !strings.HasSuffix(lines, "\n") {
		return "", errors.New("not a signed note")
	}
	text += "\n"
	for line := range strings.Lines(lines) {
		rest, ours := strings.CutPrefix(strings.TrimSuffix(line, "\n"), signaturePrefix+name+" ")
		if !ours {
			continue
		}
		signature, err := base64.StdEncoding.DecodeString(rest)
		if err != nil || len(signature) != 4+ed25519.SignatureSize {
			continue
		}
		for _, key := range keys {
			if bytes.Equal(signature[:4], keyID(name, key)) && ed25519.Verify(key, []byte(text), signature[4:]) {
				return text, nil
			}
		}
	}
	return "", ErrSignature
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// OpenCheckpoint reads a signed checkpoint of a log. It returns ErrSignature when none of the keys signed it under that
// origin.
func OpenCheckpoint(origin, note string, keys ...ed25519.PublicKey) (Checkpoint, error) {
	text, err := openNote(origin, note, keys)
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
