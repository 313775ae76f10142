package hub

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/relay"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connector finds the agent for a target and gives a connector that it runs: over its socket when this process holds
// it, by way of the process that does otherwise. Without one the error is a *v1.ErrorDetail of class agent_unavailable.
func (h *Hub) Connector(ctx context.Context, t dispatch.Target) (connectorkit.Connector, error) {
	h.start()
	if err := h.recall(ctx, t); err != nil {
		return nil, err
	}
	if s := h.peers.pick(t); s != nil {
		return &Proxy{hub: h, session: s, target: t}, nil
	}
	known, err := h.known(ctx, t)
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		if k.Online && k.Supports && !k.Draining && k.Process != uuid.Nil.String() && k.Process != h.process {
			t.AgentID = k.ID
			return &relay.Remote{
				Relay:  h.relay,
				Target: t,
				By:     v1.ExecutedBy{Mode: dispatch.Agent, AgentID: k.ID, Hostname: k.Hostname},
			}, nil
		}
	}
	return nil, unavailable(t, known)
}

// Serves reports whether this process holds a socket that can run the target's calls.
func (h *Hub) Serves(t dispatch.Target) bool {
	h.start()
	return h.peers.pick(t) != nil
}

// Online reports whether some process holds a socket that can run the target's calls, or held it so lately that the
// agent may be expected back.
func (h *Hub) Online(ctx context.Context, t dispatch.Target) (bool, error) {
	if h.Serves(t) {
		return true, nil
	}
	known, err := h.known(ctx, t)
	for _, k := range known {
		if k.Online && k.Supports && !k.Draining {
			return true, err
		}
	}
	return false, err
}

// candidate is an agent that a target names, by itself or by its group.
type candidate struct {
	ID       string     `db:"id"`
	Name     string     `db:"name"`
	State    string     `db:"state"`
	Hostname string     `db:"hostname"`
	LastSeen *time.Time `db:"last_seen_at"`
	Process  string     `db:"process_id"`
	Online   bool       `db:"online"`
	Supports bool       `db:"supports"`
	Draining bool       `db:"draining"`
}

func (h *Hub) known(ctx context.Context, t dispatch.Target) (out []candidate, err error) {
	if t.AgentID != "" && uuid.Validate(t.AgentID) != nil {
		return nil, nil
	}
	const sql = `
		select a.id::text, a.name, a.state, coalesce(a.hostname, '') as hostname, a.last_seen_at,
		       coalesce(s.process_id, '00000000-0000-0000-0000-000000000000')::text as process_id,
		       a.state = 'registered' and coalesce(s.last_seen_at > now() - make_interval(secs => @offline),
		       false) as online, @type = any(a.connector_types) as supports,
		           a.draining or coalesce(s.draining, false) as draining
		  from agent a
		  left join agent_session s on s.tenant_id = a.tenant_id and s.agent_id = a.id
		 where a.id = @agent::uuid or (@agent::uuid is null and @group <> '' and a.agent_group = @group)
		 order by a.last_seen_at desc nulls last
		 limit 1000`
	args := pgx.NamedArgs{"agent": nil, "group": t.AgentGroup, "type": t.Type, "offline": h.timing.Offline.Seconds()}
	if t.AgentID != "" {
		args["agent"] = t.AgentID
	}
	err = h.DB.As(ctx, viewer.System(t.Tenant), func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, args)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowToStructByName[candidate])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find agents: %w", err)
	}
	return out, nil
}
