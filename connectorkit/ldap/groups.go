package ldap

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// group hands on a group as an entitlement and its members as grants.
func (r *run) group(e *wire.Entry) error {
	r.rec.take(r.dict, e, r.want[v1.Entitlements])
	if r.rec.id == "" {
		r.skip(e, v1.Entitlements, v1.Grants)
		return nil
	}
	r.seen(later(r.rec.at(slotModified), r.rec.at(slotCreated)))
	dn := string(e.DN)
	native := NormalizeDN(dn)
	r.odd.note(native)
	if r.want[v1.Entitlements] {
		r.entitlement(dn, native)
	}
	g := openGroup{id: r.rec.id, complete: true}
	if sid, ok := FormatSID(r.rec.slots[slotSID]); ok && r.flavor.activeDir {
		r.primary[sid] = r.rec.id
		g.sid = sid
	}
	if err := r.handOn(); err != nil || !r.want[v1.Grants] {
		return err
	}
	if listsTwice(r.rec.members) {
		g.listed = map[string]bool{}
	}
	for _, m := range r.rec.members {
		if next, more := nextRange(m.attribute.rangeEnd); more {
			g.ranges = append(g.ranges, r.pendingRange(e, m.attribute.base, next))
		}
		if m.attribute.byName && r.aliases == nil && r.waiting+len(m.values) <= maxWaiting {
			r.waiting += len(m.values)
			g.names = append(g.names, m.copied())
			continue
		}
		if err := r.grants(&g, m); err != nil {
			return err
		}
	}
	if len(g.ranges) > 0 || len(g.names) > 0 || g.sid != "" && r.changesOnly() {
		r.open = append(r.open, g)
		return nil
	}
	return r.closeGroup(g)
}

// openGroup is a group of which more has to be read once the page is done, since a connection serves one search at a time.
type openGroup struct {
	id       string
	sid      string // Active Directory only
	ranges   []pendingRange
	names    []members // by user name, which wait until the aliases are known
	members  int
	complete bool
	aliased  map[string]bool // accounts that were handed on by a further user name
	listed   map[string]bool // the members by DN that were handed on; nil where none can be listed twice
}

// listsTwice says whether a group may list somebody in two ways: in two attributes, or with a bit string behind the DN and without.
func listsTwice(list []members) bool {
	byDN := 0
	for _, m := range list {
		if m.attribute.byName {
			continue
		}
		byDN++
		if slices.ContainsFunc(m.values, func(v []byte) bool { return bytes.HasSuffix(v, []byte("'B")) }) {
			return true
		}
	}
	return byDN > 1
}

// again says whether a member was handed on before, and notes it.
func (g *openGroup) again(ref *v1.Ref) bool {
	if g.listed == nil || ref.Kind != v1.RefNative {
		return false
	}
	before := g.listed[ref.Value]
	g.listed[ref.Value] = true
	return before
}

func (g *openGroup) noteAliased(account string) {
	if g.aliased == nil {
		g.aliased = map[string]bool{}
	}
	g.aliased[account] = true
}

// closeGroup attests that the members of a group were read. Where everything is read one attestation serves all groups.
func (r *run) closeGroup(g openGroup) error {
	if !g.complete {
		r.doubt(v1.Grants)
	}
	if !r.changesOnly() {
		return nil
	}
	r.scopes = append(r.scopes, groupScope(g.id, g.complete, g.members))
	return r.handOn()
}

func (r *run) entitlement(dn, native string) {
	modified := r.rec.at(slotModified)
	r.noteTruncated(r.rec.id)
	r.page.Entitlements = append(r.page.Entitlements, v1.RemoteEntitlement{
		ExternalID: r.rec.id, NativeRef: native, NativeIdentity: dn, Kind: "group",
		Name: r.rec.firstText(slotCN, slotSAM), DisplayName: r.rec.firstText(slotDisplayName, slotCN, slotSAM), Description: r.rec.text(slotDescription),
		OwnerRefs: r.owners(), Attributes: r.rec.attributes, ModifiedAt: modified,
	})
	r.counts[v1.Entitlements]++
}

// owners are who the directory says answers for a group.
func (r *run) owners() []v1.Ref {
	var out []v1.Ref
	for _, dn := range r.rec.owners {
		if len(dn) > 0 && isText(dn) {
			out = append(out, v1.Ref{Kind: v1.RefNative, Value: NormalizeDN(string(dn))})
		}
	}
	return out
}

// grants hands on members in pages, so that a huge group needs no more memory than a small one.
func (r *run) grants(g *openGroup, m members) error {
	for _, value := range m.values {
		if len(value) == 0 || !isText(value) {
			continue // groupOfNames needs a member; an empty one stands for nobody
		}
		ref := &v1.Ref{Kind: v1.RefNative}
		if m.attribute.byName {
			ref.Kind, ref.Value = v1.RefUsername, string(value)
		} else {
			ref.Value = memberDN(string(value))
		}
		if g.again(ref) {
			continue
		}
		grant := v1.RemoteGrant{PrincipalRef: ref, EntitlementExternalID: g.id, Directness: "direct"}
		if account := r.aliased(value); m.attribute.byName && account != "" {
			if g.aliased[account] {
				continue
			}
			g.noteAliased(account)
			grant.PrincipalRef, grant.AccountExternalID = nil, &account
		}
		r.page.Grants = append(r.page.Grants, grant)
		r.counts[v1.Grants]++
		g.members++
		if err := r.handOn(); err != nil {
			return err
		}
	}
	return nil
}

// pendingRange are members of a group of which Active Directory has shown only a part so far (MS-ADTS section
// 3.1.1.3.1.3.3).
type pendingRange struct {
	base      string // how to find it, whatever its name is by then
	attribute string // member
	next      int
}

// nextRange tells where to go on after a range that ended with end.
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

func (r *run) pendingRange(e *wire.Entry, attribute string, next int) pendingRange {
	base := string(e.DN)
	for _, a := range e.Attributes {
		if len(a.Values) == 1 && len(a.Values[0]) == 16 && r.dict.lookup(a.Name).key == "objectGUID" {
			// A rename between two ranges does no harm when the group is addressed by its GUID.
			base = "<GUID=" + hex.EncodeToString(a.Values[0]) + ">"
		}
	}
	return pendingRange{base: base, attribute: attribute, next: next}
}

// settle reads what is still missing of the entries on this page.
func (r *run) settle() error {
	for i := range r.open {
		if err := r.settleGroup(&r.open[i]); err != nil {
			return err
		}
	}
	r.open, r.waiting = r.open[:0], 0
	return r.house()
}

func (r *run) settleGroup(g *openGroup) error {
	for _, p := range g.ranges {
		if err := r.membersFrom(g, p); err != nil {
			return err
		}
	}
	if len(g.names) > 0 {
		if err := r.learnAliases(); err != nil {
			return err
		}
	}
	for _, m := range g.names {
		if err := r.grants(g, m); err != nil {
			return err
		}
	}
	if r.changesOnly() && g.sid != "" {
		if err := r.primaryMembers(g); err != nil {
			return err
		}
	}
	return r.closeGroup(*g)
}

// primaryMembers hands on the people who have a group as their primary one. Where everything is read they tell it themselves.
func (r *run) primaryMembers(g *openGroup) error {
	o := r.people
	p := o.whole()
	p.filter = "(&" + o.filter + "(primaryGroupID=" + g.sid[strings.LastIndexByte(g.sid, '-')+1:] + "))"
	out, err := r.readAll(r.ctx, "memberships", r.search(o, p, []string{r.idAttribute, "objectSid", "primaryGroupID"}), func(e *wire.Entry) error {
		r.rec.take(r.dict, e, false)
		if r.rec.id == "" {
			g.complete = false
		}
		if r.rec.id != "" && r.rec.primaryGroupSID() == g.sid {
			r.primaryGrant(r.rec.id, g.id)
			g.members++
		}
		return r.handOn()
	}, nil)
	g.complete = g.complete && !out.unpaged
	return err
}

func (r *run) membersFrom(g *openGroup, p pendingRange) error {
	for more := true; more; {
		from := p.next
		found := false
		name := fmt.Sprintf("%s;range=%d-*", p.attribute, from)
		req := wire.Request{Base: p.base, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{name}, TimeLimit: r.timeLimit}
		var own error
		_, err := r.conn.Search(req, func(e *wire.Entry) error {
			r.rec.take(r.dict, e, false)
			for _, m := range r.rec.members {
				if m.attribute.rangeEnd == "" {
					continue
				}
				found = true
				p.next, more = nextRange(m.attribute.rangeEnd)
				own = r.grants(g, m)
			}
			return own
		})
		switch {
		case own != nil:
			return own
		case isCode(err, goldap.LDAPResultNoSuchObject):
			return r.lostRange(g, "the group vanished while its members were read")
		case err != nil:
			return r.searchError(r.ctx, "memberships", err)
		case !found, more && p.next <= from:
			return r.lostRange(g, fmt.Sprintf("the directory did not give the members from number %d on", from))
		}
	}
	return nil
}

func (r *run) lostRange(g *openGroup, what string) error {
	g.complete = false
	r.warnings.add("members_incomplete", g.id, what)
	return nil
}
