package presence

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
)

// Check closes the connections of agents that were revoked, quarantined, enrolled again or deleted, those that were
// replaced in another process, and those of a tenant that is suspended or closing.
func (p *Service) Check(ctx context.Context) {
	sessions := p.Sessions()
	if len(sessions) == 0 {
		return
	}
	found := map[session.Key]session.Standing{}
	err := p.DB.Across(ctx, func(tx *pg.Tx) error {
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
		list, err := pgx.CollectRows(rows, pgx.RowToStructByName[session.Standing])
		for _, st := range list {
			found[session.Key{Tenant: st.Tenant, Agent: st.Agent}] = st
		}
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			p.Log.WarnContext(ctx, "cannot check agents' connections", "err", err)
		}
		return
	}
	for _, s := range sessions {
		s.Uphold(found[s.Key])
	}
}

// agentIDs are the agents of some sessions.
func agentIDs(sessions []*session.Session) []string {
	ids := map[string]bool{}
	for _, s := range sessions {
		ids[s.Key.Agent] = true
	}
	return slices.Collect(maps.Keys(ids))
}
