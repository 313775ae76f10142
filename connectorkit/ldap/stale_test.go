package ldap_test

import (
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// loose are groups of a directory that does not keep them right.
var loose = strings.Join([]string{
	"dn: cn=unique," + ldaptest.GroupsDN + "\nobjectClass: groupOfUniqueNames\ncn: unique\nuniqueMember: uid=u002," +
		ldaptest.PeopleDN + "\nuniqueMember: uid=u001," + ldaptest.PeopleDN + "\n",
	"dn: cn=posix," + ldaptest.GroupsDN + "\nobjectClass: posixGroup\ncn: posix\ngidNumber: 100\nmemberUid: u002\n",
}, "\n")

func startLoose(t *testing.T) (*ldaptest.Server, v1.AuthConfig) {
	t.Helper()
	s := ldaptest.StartSlapd(t, ldaptest.Options{LDIF: loose, Org: ldaptest.Org{
		People: ldaptest.Staff(5),
		Groups: []ldaptest.Group{
			{Name: "crew", People: []string{"u001", "u002"}}, {Name: "alone", People: []string{"u002"}},
		},
	}})
	return s, writes(directory{}, s, nil)
}

func member(uid, place string) map[string]string {
	return map[string]string{
		"crew": "uid=" + uid + "," + place, "unique": "uid=" + uid + "," + place, "posix": uid,
		"alone": "uid=" + uid + "," + place,
	}
}

var memberAttribute = map[string]string{
	"crew": "member", "unique": "uniqueMember", "posix": "memberUid", "alone": "member",
}

func listsAll(t *testing.T, s *ldaptest.Server, want bool, values map[string]string) {
	t.Helper()
	for group, value := range values {
		if lists(t, s, s.GroupDN(group), memberAttribute[group], value) != want {
			t.Errorf("the group %s lists %s: %v, want %v", group, value, !want, want)
		}
	}
}

func renameTo(who v1.ProvisionTarget, name string) v1.ProvisionRequest {
	return v1.ProvisionRequest{Op: v1.OpAccountRename, Target: who, Account: &v1.ProvisionAccount{Username: &name}}
}

func TestARenameTakesTheMembershipsAlong(t *testing.T) {
	s, auth := startLoose(t)
	before := asLastSynced(t, auth)["u002"]
	got := provision(t, auth, renameTo(before, "u902"))
	expect(t, "rename", got, v1.OutcomeApplied)
	listsAll(t, s, false, member("u002", ldaptest.PeopleDN))
	listsAll(t, s, true, member("u902", ldaptest.PeopleDN))

	t.Run("an answer that was lost between the rename and the groups", func(t *testing.T) {
		for group, value := range member("u902", ldaptest.PeopleDN) {
			swap := goldap.NewModifyRequest(s.GroupDN(group), nil)
			swap.Replace(memberAttribute[group], []string{member("u002", ldaptest.PeopleDN)[group]})
			if err := s.Admin(t).Modify(swap); err != nil {
				t.Fatal(value, err)
			}
		}
		expect(t, "rename again", provision(t, auth, renameTo(before, "u902")), v1.OutcomeApplied)
		listsAll(t, s, false, member("u002", ldaptest.PeopleDN))
		listsAll(t, s, true, member("u902", ldaptest.PeopleDN))
		expect(t, "rename once more", provision(t, auth, renameTo(before, "u902")), v1.OutcomeAlready)
	})
	t.Run("a move", func(t *testing.T) {
		addUnit(t, directory{}, s, "ou=abroad,"+ldaptest.PeopleDN)
		now := asLastSynced(t, auth)["u902"]
		place := "ou=abroad," + ldaptest.PeopleDN
		expect(
			t, "move",
			provision(
				t, auth,
				v1.ProvisionRequest{
					Op: v1.OpAccountRename, Target: now, Account: &v1.ProvisionAccount{Container: &place},
				},
			),
			v1.OutcomeApplied,
		)
		listsAll(t, s, true, member("u902", place))
	})
}

func TestAGroupThatCannotBeRewrittenIsNamed(t *testing.T) {
	staff := ldaptest.Staff(3)
	staff[0].Password = firstPassword
	s := ldaptest.StartSlapd(t, ldaptest.Options{Manager: "u000", ReadOnly: ldaptest.GroupsDN, Org: ldaptest.Org{
		People: staff, Groups: []ldaptest.Group{{Name: "crew", People: []string{"u001", "u002"}}},
	}})
	auth := writes(directory{}, s, map[string]any{"bind_dn": s.UserDN("u000"), "bind_password": firstPassword})
	got := provision(t, auth, renameTo(asLastSynced(t, auth)["u002"], "u902"))
	if !got.Success || got.Verified || !hasWarning(got.Warnings, "membership_not_rewritten") ||
		!strings.Contains(got.Warnings[len(got.Warnings)-1].Message, s.GroupDN("crew")) {
		t.Errorf("%+v", got)
	}
}

func TestANewAccountInheritsNoMemberships(t *testing.T) {
	s, auth := startLoose(t)
	if err := s.Admin(t).Del(goldap.NewDelRequest(s.UserDN("u002"), nil)); err != nil {
		t.Fatal(err)
	}
	create := v1.ProvisionRequest{
		Op: v1.OpAccountCreate, Target: v1.ProvisionTarget{Kind: "account", Username: "u002"},
		Account: newcomer("u002"),
	}
	_, err := try(t, auth, create)
	if e := detailOf(t, err); e.Class != v1.ClassConflict || e.Code != "stale_membership" ||
		!strings.Contains(e.Message, s.GroupDN("alone")) {
		t.Errorf("a create under a name that a group cannot give up: %+v", e)
	}
	if synced(t, auth, "u002") != nil || len(asLastSynced(t, auth)) != 4 {
		t.Error("the account was made")
	}
	if err := s.Admin(t).Del(goldap.NewDelRequest(s.GroupDN("alone"), nil)); err != nil {
		t.Fatal(err)
	}
	put := goldap.NewModifyRequest(s.GroupDN("crew"), nil)
	put.Replace("member", []string{s.UserDN("u001"), s.UserDN("u002")})
	if err := s.Admin(t).Modify(put); err != nil {
		t.Fatal(err)
	}
	got := provision(t, auth, create)
	expect(t, "create", got, v1.OutcomeApplied)
	if !hasWarning(got.Warnings, "stale_membership_removed") {
		t.Errorf("nothing says that memberships were removed: %v", got.Warnings)
	}
	stale := member("u002", ldaptest.PeopleDN)
	delete(stale, "alone")
	listsAll(t, s, false, stale)

	t.Run("a rename to a name that is listed", func(t *testing.T) {
		put := goldap.NewModifyRequest(s.GroupDN("crew"), nil)
		put.Add("member", []string{s.UserDN("u777")})
		if err := s.Admin(t).Modify(put); err != nil {
			t.Fatal(err)
		}
		got := provision(t, auth, renameTo(asLastSynced(t, auth)["u003"], "u777"))
		expect(t, "rename", got, v1.OutcomeApplied)
		if !hasWarning(got.Warnings, "stale_membership_removed") ||
			lists(t, s, s.GroupDN("crew"), "member", s.UserDN("u777")) {
			t.Errorf("the renamed account inherits a membership: %v", got.Warnings)
		}
	})
}
