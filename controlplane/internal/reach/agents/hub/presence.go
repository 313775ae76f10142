package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

// flush writes down who was heard, a tenant at a time.
func (h *Hub) flush(ctx context.Context) {
	for tenant, sessions := range byTenant(h.sessions()) {
		if err := h.touch(ctx, tenant, sessions); err != nil && ctx.Err() == nil {
			h.Log.WarnContext(ctx, "cannot write agents' presence", "tenant", tenant, "err", err)
		}
	}
}

// touch is one statement for all of a tenant's agents here. The instants are ours, the clock is the database's, so ages
// travel.
func (h *Hub) touch(ctx context.Context, tenant string, sessions []*session) error {
	n := len(sessions)
	ids, epochs, ages, stats, skews := make(
		[]string,
		n,
	), make(
		[]int64,
		n,
	), make(
		[]float64,
		n,
	), make(
		[]*string,
		n,
	), make(
		[]int64,
		n,
	)
	draining, degraded := make([]bool, n), make([]string, n)
	for i, s := range sessions {
		ids[i], epochs[i], ages[i] = s.key.id, s.epoch, time.Since(s.socket.lastHeard()).Seconds()
		stats[i], skews[i], draining[i], degraded[i] = s.news()
	}
	const sql = `
		with heard as (
			select * from unnest(@ids::uuid[], @epochs::bigint[], @ages::float8[], @stats::text[], @skews::bigint[],
			                     @draining::bool[], @degraded::text[])
			           as h (agent_id, epoch, age, stats, skew, draining, degraded)),
		touched as (
			update agent_session s
			   set last_seen_at = now() - make_interval(secs => h.age), draining = h.draining
			  from heard h
			 where s.agent_id = h.agent_id and s.epoch = h.epoch and s.process_id = @process
			returning s.tenant_id, s.agent_id, s.last_seen_at, h.stats, h.skew, h.degraded)
		update agent a
		   set last_seen_at = t.last_seen_at, stats = coalesce(t.stats::jsonb, a.stats), clock_skew_ms = t.skew,
		       degraded = string_to_array(t.degraded, ' ')
		  from touched t
		 where a.tenant_id = t.tenant_id and a.id = t.agent_id`
	return h.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		args := pgx.NamedArgs{
			"ids":      ids,
			"epochs":   epochs,
			"ages":     ages,
			"stats":    stats,
			"skews":    skews,
			"process":  h.process,
			"draining": draining,
			"degraded": degraded,
		}
		return pg.Exec(ctx, tx, "touch agents", sql, args)
	})
}

// news is what the last heartbeat told, if there was one since it was asked for, the clock skew in milliseconds,
// whether the agent takes new tasks, and why it is degraded, in words with spaces between.
func (s *session) news() (stats *string, skew int64, draining bool, degraded string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beat != nil {
		b, err := json.Marshal(map[string]any{
			"uptime_s":    s.beat.UptimeS,
			"rss_bytes":   s.beat.RSSBytes,
			"goroutines":  s.beat.Goroutines,
			"in_flight":   len(s.beat.InFlight),
			"spool_bytes": s.beat.SpoolBytes,
			"last_error":  agents.Short(s.beat.LastError),
		})
		if err == nil {
			text := string(b)
			stats = &text
		}
		s.beat = nil
	}
	return stats, s.skew.Milliseconds(), s.draining, strings.Join(s.hub.reasons(s.hello, s.skew, &s.last), " ")
}

// leave notes that a connection has ended. An agent that has said goodbye is offline at once, and may be back soon. Any
// other counts as online for as long as its calls may still be resumed.
func (h *Hub) leave(ctx context.Context, s *session, goodbye bool) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	age := h.pace.offline - h.pace.lapse
	if goodbye {
		age = h.pace.offline
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
	err := h.DB.As(ctx, viewer.System(s.key.tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			sql,
			s.key.id,
			s.epoch,
			h.process,
			uuid.Nil.String(),
			age.Seconds(),
			goodbye,
			h.pace.back.Seconds(),
		)
		return err
	})
	if err != nil {
		h.Log.WarnContext(ctx, "cannot write that an agent has left", "agent", s.key.id, "err", err)
	}
}

// standing is whether a connection may stay, as the database sees it.
type standing struct {
	Tenant  string  `db:"tenant_id"`
	Agent   string  `db:"id"`
	State   string  `db:"state"`
	Group   string  `db:"agent_group"`
	Drained bool    `db:"draining"`
	Tokens  int64   `db:"token_epoch"`
	Open    bool    `db:"open"` // whether the tenant lets anybody in
	Session *string `db:"session"`
	Key     []byte  `db:"identity_key"`
}

// check closes the connections of agents that were revoked, quarantined, enrolled again or deleted, those that were
// replaced in another process, and those of a tenant that is suspended or closing.
func (h *Hub) check(ctx context.Context) {
	sessions := h.sessions()
	if len(sessions) == 0 {
		return
	}
	found := map[agentKey]standing{}
	err := h.DB.Across(ctx, func(tx *pg.Tx) error {
		const sql = `
			select a.tenant_id::text, a.id::text, a.state, a.agent_group, a.draining, a.token_epoch, a.identity_key,
			       s.id::text as session, t.status = 'active' as open
			  from agent a
			  join tenant t on t.id = a.tenant_id
			  left join agent_session s on s.tenant_id = a.tenant_id and s.agent_id = a.id
			 where a.id = any($1::uuid[])`
		rows, err := tx.Query(ctx, sql, agentIDs(sessions))
		if err != nil {
			return err
		}
		list, err := pgx.CollectRows(rows, pgx.RowToStructByName[standing])
		for _, st := range list {
			found[agentKey{st.Tenant, st.Agent}] = st
		}
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			h.Log.WarnContext(ctx, "cannot check agents' connections", "err", err)
		}
		return
	}
	for _, s := range sessions {
		s.uphold(found[s.key])
	}
}

// uphold closes the connection unless it may stay.
func (s *session) uphold(now standing) {
	if code, reason := s.ending(now); code != 0 {
		s.cut(code, reason)
		return
	}
	s.mu.Lock()
	s.group, s.drained = now.Group, now.Drained
	s.mu.Unlock()
}

// ending is the close code of a connection that may not stay, 0 of one that may. The zero standing is that of an agent
// that was deleted.
func (s *session) ending(now standing) (code int, reason string) {
	switch {
	case now.State == agents.Quarantined:
		return wire.CloseClone, "quarantined"
	case now.State == agents.Disabled || (now.State == agents.Registered && !now.Open):
		return wire.CloseRevoked, wire.ReasonDisabled
	case now.State != agents.Registered:
		return wire.CloseRevoked, "revoked"
	case !bytes.Equal(now.Key, s.proven):
		return wire.CloseRevoked, "enrolled again on another host"
	case now.Tokens != s.tokens:
		return wire.CloseToken, "the token was revoked: renew it"
	case s.hangs():
		return wire.CloseSilent, "no heartbeat"
	case agents.Deref(now.Session) != s.id:
		return wire.CloseSuperseded, "a newer connection of this agent"
	}
	return 0, ""
}

// isThere is whether an agent a with the session s is online. It needs @offline, in seconds.
const isThere = `(a.state = 'registered' and coalesce(s.last_seen_at > now() - make_interval(secs => @offline), false))`

// unsettled finds the agents whose coming or going is to be looked at, by tenant.
func (h *Hub) unsettled(ctx context.Context) (map[string][]string, error) {
	found := map[string][]string{}
	err := h.DB.Across(ctx, func(tx *pg.Tx) error {
		const sql = `
			select a.tenant_id::text, a.id::text
			  from agent a
			  left join agent_session s on s.tenant_id = a.tenant_id and s.agent_id = a.id
			 where a.seen_online <> ` + isThere + ` or a.told_online <> ` + isThere + ` or a.flapping_since is not null
			 limit 5000`
		rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"offline": h.pace.offline.Seconds()})
		if err != nil {
			return err
		}
		var tenant, id string
		_, err = pgx.ForEachRow(rows, []any{&tenant, &id}, func() error {
			found[tenant] = append(found[tenant], id)
			return nil
		})
		return err
	})
	return found, err
}

// cut ends the connection whether or not the other end reads what is queued for it. Nothing that still comes from it
// counts.
func (s *session) cut(code int, reason string) {
	s.over.Store(true)
	s.conn.Close(code, reason)
	time.AfterFunc(closeTimeout, func() { _ = s.socket.Close(code, reason) })
}

// listen hears what other processes tell, until ctx ends. What it misses while the database is away is found by
// looking.
func (h *Hub) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := h.hear(ctx)
		if ctx.Err() != nil {
			return
		}
		h.Log.WarnContext(ctx, "lost the database's notifications; listening again", "err", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

func (h *Hub) hear(ctx context.Context) error {
	pooled, err := h.DB.Pool().Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	// A connection that listens never goes back to the pool.
	conn := pooled.Hijack()
	defer func() {
		bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(bg)
	}()
	for _, channel := range []string{agents.PresenceChannel, agents.TaskChannel} {
		if _, err := conn.Exec(ctx, "listen "+channel); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait for notification: %w", err)
		}
		if err := h.told(ctx, n.Payload); err != nil {
			h.Log.WarnContext(ctx, "a notification could not be used", "channel", n.Channel, "err", err)
		}
	}
}

// told acts on a notification: a word, a tenant, and the id of an agent or a task. It does not wait for anything long.
func (h *Hub) told(ctx context.Context, payload string) error {
	words := strings.Fields(payload)
	if len(words) != 3 {
		return errors.New("not three words")
	}
	key := agentKey{words[1], words[2]}
	switch words[0] {
	case "changed":
		if h.sessionOf(key) != nil {
			h.check(ctx)
		}
	case "probe":
		if s := h.sessionOf(key); s != nil {
			go h.answerProbe(ctx, s)
		}
	case "offered":
		go h.claim(ctx)
	case "done":
		h.wakeWaiting(key.id)
	case "cancelled":
		h.stopWorking(key.id)
	}
	return nil
}

// answerProbe writes down at once whether a connection of ours lives.
func (h *Hub) answerProbe(ctx context.Context, s *session) {
	ctx, cancel := context.WithTimeout(ctx, h.pace.probe)
	defer cancel()
	if !s.answers(ctx) {
		return
	}
	err := h.DB.As(ctx, viewer.System(s.key.tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`update agent_session set proved_at = clock_timestamp() where agent_id = $1 and epoch = $2`,
			s.key.id,
			s.epoch,
		)
		return err
	})
	if err != nil {
		h.Log.WarnContext(ctx, "cannot answer for an agent's connection", "agent", s.key.id, "err", err)
	}
}
