package rest

import (
	"encoding/json"
	"hash/maphash"
	"strconv"
)

// fingerprint digests the keys of a page's records, in their order.
type fingerprint struct{ h maphash.Hash }

// seed is one for the process, since digests are only compared within a read.
var seed = maphash.MakeSeed()

func newFingerprint() *fingerprint {
	f := &fingerprint{}
	f.h.SetSeed(seed)
	return f
}

func (f *fingerprint) add(st *stream, record any) {
	key, ok := "", false
	if st.Object != objectGrant {
		key, ok = st.keyOf(record)
	}
	if !ok {
		// Without a key the whole record stands for itself; encoding a decoded value does not fail.
		b, _ := json.Marshal(record)
		key = string(b)
	}
	f.h.WriteString(strconv.Itoa(len(key)))
	f.h.WriteByte(':')
	f.h.WriteString(key)
}
