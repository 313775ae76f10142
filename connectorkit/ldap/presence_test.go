package ldap_test

import (
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// moveOut moves somebody out of where people are read, as a process of the directory's own would.
func moveOut(t *testing.T, s *ldaptest.Server, dn, place string) string {
	t.Helper()
	rdn, _, _ := strings.Cut(dn, ",")
	if err := s.Admin(t).ModifyDN(goldap.NewModifyDNRequest(dn, rdn, true, place)); err != nil {
		t.Fatal(err)
	}
	return rdn + "," + place
}

// lists says whether a group lists a DN or a name.
func lists(t *testing.T, s *ldaptest.Server, group, attribute, value string) bool {
	t.Helper()
	found, err := s.Admin(t).Search(goldap.NewSearchRequest(group, goldap.ScopeBaseObject, goldap.NeverDerefAliases, 0,
		0, false,
		"("+attribute+"="+goldap.EscapeFilter(value)+")", []string{"1.1"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	return len(found.Entries) > 0
}

// asLastSynced are the targets of people as the last sync read them.
func asLastSynced(t *testing.T, auth v1.AuthConfig) map[string]v1.ProvisionTarget {
	t.Helper()
	out := map[string]v1.ProvisionTarget{}
	for _, a := range mustRead(t, auth, &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}}).Accounts {
		out[value(a.Username)] = v1.ProvisionTarget{
			Kind: "account", RemoteID: a.ExternalID, NativeRef: a.NativeRef, Username: value(a.Username),
		}
	}
	return out
}

func revokeOf(who v1.ProvisionTarget, group string) v1.ProvisionRequest {
	return v1.ProvisionRequest{Op: v1.OpEntitlementRevoke, Target: who, EntitlementRemoteIDs: []string{group}}
}

func TestAccessOfAnAccountThatWasMovedOutOfSightIsStillEnded(t *testing.T) {
	crew := func(directory) ldaptest.Org {
		return ldaptest.Org{
			People: ldaptest.Staff(5),
			Groups: []ldaptest.Group{{Name: "crew", People: []string{"u001", "u003", "u002"}}},
		}
	}
	inEach(t, crew, func(t *testing.T, d directory, s *ldaptest.Server) {
		auth := writes(d, s, nil)
		who, group := asLastSynced(t, auth), entitlement(t, auth, "crew")
		now := moveOut(t, s, s.UserDN("u003"), ldaptest.PartnersDN)

		seen := readBack(t, auth, who["u003"])[0]
		if seen.Presence != v1.PresenceNotVisible {
			t.Errorf("an account outside of what is read is %q", seen.Presence)
		}
		got := provision(t, auth, revokeOf(who["u003"], group))
		expect(t, "revoke", got, v1.OutcomeApplied)
		if got.Presence != v1.PresenceNotVisible {
			t.Errorf("presence %q", got.Presence)
		}
		if lists(t, s, s.GroupDN("crew"), "member", now) || lists(t, s, s.GroupDN("crew"), "member", s.UserDN("u003")) {
			t.Error("the account is still in the group")
		}
		expect(t, "revoke again", provision(t, auth, revokeOf(who["u003"], group)), v1.OutcomeAlready)

		_, err := try(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: who["u003"]})
		if e := detailOf(t, err); e.Class != v1.ClassConflict || e.Code != "account_outside" ||
			!strings.Contains(strings.ToLower(e.Message), strings.ToLower(now)) {
			t.Errorf("a delete of an account outside: %+v", e)
		}
		expect(
			t, "disable", provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: who["u003"]}),
			v1.OutcomeApplied,
		)

		if err := s.Admin(t).Del(goldap.NewDelRequest(s.UserDN("u002"), nil)); err != nil {
			t.Fatal(err)
		}
		if seen := readBack(t, auth, who["u002"])[0]; seen.Presence != v1.PresenceGone || seen.Account != nil {
			t.Errorf("an account that was deleted is %q", seen.Presence)
		}
		got, err = provisioner().Provision(t.Context(), withAuth(auth, revokeOf(who["u002"], group)))
		if err != nil || !got.Verified || got.Presence != v1.PresenceGone ||
			lists(t, s, s.GroupDN("crew"), "member", s.UserDN("u002")) {
			t.Errorf("revoke of an account that was deleted: %+v, %v", got, err)
		}
		got = provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDelete, Target: who["u002"]})
		expect(t, "delete of an account that is gone", got, v1.OutcomeAlready)
	})
}

func withAuth(auth v1.AuthConfig, req v1.ProvisionRequest) v1.ProvisionRequest {
	req.AuthConfig = auth
	return req
}

func TestWhatTheLoginDoesNotSeeIsNotGone(t *testing.T) {
	staff := ldaptest.Staff(5)
	staff[0].Password = firstPassword
	s := ldaptest.StartSlapd(t, ldaptest.Options{Manager: "u000", Hidden: ldaptest.PartnersDN, Org: ldaptest.Org{
		People: staff,
		Groups: []ldaptest.Group{
			{Name: "crew", People: []string{"u001", "u003"}}, {Name: "board", People: []string{"u001"}},
		},
	}})
	auth := writes(directory{}, s, map[string]any{"bind_dn": s.UserDN("u000"), "bind_password": firstPassword})
	who, crew, board := asLastSynced(t, auth), entitlement(t, auth, "crew"), entitlement(t, auth, "board")
	hide := func(uid string) {
		t.Helper()
		moveOut(t, s, s.UserDN(uid), ldaptest.PartnersDN)
		who[uid] = v1.ProvisionTarget{
			Kind: "account", RemoteID: who[uid].RemoteID, NativeRef: ldapdn.Normalize(s.PartnerDN(uid)), Username: uid,
		}
	}
	hide("u002")
	for _, req := range []v1.ProvisionRequest{
		revokeOf(who["u002"], board), {Op: v1.OpAccountDelete, Target: who["u002"]},
		{Op: v1.OpAccountDisable, Target: who["u002"]},
	} {
		got, err := provisioner().Provision(t.Context(), withAuth(auth, req))
		if err != nil || got.Success || got.Verified || got.Outcome != v1.OutcomeUnknown ||
			got.Presence != v1.PresenceUnknown || got.ErrorDetail.Code != "account_not_visible" {
			t.Errorf("%s of an account that cannot be seen: %+v, %v", req.Op, got, err)
		}
	}
	seen, err := provisioner().Read(t.Context(),
		v1.ReadRequest{AuthConfig: auth, Accounts: []v1.ProvisionTarget{who["u002"], who["u001"]},
			Entitlements: []v1.ProvisionTarget{{Kind: "entitlement", RemoteID: board}}})
	if err != nil || seen.Accounts[0].Presence != v1.PresenceUnknown ||
		seen.Accounts[1].Presence != v1.PresencePresent {
		t.Errorf("%+v, %v", seen, err)
	}
	if len(seen.Grants) != 1 || seen.Grants[0].AccountRemoteID != who["u001"].RemoteID {
		t.Errorf("a membership about which nothing is known was told: %+v", seen.Grants)
	}

	t.Run("a membership by the last known name is taken away", func(t *testing.T) {
		before := who["u003"]
		hide("u003")
		got, err := provisioner().Provision(t.Context(), withAuth(auth, revokeOf(before, crew)))
		if err != nil || !got.Success || got.Outcome != v1.OutcomeApplied {
			t.Errorf("%+v, %v", got, err)
		}
		if lists(t, s, s.GroupDN("crew"), "member", s.UserDN("u003")) {
			t.Error("the group still lists the last known name")
		}
	})
	t.Run("a name that somebody else has now is theirs", func(t *testing.T) {
		before := who["u004"]
		admin := s.Admin(t)
		hide("u004")
		heir := goldap.NewAddRequest(s.UserDN("u004"), nil)
		heir.Attribute("objectClass", []string{"inetOrgPerson"})
		heir.Attribute("sn", []string{"Heir"})
		heir.Attribute("cn", []string{"Heir"})
		join := goldap.NewModifyRequest(s.GroupDN("crew"), nil)
		join.Add("member", []string{s.UserDN("u004")})
		if err := admin.Add(heir); err != nil {
			t.Fatal(err)
		}
		if err := admin.Modify(join); err != nil {
			t.Fatal(err)
		}
		got, err := provisioner().Provision(t.Context(), withAuth(auth, revokeOf(before, crew)))
		if err != nil || got.Outcome == v1.OutcomeApplied || !lists(
			t, s, s.GroupDN("crew"), "member", s.UserDN("u004"),
		) {
			t.Errorf("the membership of somebody else was touched: %+v, %v", got, err)
		}
	})
}
