package mail

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/grantwright/grantwright/e2e/harness"
)

// lock is how a server is protected, what the tenant gets wrong at first, and what the settings show of it.
type lock struct {
	name    string
	cert    func(certificates) files // of the server, at first; nil: the good one
	tls     bool                     // from the start
	wrong   map[string]any           // fields of the mail server, at first
	secret  string                   // at first; empty: the right one
	reason  string                   // empty: nothing is wrong
	xoauth2 bool
}

var locks = []lock{
	{name: "starttls"},
	{name: "tls from the start", tls: true},
	{name: "xoauth2", xoauth2: true},
	{name: "unknown authority", wrong: map[string]any{"ca": ""}, reason: "server_certificate"},
	{name: "wrong name", cert: func(c certificates) files { return c.elsewhere }, reason: "server_certificate"},
	{name: "expired", tls: true, cert: func(c certificates) files { return c.lapsed }, reason: "server_certificate"},
	{name: "wrong password", secret: "wrong", reason: "server_sign_in"},
	{name: "wrong user", wrong: map[string]any{"username": "somebody"}, reason: "server_sign_in"},
	{name: "wrong client secret", xoauth2: true, secret: "wrong", reason: "server_sign_in"},
	{name: "token of another", xoauth2: true, wrong: map[string]any{"client_id": "other"}, reason: "server_sign_in"},
}

const token = "token-of-the-mailbox"

// locked sends to servers that ask for encryption and a sign-in. Whatever is wrong at first is visible, loses nothing,
// and is mended by the settings or by the server.
func locked(t *testing.T, h *harness.House, all certificates, tokens *httptest.Server) {
	for i, l := range locks {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			o := open(t, h, fmt.Sprintf("lock-%d", i))
			serve := func(f files) *peer {
				return misbehave(t, map[string]any{
					"cert": f.cert, "key": f.key, "secure": l.tls, "user": "access",
					"password": "right", "token": token,
				})
			}
			right := map[string]any{"security": "starttls", "auth": "plain", "username": "access", "ca": all.ca}
			if l.tls {
				right["security"] = "tls"
			}
			if l.xoauth2 {
				right["auth"], right["token_url"], right["client_id"] = "xoauth2", tokens.URL, "access"
			}
			secret, cert := "right", all.good
			if l.secret != "" {
				secret = l.secret
			}
			if l.cert != nil {
				cert = l.cert(all)
			}
			p, wrong := serve(cert), maps.Clone(right)
			maps.Copy(wrong, l.wrong)
			o.sends(p.port, secret, wrong)
			o.ask(o.crowd(few), plain)
			if l.reason != "" {
				o.await(few, "deferred", l.reason)
				if o.trouble() == "" {
					t.Error("the settings show no trouble of the server")
				}
				if n := len(p.times()); n != 0 {
					t.Errorf("%d messages were accepted", n)
				}
				if l.cert != nil {
					p = serve(all.good)
				}
				o.sends(p.port, "right", right)
				o.hurry()
			}
			o.await(few, "sent", "")
			if got := p.times(); !maps.Equal(got, map[int]int{1: few}) {
				t.Errorf("accepted so many times: %v", got)
			}
		})
	}
}

// grantTokens is a token endpoint of the client credentials grant, with a certificate that the control plane trusts,
// which is started later.
func grantTokens(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		client, secret, _ := r.BasicAuth()
		answer := map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 60}
		switch {
		case secret != "right":
			w.WriteHeader(http.StatusUnauthorized)
			answer = map[string]any{"error": "invalid_client"}
		case client != "access":
			answer["access_token"] = "token-of-" + client
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	path := filepath.Join(t.TempDir(), "authorities.pem")
	must(t, os.WriteFile(path, pemOf("CERTIFICATE", s.Certificate().Raw), 0o600))
	t.Setenv("SSL_CERT_FILE", path)
	return s
}
