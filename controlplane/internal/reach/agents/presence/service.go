package presence

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
)

// Service keeps the presence of the agents whose sockets this process holds. Each of Flush, Check and Watch is to be
// called now and then; a round that fails is logged, and the next one makes up for it.
type Service struct {
	DB      *pg.DB
	Log     *slog.Logger
	Timing  agents.Timing
	Process string    // as agent_session names this process
	Began   time.Time // when this process began

	// Sessions are those that are open in this process.
	Sessions func() []*session.Session
}

// Leave notes that a connection has ended. An agent that has said goodbye is offline at once, and may be back soon. Any
// other counts as online for as long as its calls may still be resumed.
func (p *Service) Leave(ctx context.Context, s *session.Session, goodbye bool) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	age := p.Timing.Offline - p.Timing.Lapse
	if goodbye {
		age = p.Timing.Offline
	}
	const sql = `
		with gone as (
			update agent_session
			   set process_id = $4, last_seen_at = now() - make_interval(secs => $5), draining = false
			 where agent_id = $1 and epoch = $2 and process_id = $3
			returning agent_id)
		update agent a
		   set back_by = now() + make_interval(secs => $7)
		  from gone l
		 where a.id = l.agent_id and $6`
	err := p.DB.As(ctx, viewer.System(s.Key.Tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			sql,
			s.Key.Agent,
			s.Epoch,
			p.Process,
			uuid.Nil.String(),
			age.Seconds(),
			goodbye,
			p.Timing.Return.Seconds(),
		)
		return err
	})
	if err != nil {
		p.Log.WarnContext(ctx, "cannot write that an agent has left", "agent", s.Key.Agent, "err", err)
	}
}
