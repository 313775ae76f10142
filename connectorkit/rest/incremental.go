package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

// Formats of the moment since which changes are asked for.
const (
	formatRFC3339 = "rfc3339"
	formatSeconds = "epoch_s"
	formatMillis  = "epoch_ms"
	formatDate    = "date"
)

// defaultOverlap in seconds is read again each time: changes become visible in another order than that of their times.
const defaultOverlap = 300

// incremental says how a stream is asked for changes.
type incremental struct {
	incrementalDocument
	field   *jsonpath.Path
	overlap time.Duration
	flag    *jsonpath.Path // tells deleted records; nil: they are told otherwise or not at all
}

func (c *compiler) incremental(st *stream, pageSize int) {
	if st.document.Presence != nil {
		st.presence = c.list(st, "presence", *st.document.Presence, pageSize)
	}
	d := st.document.Incremental
	if d == nil {
		if st.document.Presence != nil {
			c.wrong("presence needs incremental")
		}
		return
	}
	in := &incremental{incrementalDocument: *d, overlap: defaultOverlap * time.Second}
	if d.Param == "" {
		c.wrong("incremental.param is missing")
	}
	if d.Field == "" {
		c.wrong("incremental.field is missing")
	}
	if st.document.Parent != nil {
		c.wrong("incremental cannot be used on a stream with a parent: it is read for every parent that has changed")
	}
	in.Format = c.oneOf("incremental.format", d.Format, formatRFC3339, formatRFC3339, formatSeconds, formatMillis, formatDate)
	in.field = c.path("incremental.field", d.Field)
	if d.OverlapS != nil {
		if in.overlap = time.Duration(*d.OverlapS) * time.Second; *d.OverlapS < 0 || *d.OverlapS > 7*86400 {
			c.wrong("incremental.overlap_s must be between 0 and 604800")
		}
	}
	if d.Deletes != nil {
		c.deletes(st, in, *d.Deletes, pageSize)
	}
	st.incremental = in
}

func (c *compiler) deletes(st *stream, in *incremental, d deletesDocument, pageSize int) {
	ways := 0
	if d.Field != "" {
		ways++
		in.flag = c.path("incremental.deletes.field", d.Field)
	}
	if d.Path != "" {
		ways++
		st.deleted = c.list(st, "incremental.deletes", d.listDocument, pageSize)
	}
	if d.Stream != "" {
		ways++ // see relateDeleted
	}
	if ways != 1 {
		c.wrong("incremental.deletes needs one of field, path and stream")
	}
}

// list compiles a list beside a stream's own: it is paged, and fails, in the same way.
func (c *compiler) list(st *stream, member string, d listDocument, pageSize int) *stream {
	if d.Path == "" {
		c.wrong("%s.path is missing", member)
	}
	beside := document{
		Name: st.Name + " (" + member + ")", Object: st.Object, Request: st.Request, RecordSelector: d.RecordSelector, KeyPath: d.KeyPath,
		Pagination: st.document.Pagination, Error: st.document.Error,
	}
	beside.Request.Path, beside.Request.Query = d.Path, d.Query
	if beside.RecordSelector == "" {
		beside.RecordSelector = st.document.RecordSelector
	}
	if beside.KeyPath == "" {
		beside.KeyPath = st.document.KeyPath
	}
	if strings.Contains(d.Path, "{") {
		c.wrong("%s.path must not have placeholders", member)
	}
	out, problems := beside.compile(pageSize)
	for _, p := range problems {
		c.wrong("%s: %s", member, p)
	}
	return out
}

// relateDeleted joins streams to those that tell what was deleted of them.
func relateDeleted(streams []*stream, byName map[string]*stream) []string {
	var problems []string
	for _, st := range streams {
		if st.incremental == nil || st.incremental.Deletes == nil || st.incremental.Deletes.Stream == "" {
			continue
		}
		name := st.incremental.Deletes.Stream
		other := byName[name]
		switch {
		case other == nil || other == st:
			problems = append(problems, fmt.Sprintf("%q is told what was deleted by %q, which is no other stream", st.Name, name))
		case other.Parent != nil || len(other.children) > 0 || other.incremental != nil:
			problems = append(problems, fmt.Sprintf("%q tells what was deleted of %q and so must have no parent, children and incremental", name, st.Name))
		default:
			other.serves, st.deleted = true, other
		}
	}
	return problems
}

// write puts a moment into the words of the target, rounded down.
func (in *incremental) write(at time.Time) string {
	switch in.Format {
	case formatSeconds:
		return strconv.FormatInt(at.Unix(), 10)
	case formatMillis:
		return strconv.FormatInt(at.UnixMilli(), 10)
	case formatDate:
		return at.UTC().Format(time.DateOnly)
	}
	return at.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00")
}

// params ask for what has changed from one moment to another, or to none.
func (in *incremental) params(from, to time.Time) map[string]any {
	out := map[string]any{in.Param: in.write(from)}
	if in.UpperBoundParam != "" {
		out[in.UpperBoundParam] = in.write(to)
	}
	return out
}

// deletes tells whether a record says of itself that it was deleted.
func (in *incremental) deletes(b *jsonpath.Budget, record any) bool {
	if in == nil || in.flag == nil {
		return false
	}
	v, ok := in.flag.First(b, record)
	if !ok {
		return false
	}
	if in.Deletes.Value == nil {
		return truthy(v)
	}
	text, _ := textOf(v)
	return strings.EqualFold(text, string(*in.Deletes.Value))
}

// mark gathers from a list where the next read for changes starts.
type mark struct {
	Max   time.Time `json:"max,omitzero"`   // greatest time of a record
	Bound time.Time `json:"bound,omitzero"` // when the list was begun, by the target's clock: later changes may have been missed
	Prior time.Time `json:"prior,omitzero"` // where this read started

	// Seen are the records at the end of the times, by their key, with a digest of their content. They come again with the next
	// read, which starts a while before, and need not be passed on.
	Seen memory `json:"seen,omitempty"`
}

// seen is what is remembered of a record.
type seen struct {
	At      int64 // Unix seconds
	Content uint64
}

// memory holds records by a digest of their key. It is written as bytes, 24 a record.
type memory map[uint64]seen

// MarshalJSON writes the records in the order of their digests.
func (m memory) MarshalJSON() ([]byte, error) {
	ns := make([]uint64, 0, 3*len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		ns = append(ns, key, uint64(m[key].At), m[key].Content)
	}
	return json.Marshal(packed(ns))
}

// UnmarshalJSON reads what MarshalJSON has written.
func (m *memory) UnmarshalJSON(b []byte) error {
	var raw []byte
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*m = memory{}
	for ns := unpacked(raw); len(ns) >= 3; ns = ns[3:] {
		(*m)[ns[0]] = seen{At: int64(ns[1]), Content: ns[2]}
	}
	return nil
}

// Bounds of what is remembered of the records seen: while reading, and in a cursor or checkpoint.
const (
	seenWhileReading = 20000
	seenKept         = 300
)

// see takes in a record and tells whether it was passed on before with the same content.
func (m *mark) see(b *jsonpath.Budget, in *incremental, key string, record any) (again bool) {
	v, _ := in.field.First(b, record)
	at, ok := timeOf(v)
	if !ok {
		return false
	}
	if at.After(m.Max) {
		m.Max = at
	}
	if key == "" {
		return false
	}
	digest := hashOf(key)
	before, known := m.Seen[digest]
	if !known && at.Before(m.Max.Add(-in.overlap)) {
		return false
	}
	now := seen{At: at.Unix(), Content: contentOf(record)}
	if m.Seen == nil {
		m.Seen = memory{}
	}
	if m.Seen[digest] = now; len(m.Seen) > seenWhileReading {
		m.forget(in)
	}
	return known && before == now
}

// forget drops what will not come again, and everything where that is not enough.
func (m *mark) forget(in *incremental) {
	for key, s := range m.Seen {
		if s.At < m.Max.Add(-in.overlap).Unix() {
			delete(m.Seen, key)
		}
	}
	if len(m.Seen) > seenWhileReading/2 {
		m.Seen = nil
	}
}

// began notes the first answer of a list: its Date, or else the greatest time in it.
func (m *mark) began(date time.Time) {
	if m.Bound = date; date.IsZero() {
		m.Bound = m.Max
	}
}

// next is where the next read starts, before the overlap is taken off. Zero: nothing is known.
func (m *mark) next() time.Time {
	at := m.Max
	if at.IsZero() || !m.Bound.IsZero() && at.After(m.Bound) {
		at = m.Bound
	}
	if !m.Prior.IsZero() && (m.Max.IsZero() || at.Before(m.Prior)) {
		at = m.Prior
	}
	return at
}

// kept is the mark as it is stored.
func (m *mark) kept(in *incremental) *mark {
	out := *m
	out.Seen = memory{}
	for key, s := range m.Seen {
		if s.At >= m.Max.Add(-in.overlap).Unix() {
			out.Seen[key] = s
		}
	}
	if len(out.Seen) > seenKept {
		out.Seen = nil
	}
	return &out
}
