package trail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

const (
	defaultDays = 400
	trimEvery   = time.Hour
	trimBatch   = 5000
)

// Retention is how long the log is kept.
type Retention struct {
	// Number of days that entries of the audit log are kept.
	Days int `json:"days"`
	// Version number, for If-Match.
	Version int `json:"version"`
	// Time the retention was last changed. Null if it was never changed.
	UpdatedAt *time.Time `json:"updated_at"`
}

type retentionIn struct {
	httpapi.IfMatch
	Body struct {
		// Entries older than this are dropped.
		Days int `json:"days" minimum:"90" maximum:"36500"`
	}
}

func (s *Service) handleRetention(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[Retention], error) {
	var r Retention
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		r, err = findRetention(ctx, tx)
		return err
	})
	return &httpapi.One[Retention]{ETag: httpapi.ETag(r.Version), Body: r}, err
}

// findRetention is the tenant's own setting or else the default, whose version is 0.
func findRetention(ctx context.Context, tx *pg.Tx) (r Retention, err error) {
	const sql = `
		select days, version, updated_at
		  from audit_retention
		 where tenant_id = current_tenant()`
	err = tx.QueryRow(ctx, sql).Scan(&r.Days, &r.Version, &r.UpdatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return Retention{Days: defaultDays}, nil
	}
	if err != nil {
		return r, fmt.Errorf("find retention: %w", err)
	}
	return r, nil
}

func (s *Service) handleKeep(ctx context.Context, v viewer.Viewer, in *retentionIn) (*httpapi.One[Retention], error) {
	var r Retention
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := pg.Exec(
			ctx,
			tx,
			"lock retention",
			`select pg_advisory_xact_lock(hashtextextended('audit-retention ' || current_tenant()::text, 0))`,
		); err != nil {
			return err
		}
		before, err := findRetention(ctx, tx)
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		if r = before; in.Body.Days == before.Days {
			return nil
		}
		const sql = `
			insert into audit_retention (tenant_id, days)
			values (current_tenant(), $1)
			    on conflict (tenant_id) do update set days = $1, updated_at = now(),
			        version = audit_retention.version + 1
			returning days, version, updated_at`
		if err := tx.QueryRow(ctx, sql, in.Body.Days).Scan(&r.Days, &r.Version, &r.UpdatedAt); err != nil {
			return fmt.Errorf("set retention: %w", err)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "audit.retention_updated", Subject: theLog(tx),
			Changes: []audit.Change{{Field: "days", From: before.Days, To: r.Days}}})
	})
	return &httpapi.One[Retention]{ETag: httpapi.ETag(r.Version), Body: r}, err
}

// Jobs is the periodic work: to drop what is older than each tenant's retention.
func (s *Service) Jobs() []queue.Job {
	return []queue.Job{{
		Name:  "audit_retention",
		Title: "Audit retention",
		About: "Deletes audit events that are older than the retention of their tenant.",
		Every: trimEvery,
		Run:   s.trim,
	}}
}

// trim drops what is older than each tenant's retention. What fails in one keeps the others from nothing.
func (s *Service) trim(ctx context.Context) error {
	tenants, err := s.old(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, tenant := range tenants {
		if err := s.TrimTenant(ctx, viewer.System(tenant)); err != nil {
			failed = errors.Join(failed, fmt.Errorf("shorten the audit log of tenant %s: %w", tenant, err))
		}
	}
	return failed
}

// old are tenants with a checkpoint that is older than the least retention: only those can have something to drop.
func (s *Service) old(ctx context.Context) (tenants []string, err error) {
	tenants, err = pg.FindAcross(
		ctx,
		s.DB,
		pgx.RowTo[string],
		`select distinct tenant_id::text from audit_checkpoint where at < now() - interval '90 days'`,
	)
	if err != nil {
		return nil, fmt.Errorf("find logs to shorten: %w", err)
	}
	return tenants, nil
}

// TrimTenant drops a tenant's old entries. The log says first that it will be cut, and where; the entries go after that
// in batches, and a process that ends between them leaves the rest to the next.
func (s *Service) TrimTenant(ctx context.Context, v viewer.Viewer) error {
	var through int64
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		through, err = s.announceCut(ctx, tx)
		return err
	})
	if err != nil || through == 0 {
		return err
	}
	for {
		var gone int
		err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
			return tx.QueryRow(ctx, `select audit_trim($1, $2)`, through, trimBatch).Scan(&gone)
		})
		if err != nil {
			return fmt.Errorf("shorten the audit log: %w", err)
		}
		if gone < trimBatch {
			return nil
		}
	}
}

// announceCut finds the last checkpoint at an entry that is too old, and records that the log is cut there. 0: there is
// nothing to cut.
func (s *Service) announceCut(ctx context.Context, tx *pg.Tx) (int64, error) {
	if err := pg.Exec(
		ctx,
		tx,
		"lock retention",
		`select pg_advisory_xact_lock(hashtextextended('audit-retention ' || current_tenant()::text, 0))`,
	); err != nil {
		return 0, err
	}
	keep, err := findRetention(ctx, tx)
	if err != nil {
		return 0, err
	}
	e, err := readExtent(ctx, tx)
	if err != nil {
		return 0, err
	}
	through, first, err := cutAt(ctx, tx, keep.Days)
	switch {
	case err != nil:
		return 0, err
	case through <= e.trimmed:
		if first > 0 && first <= e.trimmed {
			return e.trimmed, nil // another process did not finish
		}
		return 0, nil
	}
	publics, err := s.Keys.Publics(ctx)
	if err != nil {
		return 0, err
	}
	// The checkpoint is all that is left to continue from, so it must be good.
	if at, err := fromLastCheckpoint(ctx, tx, publics, through); err != nil || at.Seq != through {
		return 0, errors.Join(errors.New("the checkpoint to cut the log at is not good"), err)
	}
	return through, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "audit.trimmed", Subject: theLog(tx), Context: map[string]any{
			"through_seq": through, "days": keep.Days, "entries": through - e.trimmed,
		}},
	)
}

// cutAt is the last checkpoint at or before the last entry that is too old, and the first entry that is there.
func cutAt(ctx context.Context, tx *pg.Tx, days int) (through, first int64, err error) {
	const sql = `
		select coalesce((select max(c.seq)
		                   from audit_checkpoint c
		                   join audit_event e on e.tenant_id = c.tenant_id and e.seq = c.seq
		                  where c.tenant_id = current_tenant() and e.at < now() - make_interval(days => $1)), 0),
		       coalesce((select min(e.seq) from audit_event e where e.tenant_id = current_tenant()), 0)`
	if err := tx.QueryRow(ctx, sql, days).Scan(&through, &first); err != nil {
		return 0, 0, fmt.Errorf("find where to cut the audit log: %w", err)
	}
	return through, first, nil
}
