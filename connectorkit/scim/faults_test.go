package scim

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// everything is all that a connector lets out for one set of settings: a test, a discovery and a sync.
func everything(
	t testing.TB,
	auth v1.AuthConfig,
) (test v1.TestResponse, discovered v1.DiscoverResponse, syncErr error, text string) {
	t.Helper()
	var out []any
	report := connectorkit.Report(func(p v1.Progress) { out = append(out, p) })
	// a connector each, so that what one call learned of the target is no reason for the next to keep away from it
	test, err := connector().Test(t.Context(), v1.TestRequest{AuthConfig: auth}, report)
	if err != nil {
		t.Fatalf("Test: %v", err)
	}
	discovered, err = connector().Discover(t.Context(), v1.DiscoverRequest{AuthConfig: auth}, report)
	if err != nil {
		t.Fatalf("Discover: %v", err)
	}
	all, syncErr := sync_(t, connector(), auth, nil)
	out = append(out, test, discovered, all.SyncResponse, all.last, all.warns, syncErr)
	if syncErr != nil {
		out = append(out, syncErr.Error())
	}
	b, err := json.Marshal(out)
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	return test, discovered, syncErr, string(b)
}

func fixed(status int, kind, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestFaultsAreToldWithTheTargetsOwnCodeAndWithoutSecrets(t *testing.T) {
	echo := "you sent Bearer " + canary + " to us"
	errorBody := `{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"%s","detail":"` + echo + `"}`
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	_, _ = zip.Write([]byte(`{"Resources":[],"x":"` + strings.Repeat("a", 40<<20)))
	_ = zip.Close()
	for _, tt := range []struct {
		name   string
		h      http.Handler
		class  v1.ErrorClass
		code   string
		status int
	}{
		{"a web page", fixed(200, "text/html; charset=utf-8", "<!DOCTYPE html><title>Sign in</title>"+echo),
			v1.ClassConfig, "not_json", 200},
		{"a web page that calls itself JSON", fixed(200, "application/json", "<html>"+echo), v1.ClassConfig, "not_json",
			200},
		{"401", fixed(401, "application/scim+json", fmt.Sprintf(errorBody, "401")), v1.ClassAuth, "http_401", 401},
		{"403", fixed(403, "text/plain", echo), v1.ClassPermission, "http_403", 403},
		{"404", fixed(404, "text/html", echo), v1.ClassNotFound, "http_404", 404},
		{"429", fixed(429, "application/json", `{"message":"slow down"}`, "Retry-After", "1"), v1.ClassRateLimited,
			"http_429", 429},
		{"500", fixed(500, "text/plain", echo), v1.ClassTargetFault, "http_500", 500},
		{"503", fixed(503, "text/plain", ""), v1.ClassTransient, "http_503", 503},
		{"redirect", fixed(307, "text/plain", "", "Location", "https://evil.example.test/"), v1.ClassConfig, "http_307",
			307},
		{"200 with an error inside", fixed(200, "application/scim+json", fmt.Sprintf(errorBody, "403")),
			v1.ClassPermission, "scim_error", 200},
		{"cut in the middle", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"totalResults":3,"Resources":[{"id":"1"},`)
		}), v1.ClassTransient, "body_cut", 200},
		{"JSON that ends too soon", fixed(200, "application/json", `{"totalResults":3,"Resources":[{"id":"1"},`),
			v1.ClassTransient, "json_cut", 200},
		{"broken JSON", fixed(200, "application/json", `{"totalResults":3,]`), v1.ClassTargetFault, "bad_json", 200},
		{"JSON of another kind", answer(map[string]string{"/Users": `{"hello":"world"}`}), v1.ClassConfig, "not_scim",
			200},
		{"empty", fixed(200, "application/json", ""), v1.ClassTargetFault, "empty_body", 200},
		{"gzip bomb", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}), v1.ClassTargetFault, "compression_bomb", 200},
		{"unknown compression", fixed(200, "application/json", "{}", "Content-Encoding", "br"), v1.ClassTargetFault,
			"unknown_encoding", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			test, discovered, syncErr, text := everything(t, bearer(serve(t, tt.h)))
			if strings.Contains(text, canary) || strings.Contains(text, "evil.example") {
				t.Errorf("a secret or a location is told: %s", text)
			}
			if test.Success || discovered.Success {
				t.Errorf("success = %t, %t; want none", test.Success, discovered.Success)
			}
			for where, d := range map[string]*v1.ErrorDetail{"Test": test.Error, "Discover": discovered.Error,
				"Sync": detail(t, syncErr)} {
				if d.Class != tt.class || d.Code != tt.code || d.Target.HTTP.Status != tt.status {
					t.Errorf(
						"%s: class %s, code %s, status %d; want %s, %s, %d (%s)",
						where,
						d.Class,
						d.Code,
						d.Target.HTTP.Status,
						tt.class,
						tt.code,
						tt.status,
						d.Message,
					)
				}
			}
			if last := test.Steps[len(test.Steps)-1]; last.Name != "users_probe" || last.OK ||
				last.HTTP.Status != tt.status {
				t.Errorf("last step = %+v", last)
			}
		})
	}
}

func TestATargetThatStumblesIsReadAllTheSame(t *testing.T) {
	inner := elimity(t, 300, 30, 10, 100)
	var n atomic.Int32
	stumbling := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		switch n.Add(1) % 4 {
		case 0:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(429)
		case 1: // cut in the middle
			w.Header().Set("Content-Length", fmt.Sprint(rec.Body.Len()))
			_, _ = w.Write(rec.Body.Bytes()[:rec.Body.Len()*2/3])
		case 2:
			w.WriteHeader(503)
		default:
			_, _ = w.Write(rec.Body.Bytes())
		}
	})
	got := mustSync(t, bearer(serve(t, stumbling)), nil)
	if want := "identities true 300, accounts true 300, entitlements true 30, grants true 300"; got.complete() != want {
		t.Errorf("scopes = %s; want %s", got.complete(), want)
	}
	seen := map[string]bool{}
	for _, g := range got.Grants {
		key := g.EntitlementExternalID + " " + *g.AccountExternalID
		if seen[key] {
			t.Errorf("grant %s was told twice", key)
		}
		seen[key] = true
	}
	if got.last.Stats.RateWaitMS < 1000 {
		t.Errorf("rate_wait_ms = %d, want the second the target asked for", got.last.Stats.RateWaitMS)
	}
}

func TestGroupsTooHeavyToListAreReadOneByOne(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/Users":
			_, _ = w.Write([]byte(noUsers))
		case r.URL.Path == "/Groups" && r.FormValue("excludedAttributes") != "members":
			w.WriteHeader(504)
		case r.URL.Path == "/Groups":
			_, _ = w.Write([]byte(page(1, `[{"id":"g","displayName":"G"}]`, "")))
		case r.URL.Path == "/Groups/g":
			_, _ = w.Write([]byte(`{"id":"g","members":[{"value":"u","type":"User"}]}`))
		default:
			w.WriteHeader(404)
		}
	}))
	got := mustSync(t, bearer(base), nil)
	if len(got.Grants) != 1 || !got.warned("members_by_get") || !strings.Contains(got.complete(), "grants true 1") {
		t.Errorf("grants %v, scopes %s, warnings %v", got.Grants, got.complete(), got.warns)
	}
}

func TestAReceiverThatFailsEndsTheRead(t *testing.T) {
	base := serve(t, elimity(t, 10, 3, 2000, 100))
	full := &v1.ErrorDetail{Class: v1.ClassTransient, Code: "full", Message: "no room"}
	n := 0
	err := connector().Sync(t.Context(), v1.SyncRequest{AuthConfig: bearer(base)},
		func(_ ctxt, _ v1.SyncResponse) error { n++; return full })
	if d := detail(t, err); d.Code != "full" || n != 1 {
		t.Errorf("error %v after %d pages, want the receiver's own after 1", err, n)
	}
}

func TestWrongHostsAndCertificatesAreExplained(t *testing.T) {
	secure := httptest.NewUnstartedServer(answer(map[string]string{"/ServiceProviderConfig": `{}`}))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it would complain of every refused handshake
	secure.StartTLS()
	t.Cleanup(secure.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	plain := serve(t, answer(nil))
	for _, tt := range []struct {
		name, base, code, step string
		more                   []any
	}{
		{"unknown name", "https://does-not-exist.invalid/scim", "dns_", "dns", nil},
		{"closed port", closed.URL, "connection_refused", "tcp", nil},
		{"unknown CA", secure.URL, "tls_unknown_authority", "tls", nil},
		{"name not in the certificate", secure.URL, "tls_name_mismatch", "tls",
			[]any{"tls_server_name", "other.test", "ca_pem", pemOf(secure)}},
		{"no TLS there", strings.Replace(plain, "http:", "https:", 1), "tls_not_spoken", "tls", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			test, _, syncErr, text := everything(t, bearer(tt.base, tt.more...))
			last := test.Steps[len(test.Steps)-1]
			if test.Success || !strings.HasPrefix(test.Error.Code, tt.code) || last.Name != tt.step || last.OK ||
				test.Error.Phase != tt.step {
				t.Errorf("error %+v, last step %+v; want code %s in %s", test.Error, last, tt.code, tt.step)
			}
			if d := detail(
				t,
				syncErr,
			); !strings.HasPrefix(d.Code, tt.code) || d.Target.Kind != "http" ||
				test.Error.Hint == "" {
				t.Errorf("Sync: %+v", d)
			}
			if strings.Contains(text, canary) {
				t.Error("the secret is told")
			}
		})
	}
	test, _, _, _ := everything(t, bearer(secure.URL, "ca_pem", pemOf(secure)))
	if !test.Success || test.Steps[2].TLS == nil || test.Steps[2].TLS.Version == "" {
		t.Errorf("with the right CA: %+v", test)
	}
}

func TestHostedModeRefusesPlaintextAndBlindTLS(t *testing.T) {
	env := onSite()
	env.Plaintext = func(ctxt, string) (bool, error) { return false, fmt.Errorf("not here") }
	for code, auth := range map[string]v1.AuthConfig{
		"plaintext_not_allowed":    bearer("http://target.example.test"),
		"insecure_tls_not_allowed": bearer("https://target.example.test", "tls_insecure_skip_verify", true),
	} {
		test, err := New(env).Test(t.Context(), v1.TestRequest{AuthConfig: auth}, nil)
		if err != nil || test.Success || test.Error.Code != code || test.Error.Class != v1.ClassPolicy {
			t.Errorf("Test = %+v, %v; want %s", test.Error, err, code)
		}
	}
}

func TestACancelledReadEndsSoon(t *testing.T) {
	stop := make(chan struct{})
	base := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stop }))
	t.Cleanup(func() { close(stop) }) // before the server closes: the last registered runs first
	ctx, cancel := contextWithTimeout(t, 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := connector().Sync(ctx, v1.SyncRequest{AuthConfig: bearer(base)},
		func(ctxt, v1.SyncResponse) error { return nil })
	if err == nil || time.Since(began) > 3*time.Second {
		t.Errorf("Sync = %v after %s", err, time.Since(began))
	}
}
