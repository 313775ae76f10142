package hub

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// pick finds the connected agent for a target: the one it names, or one of its group. Of a group it is the agent that
// read the target well the last time, since positions in a directory may belong to one of its servers; otherwise the
// least busy. An agent that has as many tasks as it can take is chosen only where all have.
func (h *Hub) pick(t dispatch.Target) *session {
	h.start()
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.AgentID != "" {
		if p := h.peers[agentKey{t.Tenant, t.AgentID}]; p != nil && p.session.suits(t) {
			return p.session
		}
		return nil
	}
	last := h.last[connectorKey{t.Tenant, t.ConnectorID}]
	var best *peer
	for key, p := range h.peers {
		switch {
		case key.tenant != t.Tenant || !p.session.suits(t):
		case key.id == last && !p.busy():
			return p.session
		case best == nil || p.before(best):
			best = p
		}
	}
	if best == nil {
		return nil
	}
	return best.session
}

// busy reports whether the agent would refuse another task.
func (p *peer) busy() bool {
	most := p.session.hello.Limits.MaxTasks
	return most > 0 && len(p.calls) >= most
}

// before reports whether p is the better choice: the one with fewer calls, and of equals always the same one.
func (p *peer) before(q *peer) bool {
	switch {
	case p.busy() != q.busy():
		return q.busy()
	case len(p.calls) != len(q.calls):
		return len(p.calls) < len(q.calls)
	}
	return p.session.key.id < q.session.key.id
}

// Serves reports whether this process holds a socket that can run the target's calls.
func (h *Hub) Serves(t dispatch.Target) bool { return h.pick(t) != nil }

// succeeded remembers which agent ended a connector's sync well.
func (h *Hub) succeeded(t dispatch.Target, agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last[connectorKey{t.Tenant, t.ConnectorID}] = agent
}

// recall finds out which agent ended a connector's last sync well, once for each connector of a group, in case it was
// before this process began.
func (h *Hub) recall(ctx context.Context, t dispatch.Target) error {
	key := connectorKey{t.Tenant, t.ConnectorID}
	h.mu.Lock()
	_, known := h.last[key]
	h.mu.Unlock()
	if known || t.AgentID != "" || t.ConnectorID == "" {
		return nil
	}
	var agent string
	err := h.DB.As(ctx, viewer.System(t.Tenant), func(tx *pg.Tx) error {
		const sql = `
			select coalesce(executed_by ->> 'agent_id', '')
			  from sync_run
			 where connector_id = $1 and status = 'succeeded'
			 order by created_at desc, id desc
			 limit 1`
		return tx.QueryRow(ctx, sql, t.ConnectorID).Scan(&agent)
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("find the connector's last agent: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.last[key]; !known {
		h.last[key] = agent
	}
	return nil
}
