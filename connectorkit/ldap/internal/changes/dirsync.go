package changes

import (
	"bytes"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

// dirSync asks Active Directory what has changed in a naming context (MS-ADTS section 3.1.1.3.4.1.3). It
// shows tombstones, and of changed entries the changed attributes only, so these are read again by
// objectGUID.
type dirSync struct{}

// maxRounds guards against a target that always has more to tell.
const maxRounds = 1_000_000

// beginIdleTimeout stays below the time after which a silent run counts as stuck.
const beginIdleTimeout = 4 * time.Minute

// matchesNothing matches nothing: a cookie does not depend on the filter.
const matchesNothing = `(objectGUID=\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00)`

// begin asks for a cookie with a filter that matches nothing, so that only the position comes back.
// It tries with the right to replicate changes first, and then with the rights of the login
// (Restricted), with which deletions are not always shown. People and groups must be in one naming
// context: a cookie belongs to one.
func (d dirSync) begin(r *Reader) (*read.Position, string, error) {
	context := r.namingContext(r.Bases()[0])
	for _, base := range r.Bases() {
		if context == "" || r.namingContext(base) != context {
			return nil, "people and groups are not read from one naming context", nil
		}
	}
	// The directory goes through all its objects before it says that none matches.
	usual := r.Conn.Patience(max(r.IdleTimeout, beginIdleTimeout))
	defer r.Conn.Patience(usual)
	p := &read.Position{}
	_, err := d.follow(r, p, matchesNothing, func(*wire.Entry) error { return nil }, nil)
	if err != nil && !r.Conn.Broken() {
		// Without the right to replicate changes, what the login can see is shown all the same.
		p = &read.Position{Restricted: true}
		_, err = d.follow(r, p, matchesNothing, func(*wire.Entry) error { return nil }, nil)
	}
	switch {
	case err != nil && r.Conn.Broken():
		return nil, "", err
	case err != nil:
		return nil, "the directory refuses DirSync to this login: " + err.Error(), nil
	}
	return p, "", nil
}

// namingContext is the root of the naming context that dn lies in; empty where the directory does not tell.
func (r *Reader) namingContext(dn string) string {
	found := ""
	for _, nc := range r.Root["namingcontexts"] {
		if ldapdn.IsWithin(dn, nc) && len(nc) > len(found) {
			found = nc
		}
	}
	return found
}

// follow runs rounds of DirSync until the directory has no more, moving p's cookie on. between runs after each round.
func (dirSync) follow(
	r *Reader, p *read.Position, filter string, each func(*wire.Entry) error, between func() error,
) (entries int, err error) {
	flags := wire.DirSyncIncrementalValues
	if p.Restricted {
		flags |= wire.DirSyncObjectSecurity
	}
	req := wire.Request{
		Base: r.namingContext(r.Bases()[0]), Scope: goldap.ScopeWholeSubtree, Filter: filter, TimeLimit: r.TimeLimit,
	}
	for range maxRounds {
		page, err := r.Conn.DirSync(req, flags, p.Cookie, each)
		if err != nil {
			return entries, err
		}
		entries += page.Entries
		r.Stats.Pages++
		r.ReportAlive("changes", entries)
		stuck := page.More && page.Entries == 0 && bytes.Equal(page.Cookie, p.Cookie)
		p.Cookie = page.Cookie
		if between != nil {
			if err := between(); err != nil {
				return entries, err
			}
		}
		switch {
		case !page.More:
			return entries, nil
		case stuck:
			return entries, ldaperr.PagingLoop("changes", r.HostPort())
		}
	}
	return entries, ldaperr.PagingLoop("changes", r.HostPort())
}

// changes follows the cookie until the directory has no more, and reads each changed entry again by
// its objectGUID. A login with its own rights only may be unable to see deletions; then the keys of
// all entries are read afterwards.
func (d dirSync) changes(r *Reader, from *read.Position) (*read.Position, error) {
	next := r.Checkpoint.Begin // moves on with each round
	again := rereader{Reader: r}
	_, err := d.follow(r, next, r.anyClassFilter(), func(e *wire.Entry) error {
		if k, ok := r.changedKeyOf(e); ok && (k.gone || r.mayConcern(e)) {
			again.add(k)
		}
		return nil
	}, func() error {
		if err := again.flush(); err != nil {
			return err
		}
		return r.markChanges()
	})
	if err != nil {
		return nil, err
	}
	if next.Restricted {
		visible, err := r.seesDeleted()
		if err != nil {
			return nil, err
		}
		r.ListKeysWanted = r.ListKeysWanted || !visible
	}
	return next, nil
}

// mayConcern reports whether a changed entry is one of those read, or may have been: a change of its name or
// place shows as one of name.
func (r *Reader) mayConcern(e *wire.Entry) bool {
	dn := string(e.DN)
	for _, base := range r.Bases() {
		if ldapdn.IsWithin(dn, base) {
			return true
		}
	}
	return wire.FirstValue(e, "name") != nil
}
