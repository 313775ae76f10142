package chain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// channel is where it is announced that chains have to be looked at.
const channel = "chain_turn"

// Times and sizes of the work.
const (
	interval = 2 * time.Second  // how soon is noticed what nobody announced
	putOff   = 15 * time.Second // how long a chain waits that could not be looked at
	batch    = 200              // chains that are looked at in one tenant before the next has its turn
)

// errBusy says that a task of a chain is in somebody's hands: whoever waited for it could wait in a circle.
var errBusy = errors.New("a task of the chain is being decided at this moment")

// Run reminds, escalates, expires, ends waits and resolves anew, until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	var announced loop.Bell
	line := pg.Line{DB: s.DB, Channel: channel, Again: interval, Log: s.Log, Lost: "cannot listen for turns of approvals"}
	go line.Listen(ctx, announced.Ring)
	return loop.Worker{Every: interval, Wake: &announced, Log: s.Log, Cannot: "cannot look which approvals have to be followed"}.Drain(ctx, s.Look)
}

// Look finds tenants with something to do, does it, and says how much that was.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select t.id
		  from tenant t
		 where t.status = 'active'
		   and (exists (select from chain_turn n where n.tenant_id = t.id)
		        or exists (select from chain c
		                    where c.tenant_id = t.id
		                      and (c.state in ('running', 'blocked') or c.left_tasks <> '{}')
		                      and c.look_at <= $1))`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, s.Now())
	if err != nil {
		return 0, fmt.Errorf("find tenants with approvals to follow: %w", err)
	}
	return loop.EachTenant(ctx, s.Log, "cannot follow the approvals of a tenant; it is tried again", tenants, s.Part)
}

// Part does what there is to do in a tenant now, up to a batch, and says how much that was.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) {
	v := viewer.System(tenant)
	turned, err := s.takeTurns(ctx, v)
	if err != nil {
		return 0, err
	}
	due, err := s.due(ctx, v)
	if err != nil {
		return turned, err
	}
	done := 0
	for _, item := range due {
		if ctx.Err() != nil {
			break
		}
		looked, err := s.tend(ctx, v, item)
		switch {
		case errors.Is(err, errBusy):
		case err != nil:
			s.Log.WarnContext(ctx, "cannot follow an approval; it is tried again", "tenant", tenant, "item", item, "err", err)
		}
		if err != nil {
			err = s.postpone(ctx, v, item)
		}
		if err != nil {
			return turned + done, err
		}
		if looked {
			done++
		}
	}
	return turned + done, nil
}

// due are the items whose chains have to be looked at, those that wait longest first.
func (s *Service) due(ctx context.Context, v viewer.Viewer) (items []string, err error) {
	const sql = `
		select c.item_id::text
		  from chain c
		 where c.tenant_id = current_tenant()
		   and (c.state in ('running', 'blocked') or c.left_tasks <> '{}')
		   and c.look_at <= @now
		 order by c.look_at, c.item_id
		 limit @batch`
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"now": s.Now(), "batch": batch})
		if err != nil {
			return err
		}
		items, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find approvals that are due: %w", err)
	}
	return items, nil
}

// postpone looks at a chain a little later: what is wrong with it now shall not keep the others waiting.
func (s *Service) postpone(ctx context.Context, v viewer.Viewer, item string) error {
	const sql = `
		update chain c
		   set look_at = @later
		  from (select item_id from chain where tenant_id = current_tenant() and item_id = @item for update skip locked) free
		 where c.tenant_id = current_tenant()
		   and c.item_id = free.item_id`
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, pgx.NamedArgs{"item": item, "later": s.Now().Add(putOff)})
		return err
	})
	if err != nil {
		return fmt.Errorf("put an approval off: %w", err)
	}
	return nil
}
