package chain

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Types of the lines that follow the entries of an export. A line without a type is an entry.
const (
	TypeCheckpoint = "checkpoint"
	TypeKey        = "public_key"
	TypeEnd        = "end"
	TypePing       = "ping" // sent to a stream to try it out; never in a file
)

// Line is what follows the entries of an export.
type Line struct {
	// Type of the line: checkpoint, public_key, end or ping. A line without a type is an entry.
	Type string `json:"type"`
	// ID of the signing key. Of a public_key line.
	KeyID string `json:"key_id,omitempty"`
	// Signed checkpoint as text. Of a checkpoint line.
	Note string `json:"note,omitempty"` // of a checkpoint
	// Public Ed25519 key of 32 bytes. Of a public_key line.
	PublicKey []byte `json:"public_key,omitempty"` // 32 bytes
	// Tenant whose log was exported. Of an end line.
	TenantID string `json:"tenant_id,omitempty"`
	// Number of entries in the file. Of an end line.
	Events int64 `json:"events,omitempty"`
	// Number of the first entry in the file. Of an end line.
	FirstSeq int64 `json:"first_seq,omitempty"`
	// Number of the last entry in the file. Of an end line: a file that ends before it was
	// truncated.
	LastSeq int64 `json:"last_seq,omitempty"`
}

// maxLine is the longest line of a file.
const maxLine = 8 << 20

// Report is what the verification of a file found.
type Report struct {
	Tenant      string
	First, Last int64 // numbers of the entries
	Events      int64
	Checkpoints int
	Keys        []ed25519.PublicKey // that the checkpoints were held against
	KeyGiven    bool                // they came from the caller; otherwise from the file itself
	Anchored    bool                // the first entry is the log's first, or continues a signed checkpoint
	Break       *Break              // nil: every entry is the one that was written
}

// VerifyFile verifies an export as NDJSON, plain or packed with gzip. Without keys the file's own are used, which shows
// damage but not a file that was written anew as a whole. The error is for a file that cannot be read at all; what
// was tampered with is the report's Break.
func VerifyFile(path string, keys ...ed25519.PublicKey) (Report, error) {
	r := Report{Keys: keys, KeyGiven: len(keys) > 0}
	t, err := readTrailer(path)
	if err != nil {
		return r, err
	}
	if !r.KeyGiven {
		r.Keys = t.keys
	}
	err = r.verify(path, t)
	if errors.As(err, &r.Break) {
		return r, nil
	}
	return r, err
}

// trailer is what follows the entries.
type trailer struct {
	keys        []ed25519.PublicKey
	checkpoints []string
	end         *Line
}

// readTrailer reads what follows the entries, in a first pass over the file.
func readTrailer(path string) (t trailer, err error) {
	err = eachLine(path, func(line []byte) error {
		l, ours := trailerLine(line)
		if !ours {
			return nil
		}
		switch l.Type {
		case TypeKey:
			if len(l.PublicKey) == ed25519.PublicKeySize {
				t.keys = append(t.keys, l.PublicKey)
			}
		case TypeCheckpoint:
			t.checkpoints = append(t.checkpoints, l.Note)
		case TypeEnd:
			t.end = &l
		}
		return nil
	})
	return t, err
}

// trailerLine reads a line that has a type of its own; an entry has none.
func trailerLine(line []byte) (l Line, ours bool) {
	if !bytes.Contains(line, []byte(`"type"`)) || bytes.Contains(line, []byte(`"prev_hash"`)) {
		return l, false
	}
	return l, json.Unmarshal(line, &l) == nil && l.Type != ""
}

// verify follows the entries in a second pass. A file is good only if it has an end, reaches as far
// as that end says, and a signed checkpoint covers its last entry.
func (r *Report) verify(path string, t trailer) error {
	v := &Verifier{}
	if err := r.readEntries(path, v, t); err != nil {
		return err
	}
	r.Last, r.Events, r.Tenant = v.Seq, v.Checked, v.Tenant
	switch {
	case t.end == nil:
		return broken(v.Seq+1, Truncated, "the file has no end")
	case t.end.LastSeq > v.Seq:
		return broken(v.Seq+1, Truncated, "the file's end speaks of entry %d", t.end.LastSeq)
	}
	if err := v.End(); err != nil {
		return err
	}
	if v.Checked > 0 && (len(t.checkpoints) == 0 || v.signed < v.Seq) {
		return broken(
			max(v.signed+1, r.First),
			Unsigned,
			"no signed checkpoint covers the entries from here to the end",
		)
	}
	return nil
}

// readEntries gives each entry to the verifier. The first one decides whether the log is anchored.
func (r *Report) readEntries(path string, v *Verifier, t trailer) error {
	return eachLine(path, func(line []byte) error {
		if _, other := trailerLine(line); other {
			return nil
		}
		link, err := ParseLink(line)
		if err != nil {
			return broken(v.Seq+1, Unreadable, "%s", err)
		}
		if v.Checked == 0 {
			if err := r.begin(v, link, t); err != nil {
				return err
			}
		}
		if err := v.Next(link); err != nil {
			return err
		}
		return nil
	})
}

// begin opens the checkpoints under the name of the log that the first entry belongs to.
func (r *Report) begin(v *Verifier, first Link, t trailer) error {
	said, err := first.read()
	if err != nil {
		return err
	}
	v.Tenant, r.First, r.Anchored = said.TenantID, first.Seq, first.Seq == 1
	if t.end == nil {
		return nil // what is cut off took the checkpoints along; where it was cut is known at the end
	}
	if len(r.Keys) == 0 {
		return broken(first.Seq, Unsigned, "the file has no public key, and none was given")
	}
	for _, note := range t.checkpoints {
		c, err := OpenCheckpoint(Origin(v.Tenant), note, r.Keys...)
		if err != nil {
			return broken(
				first.Seq,
				Unsigned,
				"a checkpoint of this file is not signed for this log with a key that is trusted",
			)
		}
		v.Expect(c.Seq, c.Hash)
		v.signed = max(v.signed, c.Seq)
		r.Anchored = r.Anchored || c.Seq == first.Seq-1
		r.Checkpoints++
	}
	return nil
}

// ParseLink reads an entry's line in whatever order and spacing its members stand.
func ParseLink(line []byte) (Link, error) {
	if l, ok := unchanged(line); ok {
		return l, nil
	}
	var l struct {
		Seq  int64  `json:"seq"`
		Prev string `json:"prev_hash"`
		Hash string `json:"hash"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return Link{}, errors.New("not a line of JSON")
	}
	event, err := canonical(line, "prev_hash", "hash")
	if err != nil {
		return Link{}, err
	}
	prev, prevErr := hex.DecodeString(l.Prev)
	hash, hashErr := hex.DecodeString(l.Hash)
	if prevErr != nil || hashErr != nil || len(hash) == 0 {
		return Link{}, errors.New("an entry without its hashes")
	}
	return Link{Seq: l.Seq, Event: event, Prev: prev, Hash: hash}, nil
}

// tail is how AppendLink ends a line, without the digits.
const tail = len(`,"prev_hash":"`) + 2*sha256.Size + len(`","hash":"`) + 2*sha256.Size + len(`"}`)

// unchanged reads a line that is as AppendLink wrote it. Its bytes have the hash that it names, so they are what was
// hashed, and need not be brought into canonical form.
func unchanged(line []byte) (l Link, ok bool) {
	if len(line) <= tail {
		return l, false
	}
	event, rest := append(bytes.Clone(line[:len(line)-tail]), '}'), line[len(line)-tail:]
	prev, rest, okPrev := cutHash(rest, `,"prev_hash":"`)
	hash, rest, okHash := cutHash(rest, `","hash":"`)
	if !okPrev || !okHash || string(rest) != `"}` || !bytes.Equal(Hash(prev, event), hash) {
		return l, false
	}
	var said names
	if json.Unmarshal(event, &said) != nil {
		return l, false
	}
	return Link{Seq: said.Seq, Event: event, Prev: prev, Hash: hash, names: &said}, true
}

// cutHash reads a hash in hexadecimal behind a prefix.
func cutHash(b []byte, prefix string) (hash, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(prefix))
	if !ok || len(b) < 2*sha256.Size {
		return nil, nil, false
	}
	hash, err := hex.DecodeString(string(b[:2*sha256.Size]))
	return hash, b[2*sha256.Size:], err == nil
}

// AppendLink writes an entry as a line of an export: its own members, then prev_hash and hash in hexadecimal.
func AppendLink(b []byte, l Link) []byte {
	b = append(b, l.Event[:len(l.Event)-1]...)
	b = append(b, `,"prev_hash":"`...)
	b = hex.AppendEncode(b, l.Prev)
	b = append(b, `","hash":"`...)
	b = hex.AppendEncode(b, l.Hash)
	return append(b, '"', '}', '\n')
}

// eachLine calls do for each line that is not empty.
func eachLine(path string, do func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the export: %w", err)
	}
	defer f.Close()
	in, err := unpacked(f)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			if err := do(line); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the export: %w", err)
	}
	return nil
}

// unpacked undoes gzip, which the first two bytes show (RFC 1952 section 2.3.1).
func unpacked(f io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(f, 256<<10)
	if magic, err := in.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("unpack the export: %w", err)
	}
	return z, nil
}

// ParseKey reads a public key: PEM, 32 bytes in base64, or the name+id+key of other tools for signed notes.
func ParseKey(text string) (ed25519.PublicKey, error) {
	text = string(bytes.TrimSpace([]byte(text)))
	if key, err := parsePEM(text); key != nil || err != nil {
		return key, err
	}
	raw := text
	if i := lastPlusOfVerifier(text); i >= 0 {
		raw = text[i+1:]
	}
	b, err := base64.StdEncoding.DecodeString(raw)
	if err == nil && len(b) == ed25519.PublicKeySize+1 && b[0] == ed25519Algorithm {
		b = b[1:]
	}
	if err != nil || len(b) != ed25519.PublicKeySize {
		return nil, errors.New("a public key is PEM, 32 bytes in base64, or name+id+key")
	}
	return b, nil
}
