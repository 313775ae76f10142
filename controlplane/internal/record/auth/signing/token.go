package signing

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
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// MaxToken is how long a token may be.
const MaxToken = 4 << 10

const (
	leewayStart  = 30 * time.Second // clocks of our own processes differ a little: for nbf and iat
	leewayExpiry = 5 * time.Second
)

// Claims are what a token says (RFC 9068). Every one is a text or a whole number.
type Claims struct {
	// Issuer of the token (RFC 7519 section 4.1.1).
	Issuer string `json:"iss"`
	// Subject: ID of the user or agent that the token is for.
	Subject string `json:"sub"`
	// Audience that the token is meant for.
	Audience string `json:"aud"`
	// Expiry in seconds since 1970-01-01 UTC.
	ExpiresAt int64 `json:"exp"` // seconds since 1970
	// Time of issue in seconds since 1970-01-01 UTC.
	IssuedAt int64 `json:"iat"`
	// Beginning of validity in seconds since 1970-01-01 UTC.
	NotBefore int64 `json:"nbf"`
	// Unique ID of the token.
	ID string `json:"jti"`
	// Client that the token was issued to (RFC 9068 section 2.2).
	ClientID string `json:"client_id"`
	// ID of the tenant.
	Tenant string `json:"tid"`
	// Kind of subject, such as user or agent.
	Kind string `json:"kind"`
	// ID of the session, of a user's token.
	Session string `json:"sid,omitempty"`
	// Scopes of the token, separated by spaces.
	Scope    string `json:"scope,omitempty"`
	Instance string `json:"iid,omitempty"` // agent: the installation
	Thumb    string `json:"jkt,omitempty"` // agent: thumbprint of the identity key
	Epoch    int64  `json:"epoch"`         // user: of the password; agent: of its tokens
	Restored int64  `json:"dep,omitempty"` // epoch of the deployment, raised by each restore

	Key KeyID `json:"-"` // that signed it
}

// Form is one of the forms of token.
type Form struct {
	// Typ is the typ header, which keeps one form from passing for another (RFC 8725 section 3.11).
	Typ      string
	Audience Audience
	Kind     string
	Scope    string
	Life     time.Duration // 0: given at each issue
}

// Forms of token.
var (
	UserForm = Form{Typ: "at+jwt", Audience: ForAPI, Kind: "user", Life: 15 * time.Minute}
	// The rights of an integration stand in the database, so no scope is in its token.
	ServiceForm = Form{Typ: "at+jwt", Audience: ForAPI, Kind: "service"}
	RefreshForm = Form{Typ: "grantwright-refresh+jwt", Audience: ForRefresh, Kind: "user"}
	AgentForm   = Form{Typ: "grantwright-agent+jwt", Audience: ForAgent, Kind: "agent", Life: time.Hour}
	EnrollForm  = Form{Typ: "grantwright-enroll+jwt", Audience: ForEnroll, Kind: "agent", Scope: "enroll"}
)

// RefreshLife is the longest life of a refresh token, and so of a session.
const RefreshLife = 7 * 24 * time.Hour

// Signer signs the tokens of all forms and reads them again. It is safe for concurrent use.
type Signer struct {
	Keys   *Keys
	Issuer string // the iss claim
	Now    func() time.Time
}

// NewSigner loads the signing keys, which are made at the first start. It fails if the keys in the database were
// sealed under another master key.
func NewSigner(ctx context.Context, db *pg.DB, ring *seal.Keyring, now func() time.Time) (*Signer, error) {
	keys, err := OpenKeys(ctx, db, ring)
	if err != nil {
		return nil, err
	}
	return &Signer{Keys: keys, Issuer: "urn:grantwright", Now: now}, nil
}

// errInvalid is any reason for which a token is not accepted.
var errInvalid = errors.New("invalid token")

// Sign makes a token. c's issuer, audience, kind, scope and times are set here; expires may be zero when the form has a
// life.
func (s *Signer) Sign(f Form, c Claims, expires time.Time) (string, time.Time, error) {
	now := s.Now()
	if expires.IsZero() {
		expires = now.Add(f.Life)
	}
	c.Issuer, c.Audience, c.Kind, c.Scope, c.ClientID = s.Issuer, f.Audience.Claim(), f.Kind, f.Scope, "grantwright"
	c.IssuedAt, c.NotBefore, c.ExpiresAt = now.Unix(), now.Unix(), expires.Unix()
	c.Restored = s.Keys.Epoch()
	key := s.Keys.PrivateKey(f.Audience)
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	token.Header["typ"], token.Header["kid"] = f.Typ, key.Kid
	signed, err := token.SignedString(key.Private)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("sign token: %w", err)
	}
	return signed, time.Unix(c.ExpiresAt, 0).UTC(), nil
}

// Verify reads a token of the given form. It returns a fault with the code token_expired only for one that we signed.
func (s *Signer) Verify(ctx context.Context, f Form, token string, allowExpired bool) (Claims, error) {
	return s.VerifyOneOf(ctx, []Form{f}, token, allowExpired)
}

// VerifyOneOf is verify for forms that differ in kind and scope alone: typ and audience are those of the first.
func (s *Signer) VerifyOneOf(ctx context.Context, forms []Form, token string, allowExpired bool) (Claims, error) {
	c, err := s.signed(ctx, forms, token, allowExpired)
	switch {
	case errors.Is(err, errInvalid):
		return Claims{}, InvalidToken()
	case err != nil:
		return Claims{}, err
	}
	return c, s.CheckTime(c, allowExpired)
}

// signed reads what a token says when its form and signature are right. Times are not judged. With old, a key that was
// retired is good enough.
func (s *Signer) signed(ctx context.Context, forms []Form, token string, old bool) (Claims, error) {
	f := forms[0]
	head, err := inspect(token)
	if err != nil {
		return Claims{}, err
	}
	if head.typ != f.Typ && head.typ != "application/"+f.Typ {
		return Claims{}, errInvalid
	}
	c := Claims{Key: KeyID{f.Audience, head.kid}}
	key, err := s.Keys.Find(ctx, c.Key, old)
	if err != nil {
		return Claims{}, err
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
		jwt.WithStrictDecoding(),
		jwt.WithoutClaimsValidation(),
	)
	if _, err := parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
		return Claims{}, errInvalid
	}
	known := slices.ContainsFunc(forms, func(f Form) bool { return c.Kind == f.Kind && c.Scope == f.Scope })
	if c.Issuer != s.Issuer || c.Audience != f.Audience.Claim() || !known || !c.complete() {
		return Claims{}, errInvalid
	}
	return c, nil
}

// complete reports whether the claims that every token has are there.
func (c Claims) complete() bool {
	_, err := uuid.Parse(c.Tenant)
	return err == nil && c.Subject != "" && c.ID != "" && c.ExpiresAt > 0 && c.IssuedAt > 0 && c.NotBefore > 0
}

// CheckTime judges a token's times and its epoch. Where an expired one is allowed, so is one from before a restore: it
// only says who asks, and the proof is another.
func (s *Signer) CheckTime(c Claims, allowExpired bool) error {
	now := s.Now()
	latest := now.Add(leewayStart).Unix()
	if c.NotBefore > latest || c.IssuedAt > latest {
		return InvalidToken()
	}
	if !allowExpired && now.Add(-leewayExpiry).Unix() >= c.ExpiresAt {
		return fault.Coded(fault.Unauthenticated, "token_expired", "the token has expired; refresh it or sign in again")
	}
	if !allowExpired && c.Restored != s.Keys.Epoch() {
		return Revoked()
	}
	return nil
}

// InvalidToken is the fault of a token that nobody here has signed for this use.
func InvalidToken() error {
	return fault.Coded(fault.Unauthenticated, "invalid_token", "The token is not valid for this service.")
}

// Revoked is the fault of a token that was good and whose session, user or key has ended.
func Revoked() error {
	return fault.Coded(fault.Unauthenticated, "token_revoked", "the token was revoked; sign in again")
}

// header is the JOSE header, as far as it is used.
type header struct{ alg, kid, typ string }

// inspect looks at a token's outer form before anything is computed: its size, three parts in the one way of writing
// them, a header of alg, kid and typ alone, and claims that are texts and whole numbers, each given once.
func inspect(token string) (header, error) {
	if len(token) > MaxToken || strings.Count(token, ".") != 2 {
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
func (c Claims) GetExpirationTime() (*jwt.NumericDate, error) { return date(c.ExpiresAt), nil }

// GetIssuedAt is the iat claim.
func (c Claims) GetIssuedAt() (*jwt.NumericDate, error) { return date(c.IssuedAt), nil }

// GetNotBefore is the nbf claim.
func (c Claims) GetNotBefore() (*jwt.NumericDate, error) { return date(c.NotBefore), nil }

// GetIssuer is the iss claim.
func (c Claims) GetIssuer() (string, error) { return c.Issuer, nil }

// GetSubject is the sub claim.
func (c Claims) GetSubject() (string, error) { return c.Subject, nil }

// GetAudience is the aud claim.
func (c Claims) GetAudience() (jwt.ClaimStrings, error) { return jwt.ClaimStrings{c.Audience}, nil }

// date is an instant in seconds as a claim.
func date(seconds int64) *jwt.NumericDate { return jwt.NewNumericDate(time.Unix(seconds, 0)) }
