package rest

import (
	"encoding/binary"
	"encoding/json"
	"hash"
	"hash/fnv"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

// fingerprint digests the keys of a page's records, in their order. It is the same in every process, because a read that is
// taken over compares with pages that another process has read.
type fingerprint struct {
	h       hash.Hash64
	repeats repeats
}

func newFingerprint() *fingerprint { return &fingerprint{h: fnv.New64a()} }

func (f *fingerprint) add(b *jsonpath.Budget, st *stream, record any) {
	key, ok := "", false
	if st.Object != objectGrant {
		key, ok = st.keyOf(b, record)
	}
	if ok {
		f.repeats.see(key)
		f.text(key)
		return
	}
	// Without a key the whole record stands for itself; encoding a decoded value does not fail.
	whole, _ := json.Marshal(record)
	f.text(string(whole))
}

func (f *fingerprint) text(s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	_, _ = f.h.Write(n[:]) // a hash takes everything
	_, _ = f.h.Write([]byte(s))
}

func hashOf(text string) uint64 {
	f := newFingerprint()
	f.text(text)
	return f.h.Sum64()
}

// contentOf digests a record with everything in it.
func contentOf(record any) uint64 {
	b, _ := json.Marshal(record)
	return hashOf(string(b))
}
