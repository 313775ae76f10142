package checkpoint

import (
	"encoding/base64"
	"encoding/binary"
	"time"
)

// Position is a place in a list.
type Position struct {
	Mode     string    `json:"mode"`
	Unsorted bool      `json:"unsorted,omitempty"` // the target refused to sort
	Start    int       `json:"start"`              // index of the next resource, from 1
	Cursor   string    `json:"cursor,omitempty"`   // of the next page
	At       time.Time `json:"at"`                 // by our clock, only to tell the cursor's age
	Total    int       `json:"total"`              // as the target reports it; -1: unknown
	Pages    int       `json:"pages"`
	Received int       `json:"received"`
	Distinct int       `json:"distinct"`
	Shrunk   int       `json:"shrunk,omitempty"` // resources that went away in mid-read
	Back     int       `json:"back,omitempty"`   // resources to step back after this page
	Backs    int       `json:"backs,omitempty"`  // steps back so far
	Tail     int       `json:"tail,omitempty"`   // from where the list is read twice; 0: it need not be
	Second   bool      `json:"second,omitempty"` // the tail is being read again
	Shaky    bool      `json:"shaky,omitempty"`  // nothing proves completeness any more
	Recent   string    `json:"recent,omitempty"` // the resources read last, so that a resumed read knows them
	Print    uint64    `json:"print,omitempty"`  // of the page read last
}

// Hash is FNV-1a: the same in every process, so that it can be kept.
func Hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// Pack encodes hashes as text.
func Pack(hashes []uint64) string {
	b := make([]byte, 0, 8*len(hashes))
	for _, h := range hashes {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

// Unpack decodes what Pack encoded; nil for any other text.
func Unpack(s string) (out []uint64) {
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return nil
	}
	for ; len(b) >= 8; b = b[8:] {
		out = append(out, binary.LittleEndian.Uint64(b))
	}
	return out
}
