package compare

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// objects names the object of each kind of the protocol.
var objects = map[string]string{
	"identities":   "identity",
	"accounts":     "account",
	"entitlements": "entitlement",
	"grants":       "grant",
}

// scopes finds out where absence means something. A kind of which a record was set aside without a usable key proves
// nothing: that record may be any of those that seem to be gone.
func (c *comparison) scopes(ctx context.Context) error {
	const table = `
		create temp table r_scope on commit drop as
		select kind, key
		  from stage_scope
		 where tenant_id = current_tenant() and run_id = @run and complete`
	const whole = `select kind from r_scope where key = '*'`
	const nameless = `
		select distinct object
		  from sync_error
		 where tenant_id = current_tenant()
		   and run_id = @run
		   and (code in ('missing_key', 'key_too_long', 'incomplete_grant') or code = 'invalid_text'
		       and field = 'external_id')`
	if err := c.do(ctx, "scopes", table); err != nil {
		return err
	}
	proven, err := c.words(ctx, whole)
	if err != nil {
		return err
	}
	unsure, err := c.words(ctx, nameless)
	if err != nil {
		return err
	}
	for kind, object := range objects {
		c.args["whole_"+object] = proven[kind] && c.run.Complete[kind] && !unsure[object]
	}
	return nil
}

// words is the set of texts that a statement selects.
func (c *comparison) words(ctx context.Context, sql string) (map[string]bool, error) {
	rows, err := c.tx.Query(ctx, sql, c.args)
	if err != nil {
		return nil, fmt.Errorf("compare scopes: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("compare scopes: %w", err)
	}
	set := make(map[string]bool, len(found))
	for _, word := range found {
		set[word] = true
	}
	return set, nil
}

// seen lists by external_id what the run says about a kind, the last word winning: content that came, presence without
// content, or a tombstone. What was set aside is there too, though nothing of it can be used.
func (c *comparison) seen(ctx context.Context, object, kind string) error {
	sql := strings.NewReplacer("{object}", object, "{kind}", kind).Replace(`
		create temp table r_{object} on commit drop as
		with last as (
		    select distinct on (external_id) external_id, seq, ord, row_hash, deleted
		      from stage_{object}
		     where tenant_id = current_tenant() and run_id = @run
		     order by external_id, seq desc, ord desc
		), present as (
		    select external_id, max(seq) as seq
		      from (select external_id, seq
		              from stage_present
		             where tenant_id = current_tenant() and run_id = @run and kind = '{kind}'
		             union all
		            select external_id, 2147483647
		              from sync_error
		             where tenant_id = current_tenant() and run_id = @run and object = '{object}'
		               and external_id <> '') p
		     group by external_id
		)
		select coalesce(l.external_id, p.external_id) as external_id, l.seq, l.ord, l.row_hash,
		       coalesce(not l.deleted, false) as content,
		       coalesce(l.deleted and (p.seq is null or p.seq < l.seq), false) as gone
		  from last l
		  full join present p on p.external_id = l.external_id`)
	return c.do(ctx, "staged "+object, sql)
}
