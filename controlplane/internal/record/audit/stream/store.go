package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Stream is where the log is sent.
type Stream struct {
	// ID of the audit stream.
	ID string `json:"id" db:"id"`
	// Name of the stream, unique in the tenant.
	Name string `json:"name" db:"name"`
	// Transport of the stream: HTTPS requests or syslog.
	Kind string `json:"kind" db:"kind" enum:"https,syslog"`
	// Destination of the stream.
	URL string `json:"url" db:"url"`
	// Format of the entries.
	Format string `json:"format" db:"format" enum:"ndjson,ocsf"`
	// Name of the header that carries header_value.
	Header string `json:"header" db:"header"`
	// True if a header value is stored.
	HasHeader bool `json:"header_value_set" db:"header_value_set"`
	// True if certificates of an authority are stored.
	HasCA bool `json:"ca_set" db:"ca_set"`
	// False if the stream is stopped.
	Enabled bool `json:"enabled" db:"enabled"`
	// State of the stream. Failing means that the last delivery failed.
	State string `json:"state" db:"state" enum:"ok,failing,disabled"`
	// The last entry that was delivered.
	LastSeq int64 `json:"last_seq" db:"last_seq"`
	// Entries that are not delivered yet.
	Lag int64 `json:"lag" db:"lag"`
	// Entries that the retention dropped before they could be delivered.
	Skipped int64 `json:"skipped" db:"skipped"`
	// Failures since the last delivery.
	Attempts int `json:"attempts" db:"attempts"`
	// Time of the next delivery attempt.
	NextAt time.Time `json:"next_attempt_at" db:"next_at"`
	// Error of the last delivery attempt. Null if there is none.
	LastError *string `json:"last_error" db:"last_error"`
	// Time of the last delivery. Null before the first one.
	LastSentAt *time.Time `json:"last_sent_at" db:"last_sent_at"`
	// Time the stream was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the stream was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`
}

// columns are the columns of Stream.
const columns = `
		s.id::text, s.name, s.kind, s.url, s.format, s.header, s.header_value is not null as header_value_set,
		s.ca is not null as ca_set, s.enabled, case when not s.enabled then 'disabled'
		when s.attempts > 0 then 'failing' else 'ok' end as state, s.last_seq,
		greatest(coalesce((select h.seq from audit_head h where h.tenant_id = s.tenant_id), 0) - s.last_seq, 0) as lag,
		    s.skipped, s.attempts, s.next_at, s.last_error, s.last_sent_at, s.created_at, s.updated_at, s.version`

func find(ctx context.Context, tx *pg.Tx, id, lock string) (Stream, error) {
	sql := `
		select ` + columns + `
		  from audit_stream s
		 where s.tenant_id = current_tenant()
		   and s.id = $1` + lock
	found, err := pg.One[Stream](ctx, tx, "find audit stream", sql, id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return found, fault.New(fault.NotFound, "Audit stream %s was not found.", id)
	case err != nil:
		return found, err
	}
	return found, nil
}

// list reads a page of streams, the oldest first, and their number.
func list(ctx context.Context, tx *pg.Tx, page pg.Page) (found []Stream, total int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from audit_stream where tenant_id = current_tenant()`).
		Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count audit streams: %w", err)
	}
	after := ""
	if len(page.After) > 0 {
		after = page.After[0]
	}
	const sql = `
		select ` + columns + `
		  from audit_stream s
		 where s.tenant_id = current_tenant()
		   and ($1 = '' or s.id > nullif($1, '')::uuid)
		 order by s.id
		 limit $2 offset $3`
	if found, err = pg.All[Stream](ctx, tx, "list audit streams", sql, after, page.Limit+1, page.Offset); err != nil {
		return nil, 0, err
	}
	return found, total, nil
}

// secrets of a stream, in the clear for as long as they are used.
type secrets struct {
	header seal.Secret
	ca     seal.Secret
}

// headerPlace is where the header's value is sealed for.
func headerPlace(id string) seal.Place {
	return seal.Place{Table: "audit_stream", Column: "header_value", Row: id}
}

// caPlace is where the certificates are sealed for.
func caPlace(id string) seal.Place {
	return seal.Place{Table: "audit_stream", Column: "ca", Row: id}
}

// secrets opens the stream's secrets.
func (s *Service) secrets(ctx context.Context, tx *pg.Tx, id string) (out secrets, err error) {
	var header, ca []byte
	const sql = `
		select header_value, ca
		  from audit_stream
		 where tenant_id = current_tenant()
		   and id = $1`
	if err := tx.QueryRow(ctx, sql, id).Scan(&header, &ca); err != nil {
		return out, fmt.Errorf("read the stream's secrets: %w", err)
	}
	for _, each := range []struct {
		place  seal.Place
		sealed []byte
		into   *seal.Secret
	}{{headerPlace(id), header, &out.header}, {caPlace(id), ca, &out.ca}} {
		if each.sealed == nil {
			continue
		}
		plain, err := s.Seal.Open(ctx, tx, each.place, each.sealed)
		if err != nil {
			return out, fmt.Errorf("open the stream's %s: %w", each.place.Column, err)
		}
		*each.into = seal.Secret(plain)
	}
	return out, nil
}

// setSecret seals a value for its place, or clears it when it is empty.
func (s *Service) setSecret(ctx context.Context, tx *pg.Tx, at seal.Place, value string) error {
	var sealed []byte
	if value != "" {
		var err error
		if sealed, err = s.Seal.Seal(ctx, tx, at, []byte(value)); err != nil {
			return err
		}
	}
	sql := `update audit_stream set header_value = $2 where tenant_id = current_tenant() and id = $1`
	if at.Column == "ca" {
		sql = `update audit_stream set ca = $2 where tenant_id = current_tenant() and id = $1`
	}
	return pg.Exec(ctx, tx, "keep the stream's "+at.Column, sql, at.Row, sealed)
}
