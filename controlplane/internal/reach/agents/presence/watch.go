package presence

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Events of presence. The audit log names them alike.
const (
	cameOnline  = string(event.AgentOnline)
	wentOffline = string(event.AgentOffline)
)

// watched is what is remembered of an agent's coming and going. Every departure that is recorded is followed by a
// return that is, and two recorded departures lie apart; what happens between makes the agent flapping.
type watched struct {
	Online   bool       // when it was looked at last
	Since    time.Time  // since when
	Told     bool       // the last event said that it is online
	Gone     *time.Time // when the last departure was recorded
	BackBy   *time.Time // it left with notice
	Flapping *time.Time
}

// look takes note of whether the agent is there, and says which event to record, if any.
func (w watched) look(now time.Time, online bool, pair time.Duration) (watched, string) {
	if online != w.Online {
		w.Online, w.Since = online, now
	}
	happened := ""
	switch {
	case online && !w.Told:
		w.Told, happened = true, cameOnline
	case online || !w.Told:
	case w.BackBy != nil && now.Before(*w.BackBy):
	case w.Gone != nil && now.Sub(*w.Gone) < pair:
		if w.Flapping == nil {
			w.Flapping = &now
		}
	default:
		w.Told, w.Gone, happened = false, &now, wentOffline
	}
	if w.Flapping != nil && now.Sub(w.Since) >= pair {
		w.Flapping = nil
	}
	return w, happened
}

// Watch records who has come and gone since the last look of any process.
func (p *Service) Watch(ctx context.Context) {
	byTenant, err := p.unsettled(ctx)
	if err != nil {
		if ctx.Err() == nil {
			p.Log.WarnContext(ctx, "cannot look who has come and gone", "err", err)
		}
		return
	}
	for tenant, ids := range byTenant {
		err := p.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error { return p.settle(ctx, tx, ids) })
		if err != nil && ctx.Err() == nil {
			p.Log.WarnContext(ctx, "cannot record who has come and gone", "tenant", tenant, "err", err)
		}
	}
}

// isThere is whether an agent a with the session s is online. It needs @offline, in seconds.
const isThere = `(a.state = 'registered' and coalesce(s.last_seen_at > now() - make_interval(secs => @offline), false))`

// unsettled finds the agents whose coming or going is to be looked at, by tenant.
func (p *Service) unsettled(ctx context.Context) (map[string][]string, error) {
	found := map[string][]string{}
	err := p.DB.Across(ctx, func(tx *pg.Tx) error {
		const sql = `
			select a.tenant_id::text, a.id::text
			  from agent a
			  left join agent_session s on s.tenant_id = a.tenant_id and s.agent_id = a.id
			 where a.seen_online <> ` + isThere + ` or a.told_online <> ` + isThere + ` or a.flapping_since is not null
			 limit 5000`
		rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"offline": p.Timing.Offline.Seconds()})
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

// coming is an agent that is looked at.
type coming struct {
	ID       string  `db:"id"`
	Name     string  `db:"name"`
	State    string  `db:"state"`
	Hostname *string `db:"hostname"`
	Version  *string
	Seen     *time.Time
	Online   bool `db:"online"`
	Now      time.Time
	watched
}

// settle looks at some agents of one tenant. One that another process looks at is left to that.
func (p *Service) settle(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		select a.id::text, a.name, a.state, a.hostname, a.version_name, a.last_seen_at, ` + isThere +
		` as online, clock_timestamp(), a.seen_online,
		       coalesce(a.seen_since, a.created_at), a.told_online, a.told_gone_at, a.back_by, a.flapping_since
		  from agent a
		  left join agent_session s on s.tenant_id = a.tenant_id and s.agent_id = a.id
		 where a.id = any(@ids::uuid[])
		   for update of a skip locked`
	found, err := pg.AllBy(ctx, tx, "look at agents", func(row pgx.CollectableRow) (c coming, err error) {
		w := &c.watched
		err = row.Scan(
			&c.ID,
			&c.Name,
			&c.State,
			&c.Hostname,
			&c.Version,
			&c.Seen,
			&c.Online,
			&c.Now,
			&w.Online,
			&w.Since,
			&w.Told,
			&w.Gone,
			&w.BackBy,
			&w.Flapping,
		)
		return c, err
	}, sql, pgx.NamedArgs{"ids": ids, "offline": p.Timing.Offline.Seconds()})
	if err != nil {
		return err
	}
	for _, c := range found {
		if err := p.note(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}

func (p *Service) note(ctx context.Context, tx *pg.Tx, c coming) error {
	if !c.Online && time.Since(p.Began) < p.Timing.Return {
		return nil // after an outage of ours everybody seems to be gone
	}
	next, happened := c.watched.look(c.Now, c.Online, p.Timing.Departures)
	if happened == "" && next == c.watched {
		return nil
	}
	const sql = `
		update agent
		   set seen_online = $2, seen_since = $3, told_online = $4, told_gone_at = $5, flapping_since = $6
		 where id = $1`
	if err := pg.Exec(
		ctx,
		tx,
		"note an agent's presence",
		sql,
		c.ID,
		next.Online,
		next.Since,
		next.Told,
		next.Gone,
		next.Flapping,
	); err != nil {
		return err
	}
	if happened == "" {
		return nil
	}
	if err := tell(ctx, tx, c, happened, next); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  happened,
		Subject: audit.Subject{Type: "agent", ID: c.ID, Display: c.Name},
		Context: map[string]any{
			"hostname": agents.Deref(c.Hostname),
			"state":    c.State,
			"flapping": next.Flapping != nil,
		},
	})
}

// tell publishes that an agent has come or gone.
func tell(ctx context.Context, tx *pg.Tx, c coming, happened string, next watched) error {
	return event.Publish(ctx, tx, event.Event{
		Kind:     event.Kind(happened),
		Resource: event.Resource{Type: "agent", ID: c.ID},
		Data: map[string]any{
			"name":         c.Name,
			"state":        c.State,
			"version":      c.Version,
			"last_seen_at": c.Seen,
			"flapping":     next.Flapping != nil,
			"cause":        c.cause(happened),
		},
	})
}

// cause says in a word why an agent counts as gone.
func (c coming) cause(happened string) string {
	switch {
	case happened == cameOnline:
		return "connected"
	case c.State != agents.Registered:
		return c.State
	case c.BackBy != nil && c.Now.After(*c.BackBy) && c.Now.Sub(*c.BackBy) < time.Hour:
		return "left"
	}
	return "silent"
}
