package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// send writes the call down and waits for the process that takes it up.
func (r *Relay) send(ctx context.Context, t dispatch.Target, kind wire.TaskKind, request []byte) (reply, error) {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timing.Call)
		defer cancel()
	}
	id := uuid.Must(uuid.NewV7()).String()
	done := r.waitFor(id)
	defer r.forget(id)
	v := viewer.System(t.Tenant)
	if err := r.writeTask(ctx, v, id, t, kind, request); err != nil {
		return reply{}, err
	}
	defer r.dropTask(ctx, v, id)
	return r.await(ctx, v, id, t, done)
}

func (r *Relay) writeTask(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	t dispatch.Target,
	kind wire.TaskKind,
	request []byte,
) error {
	deadline, _ := ctx.Deadline()
	target, err := agents.Encode(t)
	if err != nil {
		return err
	}
	return r.DB.As(ctx, v, func(tx *pg.Tx) error {
		sealed, err := r.Seal.Seal(ctx, tx, requestPlace(id), request)
		if err != nil {
			return fmt.Errorf("seal request: %w", err)
		}
		const sql = `
			insert into agent_task (tenant_id, id, agent_id, agent_group, kind, target, request, deadline)
			values (current_tenant(), $1, $2, nullif($3, ''), $4, $5, $6, now() + make_interval(secs => $7))`
		if err := pg.Exec(
			ctx,
			tx,
			"write call for another process",
			sql,
			id,
			t.AgentID,
			t.AgentGroup,
			string(kind),
			target,
			sealed,
			time.Until(deadline).Seconds(),
		); err != nil {
			return err
		}
		return agents.Notify(ctx, tx, agents.TaskChannel, "offered", id)
	})
}

// dropTask forgets a call. A process that still works on it is asked to stop.
func (r *Relay) dropTask(ctx context.Context, v viewer.Viewer, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := r.DB.As(ctx, v, func(tx *pg.Tx) error {
		var state string
		if err := tx.QueryRow(ctx, `delete from agent_task where id = $1 returning state`, id).
			Scan(&state); err != nil {
			return err
		}
		if state == "running" {
			return agents.Notify(ctx, tx, agents.TaskChannel, "cancelled", id)
		}
		return nil
	})
	if err != nil {
		r.Log.WarnContext(ctx, "cannot forget a finished call; it is removed later", "task", id, "err", err)
	}
}

// await reads the result whenever one is announced, and now and then without that.
func (r *Relay) await(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	t dispatch.Target,
	done <-chan struct{},
) (reply, error) {
	claimBy := time.Now().Add(r.Timing.Claim)
	tick := time.NewTicker(r.Timing.Poll)
	defer tick.Stop()
	for {
		select {
		case <-done:
		case <-tick.C:
		case <-ctx.Done():
			return reply{}, ctx.Err()
		}
		state, back, err := r.readTask(ctx, v, id)
		switch {
		case err != nil:
			return reply{}, err
		case state == "done":
			return back, nil
		case state == "waiting" && time.Now().After(claimBy):
			return reply{}, &v1.ErrorDetail{
				Class:     v1.ClassAgentUnavailable,
				Code:      "agent_offline",
				Retryable: true,
				Message: "the process of the control plane that the agent " + strings.TrimSpace(
					t.AgentID,
				) + " was connected to does not answer",
				Hint: "the agent reconnects automatically within a minute; try again then",
			}
		}
	}
}

func (r *Relay) readTask(ctx context.Context, v viewer.Viewer, id string) (state string, back reply, err error) {
	err = r.DB.As(ctx, v, func(tx *pg.Tx) error {
		var sealed []byte
		if err := tx.QueryRow(ctx, `select state, result from agent_task where id = $1`, id).
			Scan(&state, &sealed); err != nil {
			return fmt.Errorf("read call: %w", err)
		}
		if state != "done" {
			return nil
		}
		plain, err := r.Seal.Open(ctx, tx, resultPlace(id), sealed)
		if err != nil {
			return fmt.Errorf("open result: %w", err)
		}
		return json.Unmarshal(plain, &back)
	})
	return state, back, err
}

func (r *Relay) waitFor(task string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := make(chan struct{}, 1)
	if r.waiting == nil {
		r.waiting = map[string]chan struct{}{}
	}
	r.waiting[task] = done
	return done
}

func (r *Relay) forget(task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting, task)
}

// Done wakes the caller in this process that waits for the result of a task, if there is one.
func (r *Relay) Done(task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.waiting[task] <- struct{}{}:
	default: // of another caller, or woken already
	}
}
