package session

import (
	"context"
	"hash/maphash"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// Exists reports whether the login can see an entry. Its error is that of a lost connection.
func (se *Session) Exists(ctx context.Context, dn string) (bool, error) {
	seen, _, err := se.SearchFirst(wire.Request{
		Base: dn, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"},
	}, 1, func(*wire.Entry) {

	})
	return err == nil && seen == 1, se.ErrIfBroken(ctx, err)
}

// Outcome is how a whole search ended.
type Outcome struct {
	pages      int
	Entries    int
	References int
	Unpaged    bool // the target did not answer in pages, so its end proves nothing
}

// Add joins the outcome of another search.
func (o *Outcome) Add(more Outcome) {
	o.pages, o.Entries, o.References = o.pages+more.pages, o.Entries+more.Entries, o.References+more.References
	o.Unpaged = o.Unpaged || more.Unpaged
}

// SearchAll reads a search page by page (RFC 2696) and gives every entry to each. between runs after each
// page, when the connection is free for other requests. It returns without error only when the target ended
// the last page with success. Errors of each and between pass as they are.
func (se *Session) SearchAll(
	ctx context.Context, phase string, req wire.Request, each func(*wire.Entry) error, between func() error,
) (Outcome, error) {
	var (
		out   Outcome
		own   error // of each or between
		guard = loopGuard{seed: maphash.MakeSeed()}
	)
	req.PageSize = se.PageSize
	for {
		guard.nextPage()
		page, err := se.Conn.Search(req, func(e *wire.Entry) error {
			guard.addEntry(e.DN)
			own = each(e)
			return own
		})
		switch {
		case own != nil:
			return out, own
		case out.pages == 0 && page.Entries == 0 && req.PageSize > 0 &&
			ldaperr.IsResult(err, goldap.LDAPResultUnavailableCriticalExtension):
			req.PageSize, out.Unpaged = 0, true
			continue
		case err != nil:
			return out, se.SearchError(ctx, phase, err)
		}
		out.pages++
		out.Entries += page.Entries
		out.References += page.References
		if between != nil {
			if err := between(); err != nil {
				return out, err
			}
		}
		if !page.Paged || len(page.Cookie) == 0 {
			out.Unpaged = out.Unpaged || !page.Paged
			return out, nil
		}
		if guard.stuck(page.Cookie, page.Entries, out.pages) {
			return out, ldaperr.PagingLoop(phase, se.HostPort())
		}
		req.Cookie = page.Cookie
	}
}

// SearchFirst reads at most n entries of a search and gives the number seen. paged is false where the target
// does not do pages.
func (se *Session) SearchFirst(req wire.Request, n int, each func(*wire.Entry)) (seen int, paged bool, err error) {
	req.PageSize = n
	limited := func(e *wire.Entry) error {
		if seen < n {
			each(e)
		}
		seen++
		return nil
	}
	page, err := se.Conn.Search(req, limited)
	if ldaperr.IsResult(err, goldap.LDAPResultUnavailableCriticalExtension) {
		req.PageSize, req.SizeLimit = 0, n
		if _, err = se.Conn.Search(req, limited); ldaperr.IsResult(err, goldap.LDAPResultSizeLimitExceeded) &&
			seen > 0 {
			err = nil // there are more than the n asked for
		}
		return seen, false, err
	}
	return seen, page.Paged, err
}

// ErrIfBroken gives an error only where the connection did not survive it.
func (se *Session) ErrIfBroken(ctx context.Context, err error) error {
	if err != nil && se.Conn.Broken() {
		return se.SearchError(ctx, "plan", err)
	}
	return nil
}
