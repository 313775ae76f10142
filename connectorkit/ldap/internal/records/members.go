package records

import (
	"bytes"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// pendingGroup is a group of which more has to be read once the page is done, since a connection serves one
// search at a time.
type pendingGroup struct {
	id       string
	sid      string // Active Directory only
	ranges   []pendingRange
	names    []entry.Members // by user name, which wait until the aliases are known
	members  int
	complete bool
	aliased  map[string]bool // accounts that were emitted by a further user name
	listed   map[string]bool // the members by DN that were emitted; nil where none can be listed twice
}

// mayRepeatMembers reports whether a group may list a member twice: in two attributes, or with a bit
// string behind the DN and without.
func mayRepeatMembers(list []entry.Members) bool {
	byDN := 0
	for _, m := range list {
		if m.Attribute.ByName {
			continue
		}
		byDN++
		if slices.ContainsFunc(m.Values, func(v []byte) bool { return bytes.HasSuffix(v, []byte("'B")) }) {
			return true
		}
	}
	return byDN > 1
}

// isRepeated says whether a member was emitted before, and notes it.
func (g *pendingGroup) isRepeated(ref *v1.Ref) bool {
	if g.listed == nil || ref.Kind != v1.RefNative {
		return false
	}
	before := g.listed[ref.Value]
	g.listed[ref.Value] = true
	return before
}

// noteAliased notes an account that was emitted by a further username, so that it is not emitted
// again by its own.
func (g *pendingGroup) noteAliased(account string) {
	if g.aliased == nil {
		g.aliased = map[string]bool{}
	}
	g.aliased[account] = true
}

// completeGroup attests that the members of a group were read. Where everything is read one attestation
// serves all groups.
func (r *Reader) completeGroup(g pendingGroup) error {
	if !g.complete {
		r.MarkIncomplete(v1.Grants)
	}
	if !r.ChangesOnly() {
		return nil
	}
	r.PageScopes = append(r.PageScopes, read.GroupScope(g.id, g.complete, g.members))
	return r.FlushIfFull()
}

// grants emits members in pages, so that a huge group needs no more memory than a small one.
func (r *Reader) grants(g *pendingGroup, m entry.Members) error {
	for _, value := range m.Values {
		if len(value) == 0 || !entry.IsText(value) {
			continue // groupOfNames needs a member; an empty one stands for no one
		}
		ref := &v1.Ref{Kind: v1.RefNative}
		if m.Attribute.ByName {
			ref.Kind, ref.Value = v1.RefUsername, string(value)
		} else {
			ref.Value = ldapdn.Member(string(value))
		}
		if g.isRepeated(ref) {
			continue
		}
		grant := v1.RemoteGrant{PrincipalRef: ref, EntitlementExternalID: g.id, Directness: "direct"}
		if account := r.accountOfAlias(value); m.Attribute.ByName && account != "" {
			if g.aliased[account] {
				continue
			}
			g.noteAliased(account)
			grant.PrincipalRef, grant.AccountExternalID = nil, &account
		}
		r.Page.Grants = append(r.Page.Grants, grant)
		r.Counts[v1.Grants]++
		g.members++
		if err := r.FlushIfFull(); err != nil {
			return err
		}
	}
	return nil
}

// FinishPage reads what is still missing of the entries on this page.
func (r *Reader) FinishPage() error {
	for i := range r.pendingGroups {
		if err := r.finishGroup(&r.pendingGroups[i]); err != nil {
			return err
		}
	}
	r.pendingGroups, r.waiting = r.pendingGroups[:0], 0
	return r.resolvePrimaryGroups()
}

// finishGroup reads what a group still lacks, in this order: further ranges of its members, members
// by username once the aliases are known, and, in a read of changes, the people whose primary group
// it is. Then it attests that the members are complete.
func (r *Reader) finishGroup(g *pendingGroup) error {
	for _, p := range g.ranges {
		if err := r.membersFrom(g, p); err != nil {
			return err
		}
	}
	if len(g.names) > 0 {
		if err := r.loadAliases(); err != nil {
			return err
		}
	}
	for _, m := range g.names {
		if err := r.grants(g, m); err != nil {
			return err
		}
	}
	if r.ChangesOnly() && g.sid != "" {
		if err := r.primaryMembers(g); err != nil {
			return err
		}
	}
	return r.completeGroup(*g)
}
