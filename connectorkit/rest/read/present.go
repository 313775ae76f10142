package read

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/extract"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// skipFlawed reports a record that cannot be passed on. If its key can be read, it counts as still present.
func (s *session) skipFlawed(st *stream.Stream, rows *extract.Rows, page *v1.SyncResponse, flaw *jsonpath.Flaw) {
	key, _ := st.KeyOf(s.budget, flaw.Record)
	kinds := st.Kinds()
	if st.Object == stream.ObjectGrant || len(kinds) > len(stream.OwnKinds(st)) {
		key = "" // a grant has no key of its own, and what hangs in the record cannot be told either
	}
	where := "a record"
	if key != "" {
		where = "the record " + jsonvalue.Shorten(key, 100)
	}
	rows.Skip(
		"flawed_record",
		fmt.Sprintf("%s of %s cannot be passed on and was set aside: %s", where, st.Name, flaw.Why),
		key,
		kinds...)
	if key == "" {
		return
	}
	if s.changed != nil {
		return // the list of what is there names it
	}
	s.markPresent(st, page, key)
	if st.ParentStream == nil {
		for _, kind := range stream.OwnKinds(st) {
			s.work.count(kind, 1)
		}
	}
}

// markPresent notes records that are in the target, without their content.
func (s *session) markPresent(st *stream.Stream, page *v1.SyncResponse, keys ...string) {
	if page.Page == nil {
		page.Page = &v1.Page{}
	}
	for _, kind := range stream.OwnKinds(st) {
		if !s.wanted[kind] || len(keys) == 0 {
			continue
		}
		s.add(kind, len(keys))
		at := -1
		for i, p := range page.Page.Present {
			if p.Kind == kind {
				at = i
			}
		}
		if at < 0 {
			page.Page.Present = append(page.Page.Present, v1.Present{Kind: kind})
			at = len(page.Page.Present) - 1
		}
		page.Page.Present[at].ExternalIDs = append(page.Page.Present[at].ExternalIDs, keys...)
	}
}

// tombstones notes records that were deleted.
func (s *session) tombstones(j job, page *v1.SyncResponse, records []any) {
	for _, record := range records {
		key, ok := j.list.KeyOf(s.budget, record)
		if _, flawed := record.(*jsonpath.Flaw); flawed || !ok {
			s.warn(
				"record_without_key",
				fmt.Sprintf("a record of %s has no key that can be read; it was skipped", j.list.Name),
				"",
			)
			continue
		}
		extract.AddTombstones(page, j.st, key)
	}
}

// listPresent notes records that are still there. Those that came as changed are counted already.
func (s *session) listPresent(j job, page *v1.SyncResponse, records []any) {
	keys := make([]string, 0, len(records))
	again := 0
	for _, record := range records {
		if flaw, ok := record.(*jsonpath.Flaw); ok {
			record = flaw.Record
		}
		key, ok := j.list.KeyOf(s.budget, record)
		if !ok {
			s.incomplete(stream.OwnKinds(j.st))
			s.warn(
				"record_without_key",
				fmt.Sprintf("a record of %s has no key; nothing is concluded from that list", j.list.Name),
				"",
			)
			continue
		}
		if s.changed[answer.Hash(key)] {
			again++
		}
		keys = append(keys, key)
	}
	s.markPresent(j.st, page, keys...)
	for _, kind := range stream.OwnKinds(j.st) {
		if s.wanted[kind] {
			s.add(kind, -again)
		}
	}
}
