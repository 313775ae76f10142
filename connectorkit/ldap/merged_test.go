package ldap_test

import (
	"slices"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestWhoIsListedTwiceInAGroupIsOneMember(t *testing.T) {
	org := func(directory) ldaptest.Org {
		return ldaptest.Org{
			People: ldaptest.Staff(4), Groups: []ldaptest.Group{{Name: "crew", People: []string{"u001", "u002"}}},
		}
	}
	d := directories[1]
	s := d.start(t, org(d))
	change := goldap.NewModifyRequest(s.GroupDN("crew"), nil)
	change.Add("objectClass", []string{"groupOfUniqueNames"})
	change.Add("uniqueMember", []string{"UID=u001, " + ldaptest.PeopleDN, s.UserDN("u003")})
	if err := s.Admin(t).Modify(change); err != nil {
		t.Fatal(err)
	}
	auth := writes(d, s, nil)
	got := mustRead(t, auth, nil)
	scope := got.scopes[v1.Grants]
	if crew := memberships(got)["crew"]; len(crew) != 3 || scope.Count != len(got.Grants) || !scope.Complete {
		t.Errorf("members %v, scope %+v of %d grants", crew, scope, len(got.Grants))
	}
	who := asLastSynced(t, auth)["u001"]
	expect(t, "revoke", provision(t, auth, revokeOf(who, entitlement(t, auth, "crew"))), v1.OutcomeApplied)
	if after := memberships(mustRead(t, auth, nil))["crew"]; slices.Contains(
		after, ldapdn.Normalize(s.UserDN("u001")),
	) || len(after) != 2 {
		t.Errorf("after the revoke the members are %v", after)
	}
}

func TestAnAttributeThatComesInPartsIsOne(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	f.search = func(r fakeSearch) fakeAnswer {
		if !r.wants("inetOrgPerson") {
			return fakeAnswer{}
		}
		return fakeAnswer{entries: []fakeEntry{{"uid=u1,dc=x", attrs{
			"entryUUID": {"e-1"}, "objectClass": {"inetOrgPerson"}, "UID": {"u1"}, "uid": {"alias1"}, "cn": {"One"},
		}}}}
	}
	got := mustRead(t, f.auth(), nil)
	if len(got.Accounts) != 1 || value(got.Accounts[0].Username) != "u1" {
		t.Fatalf("accounts %+v", got.Accounts)
	}
	for name, v := range got.Identities[0].Attributes {
		if list, _ := v.([]any); strings.EqualFold(name, "uid") && !slices.Equal(list, []any{"u1", "alias1"}) {
			t.Errorf("%s is %v", name, v)
		}
	}
	found, err := ldap.New(agentEnv()).Discover(t.Context(), v1.DiscoverRequest{AuthConfig: f.auth()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range found.Objects[0].Fields {
		if field.NullRatio < 0 || field.UniqueRatio > 1 {
			t.Errorf("%s has null_ratio %v and unique_ratio %v", field.Name, field.NullRatio, field.UniqueRatio)
		}
	}
}

func TestTheOwnerOfAGroupIsRead(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	f.search = func(r fakeSearch) fakeAnswer {
		if !r.wants("groupOfNames") {
			return fakeAnswer{}
		}
		return fakeAnswer{entries: []fakeEntry{{"cn=crew,dc=x", attrs{
			"entryUUID": {"g-1"}, "objectClass": {"groupOfNames"}, "cn": {"crew"}, "member": {""},
			"owner": {"UID=Boss, DC=x", "uid=deputy,dc=x"},
		}}}}
	}
	got := mustRead(t, f.auth(), nil)
	if len(got.Entitlements) != 1 || !slices.Equal(
		got.Entitlements[0].OwnerRefs,
		[]v1.Ref{{Kind: v1.RefNative, Value: "uid=boss,dc=x"}, {Kind: v1.RefNative, Value: "uid=deputy,dc=x"}},
	) {
		t.Errorf("%+v", got.Entitlements)
	}
}
