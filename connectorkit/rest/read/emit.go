package read

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// attestList says what the end of a list that stands for itself proves.
func (s *session) attestList(j job, out paging.Summary) {
	kinds := j.kinds()
	if out.Missing {
		s.incomplete(kinds)
		s.warn(
			"records_not_found",
			fmt.Sprintf(
				"the answer of %s has no list where record_selector points; nothing is concluded from that",
				j.list.Name,
			),
			"",
		)
	}
	if out.Short {
		s.incomplete(kinds)
		s.warn(
			"fewer_than_announced",
			fmt.Sprintf(
				"%s ended before the number of records that the target announced, "+
					"or the target announced another one each time",
				j.list.Name,
			),
			"",
		)
	}
	s.warnDuplicateKeys(j.st, out)
	if out.Expected >= 0 && j.what == readRecords && !s.Plan[j.st.Name].Changes {
		s.expect(j.st, out.Expected)
	}
}

// warnDuplicateKeys warns of a stream whose keys are not. Its records replace each other, so nothing is concluded from
// those that are missing.
func (s *session) warnDuplicateKeys(st *stream.Stream, out paging.Summary) {
	if why := out.Repeats.Explain(st); why != "" {
		s.incomplete(st.Kinds())
		s.warn("keys_not_unique", why, "")
	}
}

// expect notes how many records the target says there are. Users are both identities and accounts.
func (s *session) expect(st *stream.Stream, n int) {
	if s.Estimate == nil {
		s.Estimate = &v1.Estimate{}
	}
	switch st.Object {
	case stream.ObjectIdentity:
		s.Estimate.Identities = &n
	case stream.ObjectAccount:
		s.Estimate.Accounts = &n
	case stream.ObjectUser:
		s.Estimate.Identities = &n
		s.Estimate.Accounts = &n
	case stream.ObjectEntitlement:
		s.Estimate.Entitlements = &n
	}
}

// emitPage hands a page up without unwanted kinds, and with the checkpoint that holds when it has arrived.
func (s *session) emitPage(ctx context.Context, page v1.SyncResponse, after func() string) error {
	s.dropUnwanted(&page)
	for kind, n := range countPresent(page) {
		if n > 0 {
			s.add(kind, n)
		}
	}
	scopes := []v1.Scope(nil)
	present := []v1.Present(nil)
	if page.Page != nil {
		scopes = page.Page.Scopes
		present = page.Page.Present
	}
	page.Page = s.progress(true)
	page.Page.Scopes = scopes
	page.Page.Present = present
	if after != nil {
		page.Page.Checkpoint = after()
	}
	return s.emit(ctx, page)
}

// dropUnwanted drops the kinds that were not requested.
func (s *session) dropUnwanted(page *v1.SyncResponse) {
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

// countPresent counts the rows that are no tombstones.
func countPresent(page v1.SyncResponse) map[v1.ObjectKind]int {
	out := map[v1.ObjectKind]int{}
	for i := range page.Identities {
		out[v1.Identities] += presentCount(page.Identities[i].Deleted)
	}
	for i := range page.Accounts {
		out[v1.Accounts] += presentCount(page.Accounts[i].Deleted)
	}
	for i := range page.Entitlements {
		out[v1.Entitlements] += presentCount(page.Entitlements[i].Deleted)
	}
	for i := range page.Grants {
		out[v1.Grants] += presentCount(page.Grants[i].Deleted)
	}
	return out
}

// presentCount is how much a row adds to what is there.
func presentCount(deleted bool) int {
	if deleted {
		return 0
	}
	return 1
}

// progress is the state of the read so far. Each warning is reported once.
func (s *session) progress(more bool) *v1.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &v1.Page{HasMore: more, Warnings: s.warnings, Estimate: s.Estimate, Read: s.How, Stats: &v1.Stats{
		Pages:      s.Pages,
		APICalls:   s.Calls + s.Client.Calls(),
		RateWaitMS: s.WaitMS + s.Client.Waited().Milliseconds(),
		Skipped:    s.Skipped,
		Warnings:   s.Warnings,
	}}
	s.warnings = nil
	return out
}

// finish attests what was read to its end, and says where the next read for changes starts.
func (s *session) finish(ctx context.Context) error {
	page := s.progress(false)
	partial := s.partial()
	for _, kind := range stream.AllKinds {
		if t, read := s.Tally[kind]; read && s.wanted[kind] && !partial[kind] {
			page.Scopes = append(page.Scopes, v1.Scope{Kind: kind, Key: "*", Complete: !t.Incomplete, Count: t.Count})
		}
	}
	page.Cursor = s.cursor()
	page.Watermark = s.watermark()
	return s.emit(ctx, v1.SyncResponse{Success: true, Page: page})
}
