package app_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
)

// closedHosts must never be reached for a tenant: by their number, in any spelling, or behind a name of hostileNames.
var closedHosts = []string{
	"0.0.0.0",
	"0.1.2.3",
	"10.0.0.1",
	"100.64.0.1",
	"100.100.100.200",
	"127.0.0.1",
	"127.255.255.254",
	"169.254.169.254",
	"169.254.170.2",
	"168.63.129.16",
	"172.16.0.1",
	"192.0.0.192",
	"192.0.2.1",
	"192.31.196.1",
	"192.52.193.1",
	"192.88.99.1",
	"192.168.0.1",
	"192.175.48.1",
	"198.18.0.1",
	"198.51.100.1",
	"203.0.113.1",
	"224.0.0.1",
	"240.0.0.1",
	"255.255.255.255",
	"[::]",
	"[::1]",
	"[::127.0.0.1]",
	"[::ffff:127.0.0.1]",
	"[64:ff9b::7f00:1]",
	"[64:ff9b:1::1]",
	"[100::1]",
	"[2001::1]",
	"[2001:db8::1]",
	"[2002:7f00:1::1]",
	"[3fff::1]",
	"[5f00::1]",
	"[fc00::1]",
	"[fd00:ec2::254]",
	"[fe80::1]",
	"[fec0::1]",
	"[ff02::1]",
	"[::1%25lo]",
	"0x7f.1",
	"2130706433",
	"017700000001",
	"127.1",
	"①②⑦.0.0.1",
	"LOCALHOST.",
	"localhost",
	"a@127.0.0.1",
	"a:b@127.0.0.1",
	"127.0.0.1%00.example.com",
	"127.0.0.1\\.example.com",
	"metadata.google.internal",
	"inner.hostile.test",
	"two.hostile.test",
	"six.hostile.test",
	"chain.hostile.test",
	"mapped.hostile.test",
	strings.Repeat("a", 3<<10) + ".test",
}

var hostileNames = map[string][]string{
	"metadata.google.internal": {
		"169.254.169.254",
	},
	"inner.hostile.test": {"127.0.0.1"},
	"two.hostile.test":   {"8.8.8.8", "127.0.0.1"},
	"six.hostile.test":   {"8.8.8.8", "::1"},
	"chain.hostile.test": {
		"inner.hostile.test",
	},
	"mapped.hostile.test": {"64:ff9b::7f00:1"},
	"public.hostile.test": {"8.8.8.8"},
	"opened.hostile.test": {"127.0.0.2"},
}

// odd forms are of no use to anybody honest, wherever they lead.
var oddForms = []string{
	"hTTps://public.hostile.test/",
	"file:///etc/passwd",
	"gopher://public.hostile.test/",
	"ldap://public.hostile.test/",
	"//public.hostile.test/",
	"https:public.hostile.test",
	"https:///x",
	"https://public.hostile.test/#x",
	"https://public.hostile.test:22/",
	"https://public.hostile.test:0/",
	"https://public.hostile.test:99999/",
	"https://public.hostile.test/\t",
	" https://public.hostile.test/",
	"https://public.hostile.test\\@127.0.0.1/",
	"http://public.hostile.test/",
	"https://" + strings.Repeat("a", 3<<10) + "/",
	"",
}

// besieged is a site that lets tenants out to 127.0.0.2 and nowhere else on this machine, with something listening at
// the rest.
type besieged struct {
	*site
	names  *nameServer
	port   string // of the sentinel
	visits *atomic.Int64
	opened *httptest.Server // at 127.0.0.2: what the operator lets tenants reach
	asked  atomic.Int64
}

func besiege(t *testing.T) *besieged {
	t.Helper()
	b := &besieged{site: newSiteWith(t, func(c *config.Config) { c.EgressCIDRs = []string{"127.0.0.2/32"} })}
	b.run(`update tenant set limits = '{"rps":10000,"burst":100000}'`)
	b.names = newNameServer(t, hostileNames)
	b.port, b.visits = sentinel(t)
	b.opened = httptest.NewUnstartedServer(http.HandlerFunc(b.mislead))
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = b.opened.Listener.Close()
	b.opened.Listener = l
	b.opened.Start()
	t.Cleanup(b.opened.Close)
	return b
}

// mislead leads whoever calls it to the sentinel, in every way that there is.
func (b *besieged) mislead(w http.ResponseWriter, r *http.Request) {
	b.asked.Add(1)
	inner := "http://127.0.0.1:" + b.port
	switch {
	case strings.HasPrefix(r.URL.Path, "/pages"):
		w.Header().Set("Link", `<`+inner+`/pages?2>; rel="next"`)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"value":[{"id":"1","name":"a","email":"a@x.test"}],"next":"%s/pages?2"}`, inner)
	case strings.HasSuffix(r.URL.Path, "/.well-known/openid-configuration") &&
		!strings.HasPrefix(r.URL.Path, "/redirect"):
		issuer := "http://" + r.Host + strings.TrimSuffix(r.URL.Path, "/.well-known/openid-configuration")
		token := inner + "/token"
		if strings.HasPrefix(r.URL.Path, "/keys") {
			token = "http://" + r.Host + "/token"
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(
			w,
			`{"issuer":%q,"authorization_endpoint":"https://public.hostile.test/a","token_endpoint":%q,"jwks_uri":"%s/jwks","userinfo_endpoint":"%s/u",
			"response_types_supported":["code"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"]}`,
			issuer,
			token,
			inner,
			inner,
		)
	case r.URL.Path == "/token":
		w.Header().Set("Content-Type", "application/json")
		// {"alg":"RS256","kid":"1"} and {"iss":…} of the issuer /keys, with a signature of nothing: the keys must be
		// fetched to know.
		fmt.Fprintf(w, `{"access_token":"x","token_type":"Bearer","id_token":%q}`, unsigned("http://"+r.Host+"/keys"))
	default:
		w.Header().Set("Refresh", "0; url="+inner+"/")
		http.Redirect(w, r, inner+"/inner", http.StatusTemporaryRedirect)
	}
}

// quiet ends a part of the test: nobody may have come, and nothing of the inside be told.
func (b *besieged) quiet(t *testing.T, what string, told ...string) {
	t.Helper()
	if n := b.visits.Swap(0); n != 0 {
		t.Errorf("%s: %d connections reached the inside", what, n)
	}
	for _, text := range told {
		if strings.Contains(text, "CANARY-inner") {
			t.Errorf("%s: the inside's answer is told: %.300s", what, text)
		}
	}
}

// saves are the operations by which a tenant says where to call, with the address as <url>.
func (b *besieged) saves() []struct{ name, method, path, body, pointer string } {
	at := func(path string, body map[string]any) string {
		return path + "/" + b.call("POST", path, body, 201)["id"].(string)
	}
	public := "https://public.hostile.test/"
	hook := at(
		"/settings/webhooks",
		map[string]any{"name": "h", "url": public, "events": []string{"identity.created"}, "enabled": false},
	)
	stream := at(
		"/settings/audit-streams",
		map[string]any{"name": "s", "kind": "https", "url": public, "enabled": false},
	)
	provider := at(
		"/settings/identity-providers",
		map[string]any{"name": "p", "issuer": "https://public.hostile.test", "client_id": "c", "enabled": false},
	)
	connector := at(
		"/connectors",
		map[string]any{
			"name":        "C",
			"type":        "scim2",
			"connection":  map[string]any{"base_url": b.opened.URL},
			"credentials": map[string]any{"bearer_token": "CANARY-x"},
		},
	)
	return []struct{ name, method, path, body, pointer string }{
		{
			"a new webhook",
			"POST",
			"/settings/webhooks",
			`{"name":"n","url":"<url>","events":["identity.created"]}`,
			"#/url",
		},
		{"a webhook's change", "PATCH", hook, `{"url":"<url>"}`, "#/url"},
		{"a new stream", "POST", "/settings/audit-streams", `{"name":"n","kind":"https","url":"<url>"}`, "#/url"},
		{"a stream's change", "PATCH", stream, `{"url":"<url>"}`, "#/url"},
		{
			"a new provider",
			"POST",
			"/settings/identity-providers",
			`{"name":"n","issuer":"<url>","client_id":"c"}`,
			"#/issuer",
		},
		{"a provider's change", "PATCH", provider, `{"issuer":"<url>"}`, "#/issuer"},
		{"a sync's callback", "POST", connector + "/sync", `{"callback_url":"<url>"}`, "#/callback_url"},
	}
}

func TestNoClosedAddressIsSaved(t *testing.T) {
	b := besiege(t)
	for _, save := range b.saves() {
		for _, address := range b.addresses() {
			if address == "" && save.pointer == "#/callback_url" {
				continue // none is asked for
			}
			got := b.as(b.token, save.method, save.path, strings.Replace(save.body, `"<url>"`, quoted(address), 1))
			if got.status != 422 ||
				got.text("code") != "destination_not_allowed" && got.text("code") != "validation_failed" {
				t.Errorf(
					"%s to %.80q = %d %s; want 422 destination_not_allowed (%.200s)",
					save.name,
					address,
					got.status,
					got.text("code"),
					got.raw,
				)
			}
			if got.at() != save.pointer {
				t.Errorf("%s to %.80q is wrong at %q; want %q", save.name, address, got.at(), save.pointer)
			}
			for _, inner := range []string{"127.0.0.1", "169.254.169.254", "8.8.8.8", "::1"} {
				if strings.Contains(got.raw, inner) && !strings.Contains(address, inner) {
					t.Errorf("%s to %.80q tells what the name resolved to: %s", save.name, address, got.raw)
				}
			}
		}
		b.quiet(t, save.name)
	}
	for _, address := range append(b.hosts("tls://%s:6514"), "tcp://public.hostile.test:6514",
		"udp://public.hostile.test:514", "unix:///run/x", "tls://public.hostile.test",
		"tls://public.hostile.test:6514/x", "tls://a@public.hostile.test:6514", "tls://public.hostile.test:5432",
		"tls://public.hostile.test:22") {
		got := b.as(
			b.token,
			"POST",
			"/settings/audit-streams",
			`{"name":"n","kind":"syslog","url":`+quoted(address)+`}`,
		)
		wanted := address == "tls://public.hostile.test:5432" // a port that any service may have
		if !wanted && (got.status != 422 || got.at() != "#/url") || wanted && got.status != 201 {
			t.Errorf("syslog to %.80q = %d %s (%.300s)", address, got.status, got.text("code"), got.raw)
		}
	}
	b.quiet(t, "syslog")
}

func quoted(address string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, "\t", `\t`).Replace(address) + `"`
}

func (b *besieged) hosts(form string) (all []string) {
	for _, host := range closedHosts {
		all = append(all, fmt.Sprintf(form, host))
	}
	return all
}

func (b *besieged) addresses() []string {
	return append(append(b.hosts("https://%s/"), b.hosts("http://%s:"+b.port+"/x")...), oddForms...)
}

func TestNoConnectorReachesAClosedAddress(t *testing.T) {
	b := besiege(t)
	scim := `{"type":"scim2","connection":{"base_url":"https://<host>:` + b.port +
		`"},"credentials":{"bearer_token":"CANARY-x"}}`
	for _, tt := range []struct{ name, body string }{
		{"scim", scim},
		{"rest", `{"type":"rest","connection":{"base_url":"https://<host>:` + b.port +
			`","auth_method":"none","streams":[{"name":"u","object":"user","request":{"path":"/u"}}]}}`},
		{"custom", `{"type":"custom","connection":{"base_url":"https://<host>:` + b.port +
			`"},"credentials":{"bearer_token":"CANARY-x"}}`},
		{"token endpoint", `{"type":"scim2","connection":{"base_url":"` + b.opened.URL +
			`","auth_method":"oauth2_client_credentials","client_id":"c","token_url":"https://<host>:` + b.port +
			`/t"},"credentials":{"client_secret":"CANARY-x"}}`},
		{"ldap", `{"type":"ldap","connection":{"host":"<bare>","port":` + b.port +
			`,"security":"ldaps","base_dn":"dc=x","bind_dn":"cn=x"},"credentials":{"bind_password":"CANARY-x"}}`},
	} {
		b.inTenant(strings.ReplaceAll(tt.name, " ", "-"), func() {
			for _, host := range closedHosts {
				bare := strings.NewReplacer("[", "", "]", "", "%25", "%").Replace(host)
				body := strings.NewReplacer("<host>", strings.ReplaceAll(host, `\`, `\\`), "<bare>",
					strings.ReplaceAll(bare, `\`, `\\`)).
					Replace(tt.body)
				got := b.as(b.token, "POST", "/connectors/test", body)
				failed := got.body["success"] == false
				reason, _ := got.body["error"].(map[string]any)
				code := fmt.Sprint(reason["code"])
				if got.status != 422 && (got.status != 200 || !failed || !refusal(code)) {
					t.Errorf(
						"%s at %.80q = %d %v %s; want a refusal",
						tt.name,
						host,
						got.status,
						got.body["success"],
						code,
					)
				}
				for _, inner := range []string{"127.0.0.1", "169.254.169.254", "8.8.8.8"} {
					if strings.Contains(got.raw, inner) && !strings.Contains(host, inner) {
						t.Errorf("%s at %.80q tells what the name resolved to: %.600s", tt.name, host, got.raw)
					}
				}
				b.quiet(t, tt.name+" at "+host[:min(len(host), 40)], got.raw)
			}
		})
	}
}

// refusal reports whether a connection failed before it was made: by the guard, by how the address is written, or for
// want of one.
func refusal(code string) bool {
	return slices.Contains(
		[]string{"destination_not_allowed", "invalid_url", "invalid_settings", "dns_not_found"},
		code,
	)
}

// inTenant does something in a tenant of its own: each may try only so many connections a minute.
func (b *besieged) inTenant(slug string, do func()) {
	e := &estate{site: b.site}
	r := &raid{estate: e}
	r.found(slug)
	before := b.token
	b.token = e.signIn("a@" + slug + ".test")
	do()
	b.token = before
}

func TestNobodyIsLedInside(t *testing.T) {
	b := besiege(t)
	redirect := b.opened.URL + "/redirect"
	made := func(path string, body map[string]any) string {
		return path + "/" + b.call("POST", path, body, 201)["id"].(string)
	}
	for _, tt := range []struct {
		name, path string
	}{
		{"webhook", made("/settings/webhooks",
			map[string]any{"name": "h", "url": redirect, "events": []string{"identity.created"}, "enabled": false})},
		{"stream", made("/settings/audit-streams",
			map[string]any{"name": "s", "kind": "https", "url": redirect, "enabled": false})},
		{"scim", made("/connectors", map[string]any{"name": "S", "type": "scim2",
			"connection":  map[string]any{"base_url": redirect},
			"credentials": map[string]any{"bearer_token": "CANARY-x"}})},
		{"custom", made("/connectors", map[string]any{"name": "U", "type": "custom",
			"connection":  map[string]any{"base_url": redirect},
			"credentials": map[string]any{"bearer_token": "CANARY-x"}})},
		{"token endpoint", made("/connectors",
			map[string]any{"name": "T", "type": "scim2",
				"connection": map[string]any{"base_url": redirect, "auth_method": "oauth2_client_credentials",
					"client_id": "c",
					"token_url": redirect}, "credentials": map[string]any{"client_secret": "CANARY-x"}})},
	} {
		asked := b.asked.Load()
		got := b.as(b.token, "POST", tt.path+"/test", nil).is(t, tt.name, 200, "")
		if b.asked.Load() == asked {
			t.Errorf("%s: the opened address was not asked", tt.name)
		}
		if got.body["success"] == true || got.body["ok"] == true {
			t.Errorf("%s: a redirect is a success: %s", tt.name, got.raw)
		}
		b.quiet(t, tt.name+" by a redirect", got.raw)
	}
	for _, style := range []map[string]any{{"style": "link_header"}, {"style": "next_url", "next_url_path": "next"}} {
		body := map[string]any{
			"name": fmt.Sprint(style),
			"type": "rest",
			"connection": map[string]any{"base_url": b.opened.URL, "auth_method": "none", "streams": []any{
				map[string]any{
					"name":       "u",
					"object":     "user",
					"request":    map[string]any{"path": "/pages"},
					"pagination": style,
				},
			}},
		}
		got := b.finished(b.call("POST", "/connectors", body, 201)["id"].(string), `{}`)
		if got.text("status") == "succeeded" {
			t.Errorf("%v: a run by way of the inside succeeded: %s", style, got.raw)
		}
		b.quiet(t, fmt.Sprint(style), got.raw)
	}
	b.signInsAreNotLedInside(t)
}

// finished runs a connector and waits for the end.
func (b *besieged) finished(connector, trigger string) (got reply) {
	b.t.Helper()
	run := b.as(b.token, "POST", "/connectors/"+connector+"/sync", trigger).is(b.t, "a sync", 202, "").text("run_id")
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		got = b.as(b.token, "GET", "/connectors/"+connector+"/sync-runs/"+run, nil)
		switch got.text("status") {
		case "succeeded", "failed", "partial":
			return got
		}
	}
	b.t.Errorf("the run does not end: %s", got.raw)
	return got
}

func (b *besieged) signInsAreNotLedInside(t *testing.T) {
	t.Helper()
	for _, tt := range []struct{ name, issuer string }{{"redirected", "/redirect"}, {"tokens", "/tokens"},
		{"keys", "/keys"}} {
		b.call(
			"POST",
			"/settings/identity-providers",
			map[string]any{"name": tt.name, "issuer": b.opened.URL + tt.issuer, "client_id": "c", "enabled": true},
			201,
		)
		begun := b.send("GET", "/api/v1/auth/oidc/start?tenant=acme&provider="+tt.name, "", "")
		if tt.name == "redirected" {
			if begun.status < 400 || begun.status == 500 {
				t.Errorf("%s: start = %d %s", tt.name, begun.status, begun.raw)
			}
			b.quiet(t, tt.name, begun.raw)
			continue
		}
		to, err := url.Parse(begun.header.Get("Location"))
		if err != nil || begun.status != 303 {
			t.Fatalf("%s: start = %d %s", tt.name, begun.status, begun.raw)
		}
		cookie, _, _ := strings.Cut(begun.header.Get("Set-Cookie"), ";")
		back := b.send(
			"GET",
			"/api/v1/auth/oidc/callback?code=x&state="+url.QueryEscape(to.Query().Get("state")),
			"",
			"",
			"Cookie",
			cookie,
		)
		if back.status < 400 || back.status == 500 {
			t.Errorf("%s: callback = %d %s", tt.name, back.status, back.raw)
		}
		if strings.Contains(back.raw, "127.0.0.1:") {
			t.Errorf("%s: the callback tells where it was led: %s", tt.name, back.raw)
		}
		b.quiet(t, tt.name, back.raw)
	}
}

// TestANameThatChangesItsMindReachesNothing saves addresses while their names are public, and calls when they are not.
func TestANameThatChangesItsMindReachesNothing(t *testing.T) {
	b := besiege(t)
	b.names.set("rebind.hostile.test", "8.8.8.8")
	address := "https://rebind.hostile.test:" + b.port + "/"
	made := func(path string, body map[string]any) string {
		return path + "/" + b.call("POST", path, body, 201)["id"].(string)
	}
	hook := made(
		"/settings/webhooks",
		map[string]any{"name": "h", "url": address, "events": []string{"identity.created"}, "enabled": false},
	)
	stream := made(
		"/settings/audit-streams",
		map[string]any{"name": "s", "kind": "https", "url": address, "enabled": false},
	)
	syslog := made(
		"/settings/audit-streams",
		map[string]any{"name": "t", "kind": "syslog", "url": "tls://rebind.hostile.test:" + b.port, "enabled": false},
	)
	b.call(
		"POST",
		"/settings/identity-providers",
		map[string]any{"name": "p", "issuer": strings.TrimSuffix(address, "/"), "client_id": "c", "enabled": true},
		201,
	)
	scim := made(
		"/connectors",
		map[string]any{
			"name":        "S",
			"type":        "scim2",
			"connection":  map[string]any{"base_url": address},
			"credentials": map[string]any{"bearer_token": "CANARY-x"},
		},
	)
	target := b.call("POST", "/connectors",
		map[string]any{"name": "R", "type": "rest",
			"connection": map[string]any{"base_url": b.opened.URL, "auth_method": "none", "streams": []any{
				map[string]any{"name": "u", "object": "user", "request": map[string]any{"path": "/pages"}}}}},
		201)["id"].(string)
	run := b.as(b.token, "POST", "/connectors/"+target+"/sync", `{"callback_url":"`+address+`"}`).
		is(t, "a sync with a callback", 202, "").
		text("run_id")
	b.names.set("rebind.hostile.test", "127.0.0.1")
	for _, path := range []string{hook, stream, syslog, scim} {
		got := b.as(b.token, "POST", path+"/test", nil).is(t, path, 200, "")
		if got.body["success"] == true || got.body["ok"] == true ||
			!strings.Contains(got.raw, "not allowed from here") {
			t.Errorf("%s, now inside: %s", path, got.raw)
		}
		if strings.Contains(got.raw, "127.0.0.1") {
			t.Errorf("%s tells what its name resolved to: %s", path, got.raw)
		}
	}
	if got := b.send(
		"GET",
		"/api/v1/auth/oidc/start?tenant=acme&provider=p",
		"",
		"",
	); got.status < 400 || got.status == 500 ||
		strings.Contains(got.raw, "127.0.0.1") {
		t.Errorf("a provider, now inside: %d %s", got.status, got.raw)
	}
	var told []string
	for deadline := time.Now().Add(20 * time.Second); len(told) == 0 &&
		time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		told = b.told(`select callback_error from sync_run where id = $1 and callback_error is not null`, run)
	}
	if len(told) != 1 || !strings.Contains(told[0], "not allowed from here") || strings.Contains(told[0], "127.0.0.1") {
		t.Errorf("the callback, now inside: %q", told)
	}
	b.quiet(t, "after a name has changed its mind")
}

// TestWhatANameResolvedToIsNotTold calls a name whose address the operator opened, at a port where nobody listens.
func TestWhatANameResolvedToIsNotTold(t *testing.T) {
	b := besiege(t)
	_, port, _ := net.SplitHostPort(freeAddress(t))
	address := "http://opened.hostile.test:" + port + "/"
	made := func(path string, body map[string]any) string {
		return path + "/" + b.call("POST", path, body, 201)["id"].(string)
	}
	for _, path := range []string{
		made("/settings/webhooks", map[string]any{"name": "h", "url": address, "events": []string{"identity.created"},
			"enabled": false}),
		made("/settings/audit-streams", map[string]any{"name": "s", "kind": "https", "url": address, "enabled": false}),
		made("/settings/audit-streams", map[string]any{"name": "t", "kind": "syslog",
			"url": "tcp://opened.hostile.test:" + port, "enabled": false}),
	} {
		if got := b.as(b.token, "POST", path+"/test", nil).
			is(t, path, 200, ""); strings.Contains(
			got.raw,
			"127.0.0.2",
		) {
			t.Errorf("%s tells what its name resolved to: %s", path, got.raw)
		}
	}
}
