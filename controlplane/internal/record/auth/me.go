package auth

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// WhoAmI answers GET /auth/me.
type WhoAmI struct {
	// Kind of the caller: a user, or a service token (service).
	Kind string `json:"kind" enum:"user,service" example:"user"`
	// E-mail address of a person, name of a service token.
	Display string `json:"display"`
	// Omitted for a service token.
	User *session.SignedUser `json:"user,omitempty"`
	// What a service token can be used for; empty for a user, who has no scopes.
	Scopes []string `json:"scopes" nullable:"false"`
	// Roles of the caller.
	Roles []string `json:"roles" nullable:"false"`
	// Whether there is a password to change. Users of an identity provider may have none. Omitted for a service token.
	PasswordSet *bool `json:"password_set,omitempty"`
	// The second factor. Omitted for a service token.
	MFA *factor.Factor `json:"mfa,omitempty"`
	// Tenant in which the caller acts.
	Tenant SignedTenant `json:"tenant"`
	// The own tenant of a control-plane administrator who acts in another one.
	HomeTenant *SignedTenant `json:"home_tenant,omitempty"`
	// True if the caller is a control-plane administrator.
	ControlPlaneAdmin bool `json:"control_plane_admin"`
	// The whole tenant is visible, not only the own record and what the roles show.
	SeesAll bool `json:"sees_all"`
	// Nothing can be changed.
	ReadOnly bool `json:"read_only"`
	// Number of visible identities, and why they are visible.
	Visibility Visibility `json:"visibility"`
	// The sign-in, or the service token.
	SessionID string `json:"session_id"`
}

// Visibility sums up whom the viewer can see.
type Visibility struct {
	// How many identities the lists show; the own record can be read besides.
	Identities int64 `json:"identities"`
	// Why: own_record, reports, owned_resources, whole_tenant.
	Because []string `json:"because" nullable:"false"`
}

// SignedTenant is the tenant that a token acts in.
type SignedTenant struct {
	// ID of the tenant.
	ID string `json:"id"`
	// Slug of the tenant, part of its address.
	Slug string `json:"slug"`
	// Display name of the tenant.
	Name string `json:"name"`
	// Status of the tenant: active, suspended or closing.
	Status string `json:"status"`
	// Setup progress of the tenant: bootstrapped or connected.
	FunnelState string `json:"funnel_state"`
}

// me is GET /auth/me: who the caller is, in which tenant, and what they see. A user who acts in
// another tenant is shown with the user record at home.
func (s *Service) me(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[WhoAmI], error) {
	out := WhoAmI{
		Kind:              string(v.Kind),
		Display:           v.Display,
		Scopes:            append([]string{}, v.Scopes...),
		Roles:             rolesOf(v),
		ControlPlaneAdmin: v.ControlPlaneAdmin,
		SeesAll:           v.SeesAll(),
		ReadOnly:          v.OnlyReads(),
		SessionID:         v.Session,
		Visibility:        Visibility{Because: because(v)},
	}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if out.Tenant, err = tenantOf(ctx, tx); err != nil {
			return err
		}
		out.Visibility.Identities, err = countVisible(ctx, tx)
		return err
	})
	if err != nil || v.Kind != viewer.User {
		return &httpapi.One[WhoAmI]{Body: out}, err
	}
	own := session.AtHome(v)
	err = s.DB.As(ctx, own, func(tx *pg.Tx) (err error) {
		if v.Home != "" {
			home, err := tenantOf(ctx, tx)
			if err != nil {
				return err
			}
			out.HomeTenant = &home
		}
		if out.User, out.PasswordSet, err = findUser(ctx, tx, v.ID); err != nil {
			return err
		}
		out.MFA, err = factor.StatusOf(ctx, tx, v.ID)
		return err
	})
	return &httpapi.One[WhoAmI]{Body: out}, err
}

// countVisible counts as the list of identities does.
func countVisible(ctx context.Context, tx *pg.Tx) (n int64, err error) {
	from := "visible_identity()"
	if tx.Viewer.SeesAll() {
		from = "identity"
	}
	if err := tx.QueryRow(ctx, `select count(*) from `+from+` where status <> 'archived'`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count who is visible: %w", err)
	}
	return n, nil
}

// tenantOf is the transaction's tenant.
func tenantOf(ctx context.Context, tx *pg.Tx) (SignedTenant, error) {
	t, err := tenant.Find(ctx, tx)
	return SignedTenant{
		ID:          t.ID,
		Slug:        t.Slug,
		Name:        t.Name,
		Status:      string(t.Status),
		FunnelState: string(t.Stage),
	}, err
}

// findUser reads a user, and whether they have a password.
func findUser(ctx context.Context, tx *pg.Tx, id string) (*session.SignedUser, *bool, error) {
	const sql = `
		select id::text, email, display_name, identity_id::text, roles, password_hash is not null
		  from app_user
		 where id = $1`
	var u session.SignedUser
	var password bool
	if err := tx.QueryRow(ctx, sql, id).
		Scan(&u.ID, &u.Email, &u.DisplayName, &u.IdentityID, &u.Roles, &password); err != nil {
		return nil, nil, fmt.Errorf("find user: %w", err)
	}
	return &u, &password, nil
}

// rolesOf are the viewer's roles, never null.
func rolesOf(v viewer.Viewer) []string {
	names := []string{}
	for _, r := range v.Roles {
		names = append(names, string(r))
	}
	return names
}

// because names what makes records visible to somebody (decision A9).
func because(v viewer.Viewer) []string {
	if v.SeesAll() {
		return []string{"whole_tenant"}
	}
	why := []string{}
	if v.Identity == "" {
		return why // what somebody manages or owns hangs on their own record
	}
	why = append(why, "own_record")
	if v.Has(viewer.Manager) {
		why = append(why, "reports")
	}
	if v.Has(viewer.ResourceOwner) {
		why = append(why, "owned_resources")
	}
	return why
}
