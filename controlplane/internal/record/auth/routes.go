package auth

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// Routes are /auth/*.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/auth/login", "Sign in", s.login).NoToken().Errors(401, 403, 429, 503).
			Describe("Answers an access token for 15 minutes and a refresh token for 12 hours. Five failed attempts close an account for 15 minutes to the network that made them."),
		httpapi.Handle("POST", "/auth/refresh", "Exchange the refresh token", s.refresh).NoToken().Errors(401, 403).
			Describe("The refresh token is the Bearer token of this request. It works once: a second use ends the session."),
		httpapi.Handle("POST", "/auth/sign-in-link", "Set a password by a one-time link", s.useLink).NoToken().Errors(401, 403, 429, 503),
		httpapi.Handle("POST", "/auth/logout", "End this session", s.logout),
		httpapi.Handle("POST", "/auth/logout-all", "End all sessions of the user", s.logoutAll),
		httpapi.Handle("GET", "/auth/me", "Who is asking", s.me),
	}
}

func (s *Service) logout(ctx context.Context, v viewer.Viewer, _ *struct{}) (*struct{}, error) {
	return nil, s.end(ctx, v, v.Session, "auth.logout")
}

func (s *Service) logoutAll(ctx context.Context, v viewer.Viewer, _ *struct{}) (*struct{}, error) {
	return nil, s.end(ctx, v, "", "auth.logout_all")
}

func (s *Service) end(ctx context.Context, v viewer.Viewer, session, action string) error {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		n, err := s.endSessions(ctx, tx, v.ID, session, "logout")
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action: action, Subject: audit.Subject{Type: "user", ID: v.ID, Display: v.Display}, Context: map[string]any{"sessions": n},
		})
	})
	s.forget(v.Tenant, v.ID)
	return err
}

// WhoAmI answers GET /auth/me.
type WhoAmI struct {
	Kind              string       `json:"kind" example:"user"`
	User              SignedUser   `json:"user"`
	Tenant            SignedTenant `json:"tenant"`
	ControlPlaneAdmin bool         `json:"control_plane_admin"`
	SeesAll           bool         `json:"sees_all" doc:"the whole tenant is visible, not only the own record and what the roles show"`
	ReadOnly          bool         `json:"read_only" doc:"nothing can be changed"`
	SessionID         string       `json:"session_id"`
}

// SignedTenant is the tenant that a token acts in.
type SignedTenant struct {
	ID          string `json:"id"`
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Status      string `json:"status"`
	FunnelState string `json:"funnel_state"`
}

func (s *Service) me(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[WhoAmI], error) {
	out := WhoAmI{Kind: string(v.Kind), ControlPlaneAdmin: v.ControlPlaneAdmin, SeesAll: v.SeesAll(), ReadOnly: v.OnlyReads(), SessionID: v.Session}
	const sql = `
		select id::text, email, display_name, identity_id::text, roles
		  from app_user
		 where id = $1`
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		t, err := tenant.Find(ctx, tx)
		if err != nil {
			return err
		}
		out.Tenant = SignedTenant{ID: t.ID, Slug: t.Slug, Name: t.Name, Status: string(t.Status), FunnelState: string(t.Stage)}
		u := &out.User
		if err := tx.QueryRow(ctx, sql, v.ID).Scan(&u.ID, &u.Email, &u.DisplayName, &u.IdentityID, &u.Roles); err != nil {
			return fmt.Errorf("find user: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[WhoAmI]{Body: out}, nil
}
