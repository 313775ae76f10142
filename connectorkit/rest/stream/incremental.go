package stream

import (
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
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

// Incremental says how a stream is asked for changes.
type Incremental struct {
	IncrementalDefinition
	// Field is the record's time of change; Overlap is how much is read again before the last one.
	Field   *jsonpath.Path
	Overlap time.Duration
	// Matches deleted records; nil: they are reported otherwise or not at all.
	flag *jsonpath.Path
}

// incremental compiles how changes are asked for. Streams with a parent have none of their own:
// they are read again with each parent that has changed.
func (c *Compiler) incremental(st *Stream, pageSize int) {
	if st.Definition.Presence != nil {
		st.PresenceList = c.list(st, "presence", *st.Definition.Presence, pageSize)
	}
	d := st.Definition.Incremental
	if d == nil {
		if st.Definition.Presence != nil {
			c.Wrong("presence needs incremental")
		}
		return
	}
	in := &Incremental{IncrementalDefinition: *d, Overlap: defaultOverlap * time.Second}
	if d.Param == "" {
		c.Wrong("incremental.param is missing")
	}
	if d.Field == "" {
		c.Wrong("incremental.field is missing")
	}
	if st.Definition.Parent != nil {
		c.Wrong("incremental cannot be used on a stream with a parent: it is read for every parent that has changed")
	}
	in.Format = c.OneOf(
		"incremental.format",
		d.Format,
		formatRFC3339,
		formatRFC3339,
		formatSeconds,
		formatMillis,
		formatDate,
	)
	in.Field = c.Path("incremental.field", d.Field)
	if d.OverlapS != nil {
		if in.Overlap = time.Duration(*d.OverlapS) * time.Second; *d.OverlapS < 0 || *d.OverlapS > 7*86400 {
			c.Wrong("incremental.overlap_s must be between 0 and 604800")
		}
	}
	if d.Deletes != nil {
		c.deletes(st, in, *d.Deletes, pageSize)
	}
	st.Changes = in
}

// deletes compiles how deletions are found; exactly one way may be given.
func (c *Compiler) deletes(st *Stream, in *Incremental, d DeletesDefinition, pageSize int) {
	ways := 0
	if d.Field != "" {
		ways++
		in.flag = c.Path("incremental.deletes.field", d.Field)
	}
	if d.Path != "" {
		ways++
		st.DeletedList = c.list(st, "incremental.deletes", d.ListDefinition, pageSize)
	}
	if d.Stream != "" {
		ways++ // see relateDeleted
	}
	if ways != 1 {
		c.Wrong("incremental.deletes needs one of field, path and stream")
	}
}

// list compiles a list beside a stream's own: it is paged, and fails, in the same way.
func (c *Compiler) list(st *Stream, member string, d ListDefinition, pageSize int) *Stream {
	if d.Path == "" {
		c.Wrong("%s.path is missing", member)
	}
	beside := Definition{
		Name: st.Name + " (" + member + ")", Object: st.Object, Request: st.Request,
		RecordSelector: d.RecordSelector, KeyPath: d.KeyPath,
		Pagination: st.Definition.Pagination, Error: st.Definition.Error,
	}
	beside.Request.Path = d.Path
	beside.Request.Query = d.Query
	if beside.RecordSelector == "" {
		beside.RecordSelector = st.Definition.RecordSelector
	}
	if beside.KeyPath == "" {
		beside.KeyPath = st.Definition.KeyPath
	}
	if strings.Contains(d.Path, "{") {
		c.Wrong("%s.path must not have placeholders", member)
	}
	out, problems := beside.compile(pageSize)
	for _, p := range problems {
		c.Wrong("%s: %s", member, p)
	}
	return out
}

// FormatTime puts a moment into the words of the target, rounded down.
func (in *Incremental) FormatTime(at time.Time) string {
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

// Params ask for what has changed from one moment to another, or to none.
func (in *Incremental) Params(from, to time.Time) map[string]any {
	out := map[string]any{in.Param: in.FormatTime(from)}
	if in.UpperBoundParam != "" {
		out[in.UpperBoundParam] = in.FormatTime(to)
	}
	return out
}

// IsDeleted reports whether a record says of itself that it was deleted.
func (in *Incremental) IsDeleted(b *jsonpath.Budget, record any) bool {
	if in == nil || in.flag == nil {
		return false
	}
	v, ok := in.flag.First(b, record)
	if !ok {
		return false
	}
	if in.Deletes.Value == nil {
		return jsonvalue.Truthy(v)
	}
	text, _ := jsonvalue.Text(v)
	return strings.EqualFold(text, string(*in.Deletes.Value))
}
