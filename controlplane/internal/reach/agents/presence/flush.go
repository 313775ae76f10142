package presence

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
)

// Flush writes down which agents were heard when, and what they said of themselves, a tenant at a time.
func (p *Service) Flush(ctx context.Context) {
	for tenant, sessions := range byTenant(p.Sessions()) {
		if err := p.touch(ctx, tenant, sessions); err != nil && ctx.Err() == nil {
			p.Log.WarnContext(ctx, "cannot write agents' presence", "tenant", tenant, "err", err)
		}
	}
}

// byTenant groups sessions for transactions, which act within one tenant.
func byTenant(sessions []*session.Session) map[string][]*session.Session {
	out := map[string][]*session.Session{}
	for _, s := range sessions {
		out[s.Key.Tenant] = append(out[s.Key.Tenant], s)
	}
	return out
}

// heard are columns of what is known of some agents, for one statement.
type heard struct {
	ids      []string
	epochs   []int64
	ages     []float64 // seconds since each was heard
	stats    []*string
	skews    []int64 // milliseconds
	draining []bool
	degraded []string // reasons with spaces between
}

func (h *heard) add(s *session.Session) {
	r := s.Report()
	h.ids = append(h.ids, s.Key.Agent)
	h.epochs = append(h.epochs, s.Epoch)
	h.ages = append(h.ages, time.Since(s.LastHeard()).Seconds())
	h.stats = append(h.stats, r.Stats)
	h.skews = append(h.skews, r.Skew.Milliseconds())
	h.draining = append(h.draining, r.Draining)
	h.degraded = append(h.degraded, strings.Join(r.Degraded, " "))
}

// touch is one statement for all of a tenant's agents here. The instants are ours, the clock is the database's, so ages
// travel.
func (p *Service) touch(ctx context.Context, tenant string, sessions []*session.Session) error {
	var now heard
	for _, s := range sessions {
		now.add(s)
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
	return p.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		args := pgx.NamedArgs{
			"ids":      now.ids,
			"epochs":   now.epochs,
			"ages":     now.ages,
			"stats":    now.stats,
			"skews":    now.skews,
			"process":  p.Process,
			"draining": now.draining,
			"degraded": now.degraded,
		}
		return pg.Exec(ctx, tx, "touch agents", sql, args)
	})
}
