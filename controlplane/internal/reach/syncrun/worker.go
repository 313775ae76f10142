package syncrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Why work on a run stops early.
var (
	errFenced    = errors.New("another worker has taken this run")
	errCancelled = errors.New("somebody cancelled this run")
	errStopping  = errors.New("this process is stopping")
	errStuck     = &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "no_progress", Message: "the connector showed no sign of progress for too long", Retryable: true,
	}
)

// channel is where a new run, or a wish to cancel one, is announced to all processes.
const channel = "sync_run"

// Run looks for runs and works on them until ctx ends. Then it hands back what it has, so that the next process goes on at
// once.
func (s *Service) Run(ctx context.Context) error {
	s.init()
	defer s.stop()
	line := pg.Line{DB: s.DB, Channel: channel, Again: 2 * time.Second, Log: s.Log, Lost: "lost the line on which runs are announced; looking every second"}
	go line.Listen(ctx, s.wake.Ring)
	return loop.Worker{Every: time.Second, Wake: &s.wake, Log: s.Log, Cannot: "cannot look for runs"}.Run(ctx, func(ctx context.Context) error {
		err := s.claim(ctx)
		s.deliverCallbacks(ctx)
		s.expire(ctx)
		return err
	})
}

// expire ends, once a minute, what was held without a decision for too long.
func (s *Service) expire(ctx context.Context) {
	now := s.Now()
	if now.Sub(s.expired) < time.Minute {
		return
	}
	s.expired = now
	if err := reconcile.Expire(ctx, s.DB, now); err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot end what was held for too long", "err", err)
	}
}

func (s *Service) stop() {
	s.mu.Lock()
	for _, cancel := range s.active {
		cancel(errStopping)
	}
	s.mu.Unlock()
	s.group.Wait()
}

// open is a run that nobody works on.
type open struct {
	Tenant     string     `db:"tenant_id"`
	ID         string     `db:"id"`
	Connector  string     `db:"connector_id"`
	Type       string     `db:"type"`
	Mode       string     `db:"mode"`
	AgentID    *string    `db:"agent_id"`
	AgentGroup *string    `db:"agent_group"`
	Status     Status     `db:"status"`
	WaitUntil  *time.Time `db:"wait_until"`
	ReadEnded  bool       `db:"read_ended"`
}

func (s *Service) claim(ctx context.Context) error {
	s.mu.Lock()
	room := s.MaxRuns - len(s.active)
	s.mu.Unlock()
	if room <= 0 {
		return nil
	}
	const sql = `
		select r.tenant_id, r.id, r.connector_id, r.type, r.mode, r.agent_id, r.agent_group, r.status, r.wait_until, r.read_ended
		  from sync_run r
		  join tenant t
		    on t.id = r.tenant_id
		   and (t.status = 'active' or r.cancel_requested)
		 where r.status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')
		   and (r.lease_until is null or r.lease_until < now())
		 order by r.created_at
		 limit 100`
	found, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[open], sql)
	if err != nil {
		return fmt.Errorf("find runs: %w", err)
	}
	for _, o := range found {
		if room == 0 {
			return nil
		}
		taken, err := s.consider(ctx, o)
		if err != nil {
			s.Log.WarnContext(ctx, "cannot take a run", "run", o.ID, "err", err)
		}
		if taken {
			room--
		}
	}
	return nil
}

func (o open) target() dispatch.Target {
	t := dispatch.Target{Tenant: o.Tenant, ConnectorID: o.Connector, Type: o.Type, Mode: o.Mode}
	if o.AgentID != nil {
		t.AgentID = *o.AgentID
	}
	if o.AgentGroup != nil {
		t.AgentGroup = *o.AgentGroup
	}
	return t
}

// consider takes a run if this process can work on it: any hosted one, an agent's where this process holds the socket, and any
// that is read to its end.
func (s *Service) consider(ctx context.Context, o open) (bool, error) {
	if o.Mode == dispatch.Agent && !o.ReadEnded && !s.Agents.Serves(o.target()) {
		online, err := s.Agents.Online(ctx, o.target())
		if err != nil || online {
			return false, err // the process that holds the socket takes it
		}
		return false, s.await(ctx, o)
	}
	w, err := s.take(ctx, o)
	if err != nil || w == nil {
		return false, err
	}
	s.begin(ctx, w)
	return true, nil
}

// await lets a run wait for its agent, and ends it when the agent stays away too long.
func (s *Service) await(ctx context.Context, o open) error {
	v := viewer.System(o.Tenant)
	if o.WaitUntil != nil && s.Now().After(*o.WaitUntil) {
		w := &work{s: s, v: v, id: o.ID, connector: o.Connector, unleased: true}
		return w.end(ctx, Failed, &v1.ErrorDetail{
			Class: v1.ClassAgentUnavailable, Code: "agent_offline", Message: fmt.Sprintf("no agent of this connector was online for %s", agentWait),
			Hint: "Start the agent, or give the connector another one, and run the sync again.",
		})
	}
	if o.Status == WaitingAgent {
		return nil
	}
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set status = 'waiting_agent', wait_until = coalesce(wait_until, now() + $2::interval), progress_seq = progress_seq + 1, updated_at = now()
			 where tenant_id = current_tenant()
			   and id = $1
			   and status in ('queued', 'running', 'applying')
			   and (lease_until is null or lease_until < now())`
		_, err := tx.Exec(ctx, sql, o.ID, agentWait.String())
		return err
	})
}

// begin works on a run in the background.
func (s *Service) begin(ctx context.Context, w *work) {
	// The work outlives the loop's context by as long as handing back takes; stop cancels it with the reason.
	run, cancel := context.WithCancelCause(telemetry.WithRun(context.WithoutCancel(ctx), w.v.Tenant, w.id))
	s.mu.Lock()
	s.active[w.id] = cancel
	s.mu.Unlock()
	s.group.Add(1)
	go func() {
		defer s.group.Done()
		defer cancel(nil)
		defer func() {
			s.mu.Lock()
			delete(s.active, w.id)
			s.mu.Unlock()
			s.Wake()
		}()
		w.cancel = cancel
		w.do(run)
	}()
}

// encode is JSON for a jsonb column.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(b)
}
