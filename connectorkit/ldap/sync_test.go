package ldap_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// oddities are the entries that directories in the field hold and tidy test data do not.
var oddities = strings.Join([]string{
	`dn: cn=Doe\, Jane,` + ldaptest.PeopleDN + "\nobjectClass: inetOrgPerson\ncn: Doe, Jane\nsn: Doe\nuid: " +
		"jdoe\nuserPassword: hunter2-hunter2\njpegPhoto:: /9j/4AAQSkZJRgABAQEASABIAAD/AA==\n",
	ldaptest.Attr("dn", "uid=jørgen,"+ldaptest.PeopleDN) + "objectClass: inetOrgPerson\n" +
		ldaptest.Attr("uid", "jørgen") + ldaptest.Attr("cn", "Jørgen Łoś") +
		ldaptest.Attr("sn", "Łoś") + "mail: j@iga.test\nmail: jorgen@iga.test\n" +
		`manager: CN=Doe\2C Jane, OU=People, DC=iga, DC=test` + "\n",
	"dn: uid=px,ou=people," + ldaptest.Suffix + "\nobjectClass: account\nobjectClass: posixAccount\nuid: px\ncn: " +
		"Posix\nuidNumber: 1000\ngidNumber: 100\nhomeDirectory: /home/px\n",
	"dn: cn=nested,ou=groups," + ldaptest.Suffix + "\nobjectClass: groupOfNames\ncn: nested\nmember: " +
		"cn=unique,ou=groups," + ldaptest.Suffix + "\n" +
		`member: cn=doe\, jane,` + ldaptest.PeopleDN + "\n" + ldaptest.Attr("member", "uid=JØRGEN,"+ldaptest.PeopleDN),
	"dn: cn=unique,ou=groups," + ldaptest.Suffix + "\nobjectClass: groupOfUniqueNames\ncn: unique\nuniqueMember: " +
		"uid=px,ou=people," + ldaptest.Suffix + "#'0101'B\n",
	"dn: cn=posix,ou=groups," + ldaptest.Suffix + "\nobjectClass: posixGroup\ncn: posix\ngidNumber: " +
		"100\nmemberUid: px\nmemberUid: jdoe\n",
}, "\n")

func TestPeopleGroupsAndMembersAreRead(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 30, Groups: 3, PerGroup: 5, LDIF: oddities})
	got := mustRead(t, with(s, nil), nil)

	if n := []int{
		len(got.Identities), len(got.Accounts), len(got.Entitlements), len(got.Grants),
	}; !cmp.Equal(n, []int{33, 33, 6, 21}) {
		t.Fatalf("identities, accounts, entitlements, grants = %v, want 33, 33, 6, 21", n)
	}
	for _, kind := range []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants} {
		want := map[v1.ObjectKind]int{v1.Identities: 33, v1.Accounts: 33, v1.Entitlements: 6, v1.Grants: 21}[kind]
		if diff := cmp.Diff(v1.Scope{Kind: kind, Key: "*", Complete: true, Count: want}, got.scopes[kind]); diff != "" {
			t.Errorf("scope (-want +got)\n%s", diff)
		}
	}
	ids := map[string]string{} // native reference to key
	for i, a := range got.Accounts {
		p := got.Identities[i]
		if len(a.ExternalID) != 36 || a.ExternalID != p.ExternalID || *a.IdentityExternalID != p.ExternalID ||
			a.NativeRef != p.NativeRef {
			t.Errorf(
				"account %s (%s) and identity %s (%s) do not belong together", a.ExternalID, a.NativeRef, p.ExternalID,
				p.NativeRef,
			)
		}
		if p.Email != nil || p.Username != nil || p.FirstName != nil {
			t.Errorf("identity %s has named fields; the mapping fills them", p.NativeRef)
		}
		ids[a.NativeRef] = a.ExternalID
	}
	for _, e := range got.Entitlements {
		ids[e.NativeRef] = e.ExternalID
	}
	checkOddPeople(t, got, ids)
	checkOddGroups(t, got, ids)
	for _, p := range got.Identities {
		if m := p.ManagerRef; m != nil && (m.Kind != v1.RefNative || ids[m.Value] == "") {
			t.Errorf("manager %v of %s is nobody's native reference", m, p.NativeRef)
		}
	}
}

func checkOddPeople(t *testing.T, got all, ids map[string]string) {
	t.Helper()
	accounts := map[string]v1.RemoteAccount{}
	for _, a := range got.Accounts {
		accounts[a.NativeRef] = a
	}
	jane := accounts[`cn=doe\, jane,ou=people,dc=iga,dc=test`]
	if jane.Username == nil || *jane.Username != "jdoe" ||
		jane.NativeIdentity != `cn=Doe\2C Jane,ou=people,dc=iga,dc=test` {
		t.Errorf("Jane = %+v", jane)
	}
	if _, ok := jane.Attributes["userPassword"]; ok {
		t.Error("a password was read")
	}
	if diff := cmp.Diff(
		map[string]any{"$bin": "/9j/4AAQSkZJRgABAQEASABIAAD/AA=="}, jane.Attributes["jpegPhoto"],
	); diff != "" {
		t.Errorf("photo (-want +got)\n%s", diff)
	}
	if jane.CreatedAt == nil || time.Since(*jane.CreatedAt) > time.Hour || jane.IsDisabled == nil || *jane.IsDisabled {
		t.Errorf("Jane was created at %v, disabled %v", jane.CreatedAt, jane.IsDisabled)
	}
	jorgen := accounts["uid=jørgen,ou=people,dc=iga,dc=test"]
	if jorgen.DisplayName == nil || *jorgen.DisplayName != "Jørgen Łoś" || *jorgen.LastName != "Łoś" ||
		*jorgen.Email != "j@iga.test" {
		t.Errorf("Jørgen = %+v", jorgen)
	}
	if diff := cmp.Diff([]any{"j@iga.test", "jorgen@iga.test"}, jorgen.Attributes["mail"]); diff != "" {
		t.Errorf("mail (-want +got)\n%s", diff)
	}
	if at, _ := jorgen.Attributes["createTimestamp"].(string); !strings.HasSuffix(at, "Z") ||
		!strings.Contains(at, "T") {
		t.Errorf("createTimestamp = %v, want RFC 3339", jorgen.Attributes["createTimestamp"])
	}
	if ids["uid=px,ou=people,dc=iga,dc=test"] == "" {
		t.Error("a posixAccount was not read")
	}
}

func checkOddGroups(t *testing.T, got all, ids map[string]string) {
	t.Helper()
	members := map[string][]string{}
	for _, g := range got.Grants {
		members[g.EntitlementExternalID] = append(
			members[g.EntitlementExternalID], string(g.PrincipalRef.Kind)+" "+g.PrincipalRef.Value,
		)
		if g.PrincipalRef.Kind == v1.RefNative && ids[g.PrincipalRef.Value] == "" {
			t.Errorf("member %s is nobody's native reference", g.PrincipalRef.Value)
		}
	}
	for group, want := range map[string][]string{
		"nested": {
			"native cn=unique,ou=groups,dc=iga,dc=test", `native cn=doe\, jane,ou=people,dc=iga,dc=test`,
			"native uid=jørgen,ou=people,dc=iga,dc=test",
		},
		"unique": {"native uid=px,ou=people,dc=iga,dc=test"},
		"posix":  {"username px", "username jdoe"},
	} {
		id := ids["cn="+group+",ou=groups,dc=iga,dc=test"]
		if diff := cmp.Diff(want, members[id]); diff != "" {
			t.Errorf("members of %s (-want +got)\n%s", group, diff)
		}
	}
	for _, e := range got.Entitlements {
		if e.Attributes["member"] != nil || e.Attributes["memberUid"] != nil || e.Kind != "group" || e.Name == nil {
			t.Errorf("entitlement %+v", e)
		}
	}
}

func TestOnlyWhatIsAskedForIsRead(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 30, Groups: 3, PerGroup: 5, LDIF: oddities})
	got := mustRead(t, with(s, map[string]any{"user_filter": "employeeNumber=100007", "group_filter": "(cn=g00001)"}),
		&v1.SyncOptions{
			Objects: []v1.ObjectKind{v1.Accounts, v1.Grants}, FieldAllowlist: []string{"MAIL", "departmentNumber"},
		})
	if len(got.Identities)+len(got.Entitlements) > 0 || len(got.Accounts) != 1 || len(got.Grants) != 5 ||
		len(got.scopes) != 2 {
		t.Fatalf(
			"read %d identities, %d accounts, %d entitlements, %d grants, scopes %v", len(got.Identities),
			len(got.Accounts), len(got.Entitlements), len(got.Grants), got.scopes,
		)
	}
	a := got.Accounts[0]
	if diff := cmp.Diff(
		map[string]any{"mail": "u0000007@iga.test", "departmentNumber": "Radiology"}, a.Attributes,
	); diff != "" {
		t.Errorf("attributes (-want +got)\n%s", diff)
	}
	if *a.Username != "u0000007" || *a.EmployeeNumber != "100007" || a.IdentityExternalID != nil {
		t.Errorf("account %+v", a)
	}

	got = mustRead(
		t,
		with(
			s,
			map[string]any{
				"user_object_classes": []any{"posixAccount"}, "id_attribute": "uid", "username_attribute": "cn",
				"group_base_dn": ldaptest.PeopleDN,
			},
		),
		nil,
	)
	if len(got.Accounts) != 1 || got.Accounts[0].ExternalID != "px" || *got.Accounts[0].Username != "Posix" ||
		len(got.Entitlements) != 0 {
		t.Errorf("read %+v and %d groups", got.Accounts, len(got.Entitlements))
	}
	if scope := got.scopes[v1.Entitlements]; !scope.Complete || scope.Count != 0 {
		t.Errorf("scope of no groups = %+v", scope)
	}
}

func TestAnEntryWithoutKeyIsLeftOutAndProvesNothing(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3, LDIF: oddities})
	got := mustRead(
		t, with(s, map[string]any{"id_attribute": "employeeNumber"}),
		&v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}},
	)
	if len(got.Accounts) != 3 || got.scopes[v1.Accounts].Complete || !hasWarning(got.warnings, "no_key") {
		t.Errorf("read %d accounts, scope %+v, warnings %v", len(got.Accounts), got.scopes[v1.Accounts], got.warnings)
	}
}

func TestFiveThousandPeopleNeedNoMoreMemoryThanAPage(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 5000, Groups: 4, PerGroup: 4000})
	auth := with(s, map[string]any{"page_size": 100})
	var low, high uint64
	pages, records, largest := 0, 0, 0
	err := ldap.New(agentEnv()).Sync(t.Context(), v1.SyncRequest{
		AuthConfig: auth,
	}, func(_ context.Context, p v1.SyncResponse) error {
		pages, records, largest = pages+1, records+p.Len(), max(largest, p.Len())
		if stats := p.Page.Stats; !p.Page.HasMore && (stats.Pages < 51 || stats.Pages > 60) {
			t.Errorf("%d pages of the directory were read, want 51 and a few for places without people", stats.Pages)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if low == 0 || m.HeapAlloc < low {
			low = m.HeapAlloc
		}
		high = max(high, m.HeapAlloc)
		return nil
	})
	if err != nil || records != 5000*2+4+4*4000 {
		t.Fatalf("%d records, %v", records, err)
	}
	if largest > 1002 || pages < 30 {
		t.Errorf("%d pages, the largest of %d records", pages, largest)
	}
	if grown := high - low; grown > 4<<20 {
		t.Errorf("the heap grew by %d KiB during the read", grown>>10)
	}
}

func TestASizeLimitOfUnpagedSearchesDoesNotHurt(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 700, ReaderSizeLimit: 500})
	got := mustRead(t, with(s, nil), nil)
	if len(got.Accounts) != 700 || !got.scopes[v1.Accounts].Complete {
		t.Errorf("read %d accounts, scope %+v", len(got.Accounts), got.scopes[v1.Accounts])
	}
}

func TestSuccessWithNobodyIsBelievedOnlyWhereTheBaseCanBeRead(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{})
	got := mustRead(t, with(s, nil), nil)
	if diff := cmp.Diff(
		v1.Scope{Kind: v1.Identities, Key: "*", Complete: true}, got.scopes[v1.Identities],
	); diff != "" || !hasWarning(got.warnings, "empty_result") {
		t.Errorf("warnings %v, scope (-want +got)\n%s", got.warnings, diff)
	}

	// 389 Directory Server answers so where no access rule lets the login see anything.
	f := newFake(t, openLDAPRoot())
	f.asked = func(fakeSearch) bool { return true }
	got = mustRead(t, f.auth(), nil)
	for _, kind := range []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants} {
		if diff := cmp.Diff(v1.Scope{Kind: kind, Key: "*"}, got.scopes[kind]); diff != "" ||
			!hasWarning(got.warnings, "empty_result") {
			t.Errorf("warnings %v, scope of a hidden base (-want +got)\n%s", got.warnings, diff)
		}
	}
}

func TestTwoReadsEmitTheSameInTheSameOrder(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 40, Groups: 2, PerGroup: 5})
	a, b := mustRead(t, with(s, nil), nil), mustRead(t, with(s, map[string]any{"page_size": 7}), nil)
	if diff := cmp.Diff(a.SyncResponse, b.SyncResponse); diff != "" {
		t.Errorf("reads differ (-first +second)\n%s", diff)
	}
}

func TestSyncStopsWithTheErrorOfItsReceiver(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 600})
	full := fmt.Errorf("no room")
	err := ldap.New(agentEnv()).Sync(t.Context(), v1.SyncRequest{
		AuthConfig: with(s, nil),
	}, func(context.Context, v1.SyncResponse) error {
		return full
	})
	if err != full { //nolint:errorlint // It must be the very error, unwrapped.
		t.Errorf("Sync = %v, want %v", err, full)
	}
}
