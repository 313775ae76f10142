package rest

import (
	"fmt"
	"strings"
)

const (
	maxRepeatKeys     = 10_000 // of a page that are compared
	maxRepeatExamples = 3
)

// repeats finds keys that several records of one page have, so that a key that is not unique is named as the cause of what follows:
// records that replace each other, and pages that look alike.
type repeats struct {
	seen     map[uint64]bool // whether the key is among the examples
	records  int             // that came with a key
	doubles  int             // records with a key that came before
	examples []string
}

func (r *repeats) see(key string) {
	if r.seen == nil {
		r.seen = map[uint64]bool{}
	}
	r.records++
	h := hashOf(key)
	told, known := r.seen[h]
	switch {
	case !known && len(r.seen) < maxRepeatKeys:
		r.seen[h] = false
	case known:
		r.doubles++
		if !told && len(r.examples) < maxRepeatExamples {
			r.seen[h] = true
			r.examples = append(r.examples, cutText(key, 100))
		}
	}
}

// add takes in what another page of the list showed. The keys themselves are compared within a page alone.
func (r *repeats) add(page repeats) {
	r.records += page.records
	r.doubles += page.doubles
	if room := maxRepeatExamples - len(r.examples); room > 0 {
		r.examples = append(r.examples, page.examples[:min(room, len(page.examples))]...)
	}
}

// why says what is wrong with the keys of a stream; empty where nothing is.
func (r *repeats) why(st *stream) string {
	if r.doubles == 0 {
		return ""
	}
	setting := "key_path"
	if st.KeyPath == "" {
		setting = "key_path, which is not set"
	}
	return fmt.Sprintf("%d of %d records of %s have a key that another record of the same page has, such as %s; check %s",
		r.doubles, r.records, st.Name, strings.Join(r.examples, ", "), setting)
}
