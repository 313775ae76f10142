package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// The ways in which a target is read.
const (
	strategyFull      = "full"
	strategyParameter = "rest_parameter"
)

// plan says how a stream is read.
type plan struct {
	Changes bool              `json:"changes,omitempty"`
	Since   time.Time         `json:"since,omitzero"` // before the overlap was taken off
	Params  map[string]string `json:"params,omitempty"`
}

func (p plan) params() map[string]any {
	if len(p.Params) == 0 {
		return nil
	}
	out := map[string]any{}
	for name, value := range p.Params {
		out[name] = value
	}
	return out
}

// position of the last read, as it is given back to us.
type cursor struct {
	Version  int              `json:"v"`
	Settings string           `json:"settings"`
	Kinds    string           `json:"kinds"`
	Streams  map[string]*mark `json:"streams"`
}

// cursor is where the next read for changes starts; empty where no stream can tell.
func (s *session) cursor() string {
	c := cursor{Version: positionVersion, Settings: s.cfg.digest, Kinds: s.kindsWanted(), Streams: map[string]*mark{}}
	for name, m := range s.keptMarks() {
		if at := m.next(); !at.IsZero() {
			c.Streams[name] = &mark{Max: at, Seen: m.Seen}
		}
	}
	if len(c.Streams) == 0 {
		return ""
	}
	return s.fitting(&c, c.Streams)
}

// decide says for every stream whether it is asked for changes, and tells why where it is not.
func (s *session) decide(ctx context.Context, req v1.SyncRequest) error {
	s.How = &v1.Read{Strategy: strategyFull}
	s.Base = tallies{}
	if !req.Incremental {
		return nil
	}
	last, why := s.last(req)
	if why != "" {
		s.How.FallbackReason = why
		return nil
	}
	var reasons []string
	s.Plan = map[string]plan{}
	for _, st := range s.cfg.streams {
		if st.incremental == nil || st.serves || !s.needs(st) {
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
		s.Marks[st.Name] = &mark{Prior: p.Since, Max: p.Since, Seen: last.Streams[st.Name].Seen}
	}
	if len(s.Plan) == 0 {
		s.How.FallbackReason = strings.Join(reasons, "; ")
		return nil
	}
	s.How.Incremental, s.How.Strategy = true, strategyParameter
	for _, why := range reasons {
		s.warn("stream_read_in_full", why, "")
	}
	return nil
}

// last reads the position of the read before, or says why there is none.
func (s *session) last(req v1.SyncRequest) (cursor, string) {
	var c cursor
	able := slices.ContainsFunc(s.cfg.streams, func(st *stream) bool { return st.incremental != nil && !st.serves && s.needs(st) })
	switch {
	case !able:
		return c, "no stream says how to ask for changes"
	case req.Options == nil || req.Options.Cursor == "":
		return c, "no earlier read has left a position to start from"
	}
	if err := json.Unmarshal([]byte(req.Options.Cursor), &c); err != nil || c.Version != positionVersion {
		return c, "the position of the last read is of another version"
	}
	if c.Settings != s.cfg.digest || c.Kinds != s.kindsWanted() {
		return c, "the settings have changed since the last read"
	}
	return c, ""
}

// farAhead of the last read nothing can have changed yet.
const farAhead = 5 * 365 * 24 * time.Hour

// planStream asks whether the target heeds the parameter at all: since a moment far ahead nothing has changed.
func (s *session) planStream(ctx context.Context, st *stream, m *mark) (plan, string, error) {
	if m == nil || m.Max.IsZero() {
		return plan{}, "the last read has left no position to start from", nil
	}
	in, ahead := st.incremental, m.Max.Add(farAhead)
	pg := newPager(st, s.cfg)
	pg.size, pg.since = 1, in.params(ahead, ahead.Add(24*time.Hour))
	r, err := pg.request(nil)
	if err != nil {
		return plan{}, "", err
	}
	var (
		records int
		date    time.Time
	)
	err = s.client.Read(ctx, r, func(resp *target.Response) error {
		records = 0
		date, _ = http.ParseTime(resp.Header.Get("Date")) // the zero time where there is none
		o, err := decodePage(ctx, st, resp, func(any) error { records++; return errEnough })
		if o.records > 0 {
			return nil
		}
		return err
	})
	switch {
	case refusesParam(err):
		return plan{}, "the target refuses " + in.Param + ": " + s.client.Clean(err.Error()), nil
	case ignored(err):
	case err != nil:
		return plan{}, "", err
	case records > 0:
		return plan{}, "the target ignores " + in.Param + ": it knows of changes in the far future", nil
	}
	if date.IsZero() {
		date = m.Max.Add(farAhead)
	}
	p := plan{Changes: true, Since: m.Max, Params: map[string]string{}}
	for name, value := range in.params(m.Max.Add(-in.overlap), date.Add(24*time.Hour)) {
		p.Params[name] = fmt.Sprint(value)
	}
	return p, "", nil
}

func refusesParam(err error) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil || d.Code == codeIgnored {
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
	for _, st := range s.cfg.streams {
		if st.parent != nil || !s.Plan[st.Name].Changes {
			continue
		}
		for _, kind := range st.kinds() {
			out[kind] = out[kind] || st.presence == nil || !slices.Contains(ownKinds(st), kind)
		}
		for _, child := range st.children {
			for kind := range allBelow(child) {
				out[kind] = true
			}
		}
	}
	return out
}

// allBelow are the kinds that a stream and those that hang on it give.
func allBelow(st *stream) map[v1.ObjectKind]bool {
	out := map[v1.ObjectKind]bool{}
	for _, kind := range st.kinds() {
		out[kind] = true
	}
	for _, child := range st.children {
		for kind := range allBelow(child) {
			out[kind] = true
		}
	}
	return out
}
