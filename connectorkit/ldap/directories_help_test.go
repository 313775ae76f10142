package ldap_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// directory is a real directory and what is special about it.
type directory struct {
	name     string
	vendor   string // as the facts of a test name it
	start    func(testing.TB, ldaptest.Org) *ldaptest.Server
	key      string              // the attribute that never changes
	keyText  func([]byte) string // that attribute as a record's key
	failures int                 // wrong passwords until an account is locked
	crowd    int                 // how many people it takes to make a large group
	ad       bool
}

func text(b []byte) string { return string(b) }

// microsoftGUID is the textual form of objectGUID, worked out apart from the connector (MS-DTYP section 2.3.4.2).
func microsoftGUID(b []byte) string {
	le := binary.LittleEndian
	return fmt.Sprintf("%08x-%04x-%04x-%x-%x", le.Uint32(b), le.Uint16(b[4:]), le.Uint16(b[6:]), b[8:10], b[10:16])
}

var directories = []directory{
	{
		name:     "OpenLDAP",
		vendor:   "OpenLDAP",
		key:      "entryUUID",
		keyText:  text,
		failures: 3,
		crowd:    1600,
		start: func(t testing.TB, o ldaptest.Org) *ldaptest.Server {
			return ldaptest.StartSlapd(
				t,
				ldaptest.Options{Org: o, MemberOf: true, Refint: true, Syncprov: true, Accesslog: true, PPolicy: true},
			)
		},
	},
	{
		name: "389 Directory Server", vendor: "389 Directory Server", key: "nsUniqueId", keyText: text, failures: 3,
		crowd: 20, start: ldaptest.Start389,
	},
	{
		name: "Samba", vendor: "Active Directory", key: "objectGUID", keyText: microsoftGUID, failures: 3, crowd: 1600,
		ad: true, start: ldaptest.StartSambaAD,
	},
	{
		name: "ApacheDS", vendor: "Apache Software Foundation", key: "entryUUID", keyText: text, failures: 5,
		crowd: 20, start: ldaptest.StartApacheDS,
	},
}

// inEach runs a story with each kind of directory holding an organisation.
func inEach(t *testing.T, org func(directory) ldaptest.Org, story func(t *testing.T, d directory, s *ldaptest.Server)) {
	t.Helper()
	for _, d := range directories {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel() // most of the time is waiting for servers to start
			story(t, d, d.start(t, org(d)))
		})
	}
}

// below is the connection of a sync of the people and groups of an Org. On Active Directory groups are looked
// for everywhere, since the primary group of nearly everybody is one of the domain's own.
func below(d directory, s *ldaptest.Server, changes map[string]any) v1.AuthConfig {
	auth := with(s, map[string]any{"user_base_dn": ldaptest.PeopleDN, "group_base_dn": ldaptest.GroupsDN})
	if d.ad {
		auth["group_base_dn"] = ldaptest.Suffix
	}
	maps.Copy(auth, changes)
	maps.DeleteFunc(auth, func(_ string, v any) bool { return v == nil })
	return auth
}

// lock makes the directory itself lock an account, by wrong passwords.
func lock(t *testing.T, d directory, s *ldaptest.Server, dn string) {
	t.Helper()
	for range d.failures {
		conn, err := goldap.DialURL(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Bind(dn, "not-the-password"); !goldap.IsErrorAnyOf(
			err, goldap.LDAPResultInvalidCredentials, goldap.LDAPResultConstraintViolation,
		) {
			t.Fatalf("bind as %s with a wrong password: %v", dn, err)
		}
		_ = conn.Close()
	}
}

// keys asks the directory itself for the keys of everything below a place, by native reference.
func keys(t *testing.T, d directory, s *ldaptest.Server, base string) map[string]string {
	t.Helper()
	found, err := s.Admin(t).SearchWithPaging(goldap.NewSearchRequest(base, goldap.ScopeWholeSubtree,
		goldap.NeverDerefAliases, 0, 0, false,
		"(objectClass=*)", []string{d.key}, nil), 500)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range found.Entries {
		out[ldapdn.Normalize(e.DN)] = d.keyText(e.GetRawAttributeValue(d.key))
	}
	return out
}

// person is what a sync must tell of somebody.
type person struct {
	ID, Username, Name, Number, Manager string
	Disabled, Locked                    bool
}

// people are the people a sync found, by native reference.
func people(got all) map[string]person {
	managers := map[string]string{}
	for _, i := range got.Identities {
		if i.ManagerRef != nil {
			managers[i.ExternalID] = i.ManagerRef.Value
		}
	}
	out := map[string]person{}
	for _, a := range got.Accounts {
		out[a.NativeRef] = person{
			ID: a.ExternalID, Username: value(a.Username), Name: value(a.DisplayName), Number: value(a.EmployeeNumber),
			Manager:  managers[a.ExternalID],
			Disabled: *a.IsDisabled, Locked: *a.IsLocked,
		}
	}
	return out
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// memberships are the members of each group a sync found, by the groups' names; members by primary group are left out.
func memberships(got all) map[string][]string {
	names := map[string]string{}
	out := map[string][]string{}
	for _, e := range got.Entitlements {
		names[e.ExternalID] = *e.Name
		if strings.HasSuffix(e.NativeRef, ldaptest.GroupsDN) {
			out[*e.Name] = nil
		}
	}
	for _, g := range got.Grants {
		name := names[g.EntitlementExternalID]
		if _, ours := out[name]; ours && g.PrincipalRef != nil {
			out[name] = append(out[name], g.PrincipalRef.Value)
		}
	}
	for _, members := range out {
		slices.Sort(members)
	}
	return out
}
