package ldap

import "time"

// timestamps finds changes by modifyTimestamp and createTimestamp, and what has gone by a sweep over all keys.
type timestamps struct{}

// overlap is read again before the greatest time seen: servers of one directory do not quite agree on the time.
const overlap = 5 * time.Minute

const generalizedTime = "20060102150405Z"

func (timestamps) begin(*run) (*position, string, error) { return &position{}, "", nil }

// noteSince notes for the next read from when on changes count: the greatest time of change that the directory has shown, less the
// time that this read has taken so far, less the overlap. What was changed while it was read is thus read again, and no clock but the
// directory's is asked for more than how long something took. A read that was interrupted keeps what it noted before.
func (r *run) noteSince() {
	if p := r.at.Begin; p != nil && p.Strategy == strategyTimestamps && !r.at.resumed {
		p.Since = r.sinceAt(r.at.Begin.Since)
	}
}

// sinceAt never goes back behind what an earlier read has noted.
func (r *run) sinceAt(before string) string {
	if r.watermark.IsZero() {
		return before
	}
	s := r.watermark.Add(-overlap - time.Since(r.began)).UTC().Format(generalizedTime)
	return max(s, before)
}

func (timestamps) changes(r *run, from *position) (*position, error) {
	if from.Since == "" {
		return nil, &fallback{reason: "the directory has not shown when its entries were changed"}
	}
	r.sweepWanted = true
	since := "(|(modifyTimestamp>=" + from.Since + ")(createTimestamp>=" + from.Since + "))"
	if err := r.readChanged(since); err != nil {
		return nil, err
	}
	if r.at.Entries == 0 {
		// An entry of that time there was, and all changes are later. A directory that cannot search by time says just this.
		return nil, &fallback{reason: "the directory finds no entry by its time of change, though it has shown some"}
	}
	r.noteSince()
	return &position{Since: r.at.Begin.Since}, nil
}
