package admission

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
)

// answers reports whether an earlier connection still lives. It waits as long as that one has time to answer.
func (a *Service) answers(ctx context.Context, v viewer.Viewer, rival earlier) bool {
	ctx, cancel := context.WithTimeout(ctx, a.Timing.Probe)
	defer cancel()
	if rival.Process == a.Process {
		return a.SessionOf(session.Key{Tenant: v.Tenant, Agent: v.ID}).Answers(ctx)
	}
	return a.answersElsewhere(ctx, v, rival)
}

// answersElsewhere asks the process that holds the earlier connection to ping it. That process writes down when it
// answered.
func (a *Service) answersElsewhere(ctx context.Context, v viewer.Viewer, rival earlier) bool {
	asked, err := a.askToProbe(ctx, v)
	if err != nil {
		a.Log.WarnContext(ctx, "cannot ask after an agent's other connection", "agent", v.ID, "err", err)
		return false
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
		var heard, same bool
		const sql = `
			select coalesce(proved_at > $2, false), epoch = $3 and process_id = $4
			  from agent_session
			 where agent_id = $1`
		err := a.DB.As(ctx, v, func(tx *pg.Tx) error {
			return tx.QueryRow(ctx, sql, v.ID, asked, rival.Epoch, rival.Process).Scan(&heard, &same)
		})
		switch {
		case err != nil || !same:
			return false
		case heard:
			return true
		}
	}
}

func (a *Service) askToProbe(ctx context.Context, v viewer.Viewer) (asked time.Time, err error) {
	err = a.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := tx.QueryRow(ctx, `select clock_timestamp()`).Scan(&asked); err != nil {
			return err
		}
		return agents.Notify(ctx, tx, agents.PresenceChannel, "probe", v.ID)
	})
	return asked, err
}

// AnswerProbe writes down at once whether a connection of ours lives.
func (a *Service) AnswerProbe(ctx context.Context, s *session.Session) {
	ctx, cancel := context.WithTimeout(ctx, a.Timing.Probe)
	defer cancel()
	if !s.Answers(ctx) {
		return
	}
	err := a.DB.As(ctx, viewer.System(s.Key.Tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`update agent_session set proved_at = clock_timestamp() where agent_id = $1 and epoch = $2`,
			s.Key.Agent,
			s.Epoch,
		)
		return err
	})
	if err != nil {
		a.Log.WarnContext(ctx, "cannot answer for an agent's connection", "agent", s.Key.Agent, "err", err)
	}
}
