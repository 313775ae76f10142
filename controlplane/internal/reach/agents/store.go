package agents

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Channels of NOTIFY. A payload is a word, the tenant and the id of an agent or a task.
const (
	presenceChannel = "agent_presence" // changed, probe
	taskChannel     = "agent_task"     // offered, done, cancelled
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
	Total   int64 `json:"total"`
	Online  int64 `json:"online" doc:"Those that are degraded or draining too."`
	Offline int64 `json:"offline" doc:"They were there, and have not been heard of for a while."`
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

// find reads an agent. offline is after how long a silent one counts as such.
func find(ctx context.Context, tx *pg.Tx, id string, offline time.Duration) (Agent, error) {
	const sql = `select ` + columns + fromAgents + ` where a.id = @id`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": id, "offline": offline.Seconds()})
	if err != nil {
		return Agent{}, fmt.Errorf("find agent: %w", err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Agent])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Agent{}, notFound(id)
	case err != nil:
		return Agent{}, fmt.Errorf("find agent: %w", err)
	}
	a.fingerprints()
	return a, nil
}

func notFound(id string) error { return fault.New(fault.NotFound, "there is no agent %s", id) }

const filtered = `
	 where (@state = '' or ` + shownState + ` = @state)
	   and (@group = '' or a.agent_group = @group)`

// list reads a page of agents, newest first, and one more if there is one, and how many there are.
func list(
	ctx context.Context,
	tx *pg.Tx,
	f filters,
	p pg.Page,
	offline time.Duration,
) (items []Agent, total int64, err error) {
	args := pgx.NamedArgs{
		"state":   f.State,
		"group":   f.Group,
		"offline": offline.Seconds(),
		"rows":    p.Limit + 1,
		"skip":    p.Offset,
		"at":      nil,
		"id":      nil,
	}
	if len(p.After) == 2 {
		args["at"], args["id"] = p.After[0], p.After[1]
	}
	const page = `select ` + columns + fromAgents + filtered + `
		   and (@at::timestamptz is null or (a.created_at, a.id) < (@at::timestamptz, @id::uuid))
		 order by a.created_at desc, a.id desc
		 limit @rows offset @skip`
	rows, err := tx.Query(ctx, page, args)
	if err != nil {
		return nil, 0, fmt.Errorf("list agents: %w", err)
	}
	if items, err = pgx.CollectRows(rows, pgx.RowToStructByName[Agent]); err != nil {
		return nil, 0, fmt.Errorf("list agents: %w", err)
	}
	for i := range items {
		items[i].fingerprints()
	}
	if err := tx.QueryRow(ctx, `select count(*)`+fromAgents+filtered, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count agents: %w", err)
	}
	return items, total, nil
}

// identity is what an agent is held against when it shows itself.
type identity struct {
	Name       string  `db:"name"`
	Group      string  `db:"agent_group"`
	State      string  `db:"state"`
	Key        []byte  `db:"identity_key"`
	Instance   *string `db:"instance_id"`
	Epoch      int64   `db:"token_epoch"`
	JoinSeq    int64   `db:"join_seq"`
	LastNonce  *string `db:"last_nonce"`
	LastBootID *string `db:"last_boot_id"`
	Draining   bool    `db:"draining"`
	Hostname   *string `db:"hostname"`
	Address    *string `db:"ip_last"`
}

// lock reads an agent's identity and keeps others from changing it until the transaction ends.
func lock(ctx context.Context, tx *pg.Tx, id string) (identity, error) {
	const sql = `
		select name, agent_group, state, identity_key, instance_id::text, token_epoch, join_seq, last_nonce,
		       last_boot_id, draining, hostname, ip_last
		  from agent
		 where id = $1
		   for update`
	rows, err := tx.Query(ctx, sql, id)
	if err != nil {
		return identity{}, fmt.Errorf("lock agent: %w", err)
	}
	who, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[identity])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return who, notFound(id)
	case err != nil:
		return who, fmt.Errorf("lock agent: %w", err)
	}
	return who, nil
}

// mayWork says why an agent in this state is turned away, for good or until an administrator acts.
func (i identity) mayWork() error {
	switch i.State {
	case Registered:
		return nil
	case Quarantined:
		return fault.Coded(
			fault.Forbidden,
			"agent_quarantined",
			"this agent is quarantined because its identity was seen in two places; stop one of them and clear the "+
				"quarantine, or enrol it again",
		)
	case Revoked:
		return fault.Coded(fault.Forbidden, "agent_revoked", "this agent has been revoked")
	case Disabled:
		return fault.Coded(fault.Forbidden, "agent_disabled", "this agent has been switched off")
	}
	return fault.Coded(fault.Unauthenticated, "token_revoked", "this agent must be enrolled again")
}

// quarantine shuts an agent out, both copies of it, until an administrator lifts it or enrols the agent again: somebody
// else has its identity.
func quarantine(ctx context.Context, tx *pg.Tx, id, reason string, seen map[string]any) error {
	const sql = `
		update agent
		   set state = 'quarantined', quarantine_reason = $2, updated_at = now(), version = version + 1
		 where id = $1 and state = 'registered'`
	tag, err := tx.Exec(ctx, sql, id, reason)
	if err != nil {
		return fmt.Errorf("quarantine agent: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	seen["reason"] = reason
	entry := audit.Entry{
		Action:  "agent.clone_detected",
		Outcome: audit.Denied,
		Subject: audit.Subject{Type: "agent", ID: id},
		Context: seen,
	}
	if err := audit.Record(ctx, tx, entry); err != nil {
		return err
	}
	return changed(ctx, tx, id)
}

// changed tells every process to look again whether the agent's socket may stay.
func changed(ctx context.Context, tx *pg.Tx, id string) error {
	return notify(ctx, tx, presenceChannel, "changed", id)
}

func notify(ctx context.Context, tx *pg.Tx, channel, word, id string) error {
	if _, err := tx.Exec(ctx, `select pg_notify($1, $2)`, channel, word+" "+tx.Viewer.Tenant+" "+id); err != nil {
		return fmt.Errorf("notify %s: %w", channel, err)
	}
	return nil
}

func jtiHash(jti string) []byte {
	sum := sha256.Sum256([]byte(jti))
	return sum[:]
}
