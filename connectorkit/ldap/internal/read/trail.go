package read

import (
	"strconv"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Place is a position inside a partition. A directory that gives the same entries in the same order again is
// believed to stand where it stood; one that does not is read again from the partition's start.
type Place struct {
	Partition    string                `json:"partition"`
	Entries      int                   `json:"entries"` // looked at
	Sum          string                `json:"sum"`     // over their names in order
	CountsBefore map[v1.ObjectKind]int `json:"before"`  // counts when the partition was begun
}

// Trail sums the names of the entries of a partition in the order in which they come (FNV-1a).
type Trail struct {
	Entries int
	Sum     uint64
}

// Add notes the next entry's DN.
func (t *Trail) Add(name []byte) {
	for _, b := range name {
		t.Sum = (t.Sum ^ uint64(b)) * 1099511628211
	}
	t.Sum = (t.Sum ^ 0xFF) * 1099511628211
	t.Entries++
}

// IsAt reports whether the entries so far are those of a place.
func (t *Trail) IsAt(p *Place) bool {
	return t.Entries == p.Entries && strconv.FormatUint(t.Sum, 16) == p.Sum
}
