package pack

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Times of the work on what waits.
const (
	interval = 2 * time.Second // how soon the end of a run is noticed
	anyway   = time.Minute     // how soon it is looked at although no run has ended
	batch    = 100
)

// Run binds what waits until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	return loop.Worker{
		Every:  interval,
		Log:    s.Log,
		Cannot: "cannot look at sector packs that wait",
	}.Run(
		ctx,
		func(ctx context.Context) error {
			_, err := s.Look(ctx)
			return err
		},
	)
}

// Look binds what waits in installations whose turn it is: where a run has ended since it was last looked at, or a
// minute has passed. It tells how many it has looked at.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select i.tenant_id::text, i.id::text
		  from sector_pack_installation i
		  join tenant t
		    on t.id = i.tenant_id
		   and t.status = 'active'
		 where i.pending
		   and (i.looked_at < $1 or exists (select from sync_run r
		                                     where r.tenant_id = i.tenant_id
		                                       and r.finished_at >= i.looked_at))
		 order by i.looked_at
		 limit $2`
	type waiting struct{ Tenant, ID string }
	found, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByPos[waiting], sql, s.Now().Add(-anyway), batch)
	if err != nil {
		return 0, fmt.Errorf("find packs that wait: %w", err)
	}
	for n, w := range found {
		err := s.DB.AsBulk(ctx, viewer.System(w.Tenant), func(tx *pg.Tx) error {
			if err := turn(ctx, tx); err != nil {
				return err
			}
			return s.bind(ctx, tx, w.ID)
		})
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err != nil {
			s.Log.WarnContext(
				ctx,
				"cannot bind what a sector pack waits for; it is tried again later",
				"tenant",
				w.Tenant,
				"installation",
				w.ID,
				"err",
				err,
			)
			s.postpone(ctx, w.Tenant, w.ID)
		}
	}
	return len(found), nil
}

// postpone keeps an installation that cannot be looked at from being looked at over and over.
func (s *Service) postpone(ctx context.Context, tenant, id string) {
	err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`update sector_pack_installation set looked_at = now() where tenant_id = current_tenant() and id = $1`,
			id,
		)
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot put a sector pack off", "tenant", tenant, "installation", id, "err", err)
	}
}

// bind binds what an installation waits for: selectors that find something by now, policies that have something to give
// by now, and roles that nobody holds any more. The caller has its turn.
func (s *Service) bind(ctx context.Context, tx *pg.Tx, id string) error {
	i, err := installationOf(ctx, tx, id)
	if err != nil {
		return err
	}
	all, err := objects(ctx, tx, id)
	if err != nil {
		return err
	}
	b, err := newBinder(ctx, tx, selectorsWaiting(all))
	if err != nil {
		return err
	}
	w := &waiting{run: run{tx: tx, install: &i, binder: b, roles: map[string]string{}}}
	for _, kind := range []string{format.KindRole, format.KindBirthright, format.KindAccessGrantPolicy,
		format.KindApprovalRule} {
		for k, o := range all {
			if k.kind != kind {
				continue
			}
			if kind == format.KindRole && o.given() {
				w.roles[k.key] = *o.ID
			}
			if err := w.look(ctx, o); err != nil {
				return fmt.Errorf("%s %s: %w", o.Kind, o.Key, err)
			}
		}
	}
	if err := w.leave(ctx, all); err != nil {
		return err
	}
	if err := removeObjects(ctx, tx, id, w.gone); err != nil {
		return err
	}
	if err := saveObjects(ctx, tx, id, w.objects); err != nil {
		return err
	}
	if len(w.bound) == 0 {
		return nil
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "sector_pack.bound", Subject: i.subject(), Context: map[string]any{"objects": w.bound}},
	)
}

// waiting is a look at what waits.
type waiting struct {
	run
	bound []string // what has found something
}

func selectorsWaiting(all map[objectKey]object) (out []format.Selector) {
	for _, o := range all {
		for _, p := range o.Pending {
			if p.Select != nil {
				out = append(out, p.Select.selector())
			}
		}
	}
	return out
}

// look binds what of an object can be bound.
func (w *waiting) look(ctx context.Context, o object) error {
	if len(o.Pending) == 0 || o.State == stateLeaving || o.State == stateConflict {
		return nil
	}
	more := fields{"entitlement_ids": []any{}, "role_ids": []any{}, "connector_ids": []any{}}
	still := []PendingBinding{}
	changed := false
	for _, p := range o.Pending {
		name, ids, waits := w.find(p)
		if waits != nil {
			changed = changed || waits.Reason != p.Reason
			still = append(still, *waits)
			continue
		}
		changed = true
		for _, id := range ids {
			more[name] = append(more[name].([]any), id)
		}
	}
	if !changed {
		return nil
	}
	added := len(more.ids("entitlement_ids")) + len(more.ids("role_ids")) + len(more.ids("connector_ids"))
	o.Pending = still
	if added > 0 {
		if err := w.grow(ctx, &o, more); err != nil {
			return err
		}
	}
	if o.Reason != nil {
		w.objects = append(w.objects, o)
		return nil
	}
	if o.State = stateInstalled; len(still) > 0 {
		o.State = statePending
	}
	w.objects = append(w.objects, o)
	return nil
}

// find looks for one thing that waits.
func (w *waiting) find(p PendingBinding) (name string, ids []string, waits *PendingBinding) {
	switch {
	case p.Role != "":
		if id, ok := w.roles[p.Role]; ok {
			return "role_ids", []string{id}, nil
		}
		return "", nil, &p
	case p.Select != nil:
		ids, waits = w.binder.entitlements(p.Select.selector())
		return "entitlement_ids", ids, waits
	case p.Account != nil:
		ids, waits = w.binder.accounts(format.Connectors(*p.Account))
		return "connector_ids", ids, waits
	}
	return "", nil, &p
}

// grow gives an object what was found, or makes it.
func (w *waiting) grow(ctx context.Context, o *object, more fields) error {
	applied := fields{}
	for name, v := range o.Applied {
		applied[name] = v
	}
	for _, name := range sets {
		if _, has := applied[name]; has {
			applied[name] = mergeSets(nil, o.Applied.ids(name), more.ids(name))
		}
	}
	applied.sort()
	w.bound = append(w.bound, o.Kind+" "+o.Key)
	if o.ID == nil {
		id, err := w.create(ctx, o.Kind, o.Key, applied)
		if err != nil {
			return err
		}
		o.ID, o.Applied = &id, applied
		return w.settleApplied(ctx, o)
	}
	now, err := current(ctx, w.tx, o.Kind, []string{*o.ID})
	if err != nil {
		return err
	}
	mine, there := now[*o.ID]
	if !there {
		reason := removedByHand
		o.State, o.Reason, o.ID, o.Pending = stateSkipped, &reason, nil, nil
		return nil
	}
	merged, _ := merge(o.Applied, mine, applied)
	if len(differing(mine, merged)) > 0 {
		err = w.update(ctx, o.Kind, *o.ID, merged)
	}
	o.Applied = applied
	return err
}

// leave takes away what was out of use and nobody holds any more.
func (w *waiting) leave(ctx context.Context, all map[objectKey]object) error {
	for _, kind := range []string{format.KindBirthright, format.KindAccessGrantPolicy, format.KindRole} {
		for k, o := range all {
			if k.kind != kind || o.State != stateLeaving {
				continue
			}
			left, err := retire(ctx, w.tx, o)
			if fault.Is(err, fault.NotFound) {
				left, err = true, nil
			}
			if err != nil {
				return err
			}
			if left {
				w.gone = append(w.gone, k)
			}
		}
	}
	return nil
}
