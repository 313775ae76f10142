package writing

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Load reads the rules by which connectors write, by their ids. Those that there are not are left out.
func Load(ctx context.Context, tx *pg.Tx, connectorIDs []string) (map[string]Rules, error) {
	const sql = `
		select c.id::text, c.purpose, p.write_mode, nullif(p.deprovision, '{}'), p.native_grant_policy,
		       nullif(p.drift, '{}'), nullif(p.breaker, '{}')
		  from connector c
		  left join connector_provisioning p
		    on p.tenant_id = c.tenant_id
		   and p.connector_id = c.id
		 where c.tenant_id = current_tenant()
		   and c.id = any($1::text[]::uuid[])
		   and c.deleted_at is null`
	rows, err := tx.Query(ctx, sql, connectorIDs)
	if err != nil {
		return nil, fmt.Errorf("read how connectors write: %w", err)
	}
	out := make(map[string]Rules, len(connectorIDs))
	for rows.Next() {
		var id, purpose string
		var s Settings
		if err := rows.Scan(
			&id,
			&purpose,
			&s.WriteMode,
			&s.Deprovision,
			&s.NativeGrants,
			&s.Drift,
			&s.Breaker,
		); err != nil {
			rows.Close()
			return nil, fmt.Errorf("read how connectors write: %w", err)
		}
		out[id] = Defaults(purpose).With(s)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read how connectors write: %w", err)
	}
	return out, nil
}
