package ldap

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// A read of changes has checkpoints, too. Each goes with the cursor from which the changes are read; the position in
// it is where the strategy has come to: the number in a changelog, the cookie of a round, the cookies of the searches
// that are done, or the number or time at which the next read starts, with the searches that are done and the place
// inside of the present one.

// changesFrom is the checkpoint of a read of changes that begins.
func changesFrom(from *position, cursor, settings string) *checkpoint {
	begin := *from
	begin.Containers, begin.Odd = nil, nil
	return &checkpoint{Version: checkpointVersion, Settings: settings, Changes: cursorSum(cursor), Begin: &begin}
}

// cursorSum is a fingerprint of a cursor.
func cursorSum(cursor string) string {
	sum := sha256.Sum256([]byte(cursor))
	return hex.EncodeToString(sum[:8])
}

// readChanged reads the entries that match a filter for what has changed, search by search.
func (r *run) readChanged(since string) error {
	for _, o := range r.all() {
		if slices.Contains(r.at.Phases, o.phase) {
			continue
		}
		p := o.whole()
		p.filter = "(&" + o.filter + since + ")"
		out, err := r.readPartition(o, p)
		if err != nil {
			return err
		}
		r.ended(o, out)
		if err := r.endPhase(o); err != nil {
			return err
		}
	}
	return nil
}

// endPhase marks that a search for changes is done.
func (r *run) endPhase(o objects) error {
	r.at.Phases = append(r.at.Phases, o.phase)
	return r.mark(nil)
}

// markChanges marks how far changes were read, where enough of them were since the last mark.
func (r *run) markChanges() error {
	if r.since+r.page.Len() < r.markEvery {
		return nil
	}
	return r.mark(nil)
}
