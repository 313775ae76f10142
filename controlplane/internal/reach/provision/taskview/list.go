package taskview

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// TaskFilters narrow the list of tasks; each one given must hold.
type TaskFilters struct {
	// Several values, separated by commas.
	State []string `query:"state" enum:"queued,blocked,running,verifying,retrying,done,failed,manual,cancelled,simulated"`
	// Tasks of this connector. Tasks of a deleted connector that have not ended are listed only if it is named.
	ConnectorID string `query:"connector_id" format:"uuid"`
	// Tasks for this identity.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Tasks that change this account.
	AccountID string `query:"account_id" format:"uuid"`
	// Tasks that make or revoke this grant.
	GrantID string `query:"grant_id" format:"uuid"`
	// Several values, separated by commas.
	Operation []string `query:"operation" enum:"create_account,update_account,rename_account,enable,disable,delete_account,unlock,set_password,grant,revoke"`
	// Several values, separated by commas.
	CreatedFrom []string `query:"created_from" enum:"birthright,policy,role,request,certification,violation,lifecycle,drift,manual"`
	// Tasks in this lane. Urgent ones run before all others.
	Lane string `query:"lane" enum:"normal,urgent"`
}

// ConnectedSQL is the SQL of whether the connector of a task t is not deleted.
const ConnectedSQL = `t.connector_id not in (select id from connector where deleted_at is not null)`

// where renders the filters. Tasks of deleted connectors that have not ended are shown only to who asks for their
// connector.
func (f TaskFilters) where(states bool) (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{}
	sql := ""
	among := func(column string, values []string) {
		if len(values) > 0 {
			sql += " and t." + column + " = any(@" + column + ")"
			args[column] = values
		}
	}
	equal := func(column, value string) {
		if value != "" {
			sql += " and t." + column + " = @" + column
			args[column] = value
		}
	}
	if states {
		among("state", f.State)
	}
	among("operation", f.Operation)
	among("created_from", f.CreatedFrom)
	equal("connector_id", f.ConnectorID)
	equal("identity_id", f.IdentityID)
	equal("account_id", f.AccountID)
	equal("grant_id", f.GrantID)
	equal("lane", f.Lane)
	if f.ConnectorID == "" {
		sql += " and (t.state in ('done', 'cancelled', 'simulated') or " + ConnectedSQL + ")"
	}
	return sql, args
}

// listTasks reads a page of tasks, the newest first, and how many there are in each state.
func listTasks(
	ctx context.Context,
	tx *pg.Tx,
	f TaskFilters,
	p pg.Page,
) (items []Task, total int64, byState map[string]int64, err error) {
	from := shown(tx, false)
	where, args := f.where(true)
	sql := `select ` + taskColumns + ` from ` + from + aroundTask + ` where true` + where
	all := pgx.NamedArgs{"page_rows": p.Limit + 1, "page_offset": p.Offset}
	for name, value := range args {
		all[name] = value
	}
	if len(p.After) == 2 {
		sql += ` and t.id < @page_id::uuid`
		all["page_id"] = p.After[1]
	}
	if items, err = pg.All[Task](
		ctx,
		tx,
		"list tasks",
		sql+` order by t.id desc limit @page_rows offset @page_offset`,
		all,
	); err != nil {
		return nil, 0, nil, err
	}
	where, args = f.where(false)
	byState = map[string]int64{}
	var state string
	var n int64
	if err := pg.Each(
		ctx,
		tx,
		"count tasks",
		[]any{&state, &n},
		func() error { byState[state] = n; return nil },
		`select t.state, count(*) from `+from+` where true`+where+` group by t.state`,
		args,
	); err != nil {
		return nil, 0, nil, err
	}
	for state, n := range byState {
		if len(f.State) == 0 || contains(f.State, state) {
			total += n
		}
	}
	return items, total, byState, nil
}

// CountFailed counts the tasks that the transaction's viewer may see and that have failed for good. Those of deleted
// connectors do not count.
func CountFailed(ctx context.Context, tx *pg.Tx) (n int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from `+shown(tx, false)+` where t.state = 'failed' and `+ConnectedSQL).
		Scan(&n); err != nil {
		return 0, fmt.Errorf("count failed tasks: %w", err)
	}
	return n, nil
}

// contains says whether s is in the list.
func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}
