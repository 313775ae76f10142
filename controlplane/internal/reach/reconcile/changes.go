package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Change is one thing that a run makes different.
type Change struct {
	N          int64           `json:"n" db:"n" doc:"its number in the run"`
	Object     string          `json:"object" db:"object" enum:"identity,account,entitlement,grant,nesting"`
	Change     string          `json:"change" db:"change" enum:"create,update,disable,missing,remove,reappear"`
	ObjectID   *string         `json:"object_id" db:"object_id" doc:"null for what is new until it is merged; of a nesting, the inner entitlement"`
	ExternalID string          `json:"external_id" db:"external_id"`
	Display    string          `json:"display" db:"display"`
	Guard      *string         `json:"guard" db:"guard" doc:"the kind under which it was weighed; null: it is not"`
	Fields     []string        `json:"fields" db:"fields" nullable:"false" doc:"what differs"`
	Before     json.RawMessage `json:"before" db:"before" doc:"values of a few named fields before; never raw attributes"`
	After      json.RawMessage `json:"after" db:"after" doc:"the same fields after"`
	Department *string         `json:"department" db:"department" doc:"of the person, or of the account's owner"`
	Container  *string         `json:"container" db:"container" doc:"the branch of the tree it lies in"`
	Manager    *string         `json:"manager" db:"manager"`
	State      string          `json:"state" db:"state" enum:"pending,applied,held,previewed,skipped,discarded"`
	Reason     *string         `json:"reason" db:"reason"`
	At         time.Time       `json:"at" db:"at"`
}

const changeColumns = `c.n, c.object, c.change, c.object_id, c.external_id, c.display, c.guard, c.fields, c.before,
	c.after, c.department, c.container, c.manager, c.state, c.reason, c.at`

// ChangeFilters narrow the changes of a run; each one given must hold.
type ChangeFilters struct {
	Object []string `query:"object" enum:"identity,account,entitlement,grant,nesting" doc:"Several values, separated by commas."`
	Change []string `query:"change" enum:"create,update,disable,missing,remove,reappear" doc:"Several values, separated by commas."`
	Guard  string   `query:"guard" maxLength:"64" doc:"A kind of hold, such as account_missing."`
	State  []string `query:"state" enum:"pending,applied,held,previewed,skipped,discarded" doc:"Several values, separated by commas."`
	Q      string   `query:"q" maxLength:"200" doc:"Words, each of which is part of a name or external_id, without regard to case, accents and order."`
}

func (f ChangeFilters) args(run string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"run":    run,
		"object": f.Object,
		"change": f.Change,
		"guard":  f.Guard,
		"state":  f.State,
		"q":      f.Q,
	}
}

var matching = `
	 where (cardinality(@object::text[]) is null or cardinality(@object::text[]) = 0 or c.object = any(@object))
	   and (cardinality(@change::text[]) is null or cardinality(@change::text[]) = 0 or c.change = any(@change))
	   and (@guard = '' or c.guard = @guard)
	   and (cardinality(@state::text[]) is null or cardinality(@state::text[]) = 0 or c.state = any(@state))
	   and (@q = '' or ` + listing.Matches("c.display", "c.external_id") + `)`

// computed are the changes that a run's evaluation wrote.
const computed = `(select * from sync_change where tenant_id = current_tenant() and run_id = @run) c`

// brought are, for the first load of a connector, the records that say it brought them: as changes that the run would
// have listed. Each kind is numbered apart, in the order of what it stands on.
const brought = `(
	select row_number() over (order by b.place, b.id) as n, b.object, 'create' as change, b.id as object_id, b.external_id, b.display,
	       null::text as guard, '{}'::text[] as fields, null::jsonb as before, null::jsonb as after, b.department, null::text as container,
	       null::text as manager, 'applied' as state, null::text as reason, b.at
	  from (select 1 as place, 'identity' as object, i.id, s.external_id, i.display_name as display, i.department, s.first_seen_at as at
	          from identity_source s
	          join identity i on i.tenant_id = s.tenant_id and i.id = s.identity_id
	         where s.tenant_id = current_tenant() and s.created_run_id = @run
	         union all
	        select 2, 'account', a.id, a.external_id, coalesce(nullif(a.username, ''), nullif(a.display_name, ''), a.external_id), null, a.first_seen_at
	          from account a
	         where a.tenant_id = current_tenant() and a.created_run_id = @run
	         union all
	        select 3, 'entitlement', e.id, e.external_id, coalesce(nullif(e.display_name, ''), e.name), null, e.first_seen_at
	          from entitlement e
	         where e.tenant_id = current_tenant() and e.created_run_id = @run
	         union all
	        select 4, 'grant', g.id, coalesce(g.external_id, a.external_id || ' in ' || e.external_id),
	               coalesce(nullif(a.username, ''), a.external_id) || ' in ' || coalesce(nullif(e.display_name, ''), e.name), null, g.first_seen_at
	          from access_grant g
	          join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
	          join entitlement e on e.tenant_id = g.tenant_id and e.id = g.entitlement_id
	         where g.tenant_id = current_tenant() and g.created_run_id = @run) b) c`

// outcome is what the service needs to know of a run.
type outcome struct {
	Status  string
	Purpose string
	listed  string // where its changes are: computed or brought
}

// look finds a run of a connector. It is a fault of kind NotFound when there is none.
func look(ctx context.Context, tx *pg.Tx, connector, run, locking string) (outcome, error) {
	missing := fault.New(fault.NotFound, "there is no sync run %s", run)
	if uuid.Validate(connector) != nil || uuid.Validate(run) != nil {
		return outcome{}, missing
	}
	const sql = `
		select r.status, r.purpose, r.purpose = 'apply' and not exists (select from sync_change c
		    where c.tenant_id = r.tenant_id and c.run_id = r.id)
		  from sync_run r
		 where r.tenant_id = current_tenant() and r.id = $1 and r.connector_id = $2 `
	var o outcome
	var unlisted bool
	err := tx.QueryRow(ctx, sql+locking, run, connector).Scan(&o.Status, &o.Purpose, &unlisted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return o, missing
	case err != nil:
		return o, fmt.Errorf("find run: %w", err)
	}
	if o.listed = computed; unlisted {
		o.listed = brought
	}
	return o, nil
}

// listChanges reads a page of a run's changes, and one more if there is one.
func listChanges(
	ctx context.Context,
	tx *pg.Tx,
	from, run string,
	f ChangeFilters,
	page pg.Page,
) (found []Change, err error) {
	args := f.args(run)
	args["limit"], args["offset"], args["after"] = page.Limit+1, page.Offset, int64(0)
	if len(page.After) > 0 {
		if args["after"], err = strconv.ParseInt(page.After[0], 10, 64); err != nil {
			return nil, fault.Coded(fault.Malformed, "invalid_cursor", "this cursor does not belong to this list")
		}
	}
	sql := `select ` + changeColumns + ` from ` + from + matching + ` and c.n > @after order by c.n
		limit @limit offset @offset`
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByName[Change]); err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return found, nil
}

func countMatching(ctx context.Context, tx *pg.Tx, from, run string, f ChangeFilters) (n int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from `+from+matching, f.args(run)).Scan(&n); err != nil {
		return 0, fmt.Errorf("count changes: %w", err)
	}
	return n, nil
}
