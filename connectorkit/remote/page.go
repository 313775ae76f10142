package remote

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// circle finds services that give the same again and again. Tokens are compared with one seen earlier, which moves on
// at doubling distances: so every circle is found, whatever its length, and only one token is remembered.
type circle struct {
	token string
	steps int
	limit int
	line  uint64 // digest of the records of the answer before
	empty int    // answers in a row without records
}

func (c *circle) turned(token string) bool {
	if c.limit > 0 && token == c.token {
		return true
	}
	if c.steps++; c.steps > c.limit {
		c.token, c.steps, c.limit = token, 0, max(1, 2*c.limit)
	}
	return false
}

// sane looks for services that never end.
func (s *session) sane(resp *target.Response, e *response.Response, p *response.Page, line bool) error {
	loop := func(code, what string) error {
		return resp.Fault(
			v1.ClassProtocol,
			code,
			"the read was stopped as a loop: "+what,
			"The author of the connector has to mend its paging.",
		)
	}
	if p.Digest != 0 && p.Digest == s.circle.line && p.Len() > 0 {
		return loop("page_repeated", "two answers one after the other bring the same records")
	}
	if s.circle.line = p.Digest; p.Len()+p.Skipped > 0 || len(p.Present) > 0 ||
		e.Page != nil && (len(e.Page.Present) > 0 || len(e.Page.Scopes) > 0) {
		s.circle.empty = 0
	} else {
		s.circle.empty++
	}
	if err := s.tooMany(resp, 1); err != nil || !e.Page.More() {
		return err
	}
	switch {
	case !line && e.Page.NextPageToken == "":
		return violation(resp, "page.has_more is true, but there is no page.next_page_token to ask for more with")
	case !line && (e.Page.NextPageToken == s.durable.Token || s.circle.turned(e.Page.NextPageToken)):
		return loop("page_loop", "page.next_page_token was given before")
	case s.circle.empty > maxEmpty:
		return loop("empty_pages", fmt.Sprintf("%d answers in a row are empty", s.circle.empty))
	case s.pos.Answers >= s.cfg.MaxPages:
		return loop("too_many_pages", fmt.Sprintf("there are more than %d pages (max_pages)", s.cfg.MaxPages))
	}
	return nil
}

func (s *session) tooMany(resp *target.Response, share float64) error {
	n := s.pos.Skipped
	if n <= response.MostSkipped && (n <= response.FewSkipped || float64(n) < share*float64(s.pos.Read)) {
		return nil
	}
	first := ""
	if i := slices.IndexFunc(s.warnings, func(w v1.Warning) bool { return w.Code == "record_unfit" }); i >= 0 {
		first = "; such as: " + s.warnings[i].Message
	}
	return resp.Fault(
		v1.ClassProtocol,
		"too_many_bad_records",
		fmt.Sprintf(
			"%d of %d records do not fit protocol v1%s",
			n,
			s.pos.Read,
			first,
		),
		"The author of the connector has to mend this.",
	)
}

// page is the information that comes with the records of an answer.
func (s *session) page(in *response.PageInfo, p *response.Page, more, first bool) *v1.Page {
	out := &v1.Page{HasMore: more, Read: s.pos.How, Stats: s.stats(in)}
	for _, kind := range response.AllKinds {
		if ids := p.Present[kind]; len(ids) > 0 {
			out.Present = append(out.Present, v1.Present{Kind: kind, ExternalIDs: ids})
		}
	}
	switch {
	case in != nil:
		s.told(out, in)
	case first && !s.changesOnly():
		s.oneWhole(out, p)
	}
	if !more {
		out.Cursor = s.next(in)
		if in != nil && !s.pos.Attested && !s.changesOnly() {
			s.warn(
				"nothing_attested",
				"the connector does not say of anything that it was read completely (page.scopes), so that nothing "+
					"is ever treated as deleted",
			)
		}
	}
	n := min(len(s.warnings), response.MaxWarnings)
	out.Warnings, s.warnings = s.warnings[:n:n], s.warnings[n:]
	return out
}

// changesOnly says whether an answer brings changes: what is not in it may be there all the same.
func (s *session) changesOnly() bool { return s.req.Incremental && s.pos.How == nil }

// oneWhole attests an answer without page: it is complete for the lists it carries.
func (s *session) oneWhole(out *v1.Page, p *response.Page) {
	s.pos.Attested = true
	for _, kind := range response.AllKinds {
		if p.Carried[kind] && s.wanted[kind] {
			out.Scopes = append(
				out.Scopes,
				v1.Scope{Kind: kind, Key: "*", Complete: !s.pos.Keyless[kind], Count: s.pos.Count[kind]},
			)
		}
	}
}

// told passes on the information of the service about its page.
func (s *session) told(out *v1.Page, in *response.PageInfo) {
	for _, scope := range in.Scopes {
		if scope.Key == "*" && out.HasMore {
			s.warn("scope_too_early", "a scope with the key * is on a page that is not the last; it is ignored")
			continue
		}
		s.pos.Attested = true
		if !s.wanted[scope.Kind] {
			continue
		}
		count := s.pos.Count[scope.Kind]
		if scope.Key != "*" {
			count = 0
		}
		if scope.Count != nil {
			count = *scope.Count
		}
		out.Scopes = append(
			out.Scopes,
			v1.Scope{
				Kind:     scope.Kind,
				Key:      scope.Key,
				Complete: scope.Complete && !s.pos.Keyless[scope.Kind],
				Count:    count,
			},
		)
	}
	for _, there := range in.Present {
		if s.wanted[there.Kind] && len(there.ExternalIDs) > 0 {
			out.Present = append(out.Present, there)
			s.pos.Count[there.Kind] += len(there.ExternalIDs)
		}
	}
	for _, w := range in.Warnings[:min(len(in.Warnings), response.MaxWarnings)] {
		s.warnings = append(
			s.warnings,
			v1.Warning{
				Code:       s.clean(w.Code, 64),
				Message:    s.clean(w.Message, 500),
				ExternalID: s.clean(w.ExternalID, 1024),
			},
		)
	}
	out.Estimate = in.Estimate
	if in.Watermark != nil {
		at := in.Watermark.UTC()
		out.Watermark = &at
	}
	if in.Read != nil && s.pos.How == nil {
		out.Read = &v1.Read{
			Incremental:    in.Read.Incremental,
			Strategy:       s.clean(in.Read.Strategy, 64),
			FallbackReason: s.clean(in.Read.FallbackReason, maxHint),
		}
	}
}

func (s *session) stats(in *response.PageInfo) *v1.Stats {
	out := v1.Stats{
		Pages:      s.pos.Answers,
		APICalls:   s.client.Calls(),
		RateWaitMS: s.client.Waited().Milliseconds(),
		Skipped:    s.pos.Skipped,
		Warnings:   s.warned["record_unfit"],
	}
	if in != nil && in.Stats != nil {
		out.APICalls = in.Stats.APICalls
		out.RateWaitMS += max(0, in.Stats.RateWaitMS)
		out.Skipped += max(0, in.Stats.Skipped)
		out.Warnings += max(0, in.Stats.Warnings)
	}
	return &out
}
