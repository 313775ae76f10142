package changes

import (
	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// containerClasses are what directories build their trees of.
var containerClasses = []string{
	"organizationalUnit", "organization", "container", "domain", "dcObject", "domainDNS", "builtinDomain", "locality",
	"country", "nsContainer",
}

// containerChanges is what has become of the places since they were remembered.
type containerChanges struct {
	now      *read.Containers
	added    []string // DNs that were not there, the outermost only
	vanished bool     // some are no longer there
	unknown  bool     // they have changed, but which is unknown
}

// readContainers reads the places below the bases and compares them with an earlier set, which may be nil.
func (r *Reader) readContainers(before *read.Containers) (containerChanges, error) {
	if r.Scope == goldap.ScopeSingleLevel {
		return containerChanges{}, nil
	}
	var hashes []string
	var added []string
	for _, base := range r.Bases() {
		req := wire.Request{
			Base: base, Scope: goldap.ScopeWholeSubtree, Filter: settings.ClassFilter(containerClasses, nil),
			Attributes: []string{"1.1"}, TimeLimit: r.TimeLimit,
		}
		_, err := r.SearchAll(r.Ctx, "containers", req, func(e *wire.Entry) error {
			h := read.HashOf(ldapdn.Normalize(string(e.DN)))
			hashes = append(hashes, h)
			if before != nil && !before.Has(h) {
				added = append(added, string(e.DN))
			}
			return nil
		}, nil)
		if err != nil {
			return containerChanges{}, err
		}
	}
	m := containerChanges{now: read.NewContainers(hashes)}
	if before == nil || before.Sum == m.now.Sum {
		return m, nil
	}
	if len(before.Hashes) == 0 && before.Count > 0 || len(m.now.Hashes) == 0 && m.now.Count > 0 {
		m.unknown = true
		return m, nil
	}
	m.added = ldapdn.Outermost(added)
	m.vanished = before.Count+len(added) > m.now.Count
	return m, nil
}

// readMoved reads again what lies in places that have come or got another name: its DNs are other ones now.
func (r *Reader) readMoved(m containerChanges) error {
	if m.unknown {
		return &fallback{reason: "places in the directory were moved or renamed, too many to list"}
	}
	for _, place := range m.added {
		for _, o := range r.Objects() {
			if !ldapdn.IsWithin(place, o.Base) {
				continue
			}
			p := o.Whole()
			p.Base = place
			out, err := r.SearchAll(
				r.Ctx, o.Phase, r.SearchRequest(o, p, r.Dictionary.Request()), o.Handle, r.PageEnd(o),
			)
			if ldaperr.HasResult(err, goldap.LDAPResultNoSuchObject) {
				r.ListKeysWanted = true // it is gone on moving
				continue
			}
			if err != nil {
				return err
			}
			r.NoteOutcome(o, out)
		}
	}
	return nil
}

// checkUndeclared makes sure that the undeclared containers are where they were. What lay in one that is gone has
// another DN now, or none.
func (r *Reader) checkUndeclared(dns []string) error {
	for _, dn := range dns {
		there, err := r.Exists(r.Ctx, dn)
		if err != nil {
			return err
		}
		if !there {
			return &fallback{reason: dn + ", which has others below it, was renamed or removed"}
		}
	}
	return nil
}
