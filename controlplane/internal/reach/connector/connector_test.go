package connector_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func TestAConnectorIsMadeWithDefaultsAndItsSecretNeverShowsAgain(t *testing.T) {
	h := open(t)
	a := h.want(201, h.call("admin", "POST", "/connectors", ldapPayload("Zentrale & Söhne (LDAP)")))
	path := "/connectors/" + a.body["id"].(string)
	if a.header.Get("Location") != "/api/v1"+path || a.header.Get("ETag") != `"1"` {
		t.Errorf("Location %q, ETag %q", a.header.Get("Location"), a.header.Get("ETag"))
	}
	want := object{
		"business_id":    "zentrale-sohne-ldap",
		"status":         "ready",
		"mode":           "hosted",
		"environment":    "production",
		"purpose":        "both",
		"authority_rank": 100.0,
		"funnel_state":   "bootstrapped",
		"last_test":      nil,
		"agent_id":       nil,
		"labels":         object{},
		"version":        1.0,
		"connection": object{
			"host":     "ldap.example.com",
			"port":     636.0,
			"security": "ldaps",
			"bind_dn":  "cn=reader,dc=example,dc=com",
		},
	}
	read := h.want(200, h.call("auditor", "GET", path, nil))
	for key, value := range want {
		if diff := cmp.Diff(value, read.body[key]); diff != "" {
			t.Errorf("%s: -want +got\n%s", key, diff)
		}
	}
	secrets := read.body["credentials"].(object)
	password := secrets["bind_password"].(object)
	if len(secrets) != 1 || len(password) != 2 || password["set"] != true || password["updated_at"] == nil {
		t.Errorf("credentials = %v", secrets)
	}
	if o := h.opened(path); o.Auth["bind_password"] != canary || o.Auth["host"] != "ldap.example.com" ||
		o.Target.Type != "ldap" ||
		strings.Contains(fmt.Sprintf("%v %+v %#v %s", o, o, o, o.LogValue()), canary) {
		t.Errorf("opened %v", o)
	}
	h.want(200, h.call("admin", "GET", "/connectors", nil))
	h.noCanary()
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	h := open(t)
	for _, tt := range []struct {
		name    string
		payload object
		want    map[string]string
	}{
		{"many mistakes", object{
			"name": "X", "business_id": "Not A Slug", "type": "ldap", "mode": "agent", "vendor_key": "okta",
			"connection": object{"port": 99999, "security": "maybe", "bind_password": canary, "hots": "a"},
		}, map[string]string{
			"#/business_id": "invalid", "#/agent_id": "required", "#/vendor_key": "not_allowed",
			"#/connection/host": "required",
			"#/connection/port": "out_of_range", "#/connection/security": "not_allowed",
			"#/connection/bind_password": "secret_in_connection",
			"#/connection/hots":          "unknown_key",
		}},
		{"a type that is not there yet", object{"name": "X", "type": "stdio", "vendor_key": "okta",
			"connection": object{"a": 1}},
			map[string]string{"#/type": "type_not_available"}},
		{"a secret that is missing", object{"name": "X", "type": "scim2",
			"connection": object{"base_url": "https://x.example.com", "auth_method": "bearer"}},
			map[string]string{"#/credentials/bearer_token": "required"}},
		{"a secret of the wrong type", object{"name": "X", "type": "ldap", "connection": object{"host": "a"},
			"credentials": object{"bind_password": 5}},
			map[string]string{"#/credentials/bind_password": "wrong_type"}},
		{"a password in an address", object{"name": "X", "type": "scim2",
			"connection": object{"base_url": "https://joe:" + canary + "@x.example.com", "auth_method": "none"}},
			map[string]string{"#/connection/base_url": "invalid_url"}},
		{"a token in a header that everybody can read", object{"name": "X", "type": "rest",
			"connection": object{"base_url": "https://x.example.com", "auth_method": "none",
				"headers": object{"X-Auth-Token": canary, "Accept-Language": "de"}}},
			map[string]string{"#/connection/headers/X-Auth-Token": "secret_in_connection"}},
		{"a password among the settings that everybody can read", object{"name": "X", "type": "custom",
			"connection": object{"base_url": "https://x.example.com",
				"settings": object{"region": "eu", "db_password": canary}}},
			map[string]string{"#/connection/settings/db_password": "secret_in_connection"}},
		{"a custom connector without an address",
			object{"name": "X", "type": "custom",
				"credentials": object{"secret_settings": object{"key": canary}, "signing_secret": canary}},
			map[string]string{"#/connection/base_url": "required"}},
		{"certificates unchecked in hosted mode",
			object{"name": "X", "type": "ldap", "connection": object{"host": "a", "tls_insecure_skip_verify": true}},
			map[string]string{"#/connection/tls_insecure_skip_verify": "not_allowed"}},
		{"an agent in hosted mode", object{"name": "X", "type": "ldap", "agent_group": "branch",
			"connection": object{"host": "a"}},
			map[string]string{"#/agent_group": "not_allowed"}},
		{"agent and group", object{"name": "X", "type": "ldap", "mode": "agent", "agent_id": uuid.NewString(),
			"agent_group": "g", "connection": object{"host": "a"}},
			map[string]string{"#/agent_group": "not_allowed"}},
		{"an agent nobody knows", object{"name": "X", "type": "ldap", "mode": "agent", "agent_id": uuid.NewString(),
			"connection": object{"host": "a"}},
			map[string]string{"#/agent_id": "unknown_agent"}},
		{"a group nobody is in", object{"name": "X", "type": "ldap", "mode": "agent", "agent_group": "g",
			"connection": object{"host": "a"}},
			map[string]string{"#/agent_group": "unknown_agent_group"}},
		{"a blank name", object{"name": "   ", "type": "ldap", "connection": object{"host": "a"}},
			map[string]string{"#/name": "required"}},
		{"an unknown member", object{"name": "X", "type": "ldap", "conection": object{}},
			map[string]string{"#/conection": "unknown_field"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := h.call("admin", "POST", "/connectors", tt.payload)
			if diff := cmp.Diff(tt.want, a.pointers()); a.status != 422 || diff != "" {
				t.Errorf("status %d, errors -want +got\n%s%s", a.status, diff, a.text)
			}
		})
	}
	if n := h.text(`select count(*)::text from connector`); n != "0" {
		t.Errorf("%s connectors were made", n)
	}
	h.noCanary()
}

func TestABusinessIDIsTakenUntilItsConnectorIsDeleted(t *testing.T) {
	h := open(t)
	first := ldapPayload("A")
	first["business_id"] = "hr.main_1"
	path := h.made(first)
	a := h.want(409, h.call("admin", "POST", "/connectors", first))
	if a.code() != "duplicate_business_id" {
		t.Errorf("code = %v", a.code())
	}
	h.want(201, h.call("other", "POST", "/connectors", first))
	h.want(204, h.call("admin", "DELETE", path, nil))
	h.made(first)
	if name := h.want(201, h.call("admin", "POST", "/connectors",
		ldapPayload("人事"))).body["business_id"].(string); !strings.HasPrefix(
		name,
		"ldap-",
	) {
		t.Errorf("business id of a name without letters = %q", name)
	}
}

func TestAPatchMergesSettingsAndSecrets(t *testing.T) {
	h := open(t)
	path := h.made(object{
		"name":   "HR",
		"type":   "rest",
		"labels": object{"a": "1", "b": "2"},
		"connection": object{
			"base_url":    "https://hr.example.com/api",
			"auth_method": "basic",
			"username":    "joe",
			"headers":     object{"A": "1", "B": "2"},
		},
		"credentials": object{"password": canary, "extra_headers": object{"X-Key": canary}},
	})
	a := h.want(200, h.call("admin", "PATCH", path, object{
		"description":    "the HR system",
		"labels":         object{"a": nil, "c": "3"},
		"authority_rank": 0,
		"connection": object{
			"base_url":  "https://hr.example.com/api/v2",
			"headers":   object{"A": nil, "C": "3"},
			"page_size": 10,
		},
		"credentials": object{"extra_headers": nil},
	}))
	want := object{
		"base_url":    "https://hr.example.com/api/v2",
		"auth_method": "basic",
		"username":    "joe",
		"page_size":   10.0,
		"headers":     object{"B": "2", "C": "3"},
	}
	if diff := cmp.Diff(want, a.body["connection"]); diff != "" {
		t.Errorf("connection: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(object{"b": "2", "c": "3"}, a.body["labels"]); diff != "" {
		t.Errorf("labels: -want +got\n%s", diff)
	}
	if a.body["version"] != 2.0 || a.header.Get("ETag") != `"2"` || a.body["authority_rank"] != 0.0 {
		t.Errorf("version %v, ETag %s, rank %v", a.body["version"], a.header.Get("ETag"), a.body["authority_rank"])
	}
	if o := h.opened(path); o.Auth["password"] != canary || o.Auth["extra_headers"] != nil {
		t.Errorf("the kept password was lost, or the cleared headers stayed")
	}
	h.want(200, h.call("admin", "PATCH", path, object{"credentials": object{"password": canary + "2"}}))
	if o := h.opened(path); o.Auth["password"] != canary+"2" {
		t.Error("the new password was not taken")
	}
	a = h.want(422, h.call("admin", "PATCH", path, object{"credentials": object{"password": nil}}))
	if diff := cmp.Diff(map[string]string{"#/credentials/password": "required"}, a.pointers()); diff != "" {
		t.Errorf("clearing a needed password: -want +got\n%s", diff)
	}
	changes := h.text(
		`select string_agg(c ->> 'field', ' ' order by c ->> 'field') from audit_event a,
			json_array_elements(a.event::json -> 'changes') c where a.action = 'connector.updated'`,
	)
	if changes != "authority_rank connection.base_url connection.headers connection.page_size "+
		"credentials.extra_headers credentials.password description labels" {
		t.Errorf("audited changes: %s", changes)
	}
	h.noCanary()
}

func TestAPatchThatChangesNothingIsNoChange(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	a := h.want(200, h.call("admin", "PATCH", path, object{"name": "A", "connection": object{"port": 636}}))
	if a.body["version"] != 1.0 {
		t.Errorf("version = %v", a.body["version"])
	}
}

func TestAnotherEndpointAsksForTheSecretsAgain(t *testing.T) {
	h := open(t)
	scim := h.made(object{
		"name": "S",
		"type": "scim2",
		"connection": object{
			"base_url":    "https://a.example.com/scim",
			"auth_method": "oauth2_client_credentials",
			"token_url":   "https://a.example.com/token",
			"client_id":   "me",
		},
		"credentials": object{"client_secret": canary, "extra_headers": object{"X": canary}},
	})
	ldap := h.made(ldapPayload("L"))
	for _, tt := range []struct {
		name, path string
		patch      object
		missing    map[string]string // nil: allowed
	}{
		{"another host", ldap, object{"connection": object{"host": "evil.example.com"}},
			map[string]string{"#/credentials/bind_password": "credentials_required"}},
		{"another port", ldap, object{"connection": object{"port": 1389}},
			map[string]string{"#/credentials/bind_password": "credentials_required"}},
		{"no TLS any more", ldap, object{"connection": object{"security": "none"}},
			map[string]string{"#/credentials/bind_password": "credentials_required"}},
		{"another authority", ldap, object{"connection": object{"ca_pem": "x"}},
			map[string]string{"#/credentials/bind_password": "credentials_required"}},
		{"another name in the certificate", ldap, object{"connection": object{"tls_server_name": "evil.example.com"}},
			map[string]string{"#/credentials/bind_password": "credentials_required"}},
		{"another base URL", scim, object{"connection": object{"base_url": "https://b.example.com/scim"}},
			map[string]string{"#/credentials/client_secret": "credentials_required",
				"#/credentials/extra_headers": "credentials_required"}},
		{"another token URL, with one of two secrets", scim,
			object{"connection": object{"token_url": "https://b.example.com/token"},
				"credentials": object{"client_secret": canary}},
			map[string]string{"#/credentials/extra_headers": "credentials_required"}},
		{"another path of the same host", scim,
			object{"connection": object{"base_url": "https://a.example.com/scim/v2"}}, nil},
		{"with the secrets", scim, object{"connection": object{"base_url": "https://b.example.com/scim"},
			"credentials": object{"client_secret": canary, "extra_headers": nil}}, nil},
		{"another filter", ldap, object{"connection": object{"user_filter": "(mail=*)"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := h.call("admin", "PATCH", tt.path, tt.patch)
			if tt.missing == nil {
				h.want(200, a)
				return
			}
			if diff := cmp.Diff(
				tt.missing,
				a.pointers(),
			); a.status != 422 || a.code() != "credentials_required" ||
				diff != "" {
				t.Errorf("%d %v, errors -want +got\n%s", a.status, a.code(), diff)
			}
		})
	}
	if o := h.opened(ldap); o.Auth["host"] != "ldap.example.com" || o.Auth["bind_password"] != canary {
		t.Errorf("a refused patch changed %v", o)
	}
	h.noCanary()
}

func TestTheModeAndTheAgentCanChange(t *testing.T) {
	h := open(t)
	agent := uuid.NewString()
	h.exec(`insert into agent (tenant_id, id, name, agent_group) values (current_tenant(), $1, 'one', 'branch')`, agent)
	path := h.made(ldapPayload("A"))
	for _, tt := range []struct {
		patch            object
		mode, by, byName any
	}{
		{object{"mode": "agent", "agent_id": agent}, "agent", agent, nil},
		{object{"agent_group": "branch", "agent_id": nil}, "agent", nil, "branch"},
		{object{"mode": "hosted"}, "hosted", nil, nil},
	} {
		a := h.want(422, h.call("admin", "PATCH", path, tt.patch))
		if diff := cmp.Diff(
			map[string]string{"#/credentials/bind_password": "credentials_required"},
			a.pointers(),
		); a.code() != "credentials_required" ||
			diff != "" {
			t.Errorf("%v without the secret: %v, errors -want +got\n%s", tt.patch, a.code(), diff)
		}
		tt.patch["release_credentials"] = true
		h.want(403, h.call("token", "PATCH", path, tt.patch))
		a = h.want(200, h.call("admin", "PATCH", path, tt.patch))
		if a.body["mode"] != tt.mode || a.body["agent_id"] != tt.by || a.body["agent_group"] != tt.byName {
			t.Errorf("%v gave %s", tt.patch, a.text)
		}
	}
	if n := h.text(`select count(*)::text from audit_event where action = 'connector.credentials_released'`); n != "3" {
		t.Errorf("%s releases are audited; want 3", n)
	}
	h.want(422, h.call("admin", "PATCH", path, object{"mode": "agent"}))
	h.exec(`update agent set state = 'revoked'`)
	h.want(422, h.call("admin", "PATCH", path, object{"mode": "agent", "agent_id": agent}))
}

func TestOfWritersWhoSawTheSameVersionOneWins(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	counts := map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			status := h.status("PATCH", path, fmt.Sprintf(`{"name":"N%d"}`, i), `"1"`)
			mu.Lock()
			counts[status]++
			mu.Unlock()
		})
	}
	wg.Wait()
	if counts[200] != 1 || counts[412] != 7 {
		t.Errorf("statuses: %v", counts)
	}
	h.want(412, h.call("admin", "DELETE", path, nil, "If-Match", `"1"`))
	h.want(204, h.call("admin", "DELETE", path, nil, "If-Match", `"2"`))
}

func TestADeletedConnectorIsGoneAndItsSecretErased(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	h.exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status)
			values (current_tenant(), $1, $2, 'ldap', false, 500, 'held')`,
		uuid.NewString(),
		id(path),
	)
	a := h.want(409, h.call("admin", "DELETE", path, nil))
	if a.code() != "sync_running" || a.body["run_id"] == nil {
		t.Errorf("got %s", a.text)
	}
	h.exec(`update sync_run set status = 'discarded'`)
	h.want(204, h.call("admin", "DELETE", path, nil))
	for _, method := range []string{"GET", "DELETE"} {
		h.want(404, h.call("admin", method, path, nil))
	}
	h.want(404, h.call("admin", "PATCH", path, object{"name": "B"}))
	h.want(404, h.call("admin", "POST", path+"/test", nil))
	if total := h.want(200, h.call("admin", "GET", "/connectors", nil)).body["total"]; total != 0.0 {
		t.Errorf("total = %v", total)
	}
	if left := h.text(
		`select concat(credentials is null, status, cardinality(credential_keys)) from connector`,
	); left != "tdeleted0" {
		t.Errorf("left in the row: %s", left)
	}
	if actions := h.text(
		`select string_agg(action, ' ' order by seq) from audit_event`,
	); actions != "connector.created connector.deleted" {
		t.Errorf("audited: %s", actions)
	}
}

func TestTenantsSeeTheirOwnConnectorsAlone(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	h.want(404, h.call("other", "GET", path, nil))
	h.want(404, h.call("other", "PATCH", path, object{"name": "B"}))
	h.want(404, h.call("other", "DELETE", path, nil))
	h.want(404, h.call("other", "POST", path+"/test", nil))
	h.want(404, h.call("admin", "GET", "/connectors/not-an-id", nil))
	if total := h.want(200, h.call("other", "GET", "/connectors", nil)).body["total"]; total != 0.0 {
		t.Errorf("total = %v", total)
	}
	h.exec(
		`insert into agent (tenant_id, id, name, agent_group) values (current_tenant(), $1, 'one', 'branch')`,
		uuid.NewString(),
	)
	theirs := ldapPayload("B")
	theirs["mode"], theirs["agent_group"] = "agent", "branch"
	h.want(422, h.call("other", "POST", "/connectors", theirs))
}

func TestAdministratorsWriteAuditorsReadOthersDoNeither(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	for _, tt := range []struct {
		method, path string
		body         any
		auditor      int
	}{
		{"GET", "/connectors", nil, 200}, {"GET", path, nil, 200}, {"GET", "/connectors/types", nil, 200},
		{"GET", "/connectors/types/ldap", nil, 200},
		{"GET", "/connectors/funnel", nil, 200},
		{"POST", "/connectors", ldapPayload("B"), 403}, {"PATCH", path, object{"name": "B"}, 403},
		{"DELETE", path, nil, 403},
		{"POST", path + "/test", nil, 403}, {"POST", path + "/test?stream=true", nil, 403},
		{"POST", "/connectors/test", ldapPayload("B"), 403},
	} {
		h.want(tt.auditor, h.call("auditor", tt.method, tt.path, tt.body))
		h.want(403, h.call("manager", tt.method, tt.path, tt.body))
		h.want(403, h.call("resource_owner", tt.method, tt.path, tt.body))
		h.want(401, h.call("nobody", tt.method, tt.path, tt.body))
	}
}

func TestTheListIsFilteredSortedAndWalked(t *testing.T) {
	h := open(t)
	for i, kind := range []string{"ldap", "rest", "ldap", "scim2", "ldap"} {
		p := object{
			"name":        fmt.Sprintf("C%d 100%%", i),
			"type":        kind,
			"environment": []string{"production", "staging"}[i%2],
			"connection":  object{"base_url": "https://a.example.com", "auth_method": "none"},
		}
		if kind == "ldap" {
			p["connection"] = object{"host": "a"}
		}
		h.made(p)
	}
	h.exec(`update connector set status = 'degraded' where name like 'C0%'`)
	h.exec(
		`update connector set status = 'active',
			last_success_at = now() - make_interval(hours => 5 - substr(name, 2, 1)::int) where name like 'C3%'
			or name like 'C4%'`,
	)
	for query, want := range map[string]string{
		"": "01234", "?sort=-created_at": "43210", "?type=ldap": "024", "?environment=staging": "13", "?q=c3": "3",
		"?q=%25": "01234", "?q=_": "",
		"?status=active": "34", "?status=active,degraded": "034", "?mode=hosted&type=rest": "1",
		"?limit=2&offset=3": "34",
		"?sort=name":        "01234", "?sort=-name": "43210", "?sort=-last_success_at": "43210",
		"?sort=last_success_at": "01234",
	} {
		if got := h.names("/connectors" + query); got != want {
			t.Errorf("%s = %q; want %q", query, got, want)
		}
	}
	for sort, want := range map[string]string{"-created_at": "43210", "name": "01234", "-name": "43210",
		"last_success_at": "01234", "-last_success_at": "43210"} {
		var walked, cursor string
		for range 5 {
			a := h.want(200, h.call("admin", "GET", "/connectors?limit=2&sort="+sort+cursor, nil))
			walked += names(a)
			next, _ := a.body["next_cursor"].(string)
			if next == "" {
				break
			}
			cursor = "&cursor=" + next
		}
		if walked != want {
			t.Errorf("walked by %s: %s; want %s", sort, walked, want)
		}
	}
	h.want(400, h.call("admin", "GET", "/connectors?sort=type", nil))
	h.want(400, h.call("admin", "GET", "/connectors?status=active,unknown", nil))
}

func TestTheTypesTellWhichSettingsAreSecret(t *testing.T) {
	h := open(t)
	a := h.want(200, h.call("admin", "GET", "/connectors/types", nil))
	if a.body["total"] != 16.0 {
		t.Errorf("total = %v", a.body["total"])
	}
	for _, f := range h.want(200, h.call("admin", "GET", "/connectors/types/custom", nil)).body["fields"].([]any) {
		key, secret := f.(object)["key"], f.(object)["secret"] == true
		if want := key == "secret_settings" || key == "signing_secret" ||
			key == "bearer_token"; secret != want &&
			(want || key == "settings" || key == "base_url") {
			t.Errorf("custom: %s is secret: %v", key, secret)
		}
	}
	ldap := h.want(200, h.call("admin", "GET", "/connectors/types/ldap", nil))
	secret := map[any]any{}
	for _, f := range ldap.body["fields"].([]any) {
		secret[f.(object)["key"]] = f.(object)["secret"]
	}
	if secret["bind_password"] != true || secret["host"] != false ||
		ldap.body["capabilities"].(object)["read_accounts"] != true {
		t.Errorf("got %s", ldap.text)
	}
	h.want(404, h.call("admin", "GET", "/connectors/types/vendor", nil))
}
