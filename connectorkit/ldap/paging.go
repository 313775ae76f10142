package ldap

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Guards against a target that never comes to an end.
const (
	maxPages      = 1_000_000
	maxEmptyPages = 1000 // in a row
)

// outcome tells how a whole search went.
type outcome struct {
	pages      int
	entries    int
	references int
	unpaged    bool // the target did not answer in pages, so its end proves nothing
}

func (o *outcome) add(more outcome) {
	o.pages, o.entries, o.references = o.pages+more.pages, o.entries+more.entries, o.references+more.references
	o.unpaged = o.unpaged || more.unpaged
}

// readAll reads a search page by page (RFC 2696) and gives every entry to each. between runs after each page, when the
// connection is free for other requests. It returns without error only when the target ended the last page with success.
// Errors of each and between pass as they are.
func (se *session) readAll(ctx context.Context, phase string, req wire.Request, each func(*wire.Entry) error, between func() error) (outcome, error) {
	var (
		out   outcome
		own   error // of each or between
		guard = loopGuard{seed: maphash.MakeSeed()}
	)
	req.PageSize = se.pageSize
	for {
		guard.begin()
		page, err := se.conn.Search(req, func(e *wire.Entry) error {
			guard.saw(e.DN)
			own = each(e)
			return own
		})
		switch {
		case own != nil:
			return out, own
		case out.pages == 0 && page.Entries == 0 && req.PageSize > 0 && isCode(err, goldap.LDAPResultUnavailableCriticalExtension):
			req.PageSize, out.unpaged = 0, true
			continue
		case err != nil:
			return out, se.searchError(ctx, phase, err)
		}
		out.pages++
		out.entries += page.Entries
		out.references += page.References
		if between != nil {
			if err := between(); err != nil {
				return out, err
			}
		}
		if !page.Paged || len(page.Cookie) == 0 {
			out.unpaged = out.unpaged || !page.Paged
			return out, nil
		}
		if guard.stuck(page.Cookie, page.Entries, out.pages) {
			return out, endless(phase, se.hostport())
		}
		req.Cookie = page.Cookie
	}
}

func endless(phase, host string) error {
	return &v1.ErrorDetail{
		Class: v1.ClassTargetFault, Code: "paging_loop", Message: "the directory keeps answering with pages that bring nothing new",
		Hint: "Its paging is broken. Try another page_size, or ask its vendor.", Phase: phase, Target: &v1.Target{Kind: "ldap", Host: host},
	}
}

func isCode(err error, code int) bool {
	var refused *wire.ResultError
	return errors.As(err, &refused) && refused.Code == code
}

// isRefused tells whether the directory answered a search with the given result, explained already or not.
func isRefused(err error, code int) bool {
	var d *v1.ErrorDetail
	if errors.As(err, &d) {
		return d.Target != nil && d.Target.LDAP != nil && d.Target.LDAP.ResultCode == code
	}
	return isCode(err, code)
}

// loopGuard notices pages that repeat. A cookie alone proves nothing: 389 Directory Server sends one and the same for
// every page of a search.
type loopGuard struct {
	seed   maphash.Seed
	cookie []byte
	sum    uint64 // over the DNs of this page
	last   uint64
	empty  int
}

func (g *loopGuard) begin() { g.last, g.sum = g.sum, 0 }

func (g *loopGuard) saw(dn []byte) { g.sum = g.sum*31 + maphash.Bytes(g.seed, dn) }

func (g *loopGuard) stuck(cookie []byte, entries, pages int) bool {
	if entries == 0 {
		g.empty++
	} else {
		g.empty = 0
	}
	same := bytes.Equal(g.cookie, cookie) && g.sum == g.last
	g.cookie = append(g.cookie[:0], cookie...)
	return same || g.empty > maxEmptyPages || pages >= maxPages
}

// first reads at most n entries of a search and gives the number seen. paged is false where the target does not do pages.
func (se *session) first(req wire.Request, n int, each func(*wire.Entry)) (seen int, paged bool, err error) {
	req.PageSize = n
	limited := func(e *wire.Entry) error {
		if seen < n {
			each(e)
		}
		seen++
		return nil
	}
	page, err := se.conn.Search(req, limited)
	if isCode(err, goldap.LDAPResultUnavailableCriticalExtension) {
		req.PageSize, req.SizeLimit = 0, n
		if _, err = se.conn.Search(req, limited); isCode(err, goldap.LDAPResultSizeLimitExceeded) && seen > 0 {
			err = nil // there are more than the n asked for
		}
		return seen, false, err
	}
	return seen, page.Paged, err
}
