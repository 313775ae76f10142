package factor

import (
	"context"
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/totp"
)

// FactorBegin is the body of POST /auth/mfa/totp.
type FactorBegin struct {
	// The password you sign in with.
	Password string `json:"password" minLength:"1" maxLength:"1024" format:"password"`
}

// FactorSecret answers the beginning of a second factor. It is shown once.
type FactorSecret struct {
	// For an authenticator app, in base32.
	Secret string `json:"secret"`
	// The same as an address, to be shown as a QR code.
	URI string `json:"otpauth_uri"`
}

// FactorCode is the body of POST /auth/mfa/totp/confirm.
type FactorCode struct {
	// Code of the authenticator.
	Code string `json:"code" minLength:"6" maxLength:"64" example:"492039"`
}

// RecoveryCodes answer the confirmation of a second factor. They are shown once.
type RecoveryCodes struct {
	// Each replaces a code once. Keep them away from the authenticator.
	Codes []string `json:"recovery_codes" nullable:"false"`
}

// FactorRemoval is the body of DELETE /auth/mfa/totp.
type FactorRemoval struct {
	// Current password of the user.
	Password string `json:"password" minLength:"1" maxLength:"1024" format:"password"`
	// A code of the authenticator, or a recovery code.
	Code string `json:"code" minLength:"6" maxLength:"64"`
}

// beginFactor makes a secret, which replaces one that was begun and never confirmed.
func (s *Service) beginFactor(
	ctx context.Context,
	v viewer.Viewer,
	in *struct{ Body FactorBegin },
) (*httpapi.One[FactorSecret], error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	if err := s.ProvePassword(ctx, v, in.Body.Password, "#/password"); err != nil {
		return nil, err
	}
	secret := totp.NewSecret()
	const sql = `
		insert into second_factor (tenant_id, user_id, secret)
		values (current_tenant(), $1, $2)
		    on conflict (tenant_id, user_id) do update
		       set secret = excluded.secret, created_at = now()
		     where second_factor.confirmed_at is null`
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		sealed, err := s.Seal.Seal(ctx, tx, factorPlace(v.ID), secret)
		if err != nil {
			return err
		}
		done, err := tx.Exec(ctx, sql, v.ID, sealed)
		if err != nil {
			return fmt.Errorf("keep second factor: %w", err)
		}
		if done.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "you have a second factor; remove it before you begin another")
		}
		return s.recordFactor(ctx, tx, "auth.mfa_begun")
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[FactorSecret]{
		Body: FactorSecret{Secret: totp.Text(secret), URI: totp.URI(secret, "Grantwright", v.Display)},
	}, nil
}

// recordFactor records what happened to the viewer's own second factor.
func (s *Service) recordFactor(ctx context.Context, tx *pg.Tx, action string) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: action, Subject: audit.Subject{Type: "user", ID: tx.Viewer.ID, Display: tx.Viewer.Display}},
	)
}

// confirmFactor makes the second factor count, once a code has shown that the app has its secret.
func (s *Service) confirmFactor(
	ctx context.Context,
	v viewer.Viewer,
	in *struct{ Body FactorCode },
) (*httpapi.One[RecoveryCodes], error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	var (
		out     RecoveryCodes
		refused error
	)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		f, err := lockFactor(ctx, tx, v.ID)
		switch {
		case err != nil:
			return err
		case f == nil:
			return fault.New(fault.Conflict, "begin a second factor first, by POST /auth/mfa/totp")
		case f.confirmed:
			return fault.New(fault.Conflict, "The second factor is already confirmed.")
		}
		if refused, err = s.tryCode(ctx, tx, v.ID, f, in.Body.Code); err != nil || refused != nil {
			return err
		}
		if err := pg.Exec(
			ctx,
			tx,
			"confirm second factor",
			`update second_factor set confirmed_at = $2 where user_id = $1`,
			v.ID,
			s.Now(),
		); err != nil {
			return err
		}
		if out.Codes, err = newRecoveryCodes(ctx, tx, v.ID); err != nil {
			return err
		}
		return s.recordFactor(ctx, tx, "auth.mfa_enabled")
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, atCode(err)
	}
	return &httpapi.One[RecoveryCodes]{Body: out}, nil
}

// atCode points to the member code, which is what these bodies call it.
func atCode(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) && f.Code == "invalid_otp" {
		f.Fields[0].Pointer = "#/code"
	}
	return err
}

// removeFactor takes the second factor away from whoever has both.
func (s *Service) removeFactor(
	ctx context.Context,
	v viewer.Viewer,
	in *struct{ Body FactorRemoval },
) (*struct{}, error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	if err := s.ProvePassword(ctx, v, in.Body.Password, "#/password"); err != nil {
		return nil, err
	}
	var refused error
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		f, err := lockFactor(ctx, tx, v.ID)
		if err != nil {
			return err
		}
		if f == nil {
			return fault.New(fault.NotFound, "you have no second factor")
		}
		if f.confirmed {
			if refused, err = s.tryCode(ctx, tx, v.ID, f, in.Body.Code); err != nil || refused != nil {
				return err
			}
		}
		if _, err := dropFactor(ctx, tx, v.ID); err != nil {
			return err
		}
		return s.recordFactor(ctx, tx, "auth.mfa_disabled")
	})
	if err == nil {
		err = refused
	}
	return nil, atCode(err)
}
