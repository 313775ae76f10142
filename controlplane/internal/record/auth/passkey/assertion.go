package passkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

// Refused is the one fault for every passkey that does not work: unknown, removed, of a disabled user, copied, or with
// an expired challenge.
func Refused() error {
	return fault.Coded(fault.Unauthenticated, "invalid_passkey", "The passkey was not accepted. Try again, or use "+
		"another method.")
}

// start is POST /auth/passkey/start: the options of a sign-in. They are the same for everybody and name no passkey.
func (s *Service) start(ctx context.Context, _ viewer.Viewer, _ *struct{}) (*optionsOut, error) {
	if v := s.starters.Take(httpapi.AddressOf(ctx)); !v.Allowed {
		f := fault.New(fault.TooMany, "Too many sign-ins with a passkey were started. Wait a moment.")
		f.RetryAfter = max(time.Second, v.Wait)
		return nil, f
	}
	return s.ask(ctx, SignIn(), nil)
}

// confirm is POST /auth/passkeys/assertion: the options of a confirmation with one of the viewer's passkeys.
func (s *Service) confirm(ctx context.Context, v viewer.Viewer, _ *struct{}) (*optionsOut, error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	party, err := s.party(ctx)
	if err != nil {
		return nil, err
	}
	var known []protocol.CredentialDescriptor
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		known, err = descriptors(ctx, tx, v.ID, party)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(known) == 0 {
		return nil, fault.New(fault.Conflict, "You have no passkey for %s.", party.ID)
	}
	return s.ask(ctx, Confirm(v), known)
}

// ask makes the options of an assertion and stores their challenge.
func (s *Service) ask(ctx context.Context, p Purpose, allowed []protocol.CredentialDescriptor) (*optionsOut, error) {
	party, err := s.party(ctx)
	if err != nil {
		return nil, err
	}
	w, err := party.ceremony()
	if err != nil {
		return nil, err
	}
	asked, kept, err := w.BeginDiscoverableLogin(webauthn.WithAllowedCredentials(allowed))
	if err != nil {
		return nil, fmt.Errorf("begin an assertion: %w", err)
	}
	if err := s.keepChallenge(ctx, p, kept.Challenge); err != nil {
		return nil, err
	}
	return &optionsOut{Body: PasskeyOptions{PublicKey: asked.Response}}, nil
}

// descriptors are the user's passkeys that belong to the relying party, as options name them.
func descriptors(ctx context.Context, tx *pg.Tx, user string, p Party) ([]protocol.CredentialDescriptor, error) {
	const sql = `select credential_id, transports from passkey where user_id = $1 and relying_party = $2 order by id`
	return pg.AllBy(ctx, tx, "list passkeys", func(row pgx.CollectableRow) (protocol.CredentialDescriptor, error) {
		d := protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType}
		var transports []string
		err := row.Scan((*[]byte)(&d.CredentialID), &transports)
		for _, t := range transports {
			d.Transport = append(d.Transport, protocol.AuthenticatorTransport(t))
		}
		return d, err
	}, sql, user, p.ID)
}

// Given is the response of an authenticator to a challenge of ours, which is used up. The signature is not verified
// yet: see Use.
type Given struct {
	party  Party
	parsed *protocol.ParsedCredentialAssertionData
}

// Open reads a response and uses up its challenge. It returns invalid_passkey if the response cannot be read, or if the
// challenge is not one for the purpose.
func (s *Service) Open(ctx context.Context, c Credential, p Purpose) (*Given, error) {
	party, err := s.party(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, Refused()
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(raw)
	if err != nil {
		return nil, Refused()
	}
	ours, err := s.takeChallenge(ctx, p, parsed.Response.CollectedClientData.Challenge)
	switch {
	case err != nil:
		return nil, err
	case !ours:
		return nil, Refused()
	}
	return &Given{party: party, parsed: parsed}, nil
}

// Owner returns the tenant and the user that the authenticator stores with the passkey, which is a claim until Use has
// verified the signature. It returns invalid_passkey if there is none.
func (g *Given) Owner() (tenant, user string, err error) {
	h := g.parsed.Response.UserHandle
	if len(h) != 2*len(uuid.UUID{}) {
		return "", "", Refused()
	}
	return uuid.UUID(h[:16]).String(), uuid.UUID(h[16:]).String(), nil
}

// key is a stored passkey.
type key struct {
	id        string
	name      string
	publicKey []byte
	count     uint32
	syncable  bool
}

// Use verifies the response as one of the user's passkeys. A refusal (invalid_passkey) is no error: its audit event
// must be committed. A counter that did not increase means that the passkey was copied (WebAuthn section 7.2).
func (s *Service) Use(ctx context.Context, tx *pg.Tx, user string, g *Given) (refused, err error) {
	k, err := lockKey(ctx, tx, user, g)
	if errors.Is(err, pgx.ErrNoRows) {
		return Refused(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("find passkey: %w", err)
	}
	w, err := g.party.ceremony()
	if err != nil {
		return nil, err
	}
	handle, err := handleOf(tx.Viewer.Tenant, user)
	if err != nil {
		return nil, err
	}
	proved, err := w.ValidateLogin(owner{handle: handle, keys: []webauthn.Credential{k.credential(g)}},
		webauthn.SessionData{
			Challenge:        g.parsed.Response.CollectedClientData.Challenge,
			RelyingPartyID:   g.party.ID,
			UserID:           handle,
			UserVerification: protocol.VerificationRequired,
		}, g.parsed)
	switch {
	case err != nil:
		return Refused(), nil
	case proved.Authenticator.CloneWarning:
		return Refused(), record(ctx, tx, "auth.passkey_refused", user, audit.Denied, map[string]any{
			"passkey": k.name, "passkey_id": k.id, "reason": "counter_not_increased",
		})
	}
	const sql = `update passkey set sign_count = $2, backed_up = $3, last_used_at = $4 where id = $1`
	return nil, pg.Exec(ctx, tx, "use a passkey", sql, k.id, int64(proved.Authenticator.SignCount),
		proved.Flags.BackupState, s.Now())
}

// lockKey reads the passkey of a response, and makes parallel uses wait for each other. Its error is pgx.ErrNoRows if
// the user has no such passkey.
func lockKey(ctx context.Context, tx *pg.Tx, user string, g *Given) (k key, err error) {
	const sql = `
		select id::text, name, public_key, sign_count, syncable
		  from passkey
		 where user_id = $1
		   and credential_id = $2
		   and relying_party = $3
		   for update`
	var count int64
	err = tx.QueryRow(ctx, sql, user, g.parsed.RawID, g.party.ID).
		Scan(&k.id, &k.name, &k.publicKey, &count, &k.syncable)
	k.count = uint32(count)
	return k, err
}

// credential is the passkey as the library knows it.
func (k key) credential(g *Given) webauthn.Credential {
	return webauthn.Credential{
		ID:            g.parsed.RawID,
		PublicKey:     k.publicKey,
		Flags:         webauthn.CredentialFlags{UserVerified: true, BackupEligible: k.syncable},
		Authenticator: webauthn.Authenticator{SignCount: k.count},
	}
}

// owner is a user as the library knows them.
type owner struct {
	handle      []byte
	email, name string
	keys        []webauthn.Credential
}

func (o owner) WebAuthnID() []byte                         { return o.handle }
func (o owner) WebAuthnName() string                       { return o.email }
func (o owner) WebAuthnDisplayName() string                { return o.name }
func (o owner) WebAuthnCredentials() []webauthn.Credential { return o.keys }

// handleOf is the user handle that authenticators store: the ids of the tenant and of the user, 32 bytes.
func handleOf(tenant, user string) ([]byte, error) {
	t, err := uuid.Parse(tenant)
	if err != nil {
		return nil, fmt.Errorf("user handle: %w", err)
	}
	u, err := uuid.Parse(user)
	if err != nil {
		return nil, fmt.Errorf("user handle: %w", err)
	}
	return append(t[:], u[:]...), nil
}
