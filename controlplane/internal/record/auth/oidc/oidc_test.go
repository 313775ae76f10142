package oidc_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/record/auth/oidc"
)

var ctx = context.Background()

// liar is a provider that answers what a test wants it to.
type liar struct {
	*httptest.Server
	private  ed25519.PrivateKey
	issuer   string // that it calls itself
	idToken  string
	userinfo map[string]any
	verifier string // that came with the code
}

func newLiar(t *testing.T) *liar {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &liar{private: private}
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer":                                l.issuer,
			"authorization_endpoint":                l.URL + "/auth",
			"token_endpoint":                        l.URL + "/token",
			"jwks_uri":                              l.URL + "/jwks",
			"userinfo_endpoint":                     l.URL + "/me",
			"id_token_signing_alg_values_supported": []string{"EdDSA", "HS256", "none"},
		})
	})
	mux.HandleFunc("/jwks", func(w http.ResponseWriter, _ *http.Request) {
		key := map[string]any{
			"kty": "OKP",
			"crv": "Ed25519",
			"kid": "k1",
			"use": "sig",
			"alg": "EdDSA",
			"x":   base64.RawURLEncoding.EncodeToString(public),
		}
		answer(w, map[string]any{"keys": []any{key}})
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		l.verifier = r.FormValue("code_verifier")
		if r.FormValue("code") == "refused" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]any{"error": "invalid_grant", "error_description": "<b>CANARY</b>"})
			return
		}
		out := map[string]any{"access_token": "at", "token_type": "Bearer"}
		if l.idToken != "" {
			out["id_token"] = l.idToken
		}
		answer(w, out)
	})
	mux.HandleFunc("/me", func(w http.ResponseWriter, _ *http.Request) { answer(w, l.userinfo) })
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	l.issuer = l.URL
	return l
}

var secrets = oidc.Secrets{State: "state", Nonce: "nonce", Verifier: strings.Repeat("v", 43)}

func (l *liar) client() oidc.Client {
	return oidc.Client{
		Issuer:   l.URL,
		ID:       "us",
		Scopes:   []string{"email", "openid"},
		Redirect: "http://us.example/back",
		Groups:   "realm.groups",
	}
}

// good are the claims of a token that holds.
func (l *liar) good() jwt.MapClaims {
	now := time.Now().Unix()
	return jwt.MapClaims{
		"iss":            l.URL,
		"sub":            "s1",
		"aud":            "us",
		"exp":            now + 300,
		"iat":            now,
		"nonce":          "nonce",
		"email":          "ada@example.com",
		"email_verified": true,
		"name":           "Ada",
		"realm":          map[string]any{"groups": []any{"a", 7, "b"}},
	}
}

func (l *liar) sign(t *testing.T, c jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	token.Header["kid"] = "k1"
	signed, err := token.SignedString(l.private)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func relying() *oidc.Relying { return &oidc.Relying{HTTP: http.DefaultClient, Now: time.Now} }

func TestStartAsksForACodeWithNonceAndChallenge(t *testing.T) {
	l := newLiar(t)
	address, err := relying().Start(ctx, l.client(), secrets)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	want := map[string]string{
		"response_type":         "code",
		"client_id":             "us",
		"redirect_uri":          "http://us.example/back",
		"state":                 "state",
		"nonce":                 "nonce",
		"scope":                 "openid email",
		"code_challenge_method": "S256",
	}
	for name, value := range want {
		if q.Get(name) != value {
			t.Errorf("%s = %q; want %q", name, q.Get(name), value)
		}
	}
	if strings.Contains(address, secrets.Verifier) || q.Get("code_challenge") == "" {
		t.Errorf("the address is %s", address)
	}
}

func TestATokenThatHoldsSaysWhoThatIs(t *testing.T) {
	l := newLiar(t)
	l.idToken = l.sign(t, l.good())
	got, err := relying().Finish(ctx, l.client(), secrets, "code")
	want := oidc.Person{
		Issuer:   l.URL,
		Subject:  "s1",
		Email:    "ada@example.com",
		Verified: true,
		Name:     "Ada",
		Groups:   []string{"a", "b"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || l.verifier != secrets.Verifier {
		t.Errorf("Finish: %v, verifier %q (-want +got):\n%s", err, l.verifier, diff)
	}
}

func TestAnAddressCountsAsVerifiedOnlyWhenThatIsSaid(t *testing.T) {
	l := newLiar(t)
	for said, want := range map[any]bool{true: true, "true": true, false: false, "false": false, "yes": false, 1: false,
		nil: false} {
		c := l.good()
		c["email_verified"] = said
		l.idToken = l.sign(t, c)
		if got, err := relying().Finish(ctx, l.client(), secrets, "code"); err != nil || got.Verified != want {
			t.Errorf("email_verified %v: %v, %v; want %v", said, got.Verified, err, want)
		}
	}
}

func TestWhatAnIDTokenLeavesOutIsAskedOfUserinfo(t *testing.T) {
	l := newLiar(t)
	c := l.good()
	delete(c, "email")
	delete(c, "email_verified")
	delete(c, "realm")
	l.idToken = l.sign(t, c)
	l.userinfo = map[string]any{
		"sub":            "s1",
		"email":          "ada@example.com",
		"email_verified": true,
		"realm.groups":   "solo",
		"name":           "Somebody else",
	}
	got, err := relying().Finish(ctx, l.client(), secrets, "code")
	want := oidc.Person{
		Issuer:   l.URL,
		Subject:  "s1",
		Email:    "ada@example.com",
		Verified: true,
		Name:     "Ada",
		Groups:   []string{"solo"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Finish: %v (-want +got):\n%s", err, diff)
	}
	l.userinfo["sub"] = "s2"
	if _, err := relying().Finish(ctx, l.client(), secrets, "code"); !isRefused(err) {
		t.Errorf("userinfo about somebody else: %v", err)
	}
}

func isRefused(err error) bool {
	var refused *oidc.Refused
	return errors.As(err, &refused)
}

func TestForgedTokensAreRefused(t *testing.T) {
	l := newLiar(t)
	now := time.Now().Unix()
	with := func(pairs ...any) string {
		c := maps.Clone(l.good())
		for i := 0; i < len(pairs); i += 2 {
			c[pairs[i].(string)] = pairs[i+1]
			if pairs[i+1] == nil {
				delete(c, pairs[i].(string))
			}
		}
		return l.sign(t, c)
	}
	_, stranger, _ := ed25519.GenerateKey(nil)
	forged := jwt.NewWithClaims(jwt.SigningMethodEdDSA, l.good())
	forged.Header["kid"] = "k1"
	byStranger, _ := forged.SignedString(stranger)
	none, _ := jwt.NewWithClaims(jwt.SigningMethodNone, l.good()).SignedString(jwt.UnsafeAllowNoneSignatureType)
	public := l.private.Public().(ed25519.PublicKey)
	hmac, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, l.good()).SignedString([]byte(public))
	good := l.sign(t, l.good())
	for name, token := range map[string]string{
		"missing": "", "words": "token", "another key": byStranger, "alg none": none, "HMAC with the public key": hmac,
		"signature cut": good[:len(good)-4], "signature of another": good[:strings.LastIndex(good, ".")] +
			with("sub", "s2")[strings.LastIndex(with("sub", "s2"), "."):],
		"another issuer": with("iss", "https://evil.example"), "issuer with a slash": with("iss", l.URL+"/"),
		"no issuer":        with("iss", nil),
		"another audience": with("aud", "them"), "no audience": with("aud", nil),
		"several audiences, no azp":    with("aud", []string{"us", "them"}),
		"several audiences, their azp": with("aud", []string{"us", "them"}, "azp", "them"),
		"their azp":                    with("azp", "them"),
		"expired":                      with("exp", now-10), "no exp": with("exp", nil), "no iat": with("iat", nil),
		"from the future": with("iat", now+3600),
		"another nonce":   with("nonce", "other"), "no nonce": with("nonce", nil),
	} {
		l.idToken = token
		if got, err := relying().Finish(ctx, l.client(), secrets, "code"); !isRefused(err) {
			t.Errorf("%s: %+v, %v; want a refusal", name, got, err)
		}
	}
	for name, token := range map[string]string{
		"our azp": with("azp", "us"), "several audiences, our azp": with("aud", []string{"them", "us"}, "azp", "us"),
		"good": good,
	} {
		l.idToken = token
		if _, err := relying().Finish(ctx, l.client(), secrets, "code"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAProviderThatMisbehavesIsNamedAndNotQuoted(t *testing.T) {
	l := newLiar(t)
	if _, err := relying().Finish(ctx, l.client(), secrets, "refused"); !isRefused(err) ||
		strings.Contains(fmt.Sprint(err), "CANARY") ||
		!strings.Contains(fmt.Sprint(err), "invalid_grant") {
		t.Errorf("a refused code: %v", err)
	}
	l.issuer = "https://evil.example"
	if _, err := relying().Start(ctx, l.client(), secrets); !isRefused(err) {
		t.Errorf("a provider of another name: %v", err)
	}
	gone := l.client()
	l.Close()
	if _, err := relying().Start(ctx, gone, secrets); err == nil || isRefused(err) {
		t.Errorf("a provider that is gone: %v; want an error of the network", err)
	}
}
