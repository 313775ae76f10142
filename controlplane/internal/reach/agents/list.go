package agents

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Filters narrow a list of agents; an empty one matches all.
type Filters struct{ State, Group string }

const filtered = `
	 where (@state = '' or ` + shownState + ` = @state)
	   and (@group = '' or a.agent_group = @group)`

// List reads a page of agents, newest first, and one more if there is one, and how many there are.
func List(
	ctx context.Context,
	tx *pg.Tx,
	f Filters,
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
	if items, err = pg.All[Agent](ctx, tx, "list agents", page, args); err != nil {
		return nil, 0, err
	}
	for i := range items {
		items[i].fingerprints()
	}
	if err := tx.QueryRow(ctx, `select count(*)`+fromAgents+filtered, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count agents: %w", err)
	}
	return items, total, nil
}
