package ldap_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// office is an organisation with what directories in the field have: letters beyond ASCII and commas in DNs,
// groups in groups and in a ring, closed accounts, members from outside, and a group larger than the 1,500
// values that Active Directory gives at once.
func office(d directory) ldaptest.Org {
	staff := ldaptest.Staff(200)
	for i := range staff {
		staff[i].Disabled = i%25 == 7
	}
	staff[150].Password = "Right-1-Password!"
	staff[198].UID = "jørgen"
	o := ldaptest.Org{People: staff}
	all := ldaptest.Group{Name: "all"}
	for n := range 10 {
		g := ldaptest.Group{Name: fmt.Sprintf("department %d", n)}
		for i := n; i < len(staff); i += 10 {
			g.People = append(g.People, staff[i].UID)
		}
		o.Groups = append(o.Groups, g)
		all.Groups = append(all.Groups, g.Name)
	}
	crowd := ldaptest.Group{Name: "Crowd, the"}
	for i := range d.crowd {
		p := ldaptest.Person{UID: fmt.Sprintf("p%04d", i), First: "Pat", Last: "Partner"}
		o.Partners = append(o.Partners, p)
		crowd.Partners = append(crowd.Partners, p.UID)
	}
	o.Groups = append(o.Groups, all, crowd,
		ldaptest.Group{Name: "ring a", Groups: []string{"ring b"}},
		ldaptest.Group{Name: "ring b", Groups: []string{"ring a"}},
		ldaptest.Group{Name: "project", People: []string{"u001", "jørgen"}, Partners: []string{"p0000"}},
	)
	return o
}

func TestEveryDirectoryIsProbedAndReadInFull(t *testing.T) {
	inEach(t, office, func(t *testing.T, d directory, s *ldaptest.Server) {
		t.Run("the login decides", func(t *testing.T) { checkProbe(t, d, s) })
		t.Run("nobody signed in", func(t *testing.T) { checkAnonymous(t, d, s) })
		t.Run("wrong password", func(t *testing.T) { checkWrongPassword(t, d, s) })
		t.Run("TLS", func(t *testing.T) { checkTLS(t, d, s) })
		t.Run("fields", func(t *testing.T) { checkFields(t, d, s) })
		t.Run("the whole organisation", func(t *testing.T) { checkOrganisation(t, d, s) })
	})
}

func checkOrganisation(t *testing.T, d directory, s *ldaptest.Server) {
	t.Helper()
	o := office(d)
	lock(t, d, s, s.UserDN("u150"))
	got := mustRead(t, below(d, s, map[string]any{"page_size": 70}), nil)
	ids := keys(t, d, s, ldaptest.PeopleDN)
	if diff := cmp.Diff(wantPeople(o, s, ids), people(got)); diff != "" {
		t.Errorf("people (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(wantMembers(o, s), memberships(got), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("members (-want +got)\n%s", diff)
	}
	groups := keys(t, d, s, ldaptest.GroupsDN)
	for _, e := range got.Entitlements {
		if want, ours := groups[e.NativeRef]; ours && want != e.ExternalID {
			t.Errorf("group %s has the key %s, want %s", e.NativeRef, e.ExternalID, want)
		}
	}
	for kind, n := range map[v1.ObjectKind]int{
		v1.Identities: len(got.Identities), v1.Accounts: len(got.Accounts), v1.Entitlements: len(got.Entitlements),
		v1.Grants: len(got.Grants),
	} {
		if diff := cmp.Diff(v1.Scope{Kind: kind, Key: "*", Complete: true, Count: n}, got.scopes[kind]); diff != "" {
			t.Errorf("scope (-want +got)\n%s", diff)
		}
	}
	if d.ad {
		checkActiveDirectory(t, got)
	}
}

func wantPeople(o ldaptest.Org, s *ldaptest.Server, ids map[string]string) map[string]person {
	want := map[string]person{}
	for _, p := range o.People {
		native := ldapdn.Normalize(s.UserDN(p.UID))
		w := person{
			ID: ids[native], Username: p.UID, Name: p.First + " " + p.Last, Number: fmt.Sprint(p.Number),
			Disabled: p.Disabled, Locked: p.UID == "u150",
		}
		if p.Manager != "" {
			w.Manager = ldapdn.Normalize(s.UserDN(p.Manager))
		}
		want[native] = w
	}
	return want
}

func wantMembers(o ldaptest.Org, s *ldaptest.Server) map[string][]string {
	want := map[string][]string{}
	for _, g := range o.Groups {
		var list []string
		for _, uid := range g.People {
			list = append(list, ldapdn.Normalize(s.UserDN(uid)))
		}
		for _, name := range g.Groups {
			list = append(list, ldapdn.Normalize(s.GroupDN(name)))
		}
		for _, uid := range g.Partners {
			list = append(list, ldapdn.Normalize(s.PartnerDN(uid)))
		}
		slices.Sort(list)
		want[g.Name] = list
	}
	return want
}

var domainSID = regexp.MustCompile(`^S-1-5-21-\d+-\d+-\d+-\d{4}$`)

// checkActiveDirectory looks at what only Active Directory has: the primary group, which is no value of any
// group, security identifiers, and the references to the other parts of the forest.
func checkActiveDirectory(t *testing.T, got all) {
	t.Helper()
	var domainUsers string
	for _, e := range got.Entitlements {
		if *e.Name == "Domain Users" {
			domainUsers = e.ExternalID
			if sid, _ := e.Attributes["objectSid"].(string); !strings.HasPrefix(sid, "S-1-5-21-") ||
				!strings.HasSuffix(sid, "-513") {
				t.Errorf("Domain Users has the SID %v", e.Attributes["objectSid"])
			}
		}
	}
	primary := map[string]bool{}
	for _, g := range got.Grants {
		if g.AccountExternalID != nil && g.EntitlementExternalID == domainUsers && g.Immutable != nil && *g.Immutable {
			primary[*g.AccountExternalID] = true
		}
	}
	for _, a := range got.Accounts {
		if !primary[a.ExternalID] {
			t.Errorf("%s is not in Domain Users", a.NativeRef)
		}
		if sid, _ := a.Attributes["objectSid"].(string); !domainSID.MatchString(sid) {
			t.Errorf("%s has the SID %v", a.NativeRef, a.Attributes["objectSid"])
		}
	}
	if !hasWarning(got.warnings, "referral_ignored") {
		t.Errorf("warnings %v do not tell of the references that were not followed", got.warnings)
	}
}
