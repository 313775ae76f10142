package auth

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

const (
	maxToken     = 4 << 10
	leewayStart  = 30 * time.Second // clocks of our own processes differ a little: for nbf and iat
	leewayExpiry = 5 * time.Second
)

// claims are what a token says (RFC 9068). Every one is a text or a whole number.
type claims struct {
	Issuer    string `json:"iss"`
	Subject   string `json:"sub"`
	Audience  string `json:"aud"`
	ExpiresAt int64  `json:"exp"` // seconds since 1970
	IssuedAt  int64  `json:"iat"`
	NotBefore int64  `json:"nbf"`
	ID        string `json:"jti"`
	ClientID  string `json:"client_id"`
	Tenant    string `json:"tid"`
	Kind      string `json:"kind"`
	Session   string `json:"sid,omitempty"`
	Scope     string `json:"scope,omitempty"`
	Instance  string `json:"iid,omitempty"` // agent: the installation
	Thumb     string `json:"jkt,omitempty"` // agent: thumbprint of the identity key
	Epoch     int64  `json:"epoch"`         // user: of the password; agent: of its tokens
	Restored  int64  `json:"dep,omitempty"` // epoch of the deployment, raised by each restore

	key keyID // that signed it
}

// form is one of the forms of token.
type form struct {
	typ      string
	audience audience
	kind     string
	scope    string
	life     time.Duration // 0: given at each issue
}

var (
	userForm    = form{typ: "at+jwt", audience: forAPI, kind: "user", life: 15 * time.Minute}
	serviceForm = form{
		typ:      "at+jwt",
		audience: forAPI,
		kind:     "service",
	} // its rights stand in the database, so no scope is in it
	refreshForm = form{typ: "grantwright-refresh+jwt", audience: forRefresh, kind: "user"}
	agentForm   = form{typ: "grantwright-agent+jwt", audience: forAgent, kind: "agent", life: time.Hour}
	enrollForm  = form{typ: "grantwright-enroll+jwt", audience: forEnroll, kind: "agent", scope: "enroll"}
)

var errInvalid = errors.New("invalid token")

// sign makes a token. c's issuer, audience, kind, scope and times are set here; expires may be zero when the form has a
// life.
func (s *Service) sign(f form, c claims, expires time.Time) (string, time.Time, error) {
	now := s.Now()
	if expires.IsZero() {
		expires = now.Add(f.life)
	}
	c.Issuer, c.Audience, c.Kind, c.Scope, c.ClientID = s.Issuer, f.audience.claim(), f.kind, f.scope, "grantwright"
	c.IssuedAt, c.NotBefore, c.ExpiresAt = now.Unix(), now.Unix(), expires.Unix()
	c.Restored = s.keys.generation()
	key := s.keys.signer(f.audience)
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	token.Header["typ"], token.Header["kid"] = f.typ, key.kid
	signed, err := token.SignedString(key.private)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("sign token: %w", err)
	}
	return signed, time.Unix(c.ExpiresAt, 0).UTC(), nil
}

// verify reads a token of the given form. It returns a fault with the code token_expired only for one that we signed.
func (s *Service) verify(ctx context.Context, f form, token string, allowExpired bool) (claims, error) {
	return s.verifyOneOf(ctx, []form{f}, token, allowExpired)
}

// verifyOneOf is verify for forms that differ in kind and scope alone: typ and audience are those of the first.
func (s *Service) verifyOneOf(ctx context.Context, forms []form, token string, allowExpired bool) (claims, error) {
	c, err := s.signed(ctx, forms, token, allowExpired)
	switch {
	case errors.Is(err, errInvalid):
		return claims{}, invalidToken()
	case err != nil:
		return claims{}, err
	}
	return c, s.checkTime(c, allowExpired)
}

// signed reads what a token says when its form and signature are right. Times are not judged. With old, a key that was
// retired is good enough.
func (s *Service) signed(ctx context.Context, forms []form, token string, old bool) (claims, error) {
	f := forms[0]
	head, err := inspect(token)
	if err != nil {
		return claims{}, err
	}
	if head.typ != f.typ && head.typ != "application/"+f.typ {
		return claims{}, errInvalid
	}
	c := claims{key: keyID{f.audience, head.kid}}
	key, err := s.keys.find(ctx, c.key, old)
	if err != nil {
		return claims{}, err
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
		jwt.WithStrictDecoding(),
		jwt.WithoutClaimsValidation(),
	)
	if _, err := parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
		return claims{}, errInvalid
	}
	known := slices.ContainsFunc(forms, func(f form) bool { return c.Kind == f.kind && c.Scope == f.scope })
	if c.Issuer != s.Issuer || c.Audience != f.audience.claim() || !known || !c.complete() {
		return claims{}, errInvalid
	}
	return c, nil
}

// complete reports whether the claims that every token has are there.
func (c claims) complete() bool {
	_, err := uuid.Parse(c.Tenant)
	return err == nil && c.Subject != "" && c.ID != "" && c.ExpiresAt > 0 && c.IssuedAt > 0 && c.NotBefore > 0
}

// checkTime judges a token's times and its epoch. Where an expired one is allowed, so is one from before a restore: it
// only says who asks, and the proof is another.
func (s *Service) checkTime(c claims, allowExpired bool) error {
	now := s.Now()
	latest := now.Add(leewayStart).Unix()
	if c.NotBefore > latest || c.IssuedAt > latest {
		return invalidToken()
	}
	if !allowExpired && now.Add(-leewayExpiry).Unix() >= c.ExpiresAt {
		return fault.Coded(fault.Unauthenticated, "token_expired", "the token has expired; refresh it or sign in again")
	}
	if !allowExpired && c.Restored != s.keys.generation() {
		return revoked()
	}
	return nil
}

func invalidToken() error {
	return fault.Coded(fault.Unauthenticated, "invalid_token", "the token is not valid here")
}

func revoked() error {
	return fault.Coded(fault.Unauthenticated, "token_revoked", "the token was revoked; sign in again")
}

type header struct{ alg, kid, typ string }

// inspect looks at a token's outer form before anything is computed: its size, three parts in the one way of writing
// them, a header of alg, kid and typ alone, and claims that are texts and whole numbers, each given once.
func inspect(token string) (header, error) {
	if len(token) > maxToken || strings.Count(token, ".") != 2 {
		return header{}, errInvalid
	}
	parts := strings.Split(token, ".")
	var raw [3][]byte
	for i, p := range parts {
		b, err := base64.RawURLEncoding.Strict().DecodeString(p)
		// The decoder passes over line breaks; a token has none.
		if err != nil || strings.ContainsAny(p, "\r\n") {
			return header{}, errInvalid
		}
		raw[i] = b
	}
	if len(raw[2]) != ed25519.SignatureSize {
		return header{}, errInvalid
	}
	head, err := flat(raw[0])
	if err != nil || len(head) != 3 {
		return header{}, errInvalid
	}
	if _, err := flat(raw[1]); err != nil {
		return header{}, errInvalid
	}
	alg, _ := head["alg"].(string)
	kid, _ := head["kid"].(string)
	typ, _ := head["typ"].(string)
	if alg != "EdDSA" || kid == "" || typ == "" {
		return header{}, errInvalid
	}
	return header{alg, kid, typ}, nil
}

// flat reads a JSON object whose values are texts and numbers and whose names, regardless of case, are all different.
func flat(raw []byte) (map[string]any, error) {
	if !utf8.Valid(raw) {
		return nil, errInvalid
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errInvalid
	}
	out, seen := map[string]any{}, map[string]bool{}
	for d.More() {
		name, _ := d.Token()
		key, ok := name.(string)
		value, err := d.Token()
		if !ok || err != nil || seen[strings.ToLower(key)] {
			return nil, errInvalid
		}
		switch value.(type) {
		case string, json.Number:
			out[key], seen[strings.ToLower(key)] = value, true
		default:
			return nil, errInvalid
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, errInvalid
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errInvalid
	}
	return out, nil
}

// The methods of jwt.Claims. Times are judged here and not by the library, whose leeway is the same for all of them.

// GetExpirationTime is the exp claim.
func (c claims) GetExpirationTime() (*jwt.NumericDate, error) { return date(c.ExpiresAt), nil }

// GetIssuedAt is the iat claim.
func (c claims) GetIssuedAt() (*jwt.NumericDate, error) { return date(c.IssuedAt), nil }

// GetNotBefore is the nbf claim.
func (c claims) GetNotBefore() (*jwt.NumericDate, error) { return date(c.NotBefore), nil }

// GetIssuer is the iss claim.
func (c claims) GetIssuer() (string, error) { return c.Issuer, nil }

// GetSubject is the sub claim.
func (c claims) GetSubject() (string, error) { return c.Subject, nil }

// GetAudience is the aud claim.
func (c claims) GetAudience() (jwt.ClaimStrings, error) { return jwt.ClaimStrings{c.Audience}, nil }

func date(seconds int64) *jwt.NumericDate { return jwt.NewNumericDate(time.Unix(seconds, 0)) }
