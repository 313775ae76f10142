package connectors_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// shape is what a vendor's API answers, as its documentation shows it, and what is to be read from it.
type shape struct {
	Settings  map[string]any `json:"settings"`
	Secrets   map[string]any `json:"secrets"`
	Exchanges []exchange     `json:"exchanges"`
	Want      struct {
		Identities   []string `json:"identities"`
		Accounts     []string `json:"accounts"`
		Entitlements []string `json:"entitlements"` // kind:id
		Grants       []string `json:"grants"`       // principal>entitlement
		// of identities, or of accounts where there are none
		Members    map[string]map[string]any `json:"members"`
		Incomplete []string                  `json:"incomplete"` // kinds that must not pass for read to their end
	} `json:"want"`
}

type exchange struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
	Sent    string            `json:"sent"` // stands in the request's body

	asked int
}

func (e *exchange) fits(r *http.Request) bool {
	want, err := url.Parse(e.Path)
	if err != nil || e.Method != r.Method || want.Path != r.URL.Path {
		return false
	}
	for name, values := range want.Query() {
		if !strings.HasPrefix(r.URL.Query().Get(name), values[0]) {
			return false
		}
	}
	return true
}

// replay serves a shape. Of several exchanges that fit, the one that asks for most is meant.
func replay(t *testing.T, text []byte) (*shape, *httptest.Server) {
	t.Helper()
	s := &shape{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var best *exchange
		for i := range s.Exchanges {
			if e := &s.Exchanges[i]; e.fits(r) && (best == nil || len(e.Path) > len(best.Path)) {
				best = e
			}
		}
		if best == nil {
			http.Error(w, `{"detail":"not recorded"}`, http.StatusNotFound)
			if !strings.Contains(r.URL.Path, "/scim/") { // whose connector probes for what a server may lack
				t.Errorf("not recorded: %s %s", r.Method, r.URL)
			}
			return
		}
		body, _ := io.ReadAll(r.Body) // a short body fails the comparison
		if !strings.Contains(string(body), best.Sent) {
			t.Errorf("%s %s was sent %s", r.Method, r.URL, body)
		}
		if r.Header.Get("Authorization") == "" && r.Header.Get("PRIVATE-TOKEN") == "" &&
			!strings.Contains(best.Path, "token") {
			t.Errorf("%s %s came without credentials", r.Method, r.URL)
		}
		best.asked++
		for name, value := range best.Headers {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(best.Status)
		_ = json.NewEncoder(w).Encode(best.Body)
	}))
	t.Cleanup(server.Close)
	text = bytes.ReplaceAll(text, []byte("{{server}}"), []byte(server.URL))
	key, err := json.Marshal(rsaKey(t))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(`"{{rsa_key}}"`), key)
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	return s, server
}

func rsaKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func world() connectorkit.Env {
	dialer := &net.Dialer{}
	return connectorkit.Env{
		Dial: dialer.DialContext, Now: time.Now,
		Plaintext: func(context.Context, string) (bool, error) { return false, nil },
	}
}

func TestEveryVendorsRecordedAnswersAreRead(t *testing.T) {
	for _, e := range catalog.Entries() {
		if e.Type != catalog.VendorType || e.Engine == catalog.LDAP {
			continue
		}
		t.Run(e.Key, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", e.Key+".json"))
			if err != nil {
				t.Fatal(err)
			}
			s, _ := replay(t, text)
			if problems := catalog.Validate(e.Key, s.Settings, s.Secrets); len(problems) > 0 {
				t.Fatalf("the settings are refused: %+v", problems)
			}
			got := readAll(t, e.Key, s)
			s.compare(t, got)
			for _, x := range s.Exchanges {
				if x.asked == 0 && e.Engine == catalog.REST {
					t.Errorf("nobody asked for %s", x.Path)
				}
			}
		})
	}
}

func readAll(t *testing.T, key string, s *shape) v1.SyncResponse {
	t.Helper()
	auth := map[string]any{}
	for _, m := range []map[string]any{s.Settings, s.Secrets} {
		for k, v := range m {
			auth[k] = v
		}
	}
	engine, settings := catalog.Resolve(key, auth)
	c, err := connectors.Open(world(), engine)
	if err != nil {
		t.Fatal(err)
	}
	var all v1.SyncResponse
	err = connectorkit.Sync(t.Context(), c, v1.SyncRequest{
		AuthConfig: settings,
	}, connectorkit.Limits{}, func(_ context.Context, p v1.SyncResponse) error {
		all.Identities = append(all.Identities, p.Identities...)
		all.Accounts = append(all.Accounts, p.Accounts...)
		all.Entitlements = append(all.Entitlements, p.Entitlements...)
		all.Grants = append(all.Grants, p.Grants...)
		all.Page = p.Page
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (s *shape) compare(t *testing.T, got v1.SyncResponse) {
	t.Helper()
	members := map[string]any{}
	var identities, accounts, entitlements, grants []string
	for _, a := range got.Accounts {
		accounts = append(accounts, a.ExternalID)
		members[a.ExternalID] = a
	}
	for _, i := range got.Identities {
		identities = append(identities, i.ExternalID)
		members[i.ExternalID] = i
	}
	for _, e := range got.Entitlements {
		kind := e.Kind
		if kind == "" {
			kind = "group"
		}
		entitlements = append(entitlements, kind+":"+e.ExternalID)
	}
	for _, g := range got.Grants {
		grants = append(grants, principal(g)+">"+g.EntitlementExternalID)
	}
	for _, pair := range []struct {
		what      string
		want, got []string
	}{
		{"identities", s.Want.Identities, identities}, {"accounts", s.Want.Accounts, accounts},
		{"entitlements", s.Want.Entitlements, entitlements}, {"grants", s.Want.Grants, grants},
	} {
		slices.Sort(pair.want)
		slices.Sort(pair.got)
		if !slices.Equal(pair.want, pair.got) {
			t.Errorf("%s: %s", pair.what, cmp.Diff(pair.want, pair.got))
		}
	}
	for id, want := range s.Want.Members {
		var row map[string]any
		text, _ := json.Marshal(members[id]) // records are JSON
		if err := json.Unmarshal(text, &row); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		for name, value := range want {
			if diff := cmp.Diff(value, row[name]); diff != "" {
				t.Errorf("%s.%s: %s", id, name, diff)
			}
		}
	}
	for _, scope := range got.Page.Scopes {
		if scope.Complete == slices.Contains(s.Want.Incomplete, string(scope.Kind)) {
			t.Errorf("scope %+v", scope)
		}
	}
}

func principal(g v1.RemoteGrant) string {
	switch {
	case g.AccountExternalID != nil:
		return *g.AccountExternalID
	case g.PrincipalEntitlementExternalID != nil:
		return "group " + *g.PrincipalEntitlementExternalID
	case g.PrincipalRef != nil:
		return string(g.PrincipalRef.Kind) + " " + g.PrincipalRef.Value
	}
	return ""
}
