package apitoken

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
)

// Signer makes tokens, and knows their rights for a few seconds. auth.Service is it.
type Signer interface {
	IssueServiceToken(ctx context.Context, tx *pg.Tx, c bearer.ServiceClaims) (string, error)
	ForgetTokens(tenantID string)
}

// Service administers the tokens of integrations. All fields are needed.
type Service struct {
	DB      *pg.DB
	Tokens  Signer
	Cursors *httpapi.Cursors
	Offers  func() []httpapi.Route // all routes of the API, for what scopes open
	Now     func() time.Time
}

// Create makes a token. One that a token makes can do nothing that its maker cannot, lives only while that one is not
// disabled, and is revoked together with it.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n NewToken) (Issued, error) {
	if err := mayMake(v); err != nil {
		return Issued{}, err
	}
	var out Issued
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		now := s.Now()
		by, own, err := s.makerOf(ctx, tx, now)
		if err != nil {
			return err
		}
		longest := now.Add(longestLife)
		if own != nil {
			longest = own.end()
		}
		g, err := n.granted(now, longest)
		if err != nil {
			return err
		}
		if own != nil {
			if err := exceeds(*own, g); err != nil {
				return err
			}
		}
		if g.identity != nil {
			if err := reference.CheckExist(ctx, tx, "bound_identity_id", *g.identity); err != nil {
				return err
			}
		}
		out, err = s.issue(ctx, tx, entry{grant: g, maker: by}, "api_token.created")
		return err
	})
	return out, err
}

// makerOf is whose rights a token has that the transaction's viewer makes: the viewer's own, or those of the user who
// made the token that the viewer is, which is then given as well.
func (s *Service) makerOf(ctx context.Context, tx *pg.Tx, now time.Time) (maker, *Token, error) {
	v := tx.Viewer
	if v.Kind != viewer.Service {
		return maker{user: v.ID}, nil, nil
	}
	own, err := find(ctx, tx, v.ID, now, "")
	if err != nil {
		return maker{}, nil, err
	}
	return maker{user: own.CreatedBy.ID, token: &own.ID}, &own, nil
}

// issue keeps the token's row, makes the token and records it.
func (s *Service) issue(ctx context.Context, tx *pg.Tx, e entry, action string) (Issued, error) {
	e.id, e.jti = uuid.Must(uuid.NewV7()).String(), uuid.NewString()
	if err := insert(ctx, tx, e, s.Now()); err != nil {
		return Issued{}, err
	}
	secret, err := s.Tokens.IssueServiceToken(
		ctx,
		tx,
		bearer.ServiceClaims{TokenID: e.id, ID: e.jti, ExpiresAt: e.expires},
	)
	if err != nil {
		return Issued{}, err
	}
	changes, err := audit.Initial(e.Settings)
	if err != nil {
		return Issued{}, err
	}
	facts := map[string]any{"scopes": e.scopes, "role": e.role, "expires_at": e.expires, "jti": e.jti}
	if e.identity != nil {
		facts["bound_identity_id"] = *e.identity
	}
	if e.from != nil {
		facts["rotated_from_id"] = *e.from
	}
	if err := record(ctx, tx, action, e.id, e.Name, changes, facts); err != nil {
		return Issued{}, err
	}
	t, err := find(ctx, tx, e.id, s.Now(), "")
	return Issued{Token: t, Secret: secret}, err
}

// Patch applies a merge patch to the settings of a token that is in use.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (Token, error) {
	if err := mergepatch.Keep(body, "name", "enabled"); err != nil {
		return Token{}, err
	}
	var out Token
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		now := s.Now()
		before, err := find(ctx, tx, id, now, forUpdate)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if before.over() {
			return over(before)
		}
		if err := s.apply(ctx, tx, before, body, now); err != nil {
			return err
		}
		out, err = find(ctx, tx, id, now, "")
		return err
	})
	s.Tokens.ForgetTokens(v.Tenant)
	return out, err
}

// apply stores a merge patch of the settings. The action that is recorded says whether the token
// was enabled or disabled by it. Equal settings change nothing.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, before Token, body []byte, now time.Time) error {
	after, err := mergepatch.Apply(before.Settings, body)
	if err != nil {
		return err
	}
	idle, err := after.complete()
	if err != nil {
		return err
	}
	changes, err := audit.Diff(before.Settings, after)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := mayChange(tx.Viewer, before.Settings, after); err != nil {
		return err
	}
	if err := store(ctx, tx, before.ID, before.Settings, after, idle, now); err != nil {
		return err
	}
	action := "api_token.updated"
	switch {
	case before.Enabled && !after.Enabled:
		action = "api_token.disabled"
	case !before.Enabled && after.Enabled:
		action = "api_token.enabled"
	}
	return record(ctx, tx, action, before.ID, after.Name, changes, nil)
}

// Rotate makes a token that replaces another, with the same rights and the same length of life. Both are valid until
// the overlap has ended.
func (s *Service) Rotate(ctx context.Context, v viewer.Viewer, id, overlapText string) (Issued, error) {
	length, err := durationOf("overlap", overlapText, usualOverlap, 0, longestOverlap)
	if err != nil {
		return Issued{}, err
	}
	if err := mayMake(v); err != nil {
		return Issued{}, err
	}
	var out Issued
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		now := s.Now()
		old, err := find(ctx, tx, id, now, forUpdate)
		if err != nil {
			return err
		}
		if err := rotatable(old); err != nil {
			return err
		}
		e, err := s.successor(ctx, tx, old, now)
		if err != nil {
			return err
		}
		if err := overlap(ctx, tx, id, now.Add(length), now); err != nil {
			return err
		}
		out, err = s.issue(ctx, tx, e, "api_token.rotated")
		return err
	})
	s.Tokens.ForgetTokens(v.Tenant)
	return out, err
}

// successor is what replaces a token. A token may replace itself, and any other whose rights it has.
func (s *Service) successor(ctx context.Context, tx *pg.Tx, old Token, now time.Time) (entry, error) {
	g := grant{Settings: old.Settings, scopes: old.Scopes, role: old.Role, identity: old.BoundIdentityID}
	g.expires = now.Add(min(old.ExpiresAt.Sub(old.CreatedAt), longestLife)).UTC().Truncate(time.Second)
	var err error
	if g.idle, err = g.Settings.complete(); err != nil {
		return entry{}, err
	}
	by, own, err := s.makerOf(ctx, tx, now)
	if err != nil {
		return entry{}, err
	}
	switch {
	case own == nil:
	case own.ID == old.ID:
		by.token = old.MadeByID // not the one that is replaced: with it the successor would be revoked
	default:
		if g.expires.After(own.end()) {
			g.expires = own.end().Truncate(time.Second)
		}
		if err := exceeds(*own, g); err != nil {
			return entry{}, err
		}
	}
	return entry{grant: g, maker: by, from: &old.ID}, nil
}

// rotatable says why a token cannot be rotated; nil: it can.
func rotatable(t Token) error {
	switch {
	case t.over():
		return over(t)
	case t.State == Disabled && t.Enabled:
		return fault.Coded(
			fault.Conflict,
			"token_disabled",
			"the token cannot be enabled because its creator is no longer active; see its disabled_reason",
		)
	case t.State == Disabled:
		return fault.Coded(fault.Conflict, "token_disabled", "the token is disabled; enable it first")
	case t.OverlapUntil != nil:
		return fault.Coded(
			fault.Conflict,
			"already_rotated",
			"the token was rotated before; rotate the one that replaced it",
		)
	}
	return nil
}

// over is the conflict of a token that has been revoked or has expired.
func over(t Token) error {
	return fault.Coded(fault.Conflict, "token_over", "The token is %s. Create a new one.", t.State)
}

// Revoke ends a token for good, with all that it made. With successors, what replaced any of them ends as well: a thief
// of a token may have rotated it.
func (s *Service) Revoke(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	successors bool,
) error {
	var gone []revokedToken
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		t, err := find(ctx, tx, id, s.Now(), forUpdate)
		if err != nil {
			return err
		}
		if err := match.Check(t.Version); err != nil {
			return err
		}
		if gone, err = revoke(ctx, tx, id, successors, s.Now()); err != nil {
			return err
		}
		for _, g := range gone {
			facts := map[string]any{}
			if g.ID != id {
				facts["because_of"] = id
			}
			if err := record(ctx, tx, "api_token.revoked", g.ID, g.Name, nil, facts); err != nil {
				return err
			}
		}
		return nil
	})
	s.Tokens.ForgetTokens(v.Tenant)
	return err
}

// record records an action on a token, with further facts.
func record(
	ctx context.Context,
	tx *pg.Tx,
	action, id, name string,
	changes []audit.Change,
	facts map[string]any,
) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  action,
			Subject: audit.Subject{Type: "api_token", ID: id, Display: name},
			Changes: changes,
			Context: facts,
		},
	)
}
