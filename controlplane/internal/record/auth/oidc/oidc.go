// Package oidc speaks OpenID Connect with an outside provider as its client: the authorization code flow with PKCE and
// a nonce, and nothing else. It knows no database; who the person is here, others decide.
package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// discoveryAge is how long a provider's description is believed. Its keys are fetched again whenever a token names an
// unknown one.
const discoveryAge = 10 * time.Minute

const maxProviders = 1000 // whose descriptions are remembered

// algorithms are those that an ID token may be signed with: none of them takes a secret that the provider shares.
var algorithms = []string{
	oidc.RS256,
	oidc.RS384,
	oidc.RS512,
	oidc.PS256,
	oidc.PS384,
	oidc.PS512,
	oidc.ES256,
	oidc.ES384,
	oidc.ES512,
	oidc.EdDSA,
}

// Relying is us, as the client of providers.
type Relying struct {
	HTTP *http.Client // behind the guard
	Now  func() time.Time

	mu    sync.Mutex
	known map[string]described
}

// described is a provider's discovery document, and when it was read.
type described struct {
	provider *oidc.Provider
	at       time.Time
}

// Client is what one provider knows us by.
type Client struct {
	Issuer   string
	ID       string
	Secret   string // empty: a public client
	Scopes   []string
	Redirect string // where the provider sends the browser back
	Groups   string // path of the claim with a person's groups; empty: none
}

// Secrets tie the parts of one sign-in together. None of them leaves us before its time.
type Secrets struct{ State, Nonce, Verifier string }

// Person is somebody as the provider describes them, verified.
type Person struct {
	Issuer, Subject string
	Email           string
	Verified        bool // the provider says that the address is theirs
	Name            string
	Groups          []string
}

// Refused is the provider's own word, or a token of its that does not hold. Its text is safe to show.
type Refused struct{ Reason string }

// Error is the reason.
func (r *Refused) Error() string { return "the identity provider's answer was refused: " + r.Reason }

// refused is an error that the person who signs in may see.
func refused(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// Start is the address to send the browser to.
func (r *Relying) Start(ctx context.Context, c Client, s Secrets) (string, error) {
	provider, err := r.describe(ctx, c.Issuer)
	if err != nil {
		return "", err
	}
	return c.config(provider).AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), nil
}

// Finish exchanges the code that the browser brought back, and verifies who that is. It returns *Refused when the
// provider's answer does not hold.
func (r *Relying) Finish(ctx context.Context, c Client, s Secrets, code string) (Person, error) {
	provider, err := r.describe(ctx, c.Issuer)
	if err != nil {
		return Person{}, err
	}
	ctx = oidc.ClientContext(ctx, r.HTTP)
	token, err := c.config(provider).Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		var answer *oauth2.RetrieveError
		if errors.As(err, &answer) {
			return Person{}, refused("it did not take the code (%s)", plain(answer.ErrorCode))
		}
		return Person{}, fmt.Errorf("exchange code with the identity provider: %w", err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return Person{}, refused("it sent no id_token")
	}
	id, err := r.verify(ctx, provider, c, s, raw)
	if err != nil {
		return Person{}, err
	}
	said := map[string]any{}
	if err := id.Claims(&said); err != nil {
		return Person{}, refused("its id_token cannot be read")
	}
	if err := r.complete(ctx, provider, c, token, id.Subject, said); err != nil {
		return Person{}, err
	}
	return person(c, id, said), nil
}

// verify holds an ID token against OpenID Connect Core, section 3.1.3.7.
func (r *Relying) verify(
	ctx context.Context,
	p *oidc.Provider,
	c Client,
	s Secrets,
	raw string,
) (*oidc.IDToken, error) {
	config := &oidc.Config{ClientID: c.ID, SupportedSigningAlgs: algorithms, Now: r.Now}
	id, err := p.Verifier(config).Verify(ctx, raw)
	if err != nil {
		return nil, refused("its id_token is not valid for us")
	}
	if id.Nonce != s.Nonce {
		return nil, refused("its id_token belongs to another sign-in")
	}
	var more struct {
		AuthorizedParty string `json:"azp"`
		IssuedAt        *int64 `json:"iat"`
	}
	if err := id.Claims(&more); err != nil || more.IssuedAt == nil {
		return nil, refused("its id_token lacks what it must have")
	}
	if more.AuthorizedParty != c.ID && (more.AuthorizedParty != "" || len(id.Audience) > 1) {
		return nil, refused("its id_token was made for another client")
	}
	if id.IssuedAt.After(r.Now().Add(time.Minute)) {
		return nil, refused("its id_token was made in the future")
	}
	return id, nil
}

// complete asks the provider's userinfo for what the ID token left out.
func (r *Relying) complete(
	ctx context.Context,
	p *oidc.Provider,
	c Client,
	token *oauth2.Token,
	subject string,
	said map[string]any,
) error {
	enough := said["email"] != nil && (c.Groups == "" || at(said, c.Groups) != nil)
	if enough || p.UserInfoEndpoint() == "" {
		return nil
	}
	more, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("ask the identity provider for userinfo: %w", err)
	}
	if more.Subject != subject {
		return refused("its userinfo has a different subject than its ID token")
	}
	rest := map[string]any{}
	if err := more.Claims(&rest); err != nil {
		return refused("its userinfo cannot be read")
	}
	for name, value := range rest {
		if _, there := said[name]; !there {
			said[name] = value
		}
	}
	return nil
}

// person takes what we need from the claims of a verified ID token.
func person(c Client, id *oidc.IDToken, said map[string]any) Person {
	p := Person{Issuer: id.Issuer, Subject: id.Subject, Groups: words(at(said, c.Groups))}
	p.Email, _ = said["email"].(string)
	p.Name, _ = said["name"].(string)
	// Some providers write the boolean as a text. Whatever else is there is no promise.
	p.Verified = said["email_verified"] == true || said["email_verified"] == "true"
	return p
}

// at is the claim at a path. A claim whose whole name is the path goes over one inside of objects: names may be
// addresses.
func at(said map[string]any, path string) any {
	if value, there := said[path]; there {
		return value
	}
	head, rest, deeper := strings.Cut(path, ".")
	inner, ok := said[head].(map[string]any)
	if !deeper || !ok {
		return nil
	}
	return at(inner, rest)
}

// words are the texts of a list, or the one text.
func words(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// config is the client's configuration for the provider. The scope openid is always asked for,
// once.
func (c Client) config(p *oidc.Provider) *oauth2.Config {
	scopes := append(
		[]string{oidc.ScopeOpenID},
		slices.DeleteFunc(slices.Clone(c.Scopes), func(s string) bool { return s == oidc.ScopeOpenID })...)
	return &oauth2.Config{
		ClientID:     c.ID,
		ClientSecret: c.Secret,
		Endpoint:     p.Endpoint(),
		RedirectURL:  c.Redirect,
		Scopes:       scopes,
	}
}

// describe reads the provider's description (OpenID Connect Discovery), which must name the very issuer it was asked
// of.
func (r *Relying) describe(ctx context.Context, issuer string) (*oidc.Provider, error) {
	r.mu.Lock()
	d, ok := r.known[issuer]
	r.mu.Unlock()
	if ok && r.Now().Sub(d.at).Abs() < discoveryAge {
		return d.provider, nil
	}
	// The provider keeps the context to fetch keys with, long after this request.
	p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), r.HTTP), issuer)
	if err != nil {
		var mismatch *oidc.IssuerMismatchError
		if errors.As(err, &mismatch) {
			return nil, refused("it calls itself by another address than the one that is configured")
		}
		return nil, fmt.Errorf("read the identity provider's description: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxProviders {
		r.known = map[string]described{}
	}
	r.known[issuer] = described{p, r.Now()}
	return p, nil
}

// errorCode matches an error code of OAuth 2.0 that can be shown (RFC 6749 section 4.1.2.1).
var errorCode = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// plain keeps of a provider's error code what such codes are made of.
func plain(code string) string {
	if len(code) > 64 || !errorCode.MatchString(code) {
		return "no code"
	}
	return code
}
