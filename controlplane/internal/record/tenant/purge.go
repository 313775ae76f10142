package tenant

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

const (
	purgeInterval = 15 * time.Second // how soon the end of a grace is noticed
	purgeRows     = 5000             // rows in a step: each is a transaction, and none holds locks for long
	purgePause    = 20 * time.Millisecond
	purgeTold     = 10 * time.Second // how often the log says how far it is
)

// Run erases closing tenants whose grace has ended, until ctx ends. Any number of processes may do it: each step is a
// transaction of its own that starts from what the database holds, so whoever dies in the middle is followed by the
// next.
func (s *Service) Run(ctx context.Context) error {
	return loop.Worker{Every: purgeInterval, Log: s.Log, Cannot: "cannot erase closing tenants"}.Run(ctx, s.PurgeDue)
}

// closing is a tenant that is about to be erased, and the operator's tenant whose log tells of it.
type closing struct {
	ID   string `db:"id"`
	Home string `db:"home"` // empty when that tenant is gone itself
}

// PurgeDue erases every tenant whose grace has ended. One that another process works on is left to it.
func (s *Service) PurgeDue(ctx context.Context) error {
	if err := s.keepKeys(ctx); err != nil {
		return err
	}
	const sql = `
		select t.id::text as id, coalesce(o.id::text, '') as home
		  from tenant t
		  left join tenant o
		    on o.id::text = t.closed_by ->> 'tenant'
		 where t.status = 'closing'
		   and t.purge_after <= now()
		 order by t.purge_after`
	due, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[closing], sql)
	if err != nil {
		return fmt.Errorf("find tenants to erase: %w", err)
	}
	for _, c := range due {
		if err := s.purge(ctx, c); err != nil {
			return fmt.Errorf("erase tenant %s: %w", c.ID, err)
		}
	}
	return nil
}

// keepKeys drops from this process's memory the keys of tenants that are closing or gone: whichever process destroys
// them, no other may go on with a copy.
func (s *Service) keepKeys(ctx context.Context) error {
	ids, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], `select id::text from tenant where status <> 'closing'`)
	if err != nil {
		return fmt.Errorf("list tenants whose keys are needed: %w", err)
	}
	s.KeepKeys(ids)
	return nil
}

// purge erases a tenant step by step until nothing is left, with pauses for the other tenants. A
// process that dies in between is followed by another: each step is a transaction of its own.
func (s *Service) purge(ctx context.Context, c closing) error {
	told := time.Now()
	for ctx.Err() == nil {
		step, err := s.PurgeStep(ctx, c.ID, c.Home, purgeRows)
		if err != nil || step.State != "working" {
			return err
		}
		if time.Since(told) >= purgeTold {
			told = time.Now()
			s.Log.InfoContext(ctx, "erasing tenant", "tenant", c.ID, "slug", step.Slug, "rows", total(step.Counts))
		}
		select {
		case <-ctx.Done():
		case <-time.After(purgePause):
		}
	}
	return ctx.Err()
}

// Step is what one step of erasing a tenant has done.
type Step struct {
	State string `json:"state"` // working, done, busy (another process, or a sync run that ends), absent
	// Rows that this step deleted.
	Deleted int64 `json:"deleted"`
	// Slug of the tenant.
	Slug string `json:"slug"`
	// Reason for which the tenant was closed.
	Reason string `json:"reason"`
	// Operator who closed the tenant.
	By     map[string]any   `json:"closed_by"`
	Counts map[string]int64 `json:"counts"` // rows so far, by table
}

// PurgeStep deletes at most budget rows of a closing tenant. The last one deletes the tenant, and writes how much there
// was into the log of home, both or neither; with home empty there is nobody left to tell but the process's own log.
func (s *Service) PurgeStep(ctx context.Context, id, home string, budget int) (Step, error) {
	at := home
	if at == "" {
		at = id
	}
	var step Step
	err := s.DB.As(ctx, viewer.System(at), func(tx *pg.Tx) error {
		if err := tx.QueryRow(ctx, `select purge_tenant($1, $2)`, id, budget).Scan(&step); err != nil {
			return fmt.Errorf("delete rows: %w", err)
		}
		if step.State != "done" || home == "" {
			return nil
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "tenant.erased",
			Subject: audit.Subject{Type: "tenant", ID: id, Display: step.Slug},
			Reason:  step.Reason,
			Context: map[string]any{"tenant_id": id, "closed_by": step.By, "rows": countsOf(step.Counts)},
		})
	})
	if err == nil && step.State == "done" {
		s.Log.InfoContext(ctx, "tenant erased", "tenant", id, "slug", step.Slug, "rows", total(step.Counts))
	}
	return step, err
}

// countsOf are rows by table, in words: a table's name may speak of secrets, which the log leaves out where they are
// names.
func countsOf(counts map[string]int64) []string {
	out := make([]string, 0, len(counts))
	for _, table := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s: %d", table, counts[table]))
	}
	return out
}

// total is the sum of the counts.
func total(counts map[string]int64) (n int64) {
	for _, rows := range counts {
		n += rows
	}
	return n
}
