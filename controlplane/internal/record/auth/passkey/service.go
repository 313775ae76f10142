package passkey

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

const (
	maxKeys       = 10              // passkeys of one user
	challengeLife = 5 * time.Minute // from the options until the response
)

// startRate is how often one network may start a sign-in: each start stores a challenge until it expires.
var startRate = viewer.Rate{PerSecond: 2, Burst: 60}

// Service registers, lists and verifies passkeys. Make it with New.
type Service struct {
	DB       *pg.DB
	Now      func() time.Time
	Sessions *session.Service
	// Reauthenticate returns a fault unless the proof is the viewer's.
	Reauthenticate func(ctx context.Context, v viewer.Viewer, p Proof) error

	starters *limit.Addresses
}

// New returns the service. Set Reauthenticate before it serves requests.
func New(db *pg.DB, now func() time.Time, sessions *session.Service) *Service {
	return &Service{DB: db, Now: now, Sessions: sessions, starters: limit.NewAddresses(startRate, now)}
}

// Credential is what navigator.credentials returns in the browser, as PublicKeyCredential.toJSON() writes it.
type Credential map[string]any

// Proof is the confirmation of a user who has signed in: exactly one of its members.
type Proof struct {
	// Password of the user. It is not sufficient if the user has a second factor.
	Password string `json:"password,omitempty" maxLength:"1024" format:"password"`
	// Code of the authenticator app, or a recovery code.
	OTP string `json:"otp,omitempty" maxLength:"64" example:"492039"`
	// Response of one of the user's passkeys to the options of POST /auth/passkeys/assertion, as
	// `PublicKeyCredential.toJSON()` returns it.
	Passkey Credential `json:"passkey,omitempty"`
}

// PasskeyOptions are for navigator.credentials in the browser.
type PasskeyOptions struct {
	// Options of the WebAuthn specification, for `PublicKeyCredential.parseCreationOptionsFromJSON()` or
	// `parseRequestOptionsFromJSON()`. The challenge works once, within five minutes.
	PublicKey any `json:"public_key"`
}

// optionsOut is a response with options.
type optionsOut = httpapi.One[PasskeyOptions]
