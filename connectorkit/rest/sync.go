package rest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sync reads the streams in the order given, each followed by those that hang on it.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	cfg, client, err := c.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	s := &session{
		lister: lister{cfg: cfg, client: client}, emit: emit, wanted: wanted(req.Options), allowed: allowed(req.Options),
		tally: map[v1.ObjectKind]*kindTally{}, made: map[string]bool{}, warned: map[string]int{},
	}
	for _, w := range client.Warnings() {
		s.warn(w.Code, w.Message, "")
	}
	for _, st := range cfg.streams {
		if st.parent == nil && s.needs(st) {
			if err := s.top(ctx, st); err != nil {
				return err
			}
		}
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

// session is one Sync.
type session struct {
	lister
	emit    connectorkit.Emit
	wanted  map[v1.ObjectKind]bool
	allowed func(string) bool

	tally map[v1.ObjectKind]*kindTally
	made  map[string]bool // entitlements made from elements of records so far

	mu       sync.Mutex // several lists are read at once
	pages    int
	skipped  int
	warnings []v1.Warning
	warned   map[string]int // by code
	total    int            // warnings, told or not
	estimate *v1.Estimate
}

// kindTally says how much of a kind was read.
type kindTally struct {
	count      int
	incomplete bool
}

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
	s.total++
	if s.warned[code]++; s.warned[code] <= maxWarnings {
		s.warnings = append(s.warnings, v1.Warning{Code: code, Message: message, ExternalID: externalID})
	}
}

func (s *session) of(kind v1.ObjectKind) *kindTally {
	if s.tally[kind] == nil {
		s.tally[kind] = &kindTally{}
	}
	return s.tally[kind]
}

// incomplete notes that absence proves nothing for these kinds.
func (s *session) incomplete(kinds []v1.ObjectKind) {
	for _, kind := range kinds {
		s.of(kind).incomplete = true
	}
}

func (s *session) rowsOf(st *stream) *rows {
	for _, kind := range st.kinds() {
		s.of(kind)
	}
	return &rows{
		st: st, allowed: s.allowed, made: s.made, warn: s.warn,
		skip: func(code, message string, kinds ...v1.ObjectKind) {
			// A record that cannot be told apart may be one that was known, so nothing can be said about who is gone.
			s.incomplete(kinds)
			s.mu.Lock()
			s.skipped++
			s.mu.Unlock()
			s.warn(code, message, "")
		},
	}
}

// maxParents bounds how many records other streams may hang on; only their keys are held.
const maxParents = 1000000

// top reads a stream without a parent, and then its children.
func (s *session) top(ctx context.Context, st *stream) error {
	rows := s.rowsOf(st)
	var keys []*ancestor
	out, err := s.list(ctx, st, nil, func(records []any) (err error) {
		keys, err = s.hand(ctx, rows, records, nil, keys)
		return err
	})
	s.count(out)
	if err != nil {
		return err
	}
	s.judge(st, out)
	return s.family(ctx, st, keys)
}

// count adds the pages of a list that is read.
func (s *session) count(out listed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages += out.pages
}

// judge says what the end of a top list proves.
func (s *session) judge(st *stream, out listed) {
	if out.missing {
		s.incomplete(st.kinds())
		s.warn("records_not_found", fmt.Sprintf("the answer of %s has no list where record_selector points; nothing is concluded from that", st.Name), "")
	}
	if out.short {
		s.incomplete(st.kinds())
		s.warn("fewer_than_announced", fmt.Sprintf("%s ended before the number of records that the target announced", st.Name), "")
	}
	if out.expected >= 0 {
		s.expect(st, out.expected)
	}
}

func (s *session) expect(st *stream, n int) {
	if s.estimate == nil {
		s.estimate = &v1.Estimate{}
	}
	switch st.Object {
	case objectIdentity:
		s.estimate.Identities = &n
	case objectAccount:
		s.estimate.Accounts = &n
	case objectUser:
		s.estimate.Identities, s.estimate.Accounts = &n, &n
	case objectEntitlement:
		s.estimate.Entitlements = &n
	}
}

// hand turns records into rows and passes them up. It adds their keys where other streams hang on them.
func (s *session) hand(ctx context.Context, rows *rows, records []any, at *ancestor, keys []*ancestor) ([]*ancestor, error) {
	page := v1.SyncResponse{Success: true}
	for _, record := range records {
		key, ok := rows.add(&page, record, at)
		if len(rows.st.children) == 0 {
			continue
		}
		if len(keys) >= maxParents {
			return keys, &v1.ErrorDetail{
				Class: v1.ClassConfig, Code: "too_many_parents", Phase: rows.st.Name,
				Message: fmt.Sprintf("%s has more than %d records, too many for other streams to hang on", rows.st.Name, maxParents),
			}
		}
		keys = append(keys, &ancestor{object: rows.st.Object, record: childKeys(rows.st, record, key, ok), up: at})
	}
	return keys, s.pass(ctx, page)
}

// childKeys are the keys under which the children of st know a record, by the child's place among them.
func childKeys(st *stream, record any, key string, ok bool) []string {
	out := make([]string, len(st.children))
	for i, child := range st.children {
		if child.parentKey == nil {
			if ok {
				out[i] = key
			}
			continue
		}
		v, _ := child.parentKey.First(record)
		out[i], _ = textOf(v)
	}
	return out
}

// pass hands a page up without the kinds nobody asked for.
func (s *session) pass(ctx context.Context, page v1.SyncResponse) error {
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
	for kind, n := range map[v1.ObjectKind]int{
		v1.Identities: len(page.Identities), v1.Accounts: len(page.Accounts), v1.Entitlements: len(page.Entitlements), v1.Grants: len(page.Grants),
	} {
		if n > 0 {
			s.of(kind).count += n
		}
	}
	page.Page = s.progress(true)
	return s.emit(ctx, page)
}

// progress is what is known of the read so far. Warnings are told once.
func (s *session) progress(more bool) *v1.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &v1.Page{HasMore: more, Warnings: s.warnings, Estimate: s.estimate, Stats: &v1.Stats{
		Pages: s.pages, APICalls: s.client.Calls(), RateWaitMS: s.client.Waited().Milliseconds(), Skipped: s.skipped, Warnings: s.total,
	}}
	s.warnings = nil
	return out
}

// finish attests what was read to its end.
func (s *session) finish(ctx context.Context) error {
	page := s.progress(false)
	for _, kind := range allKinds {
		if t := s.tally[kind]; t != nil && s.wanted[kind] {
			page.Scopes = append(page.Scopes, v1.Scope{Kind: kind, Key: "*", Complete: !t.incomplete, Count: t.count})
		}
	}
	return s.emit(ctx, v1.SyncResponse{Success: true, Page: page})
}
