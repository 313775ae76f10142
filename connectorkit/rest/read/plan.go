package read

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// The ways in which a target is read.
const (
	strategyFull      = "full"
	strategyParameter = "rest_parameter"
)

// cursor is where the next read for changes starts; empty where no stream can tell.
func (s *session) cursor() string {
	c := checkpoint.Cursor{
		Version:  checkpoint.Version,
		Settings: s.Cfg.Digest,
		Kinds:    s.kindsWanted(),
		Streams:  map[string]*checkpoint.Watermark{},
	}
	for name, m := range s.keptMarks() {
		if at := m.Next(); !at.IsZero() {
			c.Streams[name] = &checkpoint.Watermark{Max: at, Seen: m.Seen}
		}
	}
	if len(c.Streams) == 0 {
		return ""
	}
	return s.encodeBounded(&c, c.Streams)
}

// decide chooses for every stream whether changes are requested, and reports why if they are not.
func (s *session) decide(ctx context.Context, req v1.SyncRequest) error {
	s.How = &v1.Read{Strategy: strategyFull}
	s.Base = checkpoint.KindCounts{}
	if !req.Incremental {
		return nil
	}
	last, why := s.previousCursor(req)
	if why != "" {
		s.How.FallbackReason = why
		return nil
	}
	var reasons []string
	s.Plan = map[string]checkpoint.Plan{}
	for _, st := range s.Cfg.Streams {
		if st.Changes == nil || st.ListsDeleted || !s.needs(st) {
			continue
		}
		p, why, err := s.planStream(ctx, st, last.Streams[st.Name])
		if err != nil {
			return err
		}
		if why != "" {
			reasons = append(reasons, st.Name+": "+why)
			continue
		}
		s.Plan[st.Name] = p
		s.Marks[st.Name] = &checkpoint.Watermark{Prior: p.Since, Max: p.Since, Seen: last.Streams[st.Name].Seen}
	}
	if len(s.Plan) == 0 {
		s.How.FallbackReason = strings.Join(reasons, "; ")
		return nil
	}
	s.How.Incremental = true
	s.How.Strategy = strategyParameter
	for _, why := range reasons {
		s.warn("stream_read_in_full", why, "")
	}
	return nil
}

// previousCursor reads the position of the read before, or says why there is none.
func (s *session) previousCursor(req v1.SyncRequest) (checkpoint.Cursor, string) {
	var c checkpoint.Cursor
	able := slices.ContainsFunc(
		s.Cfg.Streams,
		func(st *stream.Stream) bool { return st.Changes != nil && !st.ListsDeleted && s.needs(st) },
	)
	switch {
	case !able:
		return c, "no stream defines how changes are read"
	case req.Options == nil || req.Options.Cursor == "":
		return c, "no earlier read has left a position to start from"
	}
	if err := json.Unmarshal([]byte(req.Options.Cursor), &c); err != nil || c.Version != checkpoint.Version {
		return c, "the position of the last read is of another version"
	}
	if c.Settings != s.Cfg.Digest || c.Kinds != s.kindsWanted() {
		return c, "the settings have changed since the last read"
	}
	return c, ""
}

// farAhead of the last read nothing can have changed yet.
const farAhead = 5 * 365 * 24 * time.Hour

// planStream asks whether the target heeds the parameter at all: since a moment far ahead nothing has changed.
func (s *session) planStream(
	ctx context.Context,
	st *stream.Stream,
	m *checkpoint.Watermark,
) (checkpoint.Plan, string, error) {
	if m == nil || m.Max.IsZero() {
		return checkpoint.Plan{}, "the last read has left no position to start from", nil
	}
	in := st.Changes
	ahead := m.Max.Add(farAhead)
	pg := paging.New(st, s.Cfg)
	pg.Size = 1
	pg.Since = in.Params(ahead, ahead.Add(24*time.Hour))
	r, err := pg.Request(nil)
	if err != nil {
		return checkpoint.Plan{}, "", err
	}
	var (
		records int
		date    time.Time
	)
	err = s.Client.Read(ctx, r, func(resp *target.Response) error {
		records = 0
		date, _ = http.ParseTime(resp.Header.Get("Date")) // the zero time where there is none
		o, err := answer.Decode(ctx, st, resp, func(any) error { records++; return answer.ErrEnough })
		if o.Records > 0 {
			return nil
		}
		return err
	})
	switch {
	case refusesParam(err):
		return checkpoint.Plan{}, "the target refuses " + in.Param + ": " + s.Client.Clean(err.Error()), nil
	case stream.Ignored(err):
	case err != nil:
		return checkpoint.Plan{}, "", err
	case records > 0:
		return checkpoint.Plan{}, "the target ignores " + in.Param + ": it knows of changes in the far future", nil
	}
	if date.IsZero() {
		date = m.Max.Add(farAhead)
	}
	p := checkpoint.Plan{Changes: true, Since: m.Max, Params: map[string]string{}}
	for name, value := range in.Params(m.Max.Add(-in.Overlap), date.Add(24*time.Hour)) {
		p.Params[name] = fmt.Sprint(value)
	}
	return p, "", nil
}

// refusesParam says whether a target refused the parameter that asks for changes. The list is then
// read in full.
func refusesParam(err error) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil || d.Code == stream.CodeIgnored {
		return false
	}
	switch d.Target.HTTP.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	}
	return false
}

// partial are the kinds of which only a part was read, so that absence says nothing.
func (s *session) partial() map[v1.ObjectKind]bool {
	out := map[v1.ObjectKind]bool{}
	for _, st := range s.Cfg.Streams {
		if st.ParentStream != nil || !s.Plan[st.Name].Changes {
			continue
		}
		for _, kind := range st.Kinds() {
			out[kind] = out[kind] || st.PresenceList == nil || !slices.Contains(stream.OwnKinds(st), kind)
		}
		for _, child := range st.Children {
			for kind := range allBelow(child) {
				out[kind] = true
			}
		}
	}
	return out
}

// allBelow are the kinds that a stream and those that hang on it give.
func allBelow(st *stream.Stream) map[v1.ObjectKind]bool {
	out := map[v1.ObjectKind]bool{}
	for _, kind := range st.Kinds() {
		out[kind] = true
	}
	for _, child := range st.Children {
		for kind := range allBelow(child) {
			out[kind] = true
		}
	}
	return out
}
