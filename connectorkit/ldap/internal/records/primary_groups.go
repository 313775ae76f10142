package records

import (
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// primaryMembers emits the people who have a group as their primary one. Where everything is read they
// tell it themselves.
func (r *Reader) primaryMembers(g *pendingGroup) error {
	o := r.Persons
	p := o.Whole()
	p.Filter = "(&" + o.Filter + "(primaryGroupID=" + g.sid[strings.LastIndexByte(g.sid, '-')+1:] + "))"
	out, err := r.SearchAll(r.Ctx, "memberships",
		r.SearchRequest(o, p, []string{r.IdAttribute, "objectSid", "primaryGroupID"}), func(e *wire.Entry) error {
			r.Record.Parse(r.Dictionary, e, false)
			if r.Record.Key == "" {
				g.complete = false
			}
			if r.Record.Key != "" && r.Record.PrimaryGroupSID() == g.sid {
				r.primaryGrant(r.Record.Key, g.id)
				g.members++
			}
			return r.FlushIfFull()
		}, nil)
	g.complete = g.complete && !out.Unpaged
	return err
}

// primaryGroup adds the membership that Active Directory keeps in primaryGroupID and nowhere else.
func (r *Reader) primaryGroup() {
	if !r.Flavor.ActiveDirectory || !r.Wanted[v1.Grants] {
		return
	}
	sid := r.Record.PrimaryGroupSID()
	if sid == "" {
		return
	}
	if group, known := r.PrimaryKeys[sid]; known {
		r.primaryGrant(r.Record.Key, group)
		return
	}
	r.pendingPrimary = append(r.pendingPrimary, pendingPrimary{account: r.Record.Key, sid: sid})
}

// primaryGrant emits a membership by primary group. It cannot be taken away, only exchanged for another. A
// group outside of what is read has no key, and then there is nothing to emit.
func (r *Reader) primaryGrant(account, group string) {
	if group == "" {
		return
	}
	immutable := true
	r.Page.Grants = append(r.Page.Grants, v1.RemoteGrant{
		AccountExternalID: &account, EntitlementExternalID: group, Immutable: &immutable, Directness: "direct",
	})
	r.Counts[v1.Grants]++
}

// pendingPrimary is a person whose primary group has not been met in this read.
type pendingPrimary struct{ account, sid string }

// resolvePrimaryGroups finds the primary groups of the people on this page that are not known yet.
func (r *Reader) resolvePrimaryGroups() error {
	for _, h := range r.pendingPrimary {
		if _, known := r.PrimaryKeys[h.sid]; !known {
			if err := r.findPrimary(h.sid); err != nil {
				return err
			}
		}
		r.primaryGrant(h.account, r.PrimaryKeys[h.sid])
	}
	r.pendingPrimary = r.pendingPrimary[:0]
	return r.FlushIfFull()
}

// findPrimary looks up the key of the group with a SID and remembers it for the run. The SID is
// noted without a key first, so that a group outside of what is read is looked for once.
func (r *Reader) findPrimary(sid string) error {
	o := r.Groups
	p := o.Whole()
	p.Filter = "(&" + o.Filter + "(objectSid=" + sid + "))"
	r.PrimaryKeys[sid] = ""
	_, err := r.Conn.Search(r.SearchRequest(o, p, []string{r.IdAttribute, "objectSid"}), func(e *wire.Entry) error {
		r.Record.Parse(r.Dictionary, e, false)
		if found, ok := syntax.FormatSID(r.Record.Slots[entry.SlotSID]); ok && found == sid {
			r.PrimaryKeys[sid] = r.Record.Key
		}
		return nil
	})
	if err != nil {
		return r.SearchError(r.Ctx, r.Persons.Phase, err)
	}
	return nil
}
