package rest

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestWithoutStreamsTheListOfPeopleIsFound(t *testing.T) {
	base := answers(t, map[string]string{
		"/api/staff": `{"meta":{"values":[9]},"response":{"Employees":[
			{"employeeId":7,"login":"jane","mail":"jane@x.test","displayName":"Jane D","active":false,"dept":{"code":"D1","tags":["a","b"]},"hired":"2020-01-02","salary":12.50,"big":9007199254740993},
			{"employeeId":"e8","login":"bob","status":"Suspended","manager":null},
			{"nickname":"nobody"}]},"next":"/api/staff/2"}`,
		"/api/staff/2": `{"Employees":[{"employeeId":"e9","enabled":"yes"}],"next":"page two"}`,
	})
	out := mustRead(t, settings(base+"/api", "", "probe_path", "staff"))
	if got := ids(out.Accounts, accountID); got != "7 e8 e9" {
		t.Fatalf("accounts = %s", got)
	}
	jane := out.Accounts[0]
	want := `{"external_id":"7","identity_external_id":"7","username":"jane","email":"jane@x.test",` +
		`"display_name":"Jane D","is_disabled":true,` +
		`"attributes":{"active":false,"big":"9007199254740993","dept.code":"D1","dept.tags":["a","b"],` +
		`"displayName":"Jane D","employeeId":7,"hired":"2020-01-02","login":"jane","mail":"jane@x.test","salary":12.5}}`
	if got := asJSON(t, jane); got != want {
		t.Errorf("account =\n%s\nwant\n%s", got, want)
	}
	want = `{"external_id":"e8","attributes":{"employeeId":"e8","login":"bob","manager":null,"status":"Suspended"}}`
	if got := asJSON(t, out.Identities[1]); got != want {
		t.Errorf("identity =\n%s\nwant named members left to the mapping:\n%s", got, want)
	}
	if a := out.Accounts[1]; a.IsDisabled == nil || !*a.IsDisabled {
		t.Errorf("a suspended account is not disabled: %s", asJSON(t, a))
	}
	if a := out.Accounts[2]; a.IsDisabled == nil || *a.IsDisabled {
		t.Errorf("an enabled account is disabled: %s", asJSON(t, a))
	}
	if !warned(out, "record_without_key") || out.Page.Stats.Skipped != 1 {
		t.Errorf("the record without key: warnings %v, stats %+v", out.Page.Warnings, out.Page.Stats)
	}
	if got := scopeOf(out, v1.Identities); got != `{"kind":"identities","key":"*","complete":false,"count":3}` {
		t.Errorf("scope = %s; want it incomplete, since somebody could not be told apart", got)
	}
}

func TestFieldsFillTheRowsOfBothKinds(t *testing.T) {
	base := answers(t, map[string]string{"/people": `{"people":[
		{"pk":{"n":1},"ref":"uid=a","mail":"a@x.test","boss":"2","working":"no","start":"2021-03-04T23:30:00-05:00","seen":1700000000,"roles":[{"code":"r1","label":"Role 1"},{"code":"r2"}],"prefs":[1,2]},
		{"pk":{"n":2},"working":true,"roles":[{"code":"r1"}],"seen":"never"}]}`})
	out := mustRead(
		t,
		settings(
			base,
			`[{"name":"people","object":"user","request":{"path":"/people"},"record_selector":"people","key_path":"pk.n","native_ref_path":"ref",
		"fields":{"email":"mail","manager":"boss","is_disabled":"!working","hire_date":"start","last_login_at":"seen","attributes.first":"prefs[0]"},
		"explode":{"path":"roles","as":"both","key_path":"code","name_path":"label","entitlement_kind":"role"}}]`,
		),
	)
	wantIdentity := `{"external_id":"1","native_ref":"uid=a","email":"a@x.test","manager_ref":{"kind":"any",` +
		`"value":"2"},"hire_date":"2021-03-04","is_disabled":true,` +
		`"attributes":{"boss":"2","first":1,"mail":"a@x.test","pk.n":1,"prefs":[1,2],"ref":"uid=a",` +
		`"roles":[{"code":"r1","label":"Role 1"},{"code":"r2"}],"seen":1700000000,` +
		`"start":"2021-03-04T23:30:00-05:00","working":"no"}}`
	if got := asJSON(t, out.Identities[0]); got != wantIdentity {
		t.Errorf("identity =\n%s\nwant\n%s", got, wantIdentity)
	}
	if a := out.Accounts[0]; a.LastLoginAt == nil || a.LastLoginAt.Format("2006-01-02") != "2023-11-14" ||
		*a.Email != "a@x.test" {
		t.Errorf("account = %s", asJSON(t, a))
	}
	if !warned(out, "unreadable_field") || out.Accounts[1].LastLoginAt != nil || *out.Identities[1].IsDisabled {
		t.Errorf("the second account = %s, warnings %v", asJSON(t, out.Accounts[1]), out.Page.Warnings)
	}
	if got := ids(out.Grants, grantID); got != "1>r1 1>r2 2>r1" {
		t.Errorf("grants = %s", got)
	}
	if got := ids(
		out.Entitlements,
		func(e v1.RemoteEntitlement) string { return e.Kind + ":" + e.ExternalID + "=" + *e.Name },
	); got != "role:r1=Role 1 role:r2=r2" {
		t.Errorf("entitlements = %s", got)
	}
	for _, kind := range stream.AllKinds {
		if !strings.Contains(scopeOf(out, kind), `"complete":true`) {
			t.Errorf("scope of %s = %s, want complete", kind, scopeOf(out, kind))
		}
	}
}

func TestPhoneNumbersAndAddressesAreLists(t *testing.T) {
	base := answers(
		t,
		map[string]string{"/people": `[{"id":1,"tel":["+1 555 1",{"x":1},5552],"home":"1 Main St"},{"id":2}]`},
	)
	out := mustRead(t, settings(base, `[{"name":"people","object":"user","request":{"path":"people"},
		"fields":{"phone_numbers":"tel","addresses":"home","email":"mail"}}]`))
	if got := asJSON(t, out.Identities[0].PhoneNumbers); got != `[{"value":"+1 555 1"},{"value":"5552"}]` {
		t.Errorf("phone numbers %s", got)
	}
	if got := asJSON(t, out.Identities[0].Addresses); got != `[{"formatted":"1 Main St"}]` {
		t.Errorf("addresses %s", got)
	}
	if none := out.Identities[1]; none.PhoneNumbers == nil || none.Addresses == nil ||
		len(none.PhoneNumbers)+len(none.Addresses) != 0 {
		t.Errorf("of somebody without any: %v, %v; want empty lists", none.PhoneNumbers, none.Addresses)
	}
}

func TestPlainRolesBecomeGrantsAndEntitlements(t *testing.T) {
	base := answers(t, map[string]string{
		"/u": `[{"id":1,"roles":["admin","dev"]},{"id":2,"roles":"dev"},{"id":3,"roles":null},{"id":4}]`,
		"/g": `[{"id":"g1","name":"Group 1","members":[1,2],"nested":["g2"]},{"id":"g2","members":[{"value":3}]}]`,
	})
	out := mustRead(t, settings(base, `[
		{"name":"u","object":"account","request":{"path":"u"},"explode":{"path":"roles"}},
		{"name":"g","object":"entitlement","request":{"path":"g"},"entitlement_kind":"group","explode":[{"path":"members","as":"grant"},{"path":"nested","as":"grants","principal":"entitlement"}]}]`))
	if got := ids(out.Grants, grantID); got != "1>admin 1>dev 2>dev 1>g1 2>g1 group:g2>g1 3>g2" {
		t.Errorf("grants = %s", got)
	}
	if got := ids(
		out.Entitlements,
		func(e v1.RemoteEntitlement) string { return e.Kind + ":" + e.ExternalID },
	); got != ":admin :dev group:g1 group:g2" {
		t.Errorf("entitlements = %s", got)
	}
}

func TestOnlyTheKindsAskedForAreEmitted(t *testing.T) {
	base := answers(t, map[string]string{"/u": `[{"id":1,"a":{"b":1,"c":2},"d":3,"roles":["x"]}]`})
	auth := settings(
		base,
		`[{"name":"u","object":"user","request":{"path":"u"},"explode":{"path":"roles"}},{"name":"broken",`+
			`"object":"entitlement","request":{"path":"nowhere"}}]`,
	)
	out, err := syncOnce(newConnector(), v1.SyncRequest{AuthConfig: auth, Options: &v1.SyncOptions{
		Objects: []v1.ObjectKind{v1.Accounts, v1.Grants}, FieldAllowlist: []string{"a", "roles"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Identities) != 0 || len(out.Entitlements) != 0 || len(out.Accounts) != 1 || len(out.Grants) != 1 {
		t.Errorf("rows = %s", asJSON(t, out))
	}
	if got := asJSON(t, out.Accounts[0].Attributes); got != `{"a.b":1,"a.c":2,"roles":["x"]}` {
		t.Errorf("attributes = %s", got)
	}
	if len(out.Page.Scopes) != 2 {
		t.Errorf("scopes = %v, want those of accounts and grants", out.Page.Scopes)
	}
}

func TestASuspendedPersonsAccountIsDisabledWhereNothingElseSaysSo(t *testing.T) {
	base := answers(
		t,
		map[string]string{
			"/people": `[{"id":"1","state":"SUSPENDED"},{"id":"2","state":"Active"},{"id":"3","state":"elsewhere"},` +
				`{"id":"4","state":"LOCKED_OUT"}]`,
		},
	)
	read := func(fields string) string {
		got := ""
		for _, a := range mustRead(t, settings(base,
			`[{"name":"p","object":"user","key_path":"id","record_selector":"$","request":{"path":"people"},`+
				`"fields":`+fields+`}]`)).Accounts {
			got += a.ExternalID + ":" + asJSON(t, a.IsDisabled) + " "
		}
		return got
	}
	if got, want := read(`{"status":"state"}`), "1:true 2:false 3:null 4:true "; got != want {
		t.Errorf("by their status the accounts are disabled %s; want %s", got, want)
	}
	if got, want := read(`{"title":"state"}`), "1:null 2:null 3:null 4:null "; got != want {
		t.Errorf("where no field tells the status the accounts are disabled %s; want %s", got, want)
	}
}
