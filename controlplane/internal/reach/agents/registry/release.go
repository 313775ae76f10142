package registry

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// entrusted are the connectors whose stored secrets an agent is given: those that name it, and those of its group.
func entrusted(ctx context.Context, tx *pg.Tx, id, group string) ([]string, error) {
	const sql = `
		select c.business_id
		  from connector c
		 where c.deleted_at is null
		   and c.mode = 'agent'
		   and c.credentials is not null
		   and (c.agent_id::text = @id or @group <> '' and c.agent_group = @group)
		 order by 1
		 limit 20`
	return pg.All[string](ctx, tx, "find connectors of an agent", sql, pgx.NamedArgs{"id": id, "group": group})
}

// entrust refuses to let an agent have the stored secrets of the connectors that name id or group, unless a person who
// has signed in releases them. The release is audited.
func entrust(ctx context.Context, tx *pg.Tx, agent audit.Subject, id, group string, release bool) error {
	names, err := entrusted(ctx, tx, id, group)
	switch {
	case err != nil || len(names) == 0:
		return err
	case tx.Viewer.Kind != viewer.User:
		return fault.New(
			fault.Forbidden,
			"This gives an agent the stored credentials of %s. A service token cannot release them; an administrator "+
				"who has signed in can.",
			strings.Join(names, ", "),
		)
	case !release:
		return fault.Coded(fault.Conflict, "release_required", "This gives an agent the stored credentials of %s. "+
			"Repeat it with release_credentials to release them.",
			strings.Join(names, ", ")).
			Also("connectors", names)
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "agent.credentials_released",
			Subject: agent,
			Context: map[string]any{"connectors": names, "group": group},
		},
	)
}
