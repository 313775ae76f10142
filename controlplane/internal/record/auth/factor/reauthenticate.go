package factor

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
)

// Reauthenticate has a user who has signed in confirm who they are, so that a stolen session is not sufficient. It
// returns a fault unless the proof is theirs. A user with a second factor confirms with it: a password that was seen
// must not be enough to add a passkey.
func (s *Service) Reauthenticate(ctx context.Context, v viewer.Viewer, p passkey.Proof) error {
	var given Given
	n := 0
	if p.Password != "" {
		n++
	}
	if p.OTP != "" {
		given.Code = p.OTP
		n++
	}
	if len(p.Passkey) > 0 {
		n++
	}
	if n != 1 {
		return fault.New(fault.Invalid, "Confirm with exactly one of password, otp and passkey.").
			With(fault.Field{Pointer: "#", Code: "invalid", Detail: "Give one of password, otp and passkey."})
	}
	if len(p.Passkey) > 0 {
		var err error
		if given.Passkey, err = s.Passkeys.Open(ctx, p.Passkey, passkey.Confirm(v)); err != nil {
			return err
		}
	}
	used, err := s.confirmed(ctx, v, given)
	if err != nil || used != "" {
		return err
	}
	// There is no second factor.
	switch {
	case given.Passkey != nil:
		return passkey.Refused()
	case given.Code != "":
		return wrongCode()
	}
	return s.ProvePassword(ctx, v, p.Password, "#/password")
}

// confirmed checks the viewer's second factor, as Check does, and returns a refusal as the error.
func (s *Service) confirmed(ctx context.Context, v viewer.Viewer, g Given) (used string, err error) {
	var refused error
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		used, refused, err = s.Check(ctx, tx, v.ID, g)
		return err
	})
	if err == nil {
		err = refused
	}
	return used, err
}
