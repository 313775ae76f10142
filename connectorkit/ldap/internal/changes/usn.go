package changes

import (
	"fmt"
	"strconv"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// usn finds changes on Active Directory by uSNChanged, which each server counts for itself.
type usn struct{}

// begin notes the greatest number there is before anything is read, and whose it is.
func (usn) begin(r *Reader) (*read.Position, string, error) {
	for _, base := range r.Bases() {
		if r.namingContext(base) == "" || r.namingContext(base) != r.namingContext(r.Bases()[0]) {
			return nil, "people and groups are not read from one naming context", nil
		}
	}
	root, err := session.ReadRootDSE(r.Conn)
	if err != nil {
		return nil, "", err
	}
	p := &read.Position{DC: ldapdn.Normalize(root.First("dsServiceName"))}
	if p.USN, err = strconv.ParseInt(root.First("highestCommittedUSN"), 10, 64); err != nil || p.DC == "" {
		return nil, "the directory does not report its update sequence numbers", nil
	}
	if p.Invocation, err = r.invocation(root.First("dsServiceName")); err != nil || p.Invocation == "" {
		const why = "the login cannot read the server's invocationId, so a restored server would go unnoticed"
		return nil, why, r.ErrIfBroken(r.Ctx, err)
	}
	return p, "", nil
}

// invocation names the database of a server; it changes when that is restored from a backup (MS-ADTS section
// 3.1.1.1.9).
func (r *Reader) invocation(settings string) (string, error) {
	id := ""
	_, _, err := r.SearchFirst(wire.Request{
		Base: settings, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"invocationId"},
	}, 1, func(e *wire.Entry) {
		id, _ = syntax.FormatGUID(wire.FirstValue(e, "invocationId"))
	})
	return id, err
}

// changes reads entries with a greater uSNChanged. Numbers are each server's own: another server,
// or one whose database was restored from a backup, starts a numbering that the cursor says nothing
// about, and everything is read. A number that has not moved means that nothing has changed. A
// resumed read keeps the position at which the interrupted one began, so that nothing falls between
// the two.
func (u usn) changes(r *Reader, from *read.Position) (*read.Position, error) {
	next, why, err := u.begin(r)
	switch {
	case err != nil:
		return nil, err
	case next == nil:
		return nil, &fallback{reason: why}
	case next.DC != from.DC:
		return nil, &fallback{
			reason: "another server answers than the last time, and update sequence numbers are each server's own",
		}
	case next.Invocation != from.Invocation, next.USN < from.USN:
		return nil, &fallback{
			reason: "the server's database was restored since the last read (its invocationId has changed)",
		}
	case next.USN == from.USN:
		return next, nil
	}
	since := fmt.Sprintf("(uSNChanged>=%d)", from.USN+1)
	if r.Checkpoint.Resumed {
		next = r.Checkpoint.Begin // what has changed since is found the next time
	} else {
		next.Strategy, r.Checkpoint.Begin = settings.StrategyUSN, next
		if err := u.readDeparted(r, since); err != nil {
			return nil, err
		}
	}
	if err := r.readChanged(since); err != nil {
		return nil, err
	}
	return next, u.readDeleted(r, since)
}

// readDeparted finds entries that have changed so that they no longer match the filters or lie below the
// bases. It comes first: an entry that has left and come back in the meantime then counts as present.
func (usn) readDeparted(r *Reader, since string) error {
	context := r.namingContext(r.Bases()[0])
	if r.UserFilter == "" && r.GroupFilter == "" && r.Scope == goldap.ScopeWholeSubtree && r.allFrom(context) {
		return nil
	}
	again := rereader{Reader: r}
	req := wire.Request{
		Base: context, Scope: goldap.ScopeWholeSubtree, TimeLimit: r.TimeLimit,
		Filter: "(&" + r.anyClassFilter() + since + ")", Attributes: []string{r.IdAttribute},
	}
	_, err := r.SearchAll(r.Ctx, "changes", req, func(e *wire.Entry) error {
		if k, ok := r.changedKeyOf(e); ok {
			again.add(k)
		}
		return nil
	}, func() error { r.Stats.Pages++; return again.flushGone() })
	return err
}

// allFrom reports whether everything is read from base on.
func (r *Reader) allFrom(base string) bool {
	for _, o := range r.Objects() {
		if ldapdn.Normalize(o.Base) != ldapdn.Normalize(base) {
			return false
		}
	}
	return true
}

// readDeleted reads the tombstones. Where the login cannot see them, the keys of all entries are read instead.
func (usn) readDeleted(r *Reader, since string) error {
	visible, err := r.seesDeleted()
	if err != nil {
		return err
	}
	if !visible {
		r.ListKeysWanted = true
		return nil
	}
	req := wire.Request{
		Base: r.deletedObjects(), Scope: goldap.ScopeWholeSubtree, TimeLimit: r.TimeLimit, ShowDeleted: true,
		Filter: "(&(isDeleted=TRUE)" + r.anyClassFilter() + since + ")", Attributes: []string{r.IdAttribute},
	}
	_, err = r.SearchAll(r.Ctx, "changes", req, func(e *wire.Entry) error {
		k, ok := r.changedKeyOf(e)
		if !ok {
			return nil
		}
		for _, o := range r.Objects() {
			if err := r.EmitDeleted(o, k.id); err != nil {
				return err
			}
		}
		return nil
	}, func() error { r.Stats.Pages++; return nil })
	return err
}
