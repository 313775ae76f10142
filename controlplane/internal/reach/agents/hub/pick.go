package hub

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// pick finds the connected agent for a target: the one it names, or one of its group. Of a group it is the agent that
// read the target well the last time, since positions in a directory may belong to one of its servers; otherwise the
// least busy. An agent that has as many tasks as it can take is chosen only where all have.
func (t *peerTable) pick(target dispatch.Target) *session.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if target.AgentID != "" {
		if p := t.byKey[session.Key{Tenant: target.Tenant, Agent: target.AgentID}]; p != nil &&
			p.session.Suits(target) {
			return p.session
		}
		return nil
	}
	last := t.last[connectorKey{target.Tenant, target.ConnectorID}]
	var best *peer
	for key, p := range t.byKey {
		switch {
		case key.Tenant != target.Tenant || !p.session.Suits(target):
		case key.Agent == last && !p.busy():
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
	most := p.session.Hello.Limits.MaxTasks
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
	return p.session.Key.Agent < q.session.Key.Agent
}

// succeeded remembers which agent ended a connector's sync well.
func (t *peerTable) succeeded(target dispatch.Target, agent string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last[connectorKey{target.Tenant, target.ConnectorID}] = agent
}

// knowsLast reports whether the agent that ended a connector's last sync well was looked for.
func (t *peerTable) knowsLast(key connectorKey) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.last[key]
	return known
}

// setLast is what was found, unless a sync has ended meanwhile.
func (t *peerTable) setLast(key connectorKey, agent string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.last[key]; !known {
		t.last[key] = agent
	}
}

// recall finds out which agent ended a connector's last sync well, once for each connector of a group, in case it was
// before this process began.
func (h *Hub) recall(ctx context.Context, t dispatch.Target) error {
	key := connectorKey{t.Tenant, t.ConnectorID}
	if h.peers.knowsLast(key) || t.AgentID != "" || t.ConnectorID == "" {
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
	h.peers.setLast(key, agent)
	return nil
}
