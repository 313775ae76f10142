package ldap

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// membership grants a group to an account, or takes it away.
func (w *writer) membership(grant bool) error {
	if len(w.req.EntitlementRemoteIDs) != 1 {
		return complaint(v1.ClassConfig, "entitlement_missing", fmt.Sprintf("a change grants or revokes one group, and not %d", len(w.req.EntitlementRemoteIDs)), "Give one of entitlement_remote_ids.")
	}
	t := v1.ProvisionTarget{RemoteID: w.req.EntitlementRemoteIDs[0]}
	if hint := w.req.Entitlement; hint != nil && (hint.RemoteID == "" || hint.RemoteID == t.RemoteID) {
		t.NativeRef = hint.NativeRef
	}
	if grant {
		return w.grant(t)
	}
	return w.revoke(t)
}

func (w *writer) grant(t v1.ProvisionTarget) error {
	e, presence, err := w.locate(w.req.Target)
	if err != nil {
		return err
	}
	g, of, err := w.locateTeam(t)
	switch {
	case err != nil:
		return err
	case g == nil:
		return w.noTeam(t.RemoteID, of)
	case of == v1.PresenceNotVisible:
		return complaint(v1.ClassConflict, "entitlement_outside",
			fmt.Sprintf("the group %s lies at %s, which is not where groups are read (below %s, by the group filter)", t.RemoteID, g.dn, w.groupBase),
			"It was moved there. Widen group_base_dn, or make the change in the directory itself.")
	}
	if err := w.reaches(e, presence, w.req.Target); err != nil {
		return err
	}
	w.out.Account = &e.account
	return w.setMember(e, g, true)
}

// revoke takes a membership away wherever account and group lie now. That it is gone is said only where that is proven: who is not
// seen may still be a member.
func (w *writer) revoke(t v1.ProvisionTarget) error {
	e, presence, err := w.locate(w.req.Target)
	if err != nil {
		return err
	}
	g, of, err := w.locateTeam(t)
	if err != nil {
		return err
	}
	w.out.Presence = presence
	switch {
	case g == nil && of == v1.PresenceGone:
		w.out.Outcome, w.out.Verified = v1.OutcomeAlready, true
		w.held(e, t.RemoteID, false)
		return nil
	case g == nil || of == v1.PresenceNotVisible && !w.stableKey():
		return w.noTeam(t.RemoteID, v1.PresenceUnknown)
	case e == nil:
		return w.revokeLast(g, presence)
	}
	if err := w.reaches(e, presence, w.req.Target); err != nil {
		return err
	}
	w.out.Account = &e.account
	if e.formerly, err = w.formerDN(w.req.Target, e.native); err != nil {
		return err
	}
	return w.setMember(e, g, false)
}

// revokeLast takes an account that is not seen out of a group that still lists it as it was last known.
func (w *writer) revokeLast(g *team, presence v1.Presence) error {
	e, err := w.lastKnown(w.req.Target)
	if err != nil {
		return err
	}
	in, err := w.memberships(e, g)
	if err != nil {
		return err
	}
	if len(in) == 0 && presence != v1.PresenceGone {
		return w.noAccount(w.req.Target, presence)
	}
	if err := w.setMember(e, g, false); err != nil {
		return err
	}
	// The membership under the last known name is gone. Whether the account is in the group by another is not known.
	w.out.Verified = w.out.Verified && presence == v1.PresenceGone
	return nil
}

func (w *writer) held(e *found, group string, is bool) {
	account := w.req.Target.RemoteID
	if e != nil {
		account = e.account.ExternalID
	}
	w.out.Grant = &v1.GrantState{AccountRemoteID: account, EntitlementRemoteID: group, Held: is}
}

// setMember adds or removes the one value that makes an account a member.
func (w *writer) setMember(e *found, g *team, grant bool) error {
	in, err := w.memberships(e, g)
	if err != nil {
		return err
	}
	primary := g.sid != "" && e.primary == g.sid
	w.held(e, g.id, len(in) > 0 || primary)
	switch {
	case !grant && primary:
		return complaint(v1.ClassConflict, "primary_group", fmt.Sprintf("%s is the primary group of %s, and Active Directory does not allow accounts to leave their primary group", g.name, e.dn), "Give the account another primary group first (primaryGroupID).")
	case w.out.Grant.Held == grant:
		w.out.Outcome, w.out.Verified = v1.OutcomeAlready, true
		return nil
	}
	steps, err := w.memberSteps(e, g, in, grant)
	if err != nil {
		return err
	}
	for _, s := range steps {
		for _, m := range s.changes {
			for _, v := range m.Values {
				f := v1.ChangedField{Field: m.Name}
				if grant {
					f.New = string(v)
				} else {
					f.Old = string(v)
				}
				w.out.Changes = append(w.out.Changes, f)
			}
		}
	}
	if err := w.perform(steps); err != nil {
		return w.settleMember(e, g, grant, err)
	}
	return w.confirmMember(e, g, grant)
}

// memberSteps is the request; of a group that lists somebody in two ways both are taken away at once.
func (w *writer) memberSteps(e *found, g *team, in []wire.Change, grant bool) ([]step, error) {
	s := step{op: stepModify, dn: g.dn, about: aboutRevoke, note: "take " + cmp.Or(e.username(), e.dn, e.formerly) + " out of " + g.name}
	for _, m := range in {
		s.changes = append(s.changes, wire.Change{Kind: wire.ChangeDelete, Name: m.Name, Values: m.Values})
	}
	if grant {
		attribute, err := w.memberAttributeOf(g)
		if err != nil {
			return nil, err
		}
		value, err := memberValue(e, attribute)
		if err != nil {
			return nil, err
		}
		s.about, s.note = aboutGrant, "add "+e.username()+" to "+g.name
		s.changes = []wire.Change{{Kind: wire.ChangeAdd, Name: attribute, Values: rawAll([]string{value})}}
	}
	if w.offers(permissiveModifyOID) {
		s.controls = []string{permissiveModifyOID}
	}
	return []step{s}, nil
}

// memberAttributeOf tells how a group lists who is in it.
func (w *writer) memberAttributeOf(g *team) (string, error) {
	c := g.classes
	switch {
	case w.memberAttribute != "":
		return w.memberAttribute, nil
	case c["group"], c["groupofnames"], c["groupofmembers"], c["groupofentries"]:
		return "member", nil
	case c["groupofuniquenames"]:
		return "uniqueMember", nil
	case c["posixgroup"]:
		return "memberUid", nil
	case c["groupofurls"], c["dynamicgroup"]:
		return "", complaint(v1.ClassConflict, "dynamic_group", fmt.Sprintf("the members of %s follow from a rule of the directory", g.name), "Change the rule, or what it asks of the account.")
	}
	return "member", nil
}

// byName tells an attribute that lists members by user name.
func byName(attribute string) bool { return strings.HasSuffix(strings.ToLower(attribute), "uid") }

// memberValues are all values by which a group may list an account in an attribute.
func memberValues(e *found, attribute string) []string {
	var out []string
	if value, err := memberValue(e, attribute); err == nil && value != "" {
		out = append(out, value)
	}
	if e.formerly != "" && !byName(attribute) {
		out = append(out, e.formerly)
	}
	return out
}

// memberValue is the value by which a group is to list an account.
func memberValue(e *found, attribute string) (string, error) {
	if !byName(attribute) {
		return e.dn, nil
	}
	if uid := e.first("uid"); uid != "" {
		return uid, nil
	}
	if name := e.username(); name != "" {
		return name, nil
	}
	return "", complaint(v1.ClassData, "username_missing", fmt.Sprintf("%s has no user name, and the group lists its members by theirs", e.dn), "Give the account a uid.")
}

// memberships are the values by which a group lists an account.
func (w *writer) memberships(e *found, g *team) ([]wire.Change, error) {
	var out []wire.Change
	for _, attribute := range w.memberNamesOf(g) {
		var values [][]byte
		for _, value := range memberValues(e, attribute) {
			in, err := w.lists(g, attribute, value)
			if err != nil {
				return nil, err
			}
			if in {
				values = append(values, []byte(value))
			}
		}
		if len(values) == 0 && attribute == "uniqueMember" {
			var err error
			if values, err = w.withBits(g, e); err != nil {
				return nil, err
			}
		}
		if len(values) > 0 {
			out = append(out, wire.Change{Name: attribute, Values: values})
		}
	}
	return out, nil
}

// memberNamesOf are those of memberNames that the group's classes know, all of them where that cannot be told.
func (w *writer) memberNamesOf(g *team) []string {
	if w.memberAttribute != "" || w.flavor.activeDir {
		return w.memberNames()
	}
	var out []string
	for _, x := range []struct {
		name    string
		classes []string
	}{{"member", []string{"group", "groupofnames", "groupofmembers", "groupofentries"}}, {"uniqueMember", []string{"groupofuniquenames"}}, {"memberUid", []string{"posixgroup"}}} {
		if slices.ContainsFunc(x.classes, func(c string) bool { return g.classes[c] }) {
			out = append(out, x.name)
		}
	}
	if len(out) == 0 {
		return memberAttributes
	}
	return out
}

// withBits are the values of a group that name an account with a bit string behind its DN (RFC 4517 section 3.3.21). They are not
// equal to the DN alone, and so no filter finds them.
func (w *writer) withBits(g *team, e *found) ([][]byte, error) {
	var out [][]byte
	req := wire.Request{Base: g.dn, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"uniqueMember"}, TimeLimit: w.timeLimit}
	_, err := w.conn.Search(req, func(entry *wire.Entry) error {
		for _, a := range entry.Attributes {
			for _, v := range a.Values {
				if bytes.HasSuffix(v, []byte("'B")) && slices.Contains([]string{e.native, e.formerly}, memberDN(string(v))) {
					out = append(out, bytes.Clone(v))
				}
			}
		}
		return nil
	})
	if err != nil && !isCode(err, goldap.LDAPResultNoSuchObject) {
		return nil, w.searchError(w.ctx, "membership", err)
	}
	return out, nil
}

// memberNames are the attributes in which a group may list somebody.
func (w *writer) memberNames() []string {
	switch {
	case w.memberAttribute != "":
		return []string{w.memberAttribute}
	case w.flavor.activeDir:
		return memberAttributes[:1]
	}
	return memberAttributes
}

// lists asks the directory whether a group holds a value. Large groups are not read for that.
func (w *writer) lists(g *team, attribute, value string) (bool, error) {
	seen := 0
	req := wire.Request{
		Base: g.dn, Scope: goldap.ScopeBaseObject, Filter: "(" + attribute + "=" + escapeFilter(value) + ")", Attributes: []string{"1.1"}, TimeLimit: w.timeLimit,
	}
	_, err := w.conn.Search(req, func(*wire.Entry) error { seen++; return nil })
	switch {
	case isCode(err, goldap.LDAPResultNoSuchObject):
		return false, nil
	case err != nil:
		return false, w.searchError(w.ctx, "membership", err)
	}
	return seen > 0, nil
}

// settleMember looks at the group when a request was refused because all is as it should be, or seems to: somebody else may have been
// quicker.
func (w *writer) settleMember(e *found, g *team, grant bool, refusal error) error {
	codes := []int{goldap.LDAPResultAttributeOrValueExists, goldap.LDAPResultNoSuchAttribute, goldap.LDAPResultEntryAlreadyExists}
	if !slices.ContainsFunc(codes, func(code int) bool { return isRefused(refusal, code) }) {
		return refusal
	}
	in, err := w.memberships(e, g)
	if err != nil || len(in) > 0 != grant {
		return refusal
	}
	w.out.Changes = nil
	w.out.Outcome, w.out.Verified = v1.OutcomeAlready, true
	w.held(e, g.id, grant)
	return nil
}

func (w *writer) confirmMember(e *found, g *team, grant bool) error {
	in, err := w.memberships(e, g)
	if err != nil {
		w.out.Grant = nil
		w.unread(err)
		return nil
	}
	w.held(e, g.id, len(in) > 0)
	w.out.Verified = len(in) > 0 == grant
	return nil
}
