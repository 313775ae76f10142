package target_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target"
	"github.com/grantwright/grantwright/connectorkit/target/internal/shared"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// clock is a clock that tests move.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func get(t testing.TB, c *target.Client) error {
	t.Helper()
	var v any
	return c.JSON(t.Context(), target.Request{URL: "/x"}, &v)
}

func TestTokensOfARealServerAreUsedAndRenewed(t *testing.T) {
	idp := targettest.StartOIDC(t, 10*time.Second)
	var seen []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		fmt.Fprint(w, "{}")
	})
	for _, tt := range []struct {
		client string
		post   bool
	}{{idp.BasicClient, false}, {idp.PostClient, true}} {
		seen = nil
		shared, tick, env := &shared.State{}, &clock{}, onSite()
		env.Now = tick.now
		auth := target.ClientCredentials{
			TokenURL: idp.TokenURL, ClientID: tt.client, ClientSecret: idp.ClientSecret, Scope: idp.Scope,
			InBody: tt.post,
		}
		// 80 % of ten seconds lie between the last two
		for _, ahead := range []time.Duration{0, 7 * time.Second, 9 * time.Second} {
			tick.ahead.Store(int64(ahead))
			c, err := target.New(t.Context(), env, target.Options{BaseURL: base, Auth: auth, Shared: shared})
			if err != nil {
				t.Fatalf("New: %v", err)
			}
			if err := get(t, c); err != nil {
				t.Fatalf("%s: %v", tt.client, err)
			}
			c.Close()
		}
		if !strings.HasPrefix(seen[0], "Bearer eyJ") || seen[0] != seen[1] || seen[1] == seen[2] {
			t.Errorf("%s: tokens %v; want the first twice, then another", tt.client, seen)
		}
		// A wrong secret must not be served from the tokens of who knows the right one.
		auth.ClientSecret = "wrong"
		err := get(t, client(t, target.Options{BaseURL: base, Auth: auth, Shared: shared}))
		if d := detail(t, err); d.Code != "oauth_invalid_client" || d.Target.HTTP.Status != 401 ||
			d.Class != v1.ClassAuth {
			t.Errorf("%s with a wrong secret: %+v", tt.client, d)
		}
	}
}

// tokens is an authorization server of our own, for faults; it numbers its tokens.
func tokens(t *testing.T, n *atomic.Int32, delay time.Duration) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay)
		fmt.Fprintf(w, `{"access_token":"token-number-%d","token_type":"bearer","expires_in":"3600"}`, n.Add(1))
	})
}

func TestRejectedTokenIsRenewedExactlyOnce(t *testing.T) {
	var asked, calls atomic.Int32
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.Header.Get("Authorization") != "Bearer token-number-2" {
			w.WriteHeader(401)
			fmt.Fprint(w, "rejected "+r.Header.Get("Authorization"))
			return
		}
		fmt.Fprint(w, "{}")
	})
	auth := target.ClientCredentials{TokenURL: tokens(t, &asked, 0), ClientID: "c", ClientSecret: "secret-value"}
	c := client(t, target.Options{BaseURL: base, Auth: auth})
	if err := get(t, c); err != nil || asked.Load() != 2 || calls.Load() != 2 {
		t.Errorf("error %v after %d tokens and %d calls; want none after 2 and 2", err, asked.Load(), calls.Load())
	}
	asked.Store(10)
	calls.Store(0)
	err := get(t, client(t, target.Options{BaseURL: base, Auth: auth}))
	d := detail(t, err)
	if d.Class != v1.ClassAuth || asked.Load() != 12 || calls.Load() != 2 {
		t.Errorf("error %v after %d tokens and %d calls; want 401 after 2 and 2", err, asked.Load()-10, calls.Load())
	}
	if strings.Contains(d.Message+d.Target.HTTP.BodyExcerpt, "token-number") {
		t.Errorf("the token is told: %+v", d.Target.HTTP)
	}
}

func TestManyAtOnceShareOneTokenRequest(t *testing.T) {
	var asked atomic.Int32
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	c := client(t, target.Options{BaseURL: base, Concurrency: 16,
		Auth: target.ClientCredentials{
			TokenURL: tokens(t, &asked, 50*time.Millisecond), ClientID: "c", ClientSecret: "s",
		}})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := get(t, c); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if asked.Load() != 1 {
		t.Errorf("%d token requests, want 1", asked.Load())
	}
}

func TestClientCredentialsAreSentAsRFC6749Wants(t *testing.T) {
	var header string
	var form url.Values
	token := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		header, form = r.Header.Get("Authorization"), r.PostForm
		if r.Header.Get("X-Extra") != "" {
			t.Error("extra headers of the target were sent to the token endpoint")
		}
		w.WriteHeader(400)
		fmt.Fprint(w, `{"error":"invalid_scope","error_description":"no such scope p@ss w:rd"}`)
	})
	auth := target.ClientCredentials{
		TokenURL: token, ClientID: "my id", ClientSecret: "p@ss w:rd", Scope: "a b", Audience: "aud", Resource: "res",
		Extra: map[string]string{"tenant": "t1"},
	}
	err := get(t, client(t, target.Options{BaseURL: token, Auth: auth, Headers: map[string]string{"X-Extra": "value"}}))
	d := detail(t, err)
	if d.Code != "oauth_invalid_scope" || d.Class != v1.ClassConfig || d.Target.HTTP.OAuthError != "invalid_scope" ||
		strings.Contains(d.Message, "p@ss") {
		t.Errorf("error = %+v", d)
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("my+id:p%40ss+w%3Ard"))
	if header != want {
		t.Errorf("Authorization = %q, want %q", header, want)
	}
	if got := form.Encode(); got != "audience=aud&grant_type=client_credentials&resource=res&scope=a+b&tenant=t1" {
		t.Errorf("form = %s", got)
	}
}

func TestTokenEndpointsThatAreNone(t *testing.T) {
	for body, code := range map[string]string{
		"<html>login</html>": "not_json", `{"hello":1}`: "oauth_no_token",
		`{"access_token":"x-token","token_type":"mac"}`: "oauth_token_type",
	} {
		token := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
		err := get(
			t,
			client(
				t,
				target.Options{
					BaseURL: token, Auth: target.ClientCredentials{TokenURL: token, ClientID: "c", ClientSecret: "s"},
				},
			),
		)
		if d := detail(t, err); d.Code != code || d.Phase != "token" {
			t.Errorf("%s: %+v, want code %s", body, d, code)
		}
	}
}

func TestTokenEndpointGoesThroughTheSameGuard(t *testing.T) {
	env := onSite()
	env.Plaintext = func(_ context.Context, hostport string) (bool, error) {
		if strings.HasPrefix(hostport, "tokens.") {
			return false, &v1.ErrorDetail{Class: v1.ClassPolicy, Code: "plaintext_not_allowed"}
		}
		return false, nil
	}
	o := target.Options{
		BaseURL: "http://target.test",
		Auth:    target.ClientCredentials{TokenURL: "http://tokens.test/t", ClientID: "c", ClientSecret: "s"},
	}
	if _, err := target.New(t.Context(), env, o); detail(t, err).Class != v1.ClassPolicy {
		t.Errorf("New = %v, want a refusal by policy", err)
	}
	o.Auth = target.ClientCredentials{TokenURL: "ftp://tokens.test/t"}
	if _, err := target.New(t.Context(), env, o); detail(t, err).Code != "invalid_url" {
		t.Errorf("New = %v, want invalid_url", err)
	}
}
