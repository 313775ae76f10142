package membership

import (
	"fmt"
	"slices"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Apply grants a group to an account, or takes it away.
func (w *Writer) Apply(grant bool) error {
	if len(w.Req.EntitlementRemoteIDs) != 1 {
		return ldaperr.NotSent(
			v1.ClassConfig, "entitlement_missing",
			fmt.Sprintf("a change grants or revokes one group, and not %d", len(w.Req.EntitlementRemoteIDs)),
			"Give one of entitlement_remote_ids.",
		)
	}
	t := v1.ProvisionTarget{RemoteID: w.Req.EntitlementRemoteIDs[0]}
	if hint := w.Req.Entitlement; hint != nil && (hint.RemoteID == "" || hint.RemoteID == t.RemoteID) {
		t.NativeRef = hint.NativeRef
	}
	if grant {
		return w.grant(t)
	}
	return w.revoke(t)
}

// grant makes an account a member. Both must be where the connector reads, or the next sync would
// not see the membership and report it as missing. Being a member already is a success.
func (w *Writer) grant(t v1.ProvisionTarget) error {
	e, presence, err := w.Locate(w.Req.Target)
	if err != nil {
		return err
	}
	g, of, err := w.LocateGroup(t)
	switch {
	case err != nil:
		return err
	case g == nil:
		return w.GroupNotFound(t.RemoteID, of)
	case of == v1.PresenceNotVisible:
		return ldaperr.NotSent(v1.ClassConflict, "entitlement_outside",
			fmt.Sprintf(
				"the group %s is at %s, which is not where groups are read (below %s, by the group filter)",
				t.RemoteID, g.DN, w.GroupBaseDN,
			),
			"It was moved there. Widen group_base_dn, or make the change in the directory itself.")
	}
	if err := w.CheckVisible(e, presence, w.Req.Target); err != nil {
		return err
	}
	w.Out.Account = &e.Record
	return w.setMember(e, g, true)
}

// revoke takes a membership away wherever account and group lie now. That it is gone is said only where that
// is proven: who is not seen may still be a member.
func (w *Writer) revoke(t v1.ProvisionTarget) error {
	e, presence, err := w.Locate(w.Req.Target)
	if err != nil {
		return err
	}
	g, of, err := w.LocateGroup(t)
	if err != nil {
		return err
	}
	w.Out.Presence = presence
	switch {
	case g == nil && of == v1.PresenceGone:
		w.Out.Outcome, w.Out.Verified = v1.OutcomeAlready, true
		w.noteGrant(e, t.RemoteID, false)
		return nil
	case g == nil || of == v1.PresenceNotVisible && !w.HasStableKey():
		return w.GroupNotFound(t.RemoteID, v1.PresenceUnknown)
	case e == nil:
		return w.revokeByLastKnown(g, presence)
	}
	if err := w.CheckVisible(e, presence, w.Req.Target); err != nil {
		return err
	}
	w.Out.Account = &e.Record
	if e.FormerDN, err = w.FormerDN(w.Req.Target, e.NormalDN); err != nil {
		return err
	}
	return w.setMember(e, g, false)
}

// revokeByLastKnown removes an account that is not seen from a group that still lists it as it was last known.
func (w *Writer) revokeByLastKnown(g *lookup.Group, presence v1.Presence) error {
	e, err := w.LastKnown(w.Req.Target)
	if err != nil {
		return err
	}
	in, err := w.ListedValues(e, g)
	if err != nil {
		return err
	}
	if len(in) == 0 && presence != v1.PresenceGone {
		return w.AccountNotFound(w.Req.Target, presence)
	}
	if err := w.setMember(e, g, false); err != nil {
		return err
	}
	// The membership under the last known name is gone. Whether the account is in the group by another is not known.
	w.Out.Verified = w.Out.Verified && presence == v1.PresenceGone
	return nil
}

// noteGrant writes into the response whether the account holds the group. e is nil for an account
// that was not seen; then the response names it as the request does.
func (w *Writer) noteGrant(e *lookup.Account, group string, is bool) {
	account := w.Req.Target.RemoteID
	if e != nil {
		account = e.Record.ExternalID
	}
	w.Out.Grant = &v1.GrantState{AccountRemoteID: account, EntitlementRemoteID: group, Held: is}
}

// setMember adds or removes the one value that makes an account a member.
func (w *Writer) setMember(e *lookup.Account, g *lookup.Group, grant bool) error {
	in, err := w.ListedValues(e, g)
	if err != nil {
		return err
	}
	primary := g.SID != "" && e.PrimaryGroupSID == g.SID
	w.noteGrant(e, g.ID, len(in) > 0 || primary)
	switch {
	case !grant && primary:
		return ldaperr.NotSent(
			v1.ClassConflict, "primary_group",
			fmt.Sprintf(
				"%s is the primary group of %s, and Active Directory does not allow accounts to leave their "+
					"primary group",
				g.Name, e.DN,
			),
			"Give the account another primary group first (primaryGroupID).",
		)
	case w.Out.Grant.Held == grant:
		w.Out.Outcome, w.Out.Verified = v1.OutcomeAlready, true
		return nil
	}
	steps, err := w.memberRequests(e, g, in, grant)
	if err != nil {
		return err
	}
	for _, s := range steps {
		for _, m := range s.Changes {
			for _, v := range m.Values {
				f := v1.ChangedField{Field: m.Name}
				if grant {
					f.New = string(v)
				} else {
					f.Old = string(v)
				}
				w.Out.Changes = append(w.Out.Changes, f)
			}
		}
	}
	if err := w.Perform(steps); err != nil {
		return w.settleMember(e, g, grant, err)
	}
	return w.confirmMember(e, g, grant)
}

// settleMember looks at the group when a request was refused because all is as it should be, or seems to:
// another change may have been made first.
func (w *Writer) settleMember(e *lookup.Account, g *lookup.Group, grant bool, refusal error) error {
	codes := []int{
		goldap.LDAPResultAttributeOrValueExists, goldap.LDAPResultNoSuchAttribute, goldap.LDAPResultEntryAlreadyExists,
	}
	if !slices.ContainsFunc(codes, func(code int) bool { return ldaperr.HasResult(refusal, code) }) {
		return refusal
	}
	in, err := w.ListedValues(e, g)
	if err != nil || len(in) > 0 != grant {
		return refusal
	}
	w.Out.Changes = nil
	w.Out.Outcome, w.Out.Verified = v1.OutcomeAlready, true
	w.noteGrant(e, g.ID, grant)
	return nil
}

// confirmMember asks again whether the group lists the account. A failure to read is a warning: the
// change itself was made.
func (w *Writer) confirmMember(e *lookup.Account, g *lookup.Group, grant bool) error {
	in, err := w.ListedValues(e, g)
	if err != nil {
		w.Out.Grant = nil
		w.WarnNotReadBack(err)
		return nil
	}
	w.noteGrant(e, g.ID, len(in) > 0)
	w.Out.Verified = len(in) > 0 == grant
	return nil
}
