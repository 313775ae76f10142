package answer

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
)

const (
	maxRepeatKeys     = 10_000 // of a page that are compared
	maxRepeatExamples = 3
)

// DuplicateKeys finds keys that several records of one page have, so that a key that is not unique is named as the
// cause of what follows: records that replace each other, and pages that look alike.
type DuplicateKeys struct {
	// Whether the key is among the examples.
	seen map[uint64]bool
	// That came with a key.
	records int
	// Records with a key that came before.
	duplicates int
	examples   []string
}

// observe counts a record's key. Memory is bounded: beyond a number of keys new ones are not
// remembered, and so their repetitions are not counted.
func (r *DuplicateKeys) observe(key string) {
	if r.seen == nil {
		r.seen = map[uint64]bool{}
	}
	r.records++
	h := Hash(key)
	told, known := r.seen[h]
	switch {
	case !known && len(r.seen) < maxRepeatKeys:
		r.seen[h] = false
	case known:
		r.duplicates++
		if !told && len(r.examples) < maxRepeatExamples {
			r.seen[h] = true
			r.examples = append(r.examples, jsonvalue.Shorten(key, 100))
		}
	}
}

// Add takes in what another page of the list showed. The keys themselves are compared within a page alone.
func (r *DuplicateKeys) Add(page DuplicateKeys) {
	r.records += page.records
	r.duplicates += page.duplicates
	if room := maxRepeatExamples - len(r.examples); room > 0 {
		r.examples = append(r.examples, page.examples[:min(room, len(page.examples))]...)
	}
}

// Explain says what is wrong with the keys of a stream; empty where nothing is.
func (r *DuplicateKeys) Explain(st *stream.Stream) string {
	if r.duplicates == 0 {
		return ""
	}
	setting := "key_path"
	if st.KeyPath == "" {
		setting = "key_path, which is not set"
	}
	return fmt.Sprintf(
		"%d of %d records of %s have a key that another record of the same page has, such as %s; check %s",
		r.duplicates,
		r.records,
		st.Name,
		strings.Join(r.examples, ", "),
		setting,
	)
}
