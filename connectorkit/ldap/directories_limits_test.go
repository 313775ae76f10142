package ldap_test

import (
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestALimitOfTheDirectoryNeverPassesForItsEnd(t *testing.T) {
	for _, tt := range []struct {
		name  string
		whole map[int]bool // by size of a page, whether everything can be read
		start func(*testing.T, ldaptest.Org) *ldaptest.Server
	}{
		{"OpenLDAP limits all pages together", map[int]bool{
			500: false, 20: false,
		}, func(t *testing.T, o ldaptest.Org) *ldaptest.Server {
			return ldaptest.StartSlapd(t, ldaptest.Options{Org: o, ReaderPagedLimit: 50})
		}},
		{"389 Directory Server limits each page", map[int]bool{
			500: false, 20: true,
		}, func(t *testing.T, o ldaptest.Org) *ldaptest.Server {
			s := ldaptest.Start389(t, o)
			limit := replaced(t, s, "cn=config", "nsslapd-sizelimit", "50")
			if limit != "2000" {
				t.Errorf("the limit was %s", limit)
			}
			return s
		}},
		{"ApacheDS limits all pages together", map[int]bool{
			500: false, 20: false,
		}, func(t *testing.T, o ldaptest.Org) *ldaptest.Server {
			s := ldaptest.StartApacheDS(t, o)
			limit := replaced(
				t, s, "ads-serverId=ldapServer,ou=servers,ads-directoryServiceId=default,ou=config",
				"ads-maxSizeLimit", "50",
			)
			if limit != "1000" {
				t.Errorf("the limit was %s", limit)
			}
			s.Restart(t)
			return s
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.start(t, ldaptest.Org{People: ldaptest.Staff(60)})
			for page, whole := range tt.whole {
				got, err := read(
					t, agentEnv(), with(s, map[string]any{"page_size": page, "user_base_dn": ldaptest.PeopleDN}), nil,
				)
				if scope := got.scopes[v1.Accounts]; whole && (err != nil || len(got.Accounts) != 60 ||
					!scope.Complete) {
					t.Errorf("in pages of %d: %d accounts, scope %+v, %v", page, len(got.Accounts), scope, err)
				}
				if !whole {
					d := detailOf(t, err)
					if d.Code != "ldap_4" || d.Class != v1.ClassPermission || d.Hint == "" ||
						got.scopes[v1.Accounts].Complete {
						t.Errorf("in pages of %d: %+v, scope %+v", page, d, got.scopes[v1.Accounts])
					}
				}
			}
		})
	}
}

func TestADirectoryThatTakesPasswordsUnderTLSOnlySaysSo(t *testing.T) {
	o := ldaptest.Org{People: ldaptest.Staff(3)}
	for _, tt := range []struct {
		name, code, result string
		start              func(*testing.T) *ldaptest.Server
	}{
		{"389 Directory Server", "ldap_13", "confidentialityRequired", func(t *testing.T) *ldaptest.Server {
			s := ldaptest.Start389(t, o)
			replaced(t, s, "cn=config", "nsslapd-require-secure-binds", "on")
			return s
		}},
		{"Samba", "ldap_8", "strongerAuthRequired", func(t *testing.T) *ldaptest.Server {
			s := ldaptest.StartSambaAD(t, o)
			s.RequireStrongAuth(t)
			return s
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.start(t)
			auth := with(s, map[string]any{"user_base_dn": ldaptest.PeopleDN})
			d := probe(t, agentEnv(), auth).Error
			if d == nil || d.Code != tt.code || d.Class != v1.ClassConfig || d.Target.LDAP.Name != tt.result {
				t.Errorf("without TLS: %+v", d)
			}
			auth["security"], auth["ca_pem"] = "starttls", s.CAPEM
			if got := mustRead(t, auth, nil); len(got.Accounts) != 3 || !got.scopes[v1.Accounts].Complete {
				t.Errorf("with StartTLS: %d accounts", len(got.Accounts))
			}
		})
	}
}

// replaced sets an attribute as the administrator and gives what it was.
func replaced(t *testing.T, s *ldaptest.Server, dn, name, value string) string {
	t.Helper()
	conn := s.Admin(t)
	found, err := conn.Search(goldap.NewSearchRequest(
		dn, goldap.ScopeBaseObject, goldap.NeverDerefAliases, 0, 0, false, "(objectClass=*)", []string{name}, nil,
	))
	if err != nil || len(found.Entries) != 1 {
		t.Fatalf("%s: %d entries, %v", dn, len(found.Entries), err)
	}
	change := goldap.NewModifyRequest(dn, nil)
	change.Replace(name, []string{value})
	if err := conn.Modify(change); err != nil {
		t.Fatal(err)
	}
	return found.Entries[0].GetAttributeValue(name)
}
