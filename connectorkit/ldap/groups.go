package ldap

import (
	"encoding/hex"
	"fmt"
	"strconv"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readGroups hands on groups as entitlements and their members as grants.
func (r *run) readGroups(need bool, filter string) error {
	if !need {
		return nil
	}
	out, err := r.readAll(r.ctx, "groups", r.groups(filter, r.dict.request()), r.group, r.ranges)
	r.ended("groups", out, v1.Entitlements, v1.Grants)
	return err
}

func (r *run) group(e *wire.Entry) error {
	r.rec.take(r.dict, e, r.want[v1.Entitlements])
	if r.rec.id == "" {
		r.skip(e, v1.Entitlements, v1.Grants)
		return nil
	}
	if r.want[v1.Entitlements] {
		r.entitlement(string(e.DN))
	}
	if sid, ok := FormatSID(r.rec.slots[slotSID]); ok && r.flavor.activeDir {
		r.primary[sid] = r.rec.id
	}
	if err := r.full(); err != nil || !r.want[v1.Grants] {
		return err
	}
	for _, m := range r.rec.members {
		if next, more := nextRange(m.attribute.rangeEnd); more {
			r.pending = append(r.pending, r.pendingRange(e, m.attribute.base, next))
		}
		if err := r.grants(r.rec.id, m); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) entitlement(dn string) {
	modified := r.rec.at(slotModified)
	r.seen(modified)
	r.noteTruncated(r.rec.id)
	r.page.Entitlements = append(r.page.Entitlements, v1.RemoteEntitlement{
		ExternalID: r.rec.id, NativeRef: NormalizeDN(dn), NativeIdentity: dn, Kind: "group",
		Name: r.rec.firstText(slotCN, slotSAM), DisplayName: r.rec.firstText(slotDisplayName, slotCN, slotSAM), Description: r.rec.text(slotDescription),
		Attributes: r.rec.attributes, ModifiedAt: modified,
	})
	r.counts[v1.Entitlements]++
}

// grants hands on members in pages, so that a huge group needs no more memory than a small one.
func (r *run) grants(group string, m members) error {
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
		r.page.Grants = append(r.page.Grants, v1.RemoteGrant{PrincipalRef: ref, EntitlementExternalID: group, Directness: "direct"})
		r.counts[v1.Grants]++
		if err := r.full(); err != nil {
			return err
		}
	}
	return nil
}

// pendingRange is a group of which Active Directory has shown only a part of the members so far (MS-ADTS section
// 3.1.1.3.1.3.3). The rest is read when the page is done, since a connection serves one search at a time.
type pendingRange struct {
	group     string // its key
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
	return pendingRange{group: r.rec.id, base: base, attribute: attribute, next: next}
}

// ranges reads the members that are still missing of the groups on this page.
func (r *run) ranges() error {
	for _, p := range r.pending {
		if err := r.membersFrom(p); err != nil {
			return err
		}
	}
	r.pending = r.pending[:0]
	return nil
}

func (r *run) membersFrom(p pendingRange) error {
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
				own = r.grants(p.group, m)
			}
			return own
		})
		switch {
		case own != nil:
			return own
		case isCode(err, goldap.LDAPResultNoSuchObject):
			return r.lostRange(p, "the group vanished while its members were read")
		case err != nil:
			return r.searchError(r.ctx, "memberships", err)
		case !found, more && p.next <= from:
			return r.lostRange(p, fmt.Sprintf("the directory did not give the members from number %d on", from))
		}
	}
	return nil
}

func (r *run) lostRange(p pendingRange, what string) error {
	r.doubt(v1.Grants)
	r.warnings.add("members_incomplete", p.group, what)
	return nil
}
