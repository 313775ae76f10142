package answer

import (
	"encoding/binary"
	"encoding/json"
	"hash"
	"hash/fnv"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
)

// fingerprint digests the keys of a page's records, in their order. It is the same in every process, because a read
// that is taken over compares with pages that another process has read.
type fingerprint struct {
	h       hash.Hash64
	repeats DuplicateKeys
}

// newFingerprint begins a page.
func newFingerprint() *fingerprint { return &fingerprint{h: fnv.New64a()} }

// add adds a record, by its key or, without one and for grants, as a whole.
func (f *fingerprint) add(b *jsonpath.Budget, st *stream.Stream, record any) {
	key := ""
	ok := false
	if st.Object != stream.ObjectGrant {
		key, ok = st.KeyOf(b, record)
	}
	if ok {
		f.repeats.observe(key)
		f.text(key)
		return
	}
	// Without a key the whole record stands for itself; encoding a decoded value does not fail.
	whole, _ := json.Marshal(record)
	f.text(string(whole))
}

// text adds a text with its length, so that the borders between texts count.
func (f *fingerprint) text(s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	_, _ = f.h.Write(n[:]) // a hash takes everything
	_, _ = f.h.Write([]byte(s))
}

// Hash digests a text to 64 bits. It is the same in every process, because checkpoints keep it.
func Hash(text string) uint64 {
	f := newFingerprint()
	f.text(text)
	return f.h.Sum64()
}

// HashRecord digests a record with everything in it.
func HashRecord(record any) uint64 {
	b, _ := json.Marshal(record)
	return Hash(string(b))
}
