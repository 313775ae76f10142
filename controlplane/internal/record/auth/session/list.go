package session

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Session is a sign-in that is still open.
type Session struct {
	// ID of the session.
	ID string `json:"id"`
	// The one that asks.
	Current bool `json:"current"`
	// Time of the sign-in.
	CreatedAt time.Time `json:"created_at"`
	// When tokens were last made for it.
	LastUsedAt time.Time `json:"last_used_at"`
	// When it ends in any case.
	ExpiresAt time.Time `json:"expires_at"`
	// How its user signed in: password, password_otp, password_passkey, passkey, sign_in_link, oidc.
	Method string `json:"method" example:"password_otp"`
	// Where its user signed in.
	IP string `json:"ip"`
	// User-Agent header of the sign-in.
	UserAgent string `json:"user_agent"`
}

// listSessions is GET of the viewer's own open sessions.
func (s *Service) listSessions(
	ctx context.Context,
	v viewer.Viewer,
	in *httpapi.Paging,
) (*httpapi.ListOut[Session], error) {
	v, err := OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	walk, err := s.Cursors.Walk(v, "sessions", *in, nil)
	if err != nil {
		return nil, err
	}
	var (
		items []Session
		total int64
	)
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		items, total, err = s.openSessions(ctx, tx, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(walk, items, total, func(s Session) []string { return []string{s.ID} }), nil
}

// openSessions are those of the transaction's viewer. Ids grow with time.
func (s *Service) openSessions(ctx context.Context, tx *pg.Tx, p pg.Page) (items []Session, total int64, err error) {
	const (
		open = `
		  from auth_session
		 where user_id = @user
		   and revoked_at is null
		   and epoch = @epoch
		   and least(idle_expires_at, expires_at) > @now`
		page = `
		select id::text, id::text = @current, created_at, last_used_at, expires_at, method, ip, user_agent` + open + `
		   and (@after::uuid is null or id < @after)
		 order by id desc
		 limit @limit + 1
		offset @offset`
	)
	args := pgx.NamedArgs{
		"user":    tx.Viewer.ID,
		"current": tx.Viewer.Session,
		"now":     s.Now(),
		"epoch":   s.Signer.Keys.Epoch(),
		"limit":   p.Limit,
		"offset":  p.Offset,
		"after":   nil,
	}
	if len(p.After) > 0 {
		args["after"] = p.After[0]
	}
	if err := tx.QueryRow(ctx, `select count(*)`+open, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count sessions: %w", err)
	}
	items, err = pg.AllBy(ctx, tx, "list sessions", func(row pgx.CollectableRow) (o Session, err error) {
		return o, row.Scan(&o.ID, &o.Current, &o.CreatedAt, &o.LastUsedAt, &o.ExpiresAt, &o.Method, &o.IP, &o.UserAgent)
	}, page, args)
	if err != nil {
		return nil, 0, err
	}
	return items, total, nil
}

// leaving is the input of a sign-out.
type leaving struct {
	Browser
	Cookie string `cookie:"grantwright_refresh" hidden:"true"`
}

// left answers a sign-out: a console's cookie goes as well.
type left struct {
	// Expired cookies that end the session in the browser.
	Cookies []http.Cookie `header:"Set-Cookie"`
}

// logout is POST /auth/logout: it ends this session.
func (s *Service) logout(ctx context.Context, v viewer.Viewer, in *leaving) (*left, error) {
	return s.leave(in), s.endOwn(ctx, v, v.Session, "auth.logout")
}

// logoutAll is POST /auth/logout-all: it ends all sessions of the user.
func (s *Service) logoutAll(ctx context.Context, v viewer.Viewer, in *leaving) (*left, error) {
	return s.leave(in), s.endOwn(ctx, v, "", "auth.logout_all")
}

// leave removes the console's cookie, where the request carries one.
func (s *Service) leave(in *leaving) *left {
	if in.Cookie == "" {
		return &left{}
	}
	gone := s.Cookie(refreshCookie, cookiePath, "", 0)
	gone.SameSite = http.SameSiteStrictMode
	return &left{Cookies: []http.Cookie{gone}}
}

func (s *Service) endOne(ctx context.Context, v viewer.Viewer, in *struct {
	ID string `path:"id"`
}) (*struct{}, error) {
	return nil, s.endOwn(ctx, v, in.ID, "auth.session_ended")
}

// endOwn ends one session of the viewer, or all of them. A session that is not there, or somebody else's, is not found.
func (s *Service) endOwn(ctx context.Context, v viewer.Viewer, session, action string) error {
	v, err := OnlyUsers(v)
	if err != nil {
		return err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		n, err := s.End(ctx, tx, v.ID, session, "logout")
		if err != nil {
			return err
		}
		if n == 0 && session != "" && session != v.Session {
			return fault.New(fault.NotFound, "Open session %s of yours was not found.", session)
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action:  action,
			Subject: audit.Subject{Type: "user", ID: v.ID, Display: v.Display},
			Context: map[string]any{"sessions": n},
		})
	})
	s.Callers.ForgetUser(v.Tenant, v.ID)
	return err
}
