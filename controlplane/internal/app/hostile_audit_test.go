package app_test

import (
	"strings"
	"testing"
	"time"
)

// TestWhatIsRefusedAndMattersIsInTheLog does what somebody must be able to find afterwards, and finds it: by whom, with
// what outcome, and without any of the secrets that were part of it.
func TestWhatIsRefusedAndMattersIsInTheLog(t *testing.T) {
	r := newRaid(t)
	const wrong = "CANARY-wrong-password"
	in := r.as("", "POST", "/auth/login", map[string]any{"email": "a@acme.test", "password": password}).
		is(t, "sign in", 200, "")
	refresh := in.text("refresh_token")
	_, fenced := r.integration("admin", []string{"identities:read"}, "allowed_cidrs", []string{"10.9.8.0/24"})
	acme, path := r.tenant.Tenant, "/api/v1/identities"
	secrets := []string{password, wrong, refresh, r.token, r.operator, fenced, "CANARY-key"}
	for _, tt := range []struct {
		name    string
		do      func() received
		status  int
		tenant  string
		action  string
		outcome string
	}{
		{"a wrong password", func() received {
			return r.send("POST", "/api/v1/auth/login", "", `{"email":"a@acme.test","password":"`+wrong+`"}`)
		}, 401, acme, "auth.login", "failure"},
		{"a refresh token that was used before", func() received {
			r.send("POST", "/api/v1/auth/refresh", refresh, "").want(t, "the first time", 200, "")
			used := time.Now().Add(time.Minute)
			for got := (received{status: 200}); got.status == 200 &&
				time.Now().Before(used); time.Sleep(500 * time.Millisecond) {
				if got = r.send("POST", "/api/v1/auth/refresh", refresh, ""); got.status != 200 {
					return got // two uses within a moment may be one whose answer was lost
				}
			}
			return received{}
		}, 401, acme, "auth.refresh_reuse_detected", "denied"},
		{"somebody who names another tenant",
			func() received { return r.send("GET", path, r.token, "", "X-Tenant-Id", r.home) }, 403, acme,
			"tenant.cross_access", "denied"},
		{"a token at another tenant's address",
			func() received { return r.send("GET", path, r.token, "", "Host", "main.iga.example.com") }, 401, acme,
			"auth.wrong_address", "denied"},
		{"a service token from elsewhere", func() received { return r.send("GET", path, fenced, "") }, 403, acme,
			"api_token.refused", "denied"},
		{"an operator's visit, seen at home",
			func() received { return r.send("GET", path, r.operator, "", "X-Tenant-Id", acme) }, 200, r.home,
			"tenant.cross_access", "success"},
		{"an operator's visit, seen by the visited",
			func() received { return r.send("GET", path, r.operator, "", "X-Tenant-Id", acme) }, 200, acme,
			"tenant.cross_access", "success"},
		{"a connection tried with a key", func() received {
			return r.send("POST", "/api/v1/connectors/test", r.token,
				`{"type":"scim2","connection":{"base_url":"https://127.0.0.1:9"},"credentials":{"bearer_token":"CANARY-key"}}`)
		}, 200, acme, "connector.tested", "failure"},
	} {
		before := len(r.entries(tt.tenant, tt.action))
		if got := tt.do(); got.status != tt.status {
			t.Errorf("%s = %d %s; want %d", tt.name, got.status, got.raw, tt.status)
		}
		var found []string
		for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if found = r.entries(tt.tenant, tt.action); len(found) > before {
				break
			}
		}
		if len(found) <= before {
			t.Errorf("%s left no %s in the log", tt.name, tt.action)
			continue
		}
		for _, entry := range found[before:] {
			if !strings.HasPrefix(entry, tt.outcome+" ") {
				t.Errorf("%s is in the log as %.300s; want %s", tt.name, entry, tt.outcome)
			}
			for _, secret := range secrets {
				if secret != "" && strings.Contains(entry, secret) {
					t.Errorf("%s: the log holds a secret: %s", tt.name, entry)
				}
			}
		}
	}
}

// entries are a tenant's entries of an action: the outcome, and all of it.
func (r *raid) entries(tenant, action string) (all []string) {
	before := r.site.tenant.Tenant
	r.site.tenant.Tenant = tenant
	defer func() { r.site.tenant.Tenant = before }()
	return r.told(
		`select outcome || ' ' || to_jsonb(e)::text || ' ' || e.event from audit_event e where action = $1
			order by seq`,
		action,
	)
}
