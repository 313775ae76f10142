package agents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Channels of NOTIFY. A payload is a word, the tenant and the id of an agent or a task.
const (
	PresenceChannel = "agent_presence" // changed, probe
	TaskChannel     = "agent_task"     // offered, done, cancelled
)

// shownState needs @offline, in seconds.
const shownState = `
	case when a.state in ('pending', 'disabled', 'quarantined', 'revoked') then a.state
	     when s.last_seen_at > now() - make_interval(secs => @offline) then
	          case when a.draining or s.draining then 'draining' when cardinality(a.degraded) > 0 then 'degraded'
	              else 'online' end
	     when a.last_seen_at is null then 'registered'
	     else 'offline' end`

const columns = `
	a.id::text, a.name, a.description, nullif(a.agent_group, '') as agent_group, ` + shownState +
	` as state, a.version_name, a.os,
	a.arch, a.hostname, a.ip_last, a.instance_id::text, a.connector_types, a.clock_skew_ms, a.stats,
	a.draining, a.degraded, a.flapping_since is not null as flapping,
	case when ` + shownState + ` in ('online', 'draining', 'degraded') then s.connected_at end as connected_since,
	a.last_seen_at, a.token_issued_at, a.token_expires_at, a.quarantine_reason, a.revoked_at, a.revoked_reason,
	a.created_at, a.updated_at, a.identity_key, a.sealing_key, a.version as revision`

const fromAgents = `
	from agent a
	left join agent_session s on s.tenant_id = a.tenant_id and s.agent_id = a.id`

// AgentPresence is how many agents there are, but for those that are revoked, and how many of them are silent.
type AgentPresence struct {
	// Number of agents that are not revoked.
	Total int64 `json:"total"`
	// Those that are degraded or draining too.
	Online int64 `json:"online"`
	// They were there, and have not been heard of for a while.
	Offline int64 `json:"offline"`
}

// CountPresent counts the agents of the transaction's tenant.
func CountPresent(ctx context.Context, tx *pg.Tx) (p AgentPresence, err error) {
	const sql = `
		select count(*), count(*) filter (where x.state in ('online', 'degraded', 'draining')),
		    count(*) filter (where x.state = 'offline')
		  from (select ` + shownState + ` as state` + fromAgents + ` where a.state <> 'revoked') x`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"offline": wire.OfflineAfter.Seconds()}).
		Scan(&p.Total, &p.Online, &p.Offline); err != nil {
		return p, fmt.Errorf("count agents: %w", err)
	}
	return p, nil
}

// Find reads an agent. offline is after how long a silent one counts as such.
func Find(ctx context.Context, tx *pg.Tx, id string, offline time.Duration) (Agent, error) {
	const sql = `select ` + columns + fromAgents + ` where a.id = @id`
	a, err := pg.One[Agent](ctx, tx, "find agent", sql, pgx.NamedArgs{"id": id, "offline": offline.Seconds()})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Agent{}, NotFound(id)
	case err != nil:
		return Agent{}, err
	}
	a.fingerprints()
	return a, nil
}

// Changed notifies every process to check again whether the agent's socket may stay.
func Changed(ctx context.Context, tx *pg.Tx, id string) error {
	return Notify(ctx, tx, PresenceChannel, "changed", id)
}

// Notify sends every process a word about an agent or a task of the transaction's tenant.
func Notify(ctx context.Context, tx *pg.Tx, channel, word, id string) error {
	return pg.Exec(
		ctx,
		tx,
		"notify "+channel,
		`select pg_notify($1, $2)`,
		channel,
		word+" "+tx.Viewer.Tenant+" "+id,
	)
}
