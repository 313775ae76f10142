package separationpolicy

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns are the columns of Policy.
const columns = `p.id, p.name, p.description, p.rationale, p.regulation_refs, p.owner_ids::text[] as owner_ids,
	p.enabled, p.mode, p.severity, p.kind, p.sides, p.n, p.matrix, p.history_window, p.context, p.effects,
	p.remediation, p.mitigation_policy_ids::text[] as mitigation_policy_ids, p.max_mitigation,
	p.exception_rule_id::text as exception_rule_id, p.exemptions, p.valid_from, p.valid_to, p.origin,
	p.created_at, p.updated_at, p.version`

// Filters narrow a list of policies. All given filters must match.
type Filters struct {
	// Enabled policies, or disabled ones.
	Enabled string `query:"enabled" enum:"true,false"`
	// Policies in one of these modes. Separate values with commas.
	Mode []string `query:"mode" enum:"draft,shadow,enforce"`
	// Policies of this kind.
	Kind string `query:"kind" enum:"pair,n_of_m,matrix,companion,history"`
	// Policies of this severity.
	Severity string `query:"severity" enum:"low,medium,high,critical"`
	// Policies with a side that no person can perform at present, or all others.
	Blind string `query:"blind" enum:"true,false"`
	// Policies that name this duty.
	DutyID string `query:"duty_id" format:"uuid"`
	// Policies that this identity owns.
	OwnerID string `query:"owner_id" format:"uuid"`
	// Words in the name or description. All must match; case, accents and order do not matter.
	Q string `query:"q" maxLength:"200"`
	// Sort field. A leading - sorts in descending order.
	Sort string `query:"sort" default:"name" enum:"created_at,name,severity,-created_at,-name,-severity"`
}

// rank is the order of severities.
const rank = `array_position(array['low', 'medium', 'high', 'critical'], p.severity)`

var orders = map[string]listing.Order{
	"created_at": {Column: "p.id", Type: "uuid"}, // IDs rise with the time of creation
	"name":       {Column: "p.name", Type: "text"},
	"severity":   {Column: rank, Type: "int"},
}

// blind is true of policies with a side that has only blind duties.
const blind = `p.id in (
	with dark as materialized (select b.duty_id::text from blind_duties() b)
	select a.id
	  from separation_policy a,
	       lateral jsonb_array_elements(a.sides) s
	 where not exists (select
	                     from jsonb_array_elements_text(s -> 'duty_ids') i (id)
	                    where i.id not in (select duty_id from dark)))`

// BlindSQL is the SQL of the IDs of policies that are evaluated, now or at another time, and blind.
const BlindSQL = `
	select p.id
	  from separation_policy p
	 where p.deleted_at is null
	   and p.enabled
	   and p.mode in ('shadow', 'enforce')
	   and ` + blind

// Query returns the list of policies that the filters select, in the order of Sort.
func (f Filters) Query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: "separation_policy p", ID: "p.id", Order: order}
	q.Where("p.deleted_at is null", nil)
	q.Is("p.enabled", f.Enabled)
	q.Is(blind, f.Blind)
	if len(f.Mode) > 0 {
		q.Where("p.mode = any(@mode)", pgx.NamedArgs{"mode": f.Mode})
	}
	q.Equal("p.kind", "kind", f.Kind)
	q.Equal("p.severity", "severity", f.Severity)
	if f.DutyID != "" {
		q.Where("@duty_id::uuid = any(p.duty_ids)", pgx.NamedArgs{"duty_id": f.DutyID})
	}
	if f.OwnerID != "" {
		q.Where("@owner_id::uuid = any(p.owner_ids)", pgx.NamedArgs{"owner_id": f.OwnerID})
	}
	q.Search(f.Q, "p.name", "p.description")
	return q, nil
}

// severities are the places of severities in the order of the list.
var severities = map[string]string{"low": "1", "medium": "2", "high": "3", "critical": "4"}

// After returns the position of a policy in the order of the list.
func (f Filters) After(p Policy) []string {
	switch f.Sort {
	case "created_at", "-created_at":
		return []string{p.ID, p.ID}
	case "severity", "-severity":
		return []string{severities[p.Severity], p.ID}
	}
	return []string{p.Name, p.ID}
}

// Find reads a policy, with what Describe adds. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Policy, error) {
	found, err := Locked(ctx, tx, id, "")
	if err != nil {
		return found, err
	}
	one := []Policy{found}
	err = Describe(ctx, tx, one)
	return one[0], err
}

// Locked reads a policy without what Describe adds. locking is a locking clause of the table p, such as " for update of
// p", or empty. Its fault is of kind NotFound.
func Locked(ctx context.Context, tx *pg.Tx, id, locking string) (Policy, error) {
	missing := fault.New(fault.NotFound, "Separation-of-duties policy %s was not found.", id)
	if !listing.IsID(id) {
		return Policy{}, missing
	}
	found, err := pg.One[Policy](ctx, tx, "find separation-of-duties policy",
		`select `+columns+` from separation_policy p where p.id = $1 and p.deleted_at is null`+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return Policy{}, missing
	}
	return found, err
}

// Evaluated reads the policies that are evaluated now, by ID: enabled, valid, and no drafts.
func Evaluated(ctx context.Context, tx *pg.Tx) ([]Policy, error) {
	return pg.All[Policy](ctx, tx, "read separation-of-duties policies", `select `+columns+`
		  from separation_policy p
		 where p.deleted_at is null
		   and p.enabled
		   and p.mode <> 'draft'
		   and (p.valid_from is null or p.valid_from <= now())
		   and (p.valid_to is null or p.valid_to > now())
		 order by p.id`)
}

// Using reads the policies that name one of these duties, by name.
func Using(ctx context.Context, tx *pg.Tx, dutyIDs ...string) ([]Policy, error) {
	return pg.All[Policy](ctx, tx, "read policies that use duties", `select `+columns+`
		  from separation_policy p
		 where p.deleted_at is null
		   and p.duty_ids && $1::text[]::uuid[]
		 order by p.name, p.id`, dutyIDs)
}

// Named reads policies by their IDs, with what Describe adds.
func Named(ctx context.Context, tx *pg.Tx, ids []string) ([]Policy, error) {
	found, err := pg.All[Policy](ctx, tx, "read separation-of-duties policies", `select `+columns+`
		  from separation_policy p
		 where p.deleted_at is null
		   and p.id = any($1::text[]::uuid[])
		 order by p.id`, ids)
	if err != nil {
		return nil, err
	}
	return found, Describe(ctx, tx, found)
}

// Describe adds what is not stored with policies: the sides that no person can perform at present, and the numbers of
// violations.
func Describe(ctx context.Context, tx *pg.Tx, of []Policy) error {
	named := map[string]bool{}
	for _, p := range of {
		for _, id := range p.DutyIDs() {
			named[id] = true
		}
	}
	ids := make([]string, 0, len(named))
	for id := range named {
		ids = append(ids, id)
	}
	dark := map[string]bool{}
	var id string
	if err := pg.Each(ctx, tx, "find blind duties", []any{&id}, func() error { dark[id] = true; return nil },
		`select duty_id::text from blind_duties($1::text[]::uuid[])`, ids); err != nil {
		return err
	}
	for i := range of {
		of[i].BlindSides = of[i].SidesWithin(dark)
		of[i].Blind = len(of[i].BlindSides) > 0
	}
	return countViolations(ctx, tx, of)
}

// countViolations adds to policies the numbers of violations, and of requests that they would refuse.
func countViolations(ctx context.Context, tx *pg.Tx, of []Policy) error {
	const sql = `
		select v.policy_id::text, count(*) filter (where v.state = 'open'),
		       count(*) filter (where v.state = 'mitigated'), count(*) filter (where v.state = 'false_positive')
		  from violation v
		 where v.policy_id = any($1::text[]::uuid[])
		   and v.state <> 'remediated'
		 group by v.policy_id`
	ids, counted := make([]string, len(of)), map[string]definition.SeparationStats{}
	for i := range of {
		ids[i] = of[i].ID
	}
	var id string
	var n definition.SeparationStats
	if err := pg.Each(ctx, tx, "count violations of policies", []any{&id, &n.Open, &n.Mitigated, &n.FalsePositive},
		func() error { counted[id] = n; return nil }, sql, ids); err != nil {
		return err
	}
	const shadow = `
		select b.policy_id::text, count(*)
		  from separation_shadow_block b
		 where b.policy_id = any($1::text[]::uuid[])
		   and b.at > now() - interval '30 days'
		 group by b.policy_id`
	var would int64
	if err := pg.Each(ctx, tx, "count requests that policies would refuse", []any{&id, &would}, func() error {
		n := counted[id]
		n.WouldBlock30D = would
		counted[id] = n
		return nil
	}, shadow, ids); err != nil {
		return err
	}
	for i := range of {
		of[i].Stats = counted[of[i].ID]
	}
	return nil
}

// args are the columns of a policy as named arguments.
func argsOf(f Fields, id string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":              id,
		"name":            f.Name,
		"description":     f.Description,
		"rationale":       f.Rationale,
		"regulation_refs": f.RegulationRefs,
		"owner_ids":       f.OwnerIDs,
		"enabled":         f.Enabled,
		"mode":            f.Mode,
		"severity":        f.Severity,
		"kind":            f.Kind,
		"sides":           f.Sides,
		"duty_ids":        f.DutyIDs(),
		"n":               f.N,
		"matrix":          f.Matrix,
		"history_window":  f.HistoryWindow,
		"context":         f.Context,
		"effects":         f.Effects,
		"remediation":     f.Remediation,
		"control_ids":     f.ControlIDs,
		"max_mitigation":  f.MaxMitigation,
		"exception_rule":  f.ExceptionRuleID,
		"exemptions":      f.Exemptions,
		"valid_from":      f.ValidFrom,
		"valid_to":        f.ValidTo,
	}
}

// insert writes a new policy and its first version.
func insert(ctx context.Context, tx *pg.Tx, id string, n New) error {
	const sql = `
		insert into separation_policy (tenant_id, id, name, description, rationale, regulation_refs, owner_ids, enabled,
		                               mode, severity, kind, sides, duty_ids, n, matrix, history_window, context,
		                               effects, remediation, mitigation_policy_ids, max_mitigation, exception_rule_id,
		                               exemptions,
		                               valid_from, valid_to, origin)
		values (current_tenant(), @id, @name, @description, @rationale, @regulation_refs,
		        @owner_ids::text[]::uuid[], @enabled, @mode, @severity, @kind, @sides, @duty_ids::text[]::uuid[], @n,
		        @matrix, @history_window, @context, @effects, @remediation, @control_ids::text[]::uuid[],
		        @max_mitigation, @exception_rule::uuid, nullif(@exemptions::jsonb, 'null'), @valid_from, @valid_to,
		        @origin)`
	args := argsOf(n.Fields, id)
	args["origin"] = n.Origin
	if err := pg.Exec(ctx, tx, "insert separation-of-duties policy", sql, args); err != nil {
		return written(err, n.Name)
	}
	return keepVersion(ctx, tx, id)
}

// update writes the fields, raises the version and keeps it.
func update(ctx context.Context, tx *pg.Tx, id string, f Fields) error {
	const sql = `
		update separation_policy
		   set name = @name, description = @description, rationale = @rationale, regulation_refs = @regulation_refs,
		       owner_ids = @owner_ids::text[]::uuid[], enabled = @enabled, mode = @mode, severity = @severity,
		       kind = @kind, sides = @sides, duty_ids = @duty_ids::text[]::uuid[], n = @n, matrix = @matrix,
		       history_window = @history_window, context = @context, effects = @effects, remediation = @remediation,
		       mitigation_policy_ids = @control_ids::text[]::uuid[], max_mitigation = @max_mitigation,
		       exception_rule_id = @exception_rule::uuid,
		       exemptions = nullif(@exemptions::jsonb, 'null'), valid_from = @valid_from,
		       valid_to = @valid_to, updated_at = now(), version = version + 1
		 where id = @id`
	if err := pg.Exec(ctx, tx, "write separation-of-duties policy", sql, argsOf(f, id)); err != nil {
		return written(err, f.Name)
	}
	return keepVersion(ctx, tx, id)
}
