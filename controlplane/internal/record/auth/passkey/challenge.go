package passkey

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
)

// Purpose binds a challenge to what it was created for. Its hash is stored with that of the challenge, so that a
// response works only there.
type Purpose []string

// SignIn is the purpose of a sign-in, of which the user is not known yet.
func SignIn() Purpose { return Purpose{"passkey-sign-in"} }

// Confirm is the purpose of a confirmation by a user who has signed in, in the same session.
func Confirm(v viewer.Viewer) Purpose { return Purpose{"passkey-confirm", v.Tenant, v.ID, v.Session} }

// registration is the purpose of setting up a passkey, in the same session.
func registration(v viewer.Viewer) Purpose {
	return Purpose{"passkey-registration", v.Tenant, v.ID, v.Session}
}

// of is the hash of a challenge for the purpose.
func (p Purpose) of(challenge string) []byte {
	return digest.Of(append(append([]string{}, p...), challenge)...)
}

// keepChallenge stores the hash of a challenge, and deletes a few that have expired.
func (s *Service) keepChallenge(ctx context.Context, p Purpose, challenge string) error {
	const sql = `
		with swept as (
			delete from passkey_challenge
			 where hash in (select hash from passkey_challenge where expires_at < $3 limit 100))
		insert into passkey_challenge (hash, expires_at)
		values ($1, $2)`
	now := s.Now()
	err := s.DB.Deployment(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, p.of(challenge), now.Add(challengeLife), now)
		return err
	})
	if err != nil {
		return fmt.Errorf("store a passkey challenge: %w", err)
	}
	return nil
}

// takeChallenge uses a challenge up, in a transaction of its own: it is used up even if the response is refused. It
// reports whether the challenge was valid.
func (s *Service) takeChallenge(ctx context.Context, p Purpose, challenge string) (ours bool, err error) {
	const sql = `
		delete from passkey_challenge
		 where hash = $1
		   and expires_at > $2`
	err = s.DB.Deployment(ctx, func(tx *pg.Tx) error {
		done, err := tx.Exec(ctx, sql, p.of(challenge), s.Now())
		ours = err == nil && done.RowsAffected() > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("take a passkey challenge: %w", err)
	}
	return ours, nil
}
