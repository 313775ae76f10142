package changes

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
)

// timestamps finds changes by modifyTimestamp and createTimestamp, and what is gone by a sweep over all keys.
type timestamps struct{}

// begin needs no preparation: the position is the latest time of change that the read itself meets.
func (timestamps) begin(*Reader) (*read.Position, string, error) { return &read.Position{}, "", nil }

// changes searches for entries with a later time of change, and has the keys of all entries read,
// since an entry that is gone has no time. The search always finds at least the entry whose time
// the cursor has; a search that finds nothing is one that the directory does not support.
func (timestamps) changes(r *Reader, from *read.Position) (*read.Position, error) {
	if from.Since == "" {
		return nil, &fallback{reason: "the directory has not shown when its entries were changed"}
	}
	r.ListKeysWanted = true
	since := "(|(modifyTimestamp>=" + from.Since + ")(createTimestamp>=" + from.Since + "))"
	if err := r.readChanged(since); err != nil {
		return nil, err
	}
	if r.Checkpoint.Entries == 0 {
		// An entry of that time there was, and all changes are later. A directory that cannot search by time
		// says just this.
		return nil, &fallback{reason: "the directory finds no entry by its time of change, though it has shown some"}
	}
	r.UpdateSince()
	return &read.Position{Since: r.Checkpoint.Begin.Since}, nil
}
