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
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

const (
	purgeInterval = 15 * time.Second // how soon the end of a grace is noticed
	purgeRows     = 5000             // rows in a step: each is a transaction, and none holds locks for long
	purgeTold     = 100_000          // rows between two lines of the log that say how far it is
)

// Kinds are the work on tenants: to erase closing ones whose grace has ended. Each step is a transaction of its own and
// starts from what the database holds, so a process that dies in the middle is followed by another.
func (s *Service) Kinds() []queue.Kind {
	const due = `select t.id::text from tenant t where t.status = 'closing' and t.purge_after <= now()`
	return []queue.Kind{{
		Name:  "tenant_erasure",
		Title: "Erasure of the tenant",
		About: "Erases the tenant after its closing period has ended.",
		Part:  s.erase,
		Due:   &queue.Due{SQL: due, Every: purgeInterval},
	}}
}

// erase does a step of erasing a closing tenant, and says 1 when there is more to do. A tenant that another process
// works on is left to it.
func (s *Service) erase(ctx context.Context, id string) (int, error) {
	const sql = `
		select coalesce(o.id::text, '')
		  from tenant t
		  left join tenant o
		    on o.id::text = t.closed_by ->> 'tenant'
		 where t.id = $1`
	homes, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, id) // none: it is erased
	if err != nil || len(homes) == 0 {
		return 0, err
	}
	step, err := s.PurgeStep(ctx, id, homes[0], purgeRows)
	if err != nil || step.State != "working" {
		return 0, err
	}
	if sum := total(step.Counts); sum/purgeTold != (sum-step.Deleted)/purgeTold {
		s.Log.InfoContext(ctx, "erasing tenant", "tenant", id, "slug", step.Slug, "rows", sum)
	}
	return 1, nil
}

// Run drops the keys of tenants that are closing or gone from this process's memory, until ctx ends: whichever process
// destroys them, no other may go on with a copy.
func (s *Service) Run(ctx context.Context) error {
	return loop.Worker{
		Every:  purgeInterval,
		Log:    s.Log,
		Cannot: "cannot drop the keys of closing tenants",
	}.Run(ctx, s.DropKeys)
}

// DropKeys drops those keys once.
func (s *Service) DropKeys(ctx context.Context) error {
	ids, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], `select id::text from tenant where status <> 'closing'`)
	if err != nil {
		return fmt.Errorf("list tenants whose keys are needed: %w", err)
	}
	s.KeepKeys(ids)
	return nil
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
// was into the log of home, both or neither; if home is empty, only the process's own log records it.
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
