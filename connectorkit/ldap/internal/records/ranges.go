package records

import (
	"encoding/hex"
	"fmt"
	"strconv"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// pendingRange are members of a group of which Active Directory has shown only a part so far (MS-ADTS section
// 3.1.1.3.1.3.3).
type pendingRange struct {
	base      string // how to find it, whatever its name is by then
	attribute string // member
	next      int
}

// nextRange returns where to go on after a range that ended with end.
func nextRange(end string) (next int, more bool) {
	if end == "" || end == "*" {
		return 0, false
	}
	n, err := strconv.Atoi(end)
	if err != nil || n < 0 {
		return 0, false
	}
	return n + 1, true
}

// pendingRange notes where the members of a group go on.
func (r *Reader) pendingRange(e *wire.Entry, attribute string, next int) pendingRange {
	base := string(e.DN)
	for _, a := range e.Attributes {
		if len(a.Values) == 1 && len(a.Values[0]) == 16 && r.Dictionary.Lookup(a.Name).Key == "objectGUID" {
			// A rename between two ranges does no harm when the group is addressed by its GUID.
			base = "<GUID=" + hex.EncodeToString(a.Values[0]) + ">"
		}
	}
	return pendingRange{base: base, attribute: attribute, next: next}
}

// membersFrom reads the members of a group from a number on, a range at a time, until the directory
// says that a range was the last (MS-ADTS section 3.1.1.3.1.3.3). A group that vanishes meanwhile,
// or a directory that does not move on, leaves the members incomplete: those that were not shown
// are not taken for removed.
func (r *Reader) membersFrom(g *pendingGroup, p pendingRange) error {
	for more := true; more; {
		from := p.next
		found := false
		name := fmt.Sprintf("%s;range=%d-*", p.attribute, from)
		req := wire.Request{
			Base: p.base, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{name},
			TimeLimit: r.TimeLimit,
		}
		var own error
		_, err := r.Conn.Search(req, func(e *wire.Entry) error {
			r.Record.Parse(r.Dictionary, e, false)
			for _, m := range r.Record.Members {
				if m.Attribute.RangeEnd == "" {
					continue
				}
				found = true
				p.next, more = nextRange(m.Attribute.RangeEnd)
				own = r.grants(g, m)
			}
			return own
		})
		switch {
		case own != nil:
			return own
		case ldaperr.IsResult(err, goldap.LDAPResultNoSuchObject):
			return r.rangeIncomplete(g, "the group vanished while its members were read")
		case err != nil:
			return r.SearchError(r.Ctx, "memberships", err)
		case !found, more && p.next <= from:
			return r.rangeIncomplete(g, fmt.Sprintf("the directory did not give the members from number %d on", from))
		}
	}
	return nil
}

// rangeIncomplete marks the members of a group as incomplete, with a warning. The run goes on.
func (r *Reader) rangeIncomplete(g *pendingGroup, what string) error {
	g.complete = false
	r.Warnings.Add("members_incomplete", g.id, what)
	return nil
}
