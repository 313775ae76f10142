package settings

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// stored is the row of a tenant.
type stored struct {
	NotificationSettings
	secret []byte
}

const columns = `enabled, server, host, port, security, auth, username, secret, token_url, client_id, scope, ca,
	from_address, from_name, reply_to, digest_hour, quiet, modes, locked, failures, paused_until, last_error,
	succeeded_at, updated_at, version`

// find reads the settings of the transaction's tenant; its defaults if it has none. lock is for update, or empty.
func find(ctx context.Context, tx *pg.Tx, lock string) (s stored, err error) {
	s.Fields = defaults()
	var quiet *notice.Quiet
	var locked []string
	var updated time.Time
	err = tx.QueryRow(ctx, `select `+columns+` from notification_settings where tenant_id = current_tenant() `+lock).
		Scan(&s.Enabled, &s.Server.Use, &s.Server.Host, &s.Server.Port, &s.Server.Security, &s.Server.Auth,
			&s.Server.Username, &s.secret, &s.Server.TokenURL, &s.Server.ClientID, &s.Server.Scope, &s.Server.CA,
			&s.Sender.Address, &s.Sender.Name, &s.Sender.ReplyTo, &s.DigestHour, &quiet, &s.Modes, &locked,
			&s.State.Failures, &s.State.PausedUntil, &s.State.LastError, &s.State.SucceededAt, &updated, &s.Version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		s.Version = 1
		return s, nil
	case err != nil:
		return s, fmt.Errorf("read notification settings: %w", err)
	}
	s.UpdatedAt, s.HasSecret = &updated, s.secret != nil
	if quiet != nil {
		s.QuietHours = *quiet
	}
	for _, g := range locked {
		s.Locked = append(s.Locked, notice.Group(g))
	}
	s.tidy()
	return s, nil
}

// store writes the settings. The server is tried again at once.
func store(ctx context.Context, tx *pg.Tx, s stored) error {
	const sql = `
		insert into notification_settings as n (tenant_id, ` + columns + `)
		values (current_tenant(), @enabled, @use, @host, @port, @security, @auth, @username, @secret, @token_url,
		       @client_id, @scope, @ca, @address, @name, @reply_to, @hour, @quiet, @modes, @locked, 0, null, null, null,
		       now(), 2)
		    on conflict (tenant_id) do update
		   set (enabled, server, host, port, security, auth, username, secret, token_url, client_id, scope, ca,
		        from_address, from_name, reply_to, digest_hour, quiet, modes, locked, failures, paused_until,
		        last_error, updated_at, version)
		     = (excluded.enabled, excluded.server, excluded.host, excluded.port, excluded.security, excluded.auth,
		        excluded.username, excluded.secret, excluded.token_url, excluded.client_id, excluded.scope, excluded.ca,
		        excluded.from_address, excluded.from_name, excluded.reply_to, excluded.digest_hour, excluded.quiet,
		        excluded.modes, excluded.locked, 0, null, null, now(), n.version + 1)`
	locked := make([]string, len(s.Locked))
	for i, g := range s.Locked {
		locked[i] = string(g)
	}
	return pg.Exec(ctx, tx, "store notification settings", sql, pgx.NamedArgs{
		"enabled": s.Enabled, "use": s.Server.Use, "host": s.Server.Host, "port": s.Server.Port,
		"security": s.Server.Security, "auth": s.Server.Auth, "username": s.Server.Username, "secret": s.secret,
		"token_url": s.Server.TokenURL, "client_id": s.Server.ClientID, "scope": s.Server.Scope, "ca": s.Server.CA,
		"address": s.Sender.Address, "name": s.Sender.Name, "reply_to": s.Sender.ReplyTo, "hour": s.DigestHour,
		"quiet": s.QuietHours, "modes": s.Modes, "locked": locked,
	})
}

// secretPlace is where the secret of the transaction's tenant is sealed for.
func secretPlace(tx *pg.Tx) seal.Place {
	return seal.Place{Table: "notification_settings", Column: "secret", Row: tx.Viewer.Tenant}
}
