package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// waitingTask is a call that was written down, as far as it may be seen over all tenants.
type waitingTask struct {
	Tenant  string `db:"tenant_id"`
	ID      string `db:"id"`
	Agent   string `db:"agent_id"`
	Expired bool   `db:"expired"`
}

// Claim takes up calls for agents that are connected here, and removes those without a waiting caller.
func (r *Relay) Claim(ctx context.Context) {
	if !r.Local.Any() {
		return
	}
	var tasks []waitingTask
	err := r.DB.Across(ctx, func(tx *pg.Tx) error {
		const sql = `
			select tenant_id::text, id::text, agent_id::text, deadline < now() - interval '1 minute' as expired
			  from agent_task
			 where agent_id is not null and (state = 'waiting' or deadline < now() - interval '1 minute')`
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return err
		}
		tasks, err = pgx.CollectRows(rows, pgx.RowToStructByName[waitingTask])
		return err
	})
	if err != nil && ctx.Err() == nil {
		r.Log.WarnContext(ctx, "cannot look for calls from other processes", "err", err)
	}
	for _, t := range tasks {
		switch {
		case t.Expired:
			r.remove(ctx, t)
		case r.Local.Holds(t.Tenant, t.Agent):
			go r.workOn(ctx, t)
		}
	}
}

func (r *Relay) remove(ctx context.Context, t waitingTask) {
	err := r.DB.As(ctx, viewer.System(t.Tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `delete from agent_task where id = $1`, t.ID)
		return err
	})
	if err != nil && ctx.Err() == nil {
		r.Log.WarnContext(ctx, "cannot remove an old call", "task", t.ID, "err", err)
	}
}

// taken is a call that this process works on for another one.
type taken struct {
	kind    wire.TaskKind
	target  dispatch.Target
	request []byte
	left    time.Duration // until its deadline
}

// workOn claims a call, has the agent run it and writes the result down. Of several processes one gets the claim.
func (r *Relay) workOn(ctx context.Context, t waitingTask) {
	v := viewer.System(t.Tenant)
	call, err := r.take(ctx, v, t.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return // another process, or another round of ours, was faster
	}
	if err != nil {
		r.Log.WarnContext(ctx, "cannot take up a call from another process", "task", t.ID, "err", err)
		return
	}
	working, cancel := context.WithTimeout(ctx, call.left)
	defer cancel()
	r.entered(t.ID, cancel)
	defer r.left(t.ID)
	back := r.run(working, call)
	if err := r.giveBack(ctx, v, t.ID, back); err != nil && ctx.Err() == nil {
		r.Log.WarnContext(ctx, "cannot give back the result of a call", "task", t.ID, "err", err)
	}
}

func (r *Relay) take(ctx context.Context, v viewer.Viewer, id string) (taken, error) {
	var c taken
	err := r.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			update agent_task
			   set state = 'running', process_id = $2
			 where id = $1 and state = 'waiting' and deadline > now()
			returning kind, target, request, extract(epoch from deadline - now())::float8`
		var (
			target, sealed []byte
			left           float64
		)
		if err := tx.QueryRow(ctx, sql, id, r.Process).Scan(&c.kind, &target, &sealed, &left); err != nil {
			return fmt.Errorf("claim call: %w", err)
		}
		c.left = time.Duration(left * float64(time.Second))
		if err := json.Unmarshal(target, &c.target); err != nil {
			return fmt.Errorf("read target: %w", err)
		}
		plain, err := r.Seal.Open(ctx, tx, requestPlace(id), sealed)
		if err != nil {
			return fmt.Errorf("open request: %w", err)
		}
		c.request = plain
		return nil
	})
	return c, err
}

// run has an agent of ours make the call. It never looks to other processes, so that a call cannot go round in circles.
func (r *Relay) run(ctx context.Context, c taken) reply {
	p := r.Local.Connector(c.target)
	if p == nil {
		return reply{Error: &v1.ErrorDetail{
			Class:     v1.ClassAgentUnavailable,
			Code:      "agent_not_reached",
			Retryable: true,
			Message:   "the agent disconnected before the call began",
		}}
	}
	var (
		answer any
		err    error
	)
	switch c.kind {
	case wire.KindTest:
		answer, err = relay(
			ctx,
			c.request,
			func(ctx context.Context, req v1.TestRequest) (v1.TestResponse, error) { return p.Test(ctx, req, nil) },
		)
	case wire.KindDiscover:
		answer, err = relay(
			ctx,
			c.request,
			func(ctx context.Context, req v1.DiscoverRequest) (v1.DiscoverResponse, error) {
				return p.Discover(ctx, req, nil)
			},
		)
	case wire.KindProvision:
		answer, err = relay(ctx, c.request, p.Provision)
	case wire.KindRead:
		answer, err = relay(ctx, c.request, p.Read)
	default:
		err = fmt.Errorf("calls of kind %q do not travel", c.kind)
	}
	if err != nil {
		return reply{Error: dispatch.Detail(err)}
	}
	result, err := agents.Encode(answer)
	if err != nil {
		return reply{Error: dispatch.Detail(err)}
	}
	return reply{Result: result}
}

func relay[Q, A any](ctx context.Context, request []byte, call func(context.Context, Q) (A, error)) (any, error) {
	var req Q
	if err := json.Unmarshal(request, &req); err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	return call(ctx, req)
}

// giveBack writes the result down even when this process is stopping: a caller waits for it.
func (r *Relay) giveBack(ctx context.Context, v viewer.Viewer, id string, back reply) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	plain, err := agents.Encode(back)
	if err != nil {
		return err
	}
	return r.DB.As(ctx, v, func(tx *pg.Tx) error {
		sealed, err := r.Seal.Seal(ctx, tx, resultPlace(id), plain)
		if err != nil {
			return fmt.Errorf("seal result: %w", err)
		}
		const sql = `
			update agent_task
			   set state = 'done', result = $2, request = '', finished_at = now()
			 where id = $1 and state = 'running'`
		if err := pg.Exec(ctx, tx, "write result", sql, id, sealed); err != nil {
			return err
		}
		return agents.Notify(ctx, tx, agents.TaskChannel, "done", id)
	})
}

// Cancel ends a call without a waiting caller.
func (r *Relay) Cancel(task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.working[task]; cancel != nil {
		cancel()
	}
}

// entered notes that this process works on a task, so that Cancel can end it.
func (r *Relay) entered(task string, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.working == nil {
		r.working = map[string]context.CancelFunc{}
	}
	r.working[task] = cancel
}

func (r *Relay) left(task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.working, task)
}
