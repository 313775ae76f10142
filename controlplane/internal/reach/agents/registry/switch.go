package registry

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// turn is something that an administrator switches. Done twice it is done once.
type turn struct {
	action string
	from   []string // stored states in which it can be done
	done   func(agents.Identity) bool
	set    string // what becomes of the row
	not    string // why it cannot be done otherwise
}

// drain gives an agent no new tasks.
func (r *Registry) drain(ctx context.Context, v viewer.Viewer, id string) (agents.Agent, error) {
	return r.turn(ctx, v, id, turn{
		action: "agent.draining",
		from:   []string{agents.Registered},
		done:   func(i agents.Identity) bool { return i.Draining },
		set:    "draining = true",
		not:    "only an agent that is enrolled can be drained",
	})
}

// resume ends a drain.
func (r *Registry) resume(ctx context.Context, v viewer.Viewer, id string) (agents.Agent, error) {
	return r.turn(ctx, v, id, turn{
		action: "agent.resumed",
		from:   []string{agents.Registered},
		done:   func(i agents.Identity) bool { return !i.Draining },
		set:    "draining = false",
		not:    "only an agent that is enrolled can be given tasks",
	})
}

// disable switches an agent off. Its connection is closed within seconds, whichever process holds it.
func (r *Registry) disable(ctx context.Context, v viewer.Viewer, id string) (agents.Agent, error) {
	return r.turn(ctx, v, id, turn{
		action: "agent.disabled",
		from:   []string{agents.Registered},
		done:   func(i agents.Identity) bool { return i.State == agents.Disabled },
		set:    "state = 'disabled'",
		not:    "only an agent that is enrolled can be switched off",
	})
}

// enable switches an agent on again.
func (r *Registry) enable(ctx context.Context, v viewer.Viewer, id string) (agents.Agent, error) {
	return r.turn(ctx, v, id, turn{
		action: "agent.enabled",
		from:   []string{agents.Disabled},
		done:   func(i agents.Identity) bool { return i.State == agents.Registered },
		set:    "state = 'registered'",
		not:    "only an agent that was switched off can be switched on",
	})
}

// clear lets a quarantined agent in again and revokes every token given out before, so that each copy must renew. The
// copy with the newest join counter may; one with an older counter is found out once more, and a stolen token without
// the key is of no use.
func (r *Registry) clear(ctx context.Context, v viewer.Viewer, id string) (agents.Agent, error) {
	return r.turn(ctx, v, id, turn{
		action: "agent.quarantine_cleared",
		from:   []string{agents.Quarantined},
		done:   func(agents.Identity) bool { return false },
		set:    "state = 'registered', quarantine_reason = null, token_epoch = token_epoch + 1",
		not:    "the agent is not quarantined",
	})
}

// turn takes an agent from one state to another, under a lock. One that is there already is left as
// it is, so that the operation can be repeated; one in another state is a conflict.
func (r *Registry) turn(ctx context.Context, v viewer.Viewer, id string, t turn) (a agents.Agent, err error) {
	err = r.DB.As(ctx, v, func(tx *pg.Tx) error {
		who, err := agents.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		before, err := agents.Find(ctx, tx, id, r.offline())
		if err != nil {
			return err
		}
		a = before
		switch {
		case t.done(who):
			return nil
		case !slices.Contains(t.from, who.State):
			return fault.New(fault.Conflict, "%s; it is %s", t.not, who.State)
		}
		if err := pg.Exec(
			ctx,
			tx,
			t.action,
			`update agent set `+t.set+`, updated_at = now(), version = version + 1 where id = $1`,
			id,
		); err != nil {
			return err
		}
		entry := audit.Entry{
			Action:  t.action,
			Subject: subjectOf(before),
			Context: map[string]any{"state_before": before.State},
		}
		if before.QuarantineReason != nil {
			entry.Context["quarantine_reason"] = *before.QuarantineReason
		}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
		if err := agents.Changed(ctx, tx, id); err != nil {
			return err
		}
		a, err = agents.Find(ctx, tx, id, r.offline())
		return err
	})
	return a, err
}
