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
	errCancelled = errors.New("a person cancelled this sync run")
	errStopping  = errors.New("this process is stopping")
	errStuck     = &v1.ErrorDetail{
		Class:     v1.ClassTransient,
		Code:      "no_progress",
		Message:   "the connector showed no sign of progress for too long",
		Retryable: true,
	}
)

// channel is where a new run, or a wish to cancel one, is announced to all processes.
const channel = "sync_run"

// Run looks for runs and works on them until ctx ends. Then it hands back what it has, so that the next process goes on
// at once.
func (s *Service) Run(ctx context.Context) error {
	s.init()
	defer s.stop()
	line := pg.Line{
		DB:      s.DB,
		Channel: channel,
		Again:   2 * time.Second,
		Log:     s.Log,
		Lost:    "lost the line on which runs are announced; looking every second",
	}
	go line.Listen(ctx, s.wake.Ring)
	return loop.Worker{
		Every:  time.Second,
		Wake:   &s.wake,
		Log:    s.Log,
		Cannot: "cannot look for runs",
	}.Run(
		ctx,
		func(ctx context.Context) error {
			err := s.claim(ctx)
			s.deliverCallbacks(ctx)
			s.expire(ctx)
			return err
		},
	)
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
	for _, p := range s.active {
		p.cancel(errStopping)
	}
	s.mu.Unlock()
	s.group.Wait()
}

// place is a run that this process works on.
type place struct {
	tenant  string
	suspect time.Time // a process has died in it: until then it is not safe to work on another such run
	cancel  context.CancelCauseFunc
}

// suspicion is how long a run in which a process has died is worked on without another such run, unless it moves on
// before.
const suspicion = time.Minute

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
	Suspect    bool       `db:"suspect"` // a process has died in it since it last moved on
	Alone      bool       `db:"alone"`   // there is one tenant only
}

const openColumns = `
	r.tenant_id, r.id, r.connector_id, r.type, r.mode, r.agent_id, r.agent_group, r.status, r.wait_until, r.read_ended,
	r.lapsed <> '{}' or r.lease_owner is not null as suspect,
	(select count(*) from (select from tenant a where a.status = 'active' limit 2) a) < 2 as alone`

const fromOpen = `
	  from sync_run r
	  join tenant t
	    on t.id = r.tenant_id
	   and (t.status = 'active' or r.cancel_requested)`

func (s *Service) claim(ctx context.Context) error {
	if s.room() <= 0 {
		return nil
	}
	ready, err := s.ready(ctx)
	if err != nil {
		return fmt.Errorf("find runs: %w", err)
	}
	waiting, err := s.waiting(ctx)
	if err != nil {
		return fmt.Errorf("find runs that wait for their agent: %w", err)
	}
	for _, o := range append(ready, waiting...) {
		if s.room() <= 0 {
			return nil
		}
		if !s.fits(o) {
			continue
		}
		if err := s.consider(ctx, o); err != nil {
			s.Log.WarnContext(ctx, "cannot take a run", "run", o.ID, "err", err)
		}
	}
	return nil
}

// ready are runs that somebody could work on now: of every tenant its oldest first, those of tenants of which fewer are
// being worked on before others.
func (s *Service) ready(ctx context.Context) ([]open, error) {
	const sql = `
		with busy as (
			select b.tenant_id, count(*) as runs
			  from sync_run b
			 where b.status in ('running', 'evaluating', 'applying')
			   and b.lease_until > now()
			 group by b.tenant_id)
		select tenant_id, id, connector_id, type, mode, agent_id, agent_group, status, wait_until, read_ended, suspect,
		    alone
		  from (select ` + openColumns + `, r.created_at,
		               coalesce(b.runs, 0) + row_number() over (partition by r.tenant_id order by r.created_at,
		                   r.id) as turn` + fromOpen + `
		          left join busy b
		            on b.tenant_id = r.tenant_id
		         where r.status in ('queued', 'running', 'evaluating', 'applying')
		           and (r.lease_until is null or r.lease_until < now())) r
		 order by turn, created_at, id
		 limit 100`
	return pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[open], sql)
}

// waitingAtOnce are how many runs that wait for their agent are looked at together.
const waitingAtOnce = 500

// waiting are the next runs that wait for their agent, of all of them in turn, so that many whose agents are away hide
// none whose agent has come.
func (s *Service) waiting(ctx context.Context) ([]open, error) {
	const sql = `select ` + openColumns + fromOpen + `
		 where r.status = 'waiting_agent'
		   and (r.lease_until is null or r.lease_until < now())
		   and r.id > coalesce(nullif($1, ''), '00000000-0000-0000-0000-000000000000')::uuid
		 order by r.id
		 limit $2`
	found, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[open], sql, s.turned, waitingAtOnce)
	if s.turned = ""; len(found) == waitingAtOnce {
		s.turned = found[waitingAtOnce-1].ID
	}
	return found, err
}

func (s *Service) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.MaxRuns - len(s.active)
}

// fits reports whether a run may have one of the places that are left. A tenant that has some gets another only while
// more are free than it has, so that the long runs of one tenant always leave a place for those of the next. Runs in
// which a process has died are worked on one at a time: should it die again, it is known in which of them.
func (s *Service) fits(o open) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := 0
	for _, p := range s.active {
		if p.tenant == o.Tenant {
			own++
		}
		if o.Suspect && time.Now().Before(p.suspect) {
			return false
		}
	}
	return o.Alone || own == 0 || s.MaxRuns-len(s.active) > own
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

// consider takes a run if this process can work on it: any hosted one, an agent's where this process holds the socket,
// and any that is read to its end.
func (s *Service) consider(ctx context.Context, o open) error {
	if o.Mode == dispatch.Agent && !o.ReadEnded && !s.Agents.Serves(o.target()) {
		return s.elsewhere(ctx, o)
	}
	w, err := s.take(ctx, o)
	if err != nil || w == nil {
		return err
	}
	s.begin(ctx, w)
	return nil
}

// elsewhere lets a run wait for its agent, which this process does not serve, and ends it when the agent stays away too
// long.
func (s *Service) elsewhere(ctx context.Context, o open) error {
	overdue := o.WaitUntil != nil && s.Now().After(*o.WaitUntil)
	if o.Status == WaitingAgent && !overdue {
		return nil // the process that comes to serve the agent takes it
	}
	online, err := s.Agents.Online(ctx, o.target())
	if err != nil || online {
		return err
	}
	if overdue {
		return s.giveUp(ctx, o)
	}
	return s.await(ctx, o)
}

// giveUp ends a run whose agent stayed away. What earlier attempts did stays counted.
func (s *Service) giveUp(ctx context.Context, o open) error {
	return s.DB.AsBulk(ctx, viewer.System(o.Tenant), func(tx *pg.Tx) error {
		w, err := s.idle(ctx, tx, o)
		if err != nil {
			return err
		}
		return w.write(ctx, tx, Failed, w.tally, &v1.ErrorDetail{
			Class:   v1.ClassAgentUnavailable,
			Code:    "agent_offline",
			Message: fmt.Sprintf("no agent of this connector was online for %s", agentWait),
			Hint:    "Start the agent, or give the connector another one, and run the sync again.",
		})
	})
}

func (s *Service) await(ctx context.Context, o open) error {
	return s.DB.As(ctx, viewer.System(o.Tenant), func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set status = 'waiting_agent', wait_until = coalesce(wait_until, now() + $2::interval),
			       progress_seq = progress_seq + 1, updated_at = now()
			 where tenant_id = current_tenant()
			   and id = $1
			   and status in ('queued', 'running', 'applying')
			   and (lease_until is null or lease_until < now())`
		_, err := tx.Exec(ctx, sql, o.ID, agentWait.String())
		return err
	})
}

// relieve takes the suspicion from a run that has moved on.
func (s *Service) relieve(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, works := s.active[run]; works {
		at.suspect = time.Time{}
		s.active[run] = at
	}
}

// begin works on a run in the background.
func (s *Service) begin(ctx context.Context, w *work) {
	// The work outlives the loop's context by as long as handing back takes; stop cancels it with the reason.
	run, cancel := context.WithCancelCause(telemetry.WithRun(context.WithoutCancel(ctx), w.v.Tenant, w.id))
	at := place{tenant: w.v.Tenant, cancel: cancel}
	if w.died > 0 {
		at.suspect = time.Now().Add(suspicion)
	}
	s.mu.Lock()
	s.active[w.id] = at
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
