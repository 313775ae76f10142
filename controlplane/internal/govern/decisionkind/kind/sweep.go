package kind

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// EnqueueDifferences enqueues what needs a decision and has no task, and what has a task and needs no decision.
func (k Kind) EnqueueDifferences(ctx context.Context, tx *pg.Tx) error {
	sql := `
		with asked as materialized (
		    select t.key::uuid as id
		      from decision_task t
		     where t.kind = @kind
		       and (t.state in ('open', 'claimed') or t.apply_at is not null)
		), needed as materialized (
		    select n.id from (` + k.Needed + `) n (id)
		)
		insert into work_item (tenant_id, kind, subject)
		select current_tenant(), @work, coalesce(n.id, a.id)
		  from needed n
		  full join asked a on a.id = n.id
		 where n.id is null
		    or a.id is null`
	return pg.Exec(
		ctx,
		tx,
		"compare with the inbox: "+k.Name,
		sql,
		pgx.NamedArgs{"kind": k.Name, "work": WorkOn(k.Name)},
	)
}

// WorkOn is the kind of work that looks at tasks of a kind.
func WorkOn(name string) string { return "inbox_" + name }
