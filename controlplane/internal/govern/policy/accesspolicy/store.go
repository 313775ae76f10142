package accesspolicy

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns are the columns of AccessPolicy.
const columns = `p.id, p.name, p.description, p.enabled, p.mode, p.effect, p.birthright, p.priority,
	p.owner_ids::text[] as owner_ids, p.subject, '{"tags": []}' || p.resources as resources,
	p.companion, p.lifecycle, p.constraints,
	p.schedule, p.breaker, p.tripped_at, p.breaker_reason, p.decision_table,
	case when p.decision_table is null then 'condition' else 'table' end as kind,
	coalesce(jsonb_array_length(p.decision_table -> 'rows'), 0) as row_count,
	p.stats, p.evaluated_at, p.origin, p.created_at, p.updated_at, p.version, p.needs`

// briefly are columns without the rows of decision tables, for lists.
var briefly = strings.Replace(columns, "p.decision_table,", "p.decision_table - 'rows' as decision_table,", 1)

// Filters narrow a list of policies; each one given must hold.
type Filters struct {
	// Enabled policies, or disabled ones.
	Enabled string `query:"enabled" enum:"true,false"`
	// Policies in this mode.
	Mode string `query:"mode" enum:"shadow,enforce"`
	// Policies with this effect.
	Effect string `query:"effect" enum:"assign,deny,eligible,require"`
	// Policies with a decision table, or those with a single condition.
	Kind string `query:"kind" enum:"condition,table"`
	// Birthright policies, or all others.
	Birthright string `query:"birthright" enum:"true,false"`
	// Those whose breaker has stopped them.
	Tripped string `query:"tripped" enum:"true,false"`
	// Those that name the role, also as what they require.
	RoleID string `query:"role_id" format:"uuid"`
	// Those that name the entitlement itself, also as what they require.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
	// Words, each of which is part of a name or description, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"priority" enum:"created_at,name,priority,-created_at,-name,-priority"`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "p.id", Type: "uuid"}, // ids rise with the time of creation
	"name":       {Column: "p.name", Type: "text"},
	"priority":   {Column: "p.priority", Type: "int"},
}

// Query is the list of policies that these filters narrow, in the order of Sort.
func (f Filters) Query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: briefly, From: "access_policy p", ID: "p.id", Order: order}
	q.Where("p.deleted_at is null", nil)
	q.Is("p.enabled", f.Enabled)
	q.Is("p.birthright", f.Birthright)
	q.Is("p.tripped_at is not null", f.Tripped)
	q.Equal("p.mode", "mode", f.Mode)
	q.Equal("p.effect", "effect", f.Effect)
	switch f.Kind {
	case "table":
		q.Where("p.decision_table is not null", nil)
	case "condition":
		q.Where("p.decision_table is null", nil)
	}
	if f.RoleID != "" {
		q.Where("(p.resources -> 'role_ids' ? @role_id or p.companion -> 'role_ids' ? @role_id)",
			pgx.NamedArgs{"role_id": f.RoleID})
	}
	if f.EntitlementID != "" {
		q.Where(
			"(p.resources -> 'entitlement_ids' ? @entitlement_id "+
				"or p.companion -> 'entitlement_ids' ? @entitlement_id)",
			pgx.NamedArgs{"entitlement_id": f.EntitlementID},
		)
	}
	q.Search(f.Q, "p.name", "p.description")
	return q, nil
}

// After is the position of a policy in the order of the list.
func (f Filters) After(p AccessPolicy) []string {
	switch f.Sort {
	case "name", "-name":
		return []string{p.Name, p.ID}
	case "created_at", "-created_at":
		return []string{p.ID, p.ID}
	}
	return []string{strconv.Itoa(p.Priority), p.ID}
}

// Find reads a policy, with what Describe adds. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (AccessPolicy, error) {
	found, err := Locked(ctx, tx, id, "")
	if err != nil {
		return found, err
	}
	one := []AccessPolicy{found}
	err = Describe(ctx, tx, one)
	return one[0], err
}

// Locked reads a policy without what Describe adds. locking is a locking clause of the table p, such as " for update of
// p", or empty. Its fault is of kind NotFound.
func Locked(ctx context.Context, tx *pg.Tx, id, locking string) (AccessPolicy, error) {
	missing := fault.New(fault.NotFound, "Access grant policy %s was not found.", id)
	if !listing.IsID(id) {
		return AccessPolicy{}, missing
	}
	found, err := pg.One[AccessPolicy](
		ctx,
		tx,
		"find policy",
		`select `+columns+` from access_policy p where p.id = $1 and p.deleted_at is null`+locking,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return AccessPolicy{}, missing
	case err != nil:
		return AccessPolicy{}, err
	}
	return found, nil
}

// All reads every policy of the tenant, by id.
func All(ctx context.Context, tx *pg.Tx) ([]AccessPolicy, error) {
	return pg.All[AccessPolicy](
		ctx,
		tx,
		"read policies",
		`select `+columns+` from access_policy p where p.deleted_at is null order by p.id`,
	)
}

// AllEligible reads the policies in force that say who can request something, in the order of their priority.
func AllEligible(ctx context.Context, tx *pg.Tx) ([]AccessPolicy, error) {
	return pg.All[AccessPolicy](
		ctx,
		tx,
		"read eligibility policies",
		`select `+columns+`
		  from access_policy p
		 where p.effect = 'eligible'
		   and p.enabled
		   and p.mode = 'enforce'
		   and p.deleted_at is null
		 order by p.priority, p.id`,
	)
}

// Describe adds what is not stored with policies: the sentence of the condition, how many people hold something by the
// policy, and how far the evaluation of everybody is.
func Describe(ctx context.Context, tx *pg.Tx, of []AccessPolicy) error {
	const holders = `
		select r.source_id::text, count(distinct r.identity_id)
		  from access_reason r
		 where r.source_id = any(@ids::text[]::uuid[])
		   and r.state <> 'ended'
		 group by r.source_id`
	index, ids := map[string]*AccessPolicy{}, []string{}
	evaluation, err := progress(ctx, tx)
	if err != nil {
		return err
	}
	for i := range of {
		index[of[i].ID], ids = &of[i], append(ids, of[i].ID)
		parsed, _ := of[i].Subject.Parse()
		of[i].Sentence, of[i].Evaluation = parsed.Sentence(), evaluation
	}
	var id string
	var n int64
	return pg.Each(
		ctx,
		tx,
		"count holders by policy",
		[]any{&id, &n},
		func() error { index[id].HolderCount = n; return nil },
		holders,
		pgx.NamedArgs{"ids": ids},
	)
}

// progress is how far the evaluation of all people is: running, waiting for its turn, or idle.
func progress(ctx context.Context, tx *pg.Tx) (e Evaluation, err error) {
	const sql = `
		select coalesce(w.done, 0), coalesce(w.total, 0), w.finished_at,
		       case when w.started_at is not null and w.finished_at is null then 'running'
		            when exists (select from work_item i where i.kind = 'policy_sweep'
		                and i.state = 'waiting') then 'waiting'
		            else 'idle' end
		  from (select) one
		  left join policy_walk w on true`
	if err := tx.QueryRow(ctx, sql).Scan(&e.Done, &e.Total, &e.FinishedAt, &e.State); err != nil {
		return e, fmt.Errorf("read progress of policies: %w", err)
	}
	return e, nil
}

// args are the columns of a policy as named arguments.
func (f Fields) args(id string, needs []string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":          id,
		"name":        f.Name,
		"description": f.Description,
		"enabled":     f.Enabled,
		"mode":        f.Mode,
		"effect":      f.Effect,
		"birthright":  f.Birthright,
		"priority":    f.Priority,
		"owner_ids":   f.OwnerIDs,
		"subject":     f.Subject,
		"resources":   f.Resources,
		"companion":   f.Companion,
		"table":       f.Table,
		"lifecycle":   f.Lifecycle,
		"constraints": f.Constraints,
		"schedule":    f.Schedule,
		"breaker":     f.CircuitBreaker,
		"needs":       needs,
	}
}

// insert writes a new policy and its first version.
func insert(ctx context.Context, tx *pg.Tx, id string, n New, needs []string) error {
	const sql = `
		insert into access_policy (tenant_id, id, name, description, enabled, mode, effect, birthright, priority,
		                           owner_ids, subject, resources, companion, lifecycle, constraints, schedule, breaker,
		                           decision_table, origin, needs)
		values (current_tenant(), @id, @name, @description, @enabled, @mode, @effect, @birthright, @priority,
		        @owner_ids::text[]::uuid[], @subject, @resources, @companion, @lifecycle, @constraints,
		        @schedule, @breaker, @table, @origin, @needs)`
	args := n.args(id, needs)
	args["origin"] = n.Origin
	if err := pg.Exec(ctx, tx, "insert policy", sql, args); err != nil {
		return err
	}
	return keepVersion(ctx, tx, id)
}

// update writes the fields, raises the version and keeps it.
func update(ctx context.Context, tx *pg.Tx, id string, f Fields, needs []string) error {
	const sql = `
		update access_policy
		   set name = @name, description = @description, enabled = @enabled, mode = @mode, effect = @effect,
		       birthright = @birthright, priority = @priority, owner_ids = @owner_ids::text[]::uuid[],
		       subject = @subject, resources = @resources, companion = @companion, lifecycle = @lifecycle,
		       constraints = @constraints, schedule = @schedule, breaker = @breaker, needs = @needs,
		       decision_table = @table, updated_at = now(),
		       version = version + 1
		 where id = @id`
	if err := pg.Exec(ctx, tx, "write policy", sql, f.args(id, needs)); err != nil {
		return err
	}
	return keepVersion(ctx, tx, id)
}
