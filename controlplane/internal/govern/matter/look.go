package matter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// batch is how many matters of a kind are looked at in one transaction.
const batch = 500

// Part does one part of what there is to do in a tenant, and says how much that was; 0 when there is nothing, or somebody else is at
// it. Each kind has a transaction of its own: what cannot be asked keeps nothing else from being asked.
func (s *Service) Part(ctx context.Context, tenant string) (sum int, err error) {
	sum, due, err := s.begin(ctx, tenant)
	if err != nil {
		return 0, err
	}
	for _, k := range s.kinds() {
		if !slices.Contains(due, k.name) {
			continue
		}
		n, one := s.part(ctx, tenant, k)
		if one != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot bring matters into the inbox; it is tried again", "tenant", tenant, "kind", k.name, "err", one)
			err = one
		}
		sum += n
	}
	return sum, errors.Join(err, ctx.Err())
}

// begin looks everything over when it is time to, and tells which kinds have turns.
func (s *Service) begin(ctx context.Context, tenant string) (n int, due []string, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n, due = 0, nil
		if got, err := alone(ctx, tx); err != nil || !got {
			return err
		}
		if n, err = s.sweep(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select distinct kind from matter_turn where not_before <= now()`)
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return 0, nil, fmt.Errorf("look what has a turn: %w", err)
	}
	return n, due, nil
}

// alone makes the transaction the only one of the tenant that looks. Whoever is not waits for nothing: the other one does the work.
func alone(ctx context.Context, tx *pg.Tx) (got bool, err error) {
	err = tx.QueryRow(ctx, `select pg_try_advisory_xact_lock(3201, hashtext(current_tenant()::text))`).Scan(&got)
	if err != nil {
		return false, fmt.Errorf("lock matters: %w", err)
	}
	return got, nil
}

// part looks at the next matters of a kind.
func (s *Service) part(ctx context.Context, tenant string, k kind) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n = 0
		if got, err := alone(ctx, tx); err != nil || !got {
			return err
		}
		ids, err := take(ctx, tx, k.name)
		if err != nil || len(ids) == 0 {
			return err
		}
		n = len(ids)
		return k.look(ctx, tx, ids)
	})
	if err != nil {
		return 0, fmt.Errorf("look at matters: %s: %w", k.name, err)
	}
	return n, nil
}

// take takes the turns of a batch of matters, all of each of them. Rows that are not seen yet stay for the next time; whatever is read
// afterwards is as new as those that were taken.
func take(ctx context.Context, tx *pg.Tx, name string) ([]string, error) {
	const sql = `
		with next as (
		    select n.source_id
		      from matter_turn n
		     where n.kind = @kind
		       and n.not_before <= now()
		     order by n.id
		     limit @batch
		), taken as (
		    delete from matter_turn n
		     where n.tenant_id = current_tenant()
		       and n.kind = @kind
		       and n.not_before <= now()
		       and n.source_id in (select x.source_id from next x)
		    returning n.source_id
		)
		select distinct source_id::text from taken`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"kind": name, "batch": batch})
	if err != nil {
		return nil, fmt.Errorf("take turns: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("take turns: %w", err)
	}
	slices.Sort(ids)
	return ids, nil
}

// look asks about those of ids that wait for a decision, and takes back what was asked about the others.
func (k kind) look(ctx context.Context, tx *pg.Tx, ids []string) error {
	waiting, err := k.waiting(ctx, tx, ids)
	if err != nil {
		return err
	}
	if err := k.askAbout(ctx, tx, waiting); err != nil {
		return err
	}
	rest := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(waiting, id) })
	return k.takeBack(ctx, tx, rest)
}

func (k kind) askAbout(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	questions, err := k.ask(ctx, tx, ids)
	if err != nil {
		return err
	}
	first, err := k.asked(ctx, tx, ids)
	if err != nil {
		return err
	}
	var now time.Time // as the inbox takes it for the time at which a task was made
	if err := tx.QueryRow(ctx, `select now()`).Scan(&now); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	for i := range questions {
		q := &questions[i]
		q.Kind = k.name
		if k.within > 0 {
			at, known := first[q.Key]
			if !known {
				at = now
			}
			due := at.Add(k.within)
			q.DueAt = &due
		}
	}
	_, err = decision.Ask(ctx, tx, questions)
	return err
}

// takeBack closes the tasks of what waits no more, and says why.
func (k kind) takeBack(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	open, err := k.asked(ctx, tx, ids)
	if err != nil {
		return err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { _, is := open[id]; return !is })
	why, err := k.ended(ctx, tx, ids)
	if err != nil {
		return err
	}
	byWords := map[string][]string{}
	for _, id := range ids {
		byWords[why[id]] = append(byWords[why[id]], id)
	}
	for words, keys := range byWords {
		if _, err := decision.Close(ctx, tx, k.name, keys, decision.Superseded, words); err != nil {
			return err
		}
	}
	return nil
}
