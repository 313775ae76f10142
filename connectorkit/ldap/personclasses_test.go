package ldap_test

import (
	"slices"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPeopleOfEveryClassOfTheSchemaAreRead(t *testing.T) {
	s := directories[1].start(t, team(directories[1]))
	modern := goldap.NewAddRequest("cn=modern,"+ldaptest.PeopleDN, nil)
	modern.Attribute("objectClass", []string{"top", "nsPerson", "nsAccount"})
	modern.Attribute("cn", []string{"modern"})
	modern.Attribute("displayName", []string{"Modern Person"})
	if err := s.Admin(t).Add(modern); err != nil {
		t.Fatal(err)
	}
	auth := writes(directories[1], s, nil)
	who, found := asLastSynced(t, auth)["modern"]
	if !found {
		t.Fatal("a person of class nsPerson was not read")
	}
	expect(
		t, "disable", provision(t, auth, v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: who}), v1.OutcomeApplied,
	)
	if got := mustRead(t, auth, &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}}); len(got.Accounts) != 6 {
		t.Errorf("%d accounts were read, want 6 and no more", len(got.Accounts))
	}
}

func TestWhetherAccountsCanBeDisabledIsSaidBeforehand(t *testing.T) {
	for _, policy := range []bool{false, true} {
		s := ldaptest.StartSlapd(t, ldaptest.Options{Org: team(directory{}), PPolicy: policy})
		auth := writes(directory{}, s, nil)
		found, err := ldap.New(agentEnv()).Discover(t.Context(), v1.DiscoverRequest{AuthConfig: auth}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tested := probe(t, agentEnv(), auth)
		if can := slices.Contains(tested.Operations, v1.OpAccountDisable); can != policy ||
			!slices.Contains(tested.Operations, v1.OpAccountCreate) {
			t.Errorf(
				"with a password policy %t the test says that these changes can be made: %v", policy,
				tested.Operations,
			)
		}
		if hasWarning(tested.Warnings, "disable_unavailable") == policy ||
			hasWarning(found.Warnings, "disable_unavailable") == policy {
			t.Errorf(
				"with a password policy %v: the test warns %v, discovery %v", policy, tested.Warnings, found.Warnings,
			)
		}
		if policy {
			continue
		}
		_, err = try(
			t, auth, v1.ProvisionRequest{Op: v1.OpAccountDisable, Target: v1.ProvisionTarget{Username: "u001"}},
		)
		if d := detailOf(t, err); d.Code != "operation_not_supported" || d.Class != v1.ClassConfig ||
			!strings.Contains(d.Hint, "disable_strategy") {
			t.Errorf("%+v", d)
		}
		auth["disable_strategy"], auth["disable_attribute"], auth["disable_value"] = "attribute", "employeeType",
			"closed"
		if tested := probe(t, agentEnv(), auth); hasWarning(tested.Warnings, "disable_unavailable") {
			t.Errorf("with another way: %v", tested.Warnings)
		}
	}
}

func TestAFilterThatLeavesEverybodyOutIsNamed(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Org: team(directory{})})
	for filter, want := range map[string]string{"(uid=nobody)": "user_filter", "": "rights or base DN"} {
		auth := with(s, map[string]any{"user_filter": filter})
		if filter == "" {
			auth["base_dn"] = ldaptest.GroupsDN
			delete(auth, "user_filter")
		}
		got := probe(t, agentEnv(), auth)
		i := slices.IndexFunc(got.Warnings, func(w v1.Warning) bool { return w.Code == "no_entries" })
		if i < 0 || !strings.Contains(got.Warnings[i].Message, want) {
			t.Errorf("filter %q: %v; want %s", filter, got.Warnings, want)
		}
	}
}
