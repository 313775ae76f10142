package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// IDs collects the identifiers that a statement selects; what names them in errors.
func IDs(ctx context.Context, tx *pg.Tx, what, sql string, args ...any) ([]string, error) {
	return pg.All[string](ctx, tx, what, sql, args...)
}

// computed are the changes that a run's evaluation wrote.
const computed = `(select * from sync_change where tenant_id = current_tenant() and run_id = @run) c`

// brought are, for the first load of a connector, the records that say it brought them: as changes that the run would
// have listed. Each kind is numbered apart, in the order of what it stands on.
const brought = `(
	select row_number() over (order by b.place, b.id) as n, b.object, 'create' as change, b.id as object_id,
	  b.external_id, b.display,
	       null::text as guard, '{}'::text[] as fields, null::jsonb as before, null::jsonb as after, b.department,
	         null::text as container,
	       null::text as manager, 'applied' as state, null::text as reason, b.at
	  from (select 1 as place, 'identity' as object, i.id, s.external_id, i.display_name as display, i.department,
	    s.first_seen_at as at
	          from identity_source s
	          join identity i on i.tenant_id = s.tenant_id and i.id = s.identity_id
	         where s.tenant_id = current_tenant() and s.created_run_id = @run
	         union all
	        select 2, 'account', a.id, a.external_id, coalesce(nullif(a.username, ''), nullif(a.display_name, ''),
	          a.external_id), null, a.first_seen_at
	          from account a
	         where a.tenant_id = current_tenant() and a.created_run_id = @run
	         union all
	        select 3, 'entitlement', e.id, e.external_id, coalesce(nullif(e.display_name, ''), e.name), null,
	          e.first_seen_at
	          from entitlement e
	         where e.tenant_id = current_tenant() and e.created_run_id = @run
	         union all
	        select 4, 'grant', g.id, coalesce(g.external_id, a.external_id || ' in ' || e.external_id),
	               coalesce(nullif(a.username, ''), a.external_id) || ' in ' || coalesce(nullif(e.display_name, ''),
	                 e.name), null, g.first_seen_at
	          from access_grant g
	          join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
	          join entitlement e on e.tenant_id = g.tenant_id and e.id = g.entitlement_id
	         where g.tenant_id = current_tenant() and g.created_run_id = @run) b) c`

// Outcome is what the packages of reconcile need to know of a run.
type Outcome struct {
	Status  string
	Purpose string
	Listed  string // where its changes are: computed or brought
}

// FindRun finds a run of a connector, and locks it if locking says so ("for update of r"). It is a fault of kind
// NotFound if there is none.
func FindRun(ctx context.Context, tx *pg.Tx, connector, run, locking string) (Outcome, error) {
	missing := fault.New(fault.NotFound, "Sync run %s was not found.", run)
	if uuid.Validate(connector) != nil || uuid.Validate(run) != nil {
		return Outcome{}, missing
	}
	const sql = `
		select r.status, r.purpose, r.purpose = 'apply' and not exists (select from sync_change c
		    where c.tenant_id = r.tenant_id and c.run_id = r.id)
		  from sync_run r
		 where r.tenant_id = current_tenant() and r.id = $1 and r.connector_id = $2 `
	var o Outcome
	var unlisted bool
	err := tx.QueryRow(ctx, sql+locking, run, connector).Scan(&o.Status, &o.Purpose, &unlisted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return o, missing
	case err != nil:
		return o, fmt.Errorf("find run: %w", err)
	}
	if o.Listed = computed; unlisted {
		o.Listed = brought
	}
	return o, nil
}

// Stages are the tables of staged records whose column held keeps a row out of the merge, in the order of identity,
// account, entitlement, grant.
var Stages = []string{"stage_identity", "stage_account", "stage_entitlement", "stage_grant"}

// Links are the paths of a run and of what it changes.
func Links(connector, run string) map[string]string {
	self := "/api/v1/connectors/" + connector + "/sync-runs/" + run
	return map[string]string{
		"run":     self,
		"events":  self + "/events",
		"diff":    self + "/diff",
		"changes": self + "/changes",
		"holds":   self + "/holds",
	}
}

// DigestSQL is a digest over held changes c, in the order they are shown: their release names what was seen.
const DigestSQL = `sha256(convert_to(coalesce(string_agg(concat_ws(' ', c.object, c.change, c.object_id, c.external_id,
	c.guard, c.before, c.after), E'\n' order by c.n), ''), 'UTF8'))`
