package read

import (
	"context"
	"strings"
	"sync"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/rest/extract"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Run runs one sync.
func Run(
	ctx context.Context, cfg *stream.Config, client *target.Client, req v1.SyncRequest, emit connectorkit.Emit,
) error {
	s := &session{
		Lister: paging.Lister{
			Cfg:    cfg,
			Client: client,
		}, budget: jsonpath.NewBudget(ctx, 0), emit: emit, wanted: Wanted(req.Options), allowed: allowed(req.Options),
		Position: checkpoint.Position{
			Tally: checkpoint.KindCounts{},
			Marks: map[string]*checkpoint.Watermark{},
		}, made: map[uint64]bool{}, warned: map[string]int{}, answered: map[*stream.Stream]bool{},
	}
	for _, w := range client.Warnings() {
		s.warn(w.Code, w.Message, "")
	}
	resumed := s.resume(req)
	if !resumed {
		if err := s.decide(ctx, req); err != nil {
			return err
		}
	}
	for _, st := range cfg.Streams {
		// Once some were read, and for a few that have changed, lists that are not there are no wrong path.
		s.answered[st] = resumed || len(s.Plan) > 0
	}
	if s.jobs = s.lists(); !resumed || s.changed == nil {
		s.track()
	}
	for s.Job < len(s.jobs) {
		if err := s.readList(ctx, s.jobs[s.Job]); err != nil {
			return err
		}
		s.next()
	}
	return s.finish(ctx)
}

// Wanted are the kinds that a request asks for; all of them if it names none.
func Wanted(o *v1.SyncOptions) map[v1.ObjectKind]bool {
	out := map[v1.ObjectKind]bool{}
	if o != nil {
		for _, kind := range o.Objects {
			out[kind] = true
		}
	}
	if len(out) == 0 {
		for _, kind := range stream.AllKinds {
			out[kind] = true
		}
	}
	return out
}

// allowed reads the allow-list of attributes: a name allows itself and what lies below it.
func allowed(o *v1.SyncOptions) func(string) bool {
	if o == nil || len(o.FieldAllowlist) == 0 {
		return func(string) bool { return true }
	}
	return func(name string) bool {
		for _, a := range o.FieldAllowlist {
			if name == a || strings.HasPrefix(name, a+".") {
				return true
			}
		}
		return false
	}
}

// session is one Sync. What of it must survive a change of the reader is its position.
type session struct {
	paging.Lister
	checkpoint.Position
	emit connectorkit.Emit
	// Of turning records into rows, for each batch.
	budget  *jsonpath.Budget
	wanted  map[v1.ObjectKind]bool
	allowed func(string) bool
	// jobs are the lists to read, in order.
	jobs []job
	// The page in hand.
	work *pageProgress
	// Digest of what was asked for.
	request string

	// Of the last checkpoint inside a family: rows since then, and pages until then.
	unmarkedRows, markedPages int
	// Of streams that hang on others: some list was there.
	answered map[*stream.Stream]bool

	// Entitlements made from elements of records so far, by a digest of their key.
	made map[uint64]bool
	// Records of the stream that were read as changed, likewise; nil: not needed.
	changed map[uint64]bool

	// Several lists are read at once.
	mu       sync.Mutex
	warnings []v1.Warning
	// By code.
	warned map[string]int
}

// needs says whether the stream or one below it makes records that are wanted.
func (s *session) needs(st *stream.Stream) bool {
	for _, kind := range st.Kinds() {
		if s.wanted[kind] {
			return true
		}
	}
	for _, child := range st.Children {
		if s.needs(child) {
			return true
		}
	}
	return false
}

// maxWarnings is how many warnings of one code are reported; the rest are only counted.
const maxWarnings = 10

// warn adds a warning, up to a limit for each code; all are counted.
func (s *session) warn(code, message, externalID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Warnings++
	if s.warned[code]++; s.warned[code] <= maxWarnings {
		s.warnings = append(s.warnings, v1.Warning{Code: code, Message: message, ExternalID: externalID})
	}
}

// add counts n records of a kind. A kind that is counted, be it with nothing, is one that was read.
func (s *session) add(kind v1.ObjectKind, n int) {
	t := s.Tally[kind]
	t.Count += n
	s.Tally[kind] = t
}

// incomplete notes that absence proves nothing for these kinds.
func (s *session) incomplete(kinds []v1.ObjectKind) {
	for _, kind := range kinds {
		t := s.Tally[kind]
		t.Incomplete = true
		s.Tally[kind] = t
	}
}

// rowsOf makes the rows of a stream. A record without a key is skipped, and then the stream proves
// nothing about what is gone.
func (s *session) rowsOf(st *stream.Stream) *extract.Rows {
	for _, kind := range st.Kinds() {
		s.add(kind, 0)
	}
	return &extract.Rows{
		St: st, Budget: s.budget, Allowed: s.allowed, Made: s.made, Warn: s.warn,
		Skip: func(code, message, key string, kinds ...v1.ObjectKind) {
			s.mu.Lock()
			s.Skipped++
			s.mu.Unlock()
			s.warn(code, message, key)
			if key == "" {
				// A record that cannot be told apart may be one that was known, so nothing can be said about who is
				// gone.
				s.incomplete(kinds)
			}
		},
	}
}

// count adds a page that was read.
func (s *session) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Pages++
}
