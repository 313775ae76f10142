package user

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/lastadmin"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
)

// SignIn is how users sign in. auth.Service is it.
type SignIn interface {
	IssueSignInLink(ctx context.Context, tx *pg.Tx, userID string) (token string, err error)
	WithdrawLinks(ctx context.Context, tx *pg.Tx, userID string) error
	EndSessions(ctx context.Context, tx *pg.Tx, userID, reason string) (int64, error)
	Forget(tenantID, userID string)
	// IssueSignInLinks is IssueSignInLink for many, with the tokens by user. The links work for life.
	IssueSignInLinks(ctx context.Context, tx *pg.Tx, userIDs []string, life time.Duration) (map[string]string, error)
	// EndUsers withdraws the links of many users and ends their sessions.
	EndUsers(ctx context.Context, tx *pg.Tx, userIDs []string, reason string) error
}

// Service administers users. All fields but Invited and InvitedByRule are needed.
type Service struct {
	DB      *pg.DB
	SignIn  SignIn
	Cursors *httpapi.Cursors
	Now     func() time.Time

	// Invited is called with the token of a user's new sign-in link, in the transaction that created it. It may be nil.
	Invited func(ctx context.Context, tx *pg.Tx, userID, token string) error
	// InvitedByRule is called with the tokens of the links that rules send, by user. It may be nil.
	InvitedByRule func(ctx context.Context, tx *pg.Tx, tokens map[string]string) error
}

// Create makes a user who has not signed in yet, with a link to do so.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n NewUser) (InvitedUser, error) {
	f := Fields{
		Email: n.Email, DisplayName: n.DisplayName, Roles: n.Roles, IdentityID: n.IdentityID, Locale: n.Locale,
		ControlPlaneAdmin: n.ControlPlaneAdmin, Enabled: true,
	}
	if err := f.complete(); err != nil {
		return InvitedUser{}, err
	}
	if err := mayCreate(v, f); err != nil {
		return InvitedUser{}, err
	}
	var out InvitedUser
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		id, err := insert(ctx, tx, f, s.Now())
		if err != nil {
			return err
		}
		changes, err := audit.Initial(f)
		if err != nil {
			return err
		}
		if err := record(ctx, tx, "user.created", id, f.Email, changes); err != nil {
			return err
		}
		out, err = s.invite(ctx, tx, id)
		return err
	})
	return out, err
}

// Invite makes a new sign-in link for a user. A link from before does not work any more; by the new one a user who has
// a password sets another.
func (s *Service) Invite(ctx context.Context, v viewer.Viewer, id string) (InvitedUser, error) {
	var out InvitedUser
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		u, err := Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayHandOver(v, id, u.Fields); err != nil {
			return err
		}
		if !u.Enabled {
			return disabled()
		}
		if err := record(ctx, tx, "user.invited", id, u.Email, nil); err != nil {
			return err
		}
		out, err = s.invite(ctx, tx, id)
		return err
	})
	return out, err
}

// invite issues a sign-in link for the user and notes it. The token is in the result and nowhere
// else.
func (s *Service) invite(ctx context.Context, tx *pg.Tx, id string) (InvitedUser, error) {
	token, err := s.SignIn.IssueSignInLink(ctx, tx, id)
	if err != nil {
		return InvitedUser{}, err
	}
	expires, err := invited(ctx, tx, id, s.Now())
	if err != nil {
		return InvitedUser{}, err
	}
	if s.Invited != nil {
		if err := s.Invited(ctx, tx, id, token); err != nil {
			return InvitedUser{}, err
		}
	}
	u, err := Find(ctx, tx, id)
	return InvitedUser{User: u, Invitation: UserInvitation{Token: token, ExpiresAt: expires}}, err
}

// Patch applies a merge patch to what an administrator decides about a user.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (User, error) {
	if err := mergepatch.Keep(body, "email", "enabled", "control_plane_admin"); err != nil {
		return User{}, err
	}
	var after User
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := lastadmin.Lock(ctx, tx); err != nil {
			return err
		}
		before, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if err := s.apply(ctx, tx, before, body); err != nil {
			return err
		}
		after, err = Find(ctx, tx, id)
		return err
	})
	s.SignIn.Forget(v.Tenant, id)
	return after, err
}

// apply writes what the patch changes, with its consequences.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, before User, body []byte) error {
	after, err := mergepatch.Apply(before.Fields, body)
	if err != nil {
		return err
	}
	if err := after.complete(); err != nil {
		return err
	}
	changes, err := audit.Diff(before.Fields, after)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := mayChange(tx.Viewer, before.ID, before.Fields, after); err != nil {
		return err
	}
	if text(after.IdentityID) != text(before.IdentityID) {
		if err := checkIdentity(ctx, tx, after); err != nil {
			return err
		}
	}
	if err := store(ctx, tx, before.ID, after, s.Now()); err != nil {
		return err
	}
	if err := s.consequences(ctx, tx, before, after); err != nil {
		return err
	}
	return record(ctx, tx, action(before.Fields, after), before.ID, after.Email, changes)
}

// consequences follow from what a user has lost.
func (s *Service) consequences(ctx context.Context, tx *pg.Tx, before User, after Fields) error {
	if isAdmin(before.Status, before.Fields) && !isAdmin(before.Status, after) {
		if err := lastadmin.Check(ctx, tx); err != nil {
			return err
		}
	}
	if before.Enabled && !after.Enabled {
		if err := s.SignIn.WithdrawLinks(ctx, tx, before.ID); err != nil {
			return err
		}
		// A passkey that another person registered must not work again when the user is enabled.
		if _, err := passkey.RemoveAll(ctx, tx, before.ID, "user_disabled"); err != nil {
			return err
		}
		_, err := s.SignIn.EndSessions(ctx, tx, before.ID, "user_disabled")
		return err
	}
	return nil
}

// action is what the audit log calls a change.
func action(before, after Fields) string {
	switch {
	case before.Enabled && !after.Enabled:
		return "user.disabled"
	case !before.Enabled && after.Enabled:
		return "user.enabled"
	}
	return "user.updated"
}

// Delete takes every way to sign in from a user and erases who they were. The id stays, since the audit log refers to
// it.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := lastadmin.Lock(ctx, tx); err != nil {
			return err
		}
		u, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayDelete(v, u); err != nil {
			return err
		}
		if err := match.Check(u.Version); err != nil {
			return err
		}
		if err := erase(ctx, tx, id, s.Now()); err != nil {
			return err
		}
		if isAdmin(u.Status, u.Fields) {
			if err := lastadmin.Check(ctx, tx); err != nil {
				return err
			}
		}
		return record(ctx, tx, "user.deleted", id, u.Email, nil)
	})
	s.SignIn.Forget(v.Tenant, id)
	return err
}

// RevokeSessions signs a user out everywhere.
func (s *Service) RevokeSessions(ctx context.Context, v viewer.Viewer, id string) (ended int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		u, err := Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayTouch(v, id, u.Fields); err != nil {
			return err
		}
		if ended, err = s.SignIn.EndSessions(ctx, tx, id, "administrator"); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "user.sessions_revoked",
				Subject: subject(id, u.Email),
				Context: map[string]any{"sessions": ended},
			},
		)
	})
	s.SignIn.Forget(v.Tenant, id)
	return ended, err
}

// ResetMFA takes a user's second factor and passkeys away, so that they can set up others, and signs them out
// everywhere. Without any nothing happens.
func (s *Service) ResetMFA(ctx context.Context, v viewer.Viewer, id string) (User, error) {
	var out User
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		u, err := Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := mayHandOver(v, id, u.Fields); err != nil {
			return err
		}
		had, err := factor.Reset(ctx, tx, id)
		if err != nil {
			return err
		}
		if had {
			if _, err := s.SignIn.EndSessions(ctx, tx, id, "mfa_reset"); err != nil {
				return err
			}
		}
		out, err = Find(ctx, tx, id)
		return err
	})
	s.SignIn.Forget(v.Tenant, id)
	return out, err
}

// subject names the user in audit entries.
func subject(id, email string) audit.Subject {
	return audit.Subject{Type: "user", ID: id, Display: email}
}

// record records an action on a user.
func record(ctx context.Context, tx *pg.Tx, action, id, email string, changes []audit.Change) error {
	if err := audit.Record(
		ctx,
		tx,
		audit.Entry{Action: action, Subject: subject(id, email), Changes: changes},
	); err != nil {
		return fmt.Errorf("record %s: %w", action, err)
	}
	return nil
}
