package rest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sync reads the streams in the order given. After each page of a stream come those that hang on its records, so that a read
// that is taken over reads no more than a page again.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	cfg, client, err := c.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	s := &session{
		lister: lister{cfg: cfg, client: client}, budget: jsonpath.NewBudget(ctx, 0), emit: emit, wanted: wanted(req.Options), allowed: allowed(req.Options),
		position: position{Tally: tallies{}, Marks: map[string]*mark{}}, made: map[uint64]bool{}, warned: map[string]int{}, answered: map[*stream]bool{},
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
	for _, st := range cfg.streams {
		// Once some were read, and for a few that have changed, lists that are not there are no wrong path.
		s.answered[st] = resumed || len(s.Plan) > 0
	}
	if s.jobs = s.lists(); !resumed || s.changed == nil {
		s.track()
	}
	for s.Job < len(s.jobs) {
		if err := s.run(ctx, s.jobs[s.Job]); err != nil {
			return err
		}
		s.next()
	}
	return s.finish(ctx)
}

func wanted(o *v1.SyncOptions) map[v1.ObjectKind]bool {
	out := map[v1.ObjectKind]bool{}
	if o != nil {
		for _, kind := range o.Objects {
			out[kind] = true
		}
	}
	if len(out) == 0 {
		for _, kind := range allKinds {
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
	lister
	position
	emit    connectorkit.Emit
	budget  *jsonpath.Budget // of turning records into rows, for each batch
	wanted  map[v1.ObjectKind]bool
	allowed func(string) bool
	jobs    []job
	work    *pageWork // the page in hand
	request string    // digest of what was asked for

	unmarked int              // rows and pages since the last checkpoint inside a family
	answered map[*stream]bool // of streams that hang on others: some list was there

	made    map[uint64]bool // entitlements made from elements of records so far, by a digest of their key
	changed map[uint64]bool // records of the stream that were read as changed, likewise; nil: not needed

	mu       sync.Mutex // several lists are read at once
	warnings []v1.Warning
	warned   map[string]int // by code
}

// kindTally says how much of a kind was read.
type kindTally struct {
	Count      int  `json:"n,omitempty"`
	Incomplete bool `json:"i,omitempty"` // absence proves nothing
}

type tallies map[v1.ObjectKind]kindTally

func (s *session) needs(st *stream) bool {
	for _, kind := range st.kinds() {
		if s.wanted[kind] {
			return true
		}
	}
	for _, child := range st.children {
		if s.needs(child) {
			return true
		}
	}
	return false
}

// maxWarnings of one code are told; the rest are only counted.
const maxWarnings = 10

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

func (s *session) rowsOf(st *stream) *rows {
	for _, kind := range st.kinds() {
		s.add(kind, 0)
	}
	return &rows{
		st: st, budget: s.budget, allowed: s.allowed, made: s.made, warn: s.warn,
		skip: func(code, message, key string, kinds ...v1.ObjectKind) {
			s.mu.Lock()
			s.Skipped++
			s.mu.Unlock()
			s.warn(code, message, key)
			if key == "" {
				// A record that cannot be told apart may be one that was known, so nothing can be said about who is gone.
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

// conclude says what the end of a list that stands for itself proves.
func (s *session) conclude(j job, out listed) {
	kinds := j.kinds()
	if out.missing {
		s.incomplete(kinds)
		s.warn("records_not_found", fmt.Sprintf("the answer of %s has no list where record_selector points; nothing is concluded from that", j.list.Name), "")
	}
	if out.short {
		s.incomplete(kinds)
		s.warn("fewer_than_announced", fmt.Sprintf("%s ended before the number of records that the target announced, or the target announced another one each time", j.list.Name), "")
	}
	s.unique(j.st, out)
	if out.expected >= 0 && j.what == readRecords && !s.Plan[j.st.Name].Changes {
		s.expect(j.st, out.expected)
	}
}

// unique warns of a stream whose keys are not. Its records replace each other, so nothing is concluded from those that are missing.
func (s *session) unique(st *stream, out listed) {
	if why := out.repeats.why(st); why != "" {
		s.incomplete(st.kinds())
		s.warn("keys_not_unique", why, "")
	}
}

func (s *session) expect(st *stream, n int) {
	if s.Estimate == nil {
		s.Estimate = &v1.Estimate{}
	}
	switch st.Object {
	case objectIdentity:
		s.Estimate.Identities = &n
	case objectAccount:
		s.Estimate.Accounts = &n
	case objectUser:
		s.Estimate.Identities, s.Estimate.Accounts = &n, &n
	case objectEntitlement:
		s.Estimate.Entitlements = &n
	}
}

// pass hands a page up without the kinds nobody asked for, and with the checkpoint that holds when it has arrived.
func (s *session) pass(ctx context.Context, page v1.SyncResponse, checkpoint func() string) error {
	s.withhold(&page)
	for kind, n := range living(page) {
		if n > 0 {
			s.add(kind, n)
		}
	}
	scopes, present := []v1.Scope(nil), []v1.Present(nil)
	if page.Page != nil {
		scopes, present = page.Page.Scopes, page.Page.Present
	}
	page.Page = s.progress(true)
	page.Page.Scopes, page.Page.Present = scopes, present
	if checkpoint != nil {
		page.Page.Checkpoint = checkpoint()
	}
	return s.emit(ctx, page)
}

// withhold drops the kinds nobody asked for.
func (s *session) withhold(page *v1.SyncResponse) {
	if !s.wanted[v1.Identities] {
		page.Identities = nil
	}
	if !s.wanted[v1.Accounts] {
		page.Accounts = nil
	}
	if !s.wanted[v1.Entitlements] {
		page.Entitlements = nil
	}
	if !s.wanted[v1.Grants] {
		page.Grants = nil
	}
}

// living counts the rows that are no tombstones.
func living(page v1.SyncResponse) map[v1.ObjectKind]int {
	out := map[v1.ObjectKind]int{}
	for i := range page.Identities {
		out[v1.Identities] += alive(page.Identities[i].Deleted)
	}
	for i := range page.Accounts {
		out[v1.Accounts] += alive(page.Accounts[i].Deleted)
	}
	for i := range page.Entitlements {
		out[v1.Entitlements] += alive(page.Entitlements[i].Deleted)
	}
	for i := range page.Grants {
		out[v1.Grants] += alive(page.Grants[i].Deleted)
	}
	return out
}

func alive(deleted bool) int {
	if deleted {
		return 0
	}
	return 1
}

// progress is what is known of the read so far. Warnings are told once.
func (s *session) progress(more bool) *v1.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &v1.Page{HasMore: more, Warnings: s.warnings, Estimate: s.Estimate, Read: s.How, Stats: &v1.Stats{
		Pages: s.Pages, APICalls: s.Calls + s.client.Calls(), RateWaitMS: s.WaitMS + s.client.Waited().Milliseconds(), Skipped: s.Skipped, Warnings: s.Warnings,
	}}
	s.warnings = nil
	return out
}

// finish attests what was read to its end, and says where the next read for changes starts.
func (s *session) finish(ctx context.Context) error {
	page := s.progress(false)
	partial := s.partial()
	for _, kind := range allKinds {
		if t, read := s.Tally[kind]; read && s.wanted[kind] && !partial[kind] {
			page.Scopes = append(page.Scopes, v1.Scope{Kind: kind, Key: "*", Complete: !t.Incomplete, Count: t.Count})
		}
	}
	page.Cursor = s.cursor()
	page.Watermark = s.watermark()
	return s.emit(ctx, v1.SyncResponse{Success: true, Page: page})
}
