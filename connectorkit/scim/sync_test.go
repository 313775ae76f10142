package scim

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/scim/group"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func ptr[T any](v T) *T { return &v }

func TestScimmyIsReadWhole(t *testing.T) {
	addr := targettest.StartNode(t, "testdata/scimmy", "TOKEN="+canary, "USERS=250", "GROUPS=5", "MAX=60")
	got := mustSync(t, bearer("http://"+addr+"/scim/v2"), nil)
	// 250 users at 60 a page, five groups and one role; five groups with ten users and a chain of four, 50 auditors.
	want := "identities true 250, accounts true 250, entitlements true 6, grants true 104"
	if got.complete() != want {
		t.Errorf("scopes = %s; want %s; warnings %v", got.complete(), want, got.warns)
	}
	then := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	person := got.Identities[slices.IndexFunc(got.Identities,
		func(p v1.RemoteIdentity) bool { return *p.Username == "user11@example.test" })]
	raw := person.Attributes
	person.Attributes = nil
	id := "00000000-0000-4000-8000-000000000011"
	wantPerson := v1.RemoteIdentity{
		ExternalID:     id,
		Username:       ptr("user11@example.test"),
		Email:          ptr("user11@example.test"),
		DisplayName:    ptr("User 11"),
		FirstName:      ptr("Given11"),
		LastName:       ptr("Family11"),
		Title:          ptr("Clerk"),
		EmploymentType: ptr("Employee"),
		EmployeeNumber: ptr("1011"),
		Department:     ptr("D4"),
		CostCenter:     ptr("CC1"),
		Organization:   ptr("Example"),
		Division:       ptr("North"),
		ManagerRef: &v1.Ref{
			Kind:  v1.RefAny,
			Value: "00000000-0000-4000-8000-000000000001",
		},
		IsDisabled: ptr(false),
		ModifiedAt: &then,
		// Empty lists: the service says that there are none.
		PhoneNumbers: []v1.PhoneNumber{},
		Addresses:    []v1.Address{},
	}
	if diff := cmp.Diff(wantPerson, person); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	for name, want := range map[string]any{"name.givenName": "Given11", resource.EnterpriseUser + ":employeeNumber": "1011",
		resource.EnterpriseUser + ":manager.value": "00000000-0000-4000-8000-000000000001", "active": true} {
		if raw[name] != want {
			t.Errorf("attribute %s = %v, want %v", name, raw[name], want)
		}
	}
	account := got.Accounts[slices.IndexFunc(got.Accounts,
		func(a v1.RemoteAccount) bool { return *a.Username == "user10@example.test" })]
	account.Attributes = nil
	wantAccount := v1.RemoteAccount{
		ExternalID:         "00000000-0000-4000-8000-000000000010",
		NativeIdentity:     "user10@example.test",
		Username:           ptr("user10@example.test"),
		IdentityExternalID: ptr("00000000-0000-4000-8000-000000000010"),
		Email:              ptr("user10@example.test"),
		DisplayName:        ptr("User 10"),
		FirstName:          ptr("Given10"),
		LastName:           ptr("Family10"),
		EmployeeNumber:     ptr("1010"),
		IsDisabled:         ptr(true),
		CreatedAt:          &then,
		ModifiedAt:         &then,
	}
	if diff := cmp.Diff(wantAccount, account); diff != "" {
		t.Errorf("account (-want +got):\n%s", diff)
	}
	nested := v1.RemoteGrant{PrincipalEntitlementExternalID: ptr("g3"), EntitlementExternalID: "g4"}
	if diff := cmp.Diff(nested, got.Grants[len(got.Grants)-1]); diff != "" {
		t.Errorf("nested group (-want +got):\n%s", diff)
	}
}

func TestTwentyThousandUsersAreReadInPages(t *testing.T) {
	base := serve(t, elimity(t, 20000, 40, 250, 1000))
	began := time.Now()
	got := mustSync(t, bearer(base, "count", 1000), nil)
	want := "identities true 20000, accounts true 20000, entitlements true 40, grants true 10000"
	if got.complete() != want {
		t.Errorf("scopes = %s; want %s", got.complete(), want)
	}
	if got.most > syncrun.BatchSize+2 {
		t.Errorf("a page of %d records was emitted, want at most about %d", got.most, syncrun.BatchSize)
	}
	if n := got.last.Stats.APICalls; n != 1+20+1 {
		t.Errorf("%d requests, want 22", n)
	}
	t.Logf("20,000 users in %s", time.Since(began))
}

func TestOnlyWantedKindsAreTold(t *testing.T) {
	base := serve(t, elimity(t, 30, 3, 5, 100))
	got := mustSync(
		t,
		bearer(base),
		&v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}, FieldAllowlist: []string{"userName"}},
	)
	if got.complete() != "accounts true 30" || len(got.Identities)+len(got.Entitlements)+len(got.Grants) != 0 {
		t.Errorf("scopes = %s with %d records", got.complete(), got.Len())
	}
	if a := got.Accounts[3]; a.IdentityExternalID != nil || len(a.Attributes) != 1 ||
		a.Attributes["userName"] != "user3@example.test" {
		t.Errorf("account = %+v", a)
	}
	got = mustSync(t, bearer(base), &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Grants}})
	if got.complete() != "grants true 15" {
		t.Errorf("scopes = %s, want grants true 15", got.complete())
	}
}

// hugeGroup writes a group of n members without ever holding it.
func hugeGroup(w http.ResponseWriter, n int, idFirst bool) {
	w.Header().Set("Content-Type", "application/scim+json")
	fmt.Fprint(w, `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":1,"Resources":[`)
	writeGroup(w, n, idFirst)
	fmt.Fprint(w, `]}`)
}

func writeGroup(w http.ResponseWriter, n int, idFirst bool) {
	fmt.Fprint(w, `{`)
	if idFirst {
		fmt.Fprint(w, `"id":"big","displayName":"Everybody",`)
	}
	fmt.Fprint(w, `"members":[`)
	for i := range n {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(
			w,
			`{"value":"00000000-0000-4000-8000-%012d",`+
				`"$ref":"https://target.example.test/scim/v2/Users/00000000-0000-4000-8000-%012d","type":"User",`+
				`"display":"Somebody With A Name"}`,
			i,
			i,
		)
	}
	fmt.Fprint(w, `]`)
	if !idFirst {
		fmt.Fprint(w, `,"id":"big","displayName":"Everybody"`)
	}
	fmt.Fprint(w, `}`)
}

const noUsers = `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":0}`

func TestGroupOfTwoHundredThousandNeedsLittleMemory(t *testing.T) {
	const n = 200_000
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/Users":
			_, _ = w.Write([]byte(noUsers))
		case "/Groups":
			hugeGroup(w, n, true)
		default:
			scimError(w, 404, "", "")
		}
	}))
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	grants, peak := 0, uint64(0)
	err := connector().Sync(t.Context(), v1.SyncRequest{AuthConfig: bearer(base)},
		func(_ ctxt, p v1.SyncResponse) error {
			if grants += len(p.Grants); grants%20_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&during)
				peak = max(peak, during.HeapAlloc)
			}
			return nil
		})
	if err != nil || grants != n {
		t.Fatalf("%d grants, error %v; want %d", grants, err, n)
	}
	// What is kept is 64 bits of each member; the answer itself has 45 MB.
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 24<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

func TestGroupWhoseIDComesLastIsReadByItself(t *testing.T) {
	var asked atomic.Int32
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/Users":
			_, _ = w.Write([]byte(noUsers))
		case "/Groups":
			hugeGroup(w, group.MaxWaiting+10, false)
		case "/Groups/big":
			asked.Add(1)
			writeGroup(w, group.MaxWaiting+10, false)
		default:
			scimError(w, 404, "", "")
		}
	}))
	got := mustSync(t, bearer(base), nil)
	if len(got.Grants) != group.MaxWaiting+10 || asked.Load() != 1 || got.Grants[7].EntitlementExternalID != "big" {
		t.Errorf(
			"%d grants after %d requests for the group, want %d after 1",
			len(got.Grants),
			asked.Load(),
			group.MaxWaiting+10,
		)
	}
}

func TestMembersAreFoundWhereTheTargetHasThem(t *testing.T) {
	list := func(groups string) string {
		return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":2,"Resources":[` +
			groups + `]}`
	}
	byGet := map[string]string{
		"/Users":  noUsers,
		"/Groups": list(`{"id":"a","displayName":"A"},{"id":"b","displayName":"B"}`),
		"/Groups/a": `{"id":"a","members":[{"value":"u1","type":"User"},{"value":"u1","type":"User"},{"value":"u2"},` +
			`{"$ref":"https://x.test/v2/Groups/b"},{"$ref":"../Users/u%203"},{"value":7,"type":"user"},"u4"]}`,
		"/Groups/b": `{"id":"b","displayName":"B"}`,
	}
	wantA := []v1.RemoteGrant{
		{AccountExternalID: ptr("u1"), EntitlementExternalID: "a"},
		{PrincipalRef: &v1.Ref{Kind: v1.RefExternalID, Value: "u2"}, EntitlementExternalID: "a"},
		{PrincipalEntitlementExternalID: ptr("b"), EntitlementExternalID: "a"},
		{AccountExternalID: ptr("u 3"), EntitlementExternalID: "a"},
		{AccountExternalID: ptr("7"), EntitlementExternalID: "a"},
		{PrincipalRef: &v1.Ref{Kind: v1.RefExternalID, Value: "u4"}, EntitlementExternalID: "a"},
	}
	inline := map[string]string{
		"/Users":  noUsers,
		"/Groups": list(`{"id":"a","members":[{"value":"u1","type":"User"}]},{"id":"b"}`),
	}
	for _, tt := range []struct {
		name, strategy string
		pages          map[string]string
		want           []v1.RemoteGrant
		scopes         string
	}{
		{"auto, not in the list", settings.Auto, byGet, wantA, "identities true 0, accounts true 0, entitlements " +
			"true 2, " +
			"grants true 6"},
		{"group by group", settings.MembersByGet, byGet, wantA, "identities true 0, accounts true 0, entitlements " +
			"true 2, " +
			"grants true 6"},
		{"list only, as told", settings.MembersInline, byGet, nil, "identities true 0, accounts true 0, entitlements " +
			"true 2, " +
			"grants true 0"},
		{"auto, in the list", settings.Auto, inline, []v1.RemoteGrant{{AccountExternalID: ptr("u1"),
			EntitlementExternalID: "a"}},
			"identities true 0, accounts true 0, entitlements true 2, grants true 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := mustSync(t, bearer(serve(t, answer(tt.pages)), "member_strategy", tt.strategy), nil)
			if diff := cmp.Diff(tt.want, got.Grants); diff != "" {
				t.Errorf("grants (-want +got):\n%s", diff)
			}
			if got.complete() != tt.scopes {
				t.Errorf("scopes = %s; want %s", got.complete(), tt.scopes)
			}
		})
	}
}

func TestUnreadableRecordsAreTheReaderOfAWarning(t *testing.T) {
	users := `{"totalResults":"5","Resources":[
		{"id":"1","userName":"a","active":"False","emails":["a@x.test"],"roles":["admin",{"display":"Auditor","value":"aud","type":"app"},{"primary":true}],
		 "entitlements":[{"value":"E5","type":"License"}],"password":"hunter2-hash","urn:vendor:2.0:Ext":{"apiKey":"k","floor":12345678901234567890,"deep":{"x":1.5}}},
		"not an object", {"userName":"without id"}, null, {"id":"1","userName":"again"}]}`
	got := mustSync(t, bearer(serve(t, answer(map[string]string{"/Users": users}))), nil)
	if len(got.Identities) != 1 || !got.warned("record_skipped") || !got.warned("duplicate") ||
		!got.warned("no_groups") {
		t.Fatalf("%d identities, warnings %v", len(got.Identities), got.warns)
	}
	if strings.Contains(got.complete(), "true") {
		t.Errorf("scopes = %s, want none complete", got.complete())
	}
	p := got.Identities[0]
	if !*p.IsDisabled || *p.Email != "a@x.test" {
		t.Errorf("identity = %+v", p)
	}
	want := map[string]any{
		"id":       "1",
		"userName": "a",
		"active":   "False",
		"emails":   []any{"a@x.test"},
		"roles": []any{
			"admin",
			map[string]any{"display": "Auditor", "value": "aud", "type": "app"},
			map[string]any{"primary": true},
		},
		"roles.value":               []any{"aud"},
		"entitlements":              []any{map[string]any{"value": "E5", "type": "License"}},
		"entitlements.value":        []any{"E5"},
		"urn:vendor:2.0:Ext:floor":  "12345678901234567890",
		"urn:vendor:2.0:Ext:deep.x": 1.5,
	}
	if diff := cmp.Diff(want, p.Attributes); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	var rights []string
	for _, e := range got.Entitlements {
		rights = append(rights, e.Kind+" "+e.ExternalID)
	}
	if diff := cmp.Diff(
		[]string{"role role:admin", "role role:app:aud", "license entitlement:License:E5"},
		rights,
	); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
}
