package connectors_test

import (
	"slices"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// TestADomainIsReadByTheVendorsEntry reads a real domain controller with the few settings that the entry asks
// for, over ldaps.
func TestADomainIsReadByTheVendorsEntry(t *testing.T) {
	people := ldaptest.Staff(20)
	s := ldaptest.StartSambaAD(
		t,
		ldaptest.Org{
			People: people,
			Groups: []ldaptest.Group{{Name: "finance", People: []string{people[0].UID, people[1].UID}}},
		},
	)
	sh := &shape{
		Settings: map[string]any{
			"host": s.Host, "port": s.TLSPort, "base_dn": ldaptest.Suffix, "bind_dn": s.ReaderDN, "ca_pem": s.CAPEM,
		},
		Secrets: map[string]any{"bind_password": s.ReaderPass},
	}
	if problems := catalog.Validate("active-directory", sh.Settings, sh.Secrets); len(problems) > 0 {
		t.Fatalf("the settings are refused: %+v", problems)
	}
	got := readAll(t, "active-directory", sh)
	names := map[string]v1.RemoteAccount{}
	for _, a := range got.Accounts {
		if a.Username != nil {
			names[*a.Username] = a
		}
	}
	for _, p := range people {
		if _, there := names[p.UID]; !there {
			t.Errorf("%s was not read", p.UID)
		}
	}
	i := slices.IndexFunc(got.Entitlements, func(e v1.RemoteEntitlement) bool {
		return e.Name != nil && *e.Name == "finance"
	})
	if i < 0 {
		t.Fatal("the group was not read")
	}
	members := 0
	for _, g := range got.Grants {
		if g.EntitlementExternalID == got.Entitlements[i].ExternalID {
			members++
		}
	}
	if members != 2 {
		t.Errorf("%d members of the group; want 2", members)
	}
	for _, scope := range got.Page.Scopes {
		if !scope.Complete {
			t.Errorf("%+v", scope)
		}
	}
}
