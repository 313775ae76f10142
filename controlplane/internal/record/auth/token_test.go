package auth

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

var ctx = context.Background()

func service(t *testing.T, db *pg.DB) *Service {
	t.Helper()
	ring, err := seal.New(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(ctx, db, ring, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newSession makes a tenant with a user and a session, and the claims of a good access token of it.
func newSession(t *testing.T, s *Service, slug string) signing.Claims {
	t.Helper()
	v := pgtest.Tenant(t, s.DB, slug)
	p := session.User{Tenant: v.Tenant, ID: uuid.NewString(), Email: "ada@example.com", Epoch: 1}
	v.ID = p.ID
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `insert into app_user (tenant_id, id, email, roles) values (current_tenant(), $1, $2,
			array['admin'])`
		if _, err := tx.Exec(ctx, sql, p.ID, p.Email); err != nil {
			return err
		}
		_, err := s.Sessions.Open(ctx, tx, p, session.ByPassword)
		v = tx.Viewer
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	now := s.Now().Unix()
	return signing.Claims{
		Issuer:    s.Signer.Issuer,
		Subject:   p.ID,
		Audience:  signing.ForAPI.Claim(),
		ExpiresAt: now + 900,
		IssuedAt:  now,
		NotBefore: now,
		ID:        uuid.NewString(),
		ClientID:  "grantwright",
		Tenant:    p.Tenant,
		Kind:      "user",
		Session:   v.Session,
		Epoch:     1,
	}
}

func b64(raw string) string { return base64.RawURLEncoding.EncodeToString([]byte(raw)) }

// forge signs any header and claims with the key.
func forge(key ed25519.PrivateKey, head, body string) string {
	input := b64(head) + "." + b64(body)
	return input + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(input)))
}

func asJSON(t *testing.T, c any) string {
	t.Helper()
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// with is c as JSON with some members replaced by raw JSON; an empty value removes the member.
func with(t *testing.T, c signing.Claims, pairs ...string) string {
	t.Helper()
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(asJSON(t, c)), &members); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = json.RawMessage(pairs[i+1])
		if pairs[i+1] == "" {
			delete(members, pairs[i])
		}
	}
	return asJSON(t, members)
}

func codeOf(err error) string {
	var f *fault.Fault
	switch {
	case err == nil:
		return ""
	case errors.As(err, &f):
		return f.Code
	}
	return err.Error()
}

// malleable adds the group's order to a signature's second half: the same signature in a form that RFC 8032 forbids.
func malleable(t *testing.T, part string) string {
	t.Helper()
	sig, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		t.Fatal(err)
	}
	order := []byte{
		0xed,
		0xd3,
		0xf5,
		0x5c,
		0x1a,
		0x63,
		0x12,
		0x58,
		0xd6,
		0x9c,
		0xf7,
		0xa2,
		0xde,
		0xf9,
		0xde,
		0x14,
		31: 0x10,
	}
	carry := 0
	for i, b := range order {
		sum := int(sig[32+i]) + int(b) + carry
		sig[32+i], carry = byte(sum), sum>>8
	}
	return base64.RawURLEncoding.EncodeToString(sig)
}

func TestNoKindOfTokenIsTakenForAnother(t *testing.T) {
	s := service(t, pgtest.New(t))
	c := newSession(t, s, "a")
	tokens := map[string]string{}
	err := s.DB.As(ctx, viewer.System(c.Tenant), func(tx *pg.Tx) (err error) {
		if tokens["agent"], _, err = s.IssueAgentToken(
			ctx,
			tx,
			bearer.AgentClaims{AgentID: "agent-1", InstanceID: "i1", KeyThumb: "thumb", Epoch: 3},
		); err != nil {
			return err
		}
		tokens["enroll"], _, err = s.IssueEnrollToken(ctx, tx, "agent-1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]signing.Form{"user": signing.UserForm, "refresh": signing.RefreshForm} {
		if tokens[name], _, err = s.Signer.Sign(f, c, s.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := http.NewRequest("GET", "/", nil)
	verifiers := map[string]func(string) error{
		"user": func(token string) error { _, err := s.AuthenticateUser(ctx, token, r); return err },
		"refresh": func(token string) error {
			_, err := s.Signer.Verify(ctx, signing.RefreshForm, token, false)
			return err
		},
		"agent":  func(token string) error { _, err := s.VerifyAgentToken(ctx, token, true); return err },
		"enroll": func(token string) error { _, err := s.VerifyEnrollToken(ctx, token); return err },
	}
	for kind, token := range tokens {
		for door, verify := range verifiers {
			want := "invalid_token"
			if kind == door {
				want = ""
			}
			if got := codeOf(verify(token)); got != want {
				t.Errorf("a token of kind %s at the door of %s: %q; want %q", kind, door, got, want)
			}
		}
	}
}

func TestAnAgentsTokenSaysWhatWasPutIn(t *testing.T) {
	s := service(t, pgtest.New(t))
	v := pgtest.Tenant(t, s.DB, "a")
	now := time.Now().Truncate(time.Second).UTC()
	s.Now = func() time.Time { return now }
	var token, invitation string
	var expires time.Time
	var invited bearer.EnrollClaims
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		token, expires, err = s.IssueAgentToken(
			ctx,
			tx,
			bearer.AgentClaims{AgentID: "agent-1", InstanceID: "i1", KeyThumb: "thumb", Epoch: 3},
		)
		if err != nil {
			return err
		}
		invitation, invited, err = s.IssueEnrollToken(ctx, tx, "agent-1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.VerifyAgentToken(ctx, token, false)
	want := bearer.AgentClaims{
		Tenant:     v.Tenant,
		AgentID:    "agent-1",
		InstanceID: "i1",
		KeyThumb:   "thumb",
		Epoch:      3,
		ID:         got.ID,
		IssuedAt:   now,
		ExpiresAt:  now.Add(time.Hour),
	}
	if err != nil || got != want || got.ID == "" || !expires.Equal(want.ExpiresAt) {
		t.Errorf("VerifyAgentToken = %+v, %v; want %+v", got, err, want)
	}
	enroll, err := s.VerifyEnrollToken(ctx, invitation)
	if err != nil || enroll != invited || enroll.Tenant != v.Tenant || !enroll.ExpiresAt.Equal(now.Add(time.Hour)) {
		t.Errorf("VerifyEnrollToken = %+v, %v; want %+v", enroll, err, invited)
	}
	now = now.Add(time.Hour + 5*time.Second)
	if _, err := s.VerifyAgentToken(ctx, token, false); codeOf(err) != "token_expired" {
		t.Errorf("after an hour: %v; want token_expired", err)
	}
	if _, err := s.VerifyEnrollToken(ctx, invitation); codeOf(err) != "token_expired" {
		t.Errorf("the invitation after an hour: %v; want token_expired", err)
	}
	if _, err := s.VerifyAgentToken(ctx, token, true); err != nil {
		t.Errorf("after an hour, expiry allowed: %v", err)
	}
}
