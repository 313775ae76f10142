package passkey

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
)

// NewPasskey is the body of POST /auth/passkeys.
type NewPasskey struct {
	// Name by which you recognize the passkey.
	Name string `json:"name" minLength:"1" maxLength:"100" example:"Work laptop"`
	// Response of the authenticator to the options of POST /auth/passkeys/registration, as
	// `PublicKeyCredential.toJSON()` returns it.
	Credential Credential `json:"credential"`
}

// begin is POST /auth/passkeys/registration: after a confirmation, the options to create a passkey.
func (s *Service) begin(ctx context.Context, v viewer.Viewer, in *struct{ Body Proof }) (*optionsOut, error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	party, err := s.party(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Reauthenticate(ctx, v, in.Body); err != nil {
		return nil, err
	}
	var (
		known []protocol.CredentialDescriptor
		who   owner
	)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if err := mayHaveAnother(ctx, tx, v.ID); err != nil {
			return err
		}
		if known, err = descriptors(ctx, tx, v.ID, party); err != nil {
			return err
		}
		who, err = ownerOf(ctx, tx, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	w, err := party.ceremony()
	if err != nil {
		return nil, err
	}
	asked, kept, err := w.BeginRegistration(who, webauthn.WithExclusions(known))
	if err != nil {
		return nil, fmt.Errorf("begin a registration: %w", err)
	}
	if err := s.keepChallenge(ctx, registration(v), kept.Challenge); err != nil {
		return nil, err
	}
	return &optionsOut{Body: PasskeyOptions{PublicKey: asked.Response}}, nil
}

// ownerOf is the viewer as authenticators show them.
func ownerOf(ctx context.Context, tx *pg.Tx, v viewer.Viewer) (o owner, err error) {
	const sql = `select email, display_name from app_user where id = $1`
	if err := tx.QueryRow(ctx, sql, v.ID).Scan(&o.email, &o.name); err != nil {
		return o, fmt.Errorf("find user: %w", err)
	}
	o.name = cmp.Or(o.name, o.email)
	o.handle, err = handleOf(v.Tenant, v.ID)
	return o, err
}

// mayHaveAnother refuses more passkeys than one user may have. It locks the user, so that parallel registrations are
// counted one after the other.
func mayHaveAnother(ctx context.Context, tx *pg.Tx, user string) error {
	const sql = `
		with held as (
			select id from app_user where id = $1 for update)
		select (select count(*) from passkey p where p.user_id = held.id) from held`
	var n int
	if err := tx.QueryRow(ctx, sql, user).Scan(&n); err != nil {
		return fmt.Errorf("count passkeys: %w", err)
	}
	if n >= maxKeys {
		return fault.Coded(fault.Conflict, "too_many_passkeys", "You have %d passkeys, which is the limit. Delete one "+
			"first.", n)
	}
	return nil
}

// add is POST /auth/passkeys: it verifies what the authenticator created, and stores it.
func (s *Service) add(
	ctx context.Context, v viewer.Viewer, in *struct{ Body NewPasskey },
) (*httpapi.One[Passkey], error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	name, err := nameOf(in.Body.Name)
	if err != nil {
		return nil, err
	}
	made, party, err := s.verify(ctx, v, in.Body.Credential)
	if err != nil {
		return nil, err
	}
	var out Passkey
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if err := mayHaveAnother(ctx, tx, v.ID); err != nil {
			return err
		}
		id := uuid.Must(uuid.NewV7()).String()
		if err := s.store(ctx, tx, id, name, party, made); err != nil {
			return err
		}
		if out, err = find(ctx, tx, v.ID, id); err != nil {
			return err
		}
		return record(ctx, tx, "auth.passkey_registered", v.ID, audit.Success, about(out))
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Passkey]{Body: out}, nil
}

// nameOf is a name without spaces around it.
func nameOf(given string) (string, error) {
	name := strings.TrimSpace(given)
	if name == "" {
		return "", fault.New(fault.Invalid, "A passkey needs a name.").
			With(fault.Field{Pointer: "#/name", Code: "required", Detail: "Enter a name."})
	}
	return name, nil
}

// verify checks the response of an authenticator to the options of a registration of this session.
func (s *Service) verify(ctx context.Context, v viewer.Viewer, c Credential) (*webauthn.Credential, Party, error) {
	party, err := s.party(ctx)
	if err != nil {
		return nil, party, err
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, party, notCreated()
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(raw)
	if err != nil {
		return nil, party, notCreated()
	}
	challenge := parsed.Response.CollectedClientData.Challenge
	ours, err := s.takeChallenge(ctx, registration(v), challenge)
	if err != nil {
		return nil, party, err
	}
	handle, err := handleOf(v.Tenant, v.ID)
	if err != nil {
		return nil, party, err
	}
	w, err := party.ceremony()
	if err != nil {
		return nil, party, err
	}
	if !ours {
		return nil, party, notCreated()
	}
	made, err := w.CreateCredential(owner{handle: handle}, webauthn.SessionData{
		Challenge:        challenge,
		RelyingPartyID:   party.ID,
		UserID:           handle,
		UserVerification: protocol.VerificationRequired,
		CredParams:       webauthn.CredentialParametersDefault(),
	}, parsed)
	if err != nil {
		return nil, party, notCreated()
	}
	return made, party, nil
}

// notCreated is the fault for a response that is none to a registration of this session.
func notCreated() error {
	return fault.Coded(fault.Invalid, "invalid_passkey", "The passkey could not be verified, or its setup took longer "+
		"than five minutes. Start again.").
		With(fault.Field{Pointer: "#/credential", Code: "invalid", Detail: "Start the setup again."})
}

// store inserts a passkey of the transaction's viewer.
func (s *Service) store(
	ctx context.Context, tx *pg.Tx, id, name string, p Party, made *webauthn.Credential,
) error {
	const sql = `
		insert into passkey (tenant_id, id, user_id, name, relying_party, credential_id, public_key, sign_count,
		       syncable, backed_up, transports, created_at)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	transports := []string{}
	for _, t := range made.Transport {
		transports = append(transports, string(t))
	}
	_, err := tx.Exec(ctx, sql, id, tx.Viewer.ID, name, p.ID, made.ID, made.PublicKey,
		int64(made.Authenticator.SignCount), made.Flags.BackupEligible, made.Flags.BackupState, transports, s.Now())
	if taken := (*pgconn.PgError)(nil); errors.As(err, &taken) && taken.ConstraintName == "passkey_credential_unique" {
		return fault.New(fault.Conflict, "This passkey is already registered.")
	}
	if err != nil {
		return fmt.Errorf("store a passkey: %w", err)
	}
	return nil
}
