package ldap_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func adRoot() attrs {
	return attrs{
		"supportedCapabilities": {"1.2.840.113556.1.4.800"}, "namingContexts": {"DC=x", "CN=Configuration,DC=x"},
		"defaultNamingContext": {"DC=x"}, "currentTime": {"20260704123456.0Z"},
		"supportedControl": {"1.2.840.113556.1.4.319"},
	}
}

func raw(t *testing.T, h string) string {
	t.Helper()
	b, err := hex.DecodeString(h)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// sid is S-1-5-21-1-2-3-rid.
func sid(t *testing.T, rid uint32) string {
	t.Helper()
	return raw(
		t,
		"010500000000000515000000010000000200000003000000"+fmt.Sprintf(
			"%02x%02x%02x%02x", byte(rid), byte(rid>>8), byte(rid>>16), byte(rid>>24),
		),
	)
}

func activeDirectory(t *testing.T) *fake {
	f := newFake(t, adRoot())
	user := func(n int, more attrs) fakeEntry {
		a := attrs{
			"objectClass":    {"top", "person", "user"},
			"objectGUID":     {raw(t, fmt.Sprintf("33221100554477668899aabbccddee%02x", n))},
			"objectSid":      {sid(t, uint32(1100+n))},
			"sAMAccountName": {fmt.Sprintf("user%d", n)}, "userAccountControl": {"512"}, "primaryGroupID": {"513"},
			"accountExpires": {"9223372036854775807"},
			"pwdLastSet":     {"132223104000000000"}, "whenChanged": {"20260101000000.0Z"}, "memberOf": {"CN=Big,DC=x"},
			"unicodePwd": {"never"},
		}
		for k, v := range more {
			a[k] = v
		}
		return fakeEntry{fmt.Sprintf("CN=User %d,OU=People,DC=x", n), a}
	}
	users := []fakeEntry{
		user(
			1,
			attrs{
				"adminCount": {"1"}, "lastLogonTimestamp": {"132223104000000000"},
				"mS-DS-ConsistencyGuid": {raw(t, "33221100554477668899aabbccddee01")},
			},
		),
		user(2, attrs{"userAccountControl": {"514"}, "pwdLastSet": {"0"}, "accountExpires": {"132223104000000000"}}),
		user(3, attrs{"lockoutTime": {"132223104000000000"}, "primaryGroupID": {"999"}}),
		user(4, attrs{"lockoutTime": {"132223104000000000"}, "msDS-User-Account-Control-Computed": {"8388608"}}),
	}
	groups := []fakeEntry{
		{
			"CN=Domain Users,DC=x",
			attrs{
				"cn": {"Domain Users"}, "objectClass": {"top", "group"},
				"objectGUID": {raw(t, "00000000000000000000000000000513")}, "objectSid": {sid(t, 513)},
			},
		},
		{
			"CN=Big,DC=x",
			attrs{
				"cn": {"Big"}, "objectClass": {"top", "group"},
				"objectGUID": {raw(t, "00000000000000000000000000000b16")}, "objectSid": {sid(t, 2000)}, "member": {},
				"member;range=0-1499": span(0, 1499),
			},
		},
	}
	f.search = func(r fakeSearch) fakeAnswer {
		switch {
		case r.base == "<GUID=00000000000000000000000000000b16>" &&
			cmp.Equal(r.attributes, []string{"member;range=1500-*"}):
			return fakeAnswer{
				entries: []fakeEntry{{"CN=Renamed,DC=x", attrs{"member;range=1500-2999": span(1500, 2999)}}},
			}
		case r.base == "<GUID=00000000000000000000000000000b16>" &&
			cmp.Equal(r.attributes, []string{"member;range=3000-*"}):
			return fakeAnswer{entries: []fakeEntry{{"CN=Renamed,DC=x", attrs{"member;range=3000-*": span(3000, 3210)}}}}
		case r.wants("(objectCategory=person)"):
			return fakeAnswer{entries: users}
		case r.wants("(objectClass=group)"):
			return fakeAnswer{entries: groups}
		}
		return fakeAnswer{
			code:    32,
			matched: "DC=x",
			diagnostic: "0000208D: NameErr: DSID-03100245, problem 2001 (NO_OBJECT), data 0, best match " +
				"of:\n\t'DC=x'\n",
		}
	}
	return f
}

func TestPeopleOfActiveDirectoryAreRead(t *testing.T) {
	f := activeDirectory(t)
	got := mustRead(t, f.auth(), nil)
	if len(got.Accounts) != 4 {
		t.Fatalf("%d accounts", len(got.Accounts))
	}
	one := got.Accounts[0]
	if one.ExternalID != "00112233-4455-6677-8899-aabbccddee01" || *one.Username != "user1" ||
		one.NativeRef != "cn=user 1,ou=people,dc=x" {
		t.Errorf("account %+v", one)
	}
	if *one.IsDisabled || *one.IsLocked || *one.PasswordExpired || one.ExpiresAt != nil || !*one.Privileged {
		t.Errorf("status of user1: %+v", one)
	}
	want := map[string]any{
		"objectGUID":            "00112233-4455-6677-8899-aabbccddee01",
		"mS-DS-ConsistencyGuid": "00112233-4455-6677-8899-aabbccddee01", "objectSid": "S-1-5-21-1-2-3-1101",
		"sAMAccountName": "user1", "userAccountControl": "512", "primaryGroupID": "513", "accountExpires": nil,
		"pwdLastSet":         "2020-01-01T00:00:00Z",
		"lastLogonTimestamp": "2020-01-01T00:00:00Z", "whenChanged": "2026-01-01T00:00:00Z", "adminCount": "1",
		"objectClass": []any{"top", "person", "user"},
	}
	if diff := cmp.Diff(want, one.Attributes); diff != "" {
		t.Errorf("attributes (-want +got)\n%s", diff)
	}
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if !one.LastLoginAt.Equal(at) || !one.PasswordLastSetAt.Equal(at) {
		t.Errorf("last login %v, password set %v", one.LastLoginAt, one.PasswordLastSetAt)
	}
	if two := got.Accounts[1]; !*two.IsDisabled || !*two.PasswordExpired || !two.ExpiresAt.Equal(at) ||
		two.PasswordLastSetAt != nil {
		t.Errorf("status of user2: %+v", two)
	}
	if three := got.Accounts[2]; !*three.IsLocked || *three.PasswordExpired {
		t.Errorf("status of user3: %+v", three)
	}
	if four := got.Accounts[3]; *four.IsLocked || !*four.PasswordExpired {
		t.Errorf("the computed attribute must win over lockoutTime: %+v", four)
	}
}

func TestRangesOfMembersAndPrimaryGroupsAreRead(t *testing.T) {
	f := activeDirectory(t)
	got := mustRead(t, f.auth(), &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Entitlements, v1.Grants}})
	if len(got.Entitlements) != 2 || len(got.Accounts)+len(got.Identities) != 0 {
		t.Fatalf("%d groups, %d accounts", len(got.Entitlements), len(got.Accounts))
	}
	domainUsers, big := got.Entitlements[0].ExternalID, got.Entitlements[1].ExternalID
	seen, primary := map[string]bool{}, []string{}
	for _, g := range got.Grants {
		switch {
		case g.PrincipalRef != nil && g.EntitlementExternalID == big:
			seen[g.PrincipalRef.Value] = true
		case g.AccountExternalID != nil && g.EntitlementExternalID == domainUsers && *g.Immutable:
			primary = append(primary, (*g.AccountExternalID)[34:])
		default:
			t.Errorf("grant %+v", g)
		}
	}
	if len(seen) != 3211 || !seen["cn=m3210,dc=x"] {
		t.Errorf("%d members", len(seen))
	}
	if diff := cmp.Diff([]string{"01", "02", "04"}, primary); diff != "" {
		t.Errorf("members by primary group (-want +got)\n%s", diff)
	}
	if s := got.scopes[v1.Grants]; !s.Complete || s.Count != 3214 {
		t.Errorf("scope %+v", s)
	}
}

func TestARangeThatIsNotGivenLeavesMembershipsUnproven(t *testing.T) {
	f := activeDirectory(t)
	inner := f.search
	f.search = func(r fakeSearch) fakeAnswer {
		if strings.HasPrefix(r.base, "<GUID=") {
			return fakeAnswer{code: 32}
		}
		return inner(r)
	}
	got := mustRead(t, f.auth(), nil)
	if got.scopes[v1.Grants].Complete || !got.scopes[v1.Entitlements].Complete ||
		!hasWarning(got.warnings, "members_incomplete") {
		t.Errorf("scopes %v, warnings %v", got.scopes, got.warnings)
	}
}

func TestRefusalsOfActiveDirectoryAreDecoded(t *testing.T) {
	data := func(subcode string) string {
		return "80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data " + subcode + ", v2580\x00"
	}
	for _, tt := range []struct{ diagnostic, subcode, short, hint string }{
		{data("525"), "525", "no such user", "no such user"},
		{data("52e"), "52e", "bad user name or password", "password is wrong"},
		{data("52E"), "52e", "bad user name or password", "password is wrong"},
		{data("530"), "530", "not at this time", "time of day"},
		{data("531"), "531", "not from this machine", "from this machine"},
		{data("532"), "532", "password expired", "expired"},
		{data("533"), "533", "account disabled", "disabled"},
		{data("701"), "701", "account expired", "Extend it"},
		{data("773"), "773", "password must be changed", "change its password"},
		{data("775"), "775", "account locked", "locked"},
		{
			"80090346: LdapErr: DSID-0C090569, comment: AcceptSecurityContext error, data 80090346, v4563\x00",
			"80090346", "channel binding", "channel binding",
		},
	} {
		f := activeDirectory(t)
		f.bind = func(dn, _ string) (int, string) {
			if dn == "" {
				return 0, ""
			}
			return 49, tt.diagnostic
		}
		got := probe(t, agentEnv(), f.auth())
		if got.Success || got.Error.Code != "ldap_49_"+tt.subcode || !strings.Contains(got.Error.Hint, tt.hint) ||
			got.Error.Target.LDAP.ADSubcode != tt.subcode {
			t.Errorf("data %s: %+v", tt.subcode, got.Error)
		}
		if !strings.Contains(got.Error.Message, tt.subcode+": "+tt.short) {
			t.Errorf("data %s: message %q", tt.subcode, got.Error.Message)
		}
	}
}

func TestAnonymousSearchIsRefusedAndTheVerdictIsThatOfTheLogin(t *testing.T) {
	f := activeDirectory(t)
	inner, signedIn := f.search, false
	f.bind = func(dn, _ string) (int, string) { signedIn = dn != ""; return 0, "" }
	f.search = func(r fakeSearch) fakeAnswer {
		if !signedIn {
			return fakeAnswer{
				code: 1,
				diagnostic: "000004DC: LdapErr: DSID-0C090A5C, comment: In order to perform this operation a " +
					"successful bind must be completed on the connection., data 0, v4563",
			}
		}
		return inner(r)
	}
	got := probe(t, agentEnv(), f.auth())
	if diff := cmp.Diff(
		[]string{
			"dns ok", "tcp ok", "anonymous_bind 0", "paged_search_anonymous operationsError", "bind 0",
			"paged_search 0",
		},
		steps(got),
	); diff != "" || !got.Success {
		t.Errorf("success %v, steps (-want +got)\n%s", got.Success, diff)
	}
	if step := got.Steps[3]; step.LDAP.ADSubcode != "000004DC" || !strings.Contains(step.Hint, "bind DN") {
		t.Errorf("step %+v", step)
	}
	if fct := got.Facts; fct.Vendor != "Active Directory" || fct.ServerTime == nil || fct.ServerTime.Year() != 2026 {
		t.Errorf("facts %+v", fct)
	}
	anonymous := f.auth()
	delete(anonymous, "bind_dn")
	delete(anonymous, "bind_password")
	if got = probe(t, agentEnv(), anonymous); got.Success || got.Error.Code != "ldap_1_000004dc" ||
		got.Error.Class != v1.ClassAuth {
		t.Errorf("anonymous: %+v", got.Error)
	}
}
