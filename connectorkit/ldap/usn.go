package ldap

import (
	"fmt"
	"strconv"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// usn finds changes on Active Directory by uSNChanged, which each server counts for itself.
type usn struct{}

// begin notes the greatest number there is before anything is read, and whose it is.
func (usn) begin(r *run) (*position, string, error) {
	for _, base := range r.bases() {
		if r.context(base) == "" || r.context(base) != r.context(r.bases()[0]) {
			return nil, "people and groups are not read from one naming context", nil
		}
	}
	root, err := readRoot(r.conn)
	if err != nil {
		return nil, "", err
	}
	p := &position{DC: NormalizeDN(root.first("dsServiceName"))}
	if p.USN, err = strconv.ParseInt(root.first("highestCommittedUSN"), 10, 64); err != nil || p.DC == "" {
		return nil, "the directory does not tell its update sequence numbers", nil
	}
	if p.Invocation, err = r.invocation(root.first("dsServiceName")); err != nil || p.Invocation == "" {
		return nil, "the login cannot read the server's invocationId, so a restored server would go unnoticed", r.lost(err)
	}
	return p, "", nil
}

// invocation names the database of a server; it changes when that is restored from a backup (MS-ADTS section 3.1.1.1.9).
func (r *run) invocation(settings string) (string, error) {
	id := ""
	_, _, err := r.first(wire.Request{Base: settings, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"invocationId"}}, 1, func(e *wire.Entry) {
		id, _ = FormatGUID(valueOf(e, "invocationId"))
	})
	return id, err
}

func (u usn) changes(r *run, from *position) (*position, error) {
	next, why, err := u.begin(r)
	switch {
	case err != nil:
		return nil, err
	case next == nil:
		return nil, &fallback{reason: why}
	case next.DC != from.DC:
		return nil, &fallback{reason: "another server answers than the last time, and update sequence numbers are each server's own"}
	case next.Invocation != from.Invocation, next.USN < from.USN:
		return nil, &fallback{reason: "the server's database was restored since the last read (its invocationId has changed)"}
	case next.USN == from.USN:
		return next, nil
	}
	since := fmt.Sprintf("(uSNChanged>=%d)", from.USN+1)
	if r.at.resumed {
		next = r.at.Begin // what has changed since is found the next time
	} else {
		next.Strategy, r.at.Begin = strategyUSN, next
		if err := u.strayed(r, since); err != nil {
			return nil, err
		}
	}
	if err := r.readChanged(since); err != nil {
		return nil, err
	}
	return next, u.deleted(r, since)
}

// strayed finds entries that have changed so that they no longer match the filters or lie below the bases. It comes first: what
// has both left and come back in the meantime is then told to be there.
func (usn) strayed(r *run, since string) error {
	context := r.context(r.bases()[0])
	if r.userFilter == "" && r.groupFilter == "" && r.scope == goldap.ScopeWholeSubtree && r.allFrom(context) {
		return nil
	}
	again := rereader{run: r}
	req := wire.Request{
		Base: context, Scope: goldap.ScopeWholeSubtree, TimeLimit: r.timeLimit,
		Filter: "(&" + r.anyOfTheClasses() + since + ")", Attributes: []string{r.idAttribute},
	}
	_, err := r.readAll(r.ctx, "changes", req, func(e *wire.Entry) error {
		if k, ok := r.changedKeyOf(e); ok {
			again.add(k)
		}
		return nil
	}, func() error { r.stats.Pages++; return again.flushGone() })
	return err
}

// allFrom tells whether everything is read from base on.
func (r *run) allFrom(base string) bool {
	for _, o := range r.all() {
		if NormalizeDN(o.base) != NormalizeDN(base) {
			return false
		}
	}
	return true
}

// deleted reads the tombstones. Where the login cannot see them, the keys of all entries are read instead.
func (usn) deleted(r *run, since string) error {
	visible, err := r.seesDeleted()
	if err != nil {
		return err
	}
	if !visible {
		r.sweepWanted = true
		return nil
	}
	req := wire.Request{
		Base: r.deletedObjects(), Scope: goldap.ScopeWholeSubtree, TimeLimit: r.timeLimit, ShowDeleted: true,
		Filter: "(&(isDeleted=TRUE)" + r.anyOfTheClasses() + since + ")", Attributes: []string{r.idAttribute},
	}
	_, err = r.readAll(r.ctx, "changes", req, func(e *wire.Entry) error {
		k, ok := r.changedKeyOf(e)
		if !ok {
			return nil
		}
		for _, o := range r.all() {
			if err := r.gone(o, k.id); err != nil {
				return err
			}
		}
		return nil
	}, func() error { r.stats.Pages++; return nil })
	return err
}
