package checkpoint

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
)

// Watermark gathers from a list where the next read for changes starts.
type Watermark struct {
	// Greatest time of a record.
	Max time.Time `json:"max,omitzero"`
	// When the list was begun, by the target's clock: later changes may have been missed.
	Bound time.Time `json:"bound,omitzero"`
	// Where this read started.
	Prior time.Time `json:"prior,omitzero"`

	// Seen are the records at the end of the times, by their key, with a digest of their content. They come again with
	// the next read, which starts a while before, and need not be passed on.
	Seen recentRecords `json:"seen,omitempty"`
}

// recentRecord is what is remembered of a record.
type recentRecord struct {
	// Unix seconds.
	At int64
	// Content is a digest of the record, so that one that is read again in the overlap is not
	// emitted again.
	Content uint64
}

// recentRecords holds records by a digest of their key. It is written as bytes, 24 a record.
type recentRecords map[uint64]recentRecord

// MarshalJSON writes the records in the order of their digests.
func (m recentRecords) MarshalJSON() ([]byte, error) {
	ns := make([]uint64, 0, 3*len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		ns = append(ns, key, uint64(m[key].At), m[key].Content)
	}
	return json.Marshal(Pack(ns))
}

// UnmarshalJSON reads what MarshalJSON has written.
func (m *recentRecords) UnmarshalJSON(b []byte) error {
	var raw []byte
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*m = recentRecords{}
	for ns := Unpack(raw); len(ns) >= 3; ns = ns[3:] {
		(*m)[ns[0]] = recentRecord{At: int64(ns[1]), Content: ns[2]}
	}
	return nil
}

// Bounds of what is remembered of the records seen: while reading, and in a cursor or checkpoint.
const (
	seenWhileReading = 20000
	seenKept         = 300
)

// Observe takes in a record and reports whether it was passed on before with the same content.
func (m *Watermark) Observe(b *jsonpath.Budget, in *stream.Incremental, key string, record any) (again bool) {
	v, _ := in.Field.First(b, record)
	at, ok := jsonvalue.Time(v)
	if !ok {
		return false
	}
	if at.After(m.Max) {
		m.Max = at
	}
	if key == "" {
		return false
	}
	digest := answer.Hash(key)
	before, known := m.Seen[digest]
	if !known && at.Before(m.Max.Add(-in.Overlap)) {
		return false
	}
	now := recentRecord{At: at.Unix(), Content: answer.HashRecord(record)}
	if m.Seen == nil {
		m.Seen = recentRecords{}
	}
	if m.Seen[digest] = now; len(m.Seen) > seenWhileReading {
		m.prune(in)
	}
	return known && before == now
}

// prune drops what will not come again, and everything where that is not enough.
func (m *Watermark) prune(in *stream.Incremental) {
	for key, s := range m.Seen {
		if s.At < m.Max.Add(-in.Overlap).Unix() {
			delete(m.Seen, key)
		}
	}
	if len(m.Seen) > seenWhileReading/2 {
		m.Seen = nil
	}
}

// Started notes the first answer of a list: its Date, or else the greatest time in it.
func (m *Watermark) Started(date time.Time) {
	if m.Bound = date; date.IsZero() {
		m.Bound = m.Max
	}
}

// Next is where the next read starts, before the overlap is taken off. Zero: nothing is known.
func (m *Watermark) Next() time.Time {
	at := m.Max
	if at.IsZero() || !m.Bound.IsZero() && at.After(m.Bound) {
		at = m.Bound
	}
	if !m.Prior.IsZero() && (m.Max.IsZero() || at.Before(m.Prior)) {
		at = m.Prior
	}
	return at
}

// Stored is the mark as it is stored.
func (m *Watermark) Stored(in *stream.Incremental) *Watermark {
	out := *m
	out.Seen = recentRecords{}
	for key, s := range m.Seen {
		if s.At >= m.Max.Add(-in.Overlap).Unix() {
			out.Seen[key] = s
		}
	}
	if len(out.Seen) > seenKept {
		out.Seen = nil
	}
	return &out
}
