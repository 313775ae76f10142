package role

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// by is who makes a change, in the form in which rows keep it.
func by(tx *pg.Tx) map[string]any {
	v := tx.Viewer
	return map[string]any{"type": string(v.Kind), "id": v.ID, "display": v.Display}
}

const columns = `r.id, r.key, r.name, r.description, r.role_type, r.lifecycle, r.owner_ids, r.backup_owner_ids,
	r.membership_rule, r.membership_exclusions, r.requestable, r.visible_to, r.parameters, r.max_duration,
	r.default_duration, r.approval_rule_id, r.risk_level, r.compliance_tags, r.duty_tags, r.labels, r.rule_needs,
	r.origin, r.created_at, r.updated_at, r.version,
	case when r.managed_by = 'code' then 'code' when r.origin->>'kind' in ('pack', 'sector_pack') then 'pack'
	else 'ui' end as managed_by, coalesce(r.risk_level, role_risk(r.id)) as effective_risk_level,
	exists (select from role_draft d where d.role_id = r.id) as has_draft,
	array(select e.entitlement_id from role_entitlement e where e.role_id = r.id
	order by e.entitlement_id) as entitlement_ids,
	    array(select c.child_id from role_child c where c.role_id = r.id order by c.child_id) as child_role_ids,
	    0::bigint as holder_count, 0::bigint as member_count`

// Filters narrow a list of roles; each one given must hold.
type Filters struct {
	// Several values, separated by commas. Retired ones are shown only when asked for.
	Lifecycle []string `query:"lifecycle" enum:"draft,proposed,active,deprecated,retired"`
	RoleType  string   `query:"role_type" enum:"birthright,business,application,emergency,technical"`
	// Roles that hold it.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
	// Roles that it is nested in, directly.
	ChildRoleID string `query:"child_role_id" format:"uuid"`
	OwnerID     string `query:"owner_id" format:"uuid"`
	Requestable string `query:"requestable" enum:"true,false"`
	ManagedBy   string `query:"managed_by" enum:"ui,code,pack"`
	// Several values, separated by commas: the effective risk.
	RiskLevel []string `query:"risk_level" enum:"low,medium,high,critical"`
	// Words, each of which is part of a key, name or description, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"name" enum:"created_at,key,name,-created_at,-key,-name"`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "r.id", Type: "uuid"}, // ids rise with the time of creation
	"key":        {Column: "r.key", Type: "text"},
	"name":       {Column: "r.name", Type: "text"},
}

// ownedBy is the condition that a person is among the owners.
const ownedBy = "(@%[1]s::uuid = any(r.owner_ids) or @%[1]s::uuid = any(r.backup_owner_ids))"

// query asks for what a viewer may see: administrators and auditors all, others what they own.
func (f Filters) query(v viewer.Viewer) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: "role r", ID: "r.id", Order: order}
	if len(f.Lifecycle) > 0 {
		q.Where("r.lifecycle = any(@lifecycle)", pgx.NamedArgs{"lifecycle": f.Lifecycle})
	} else {
		q.Where("r.lifecycle <> 'retired'", nil)
	}
	q.Equal("r.role_type", "role_type", f.RoleType)
	if f.EntitlementID != "" {
		q.Where("exists (select from role_entitlement x where x.role_id = r.id and x.entitlement_id = @entitlement_id)",
			pgx.NamedArgs{"entitlement_id": f.EntitlementID})
	}
	if f.ChildRoleID != "" {
		q.Where(
			"exists (select from role_child x where x.role_id = r.id and x.child_id = @child_role_id)",
			pgx.NamedArgs{"child_role_id": f.ChildRoleID},
		)
	}
	if f.OwnerID != "" {
		q.Where(fmt.Sprintf(ownedBy, "owner_id"), pgx.NamedArgs{"owner_id": f.OwnerID})
	}
	if !v.SeesAll() {
		q.Where(fmt.Sprintf(ownedBy, "viewer_id"), pgx.NamedArgs{"viewer_id": orNull(v.Identity)})
	}
	q.Is("r.requestable", f.Requestable)
	q.Equal(
		"case when r.managed_by = 'code' then 'code' when r.origin->>'kind' in ('pack', 'sector_pack') then 'pack' "+
			"else 'ui' end",
		"managed_by",
		f.ManagedBy,
	)
	if len(f.RiskLevel) > 0 {
		q.Where("coalesce(r.risk_level, role_risk(r.id)) = any(@risk_level)", pgx.NamedArgs{"risk_level": f.RiskLevel})
	}
	q.Search(f.Q, "r.key", "r.name", "r.description")
	return q, nil
}

// after is the position of a role in the list's order.
func (f Filters) after(r Role) []string {
	switch f.Sort {
	case "name", "-name":
		return []string{r.Name, r.ID}
	case "key", "-key":
		return []string{r.Key, r.ID}
	}
	return []string{r.ID, r.ID}
}

// Find reads a role; when there is none, it is a fault of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Role, error) {
	found, err := find(ctx, tx, "r.id = @id", id, "")
	if err != nil {
		return found, err
	}
	one := []Role{found}
	err = count(ctx, tx, one)
	return one[0], err
}

// All are the roles that are not retired, in the order of their keys.
func All(ctx context.Context, tx *pg.Tx) ([]Role, error) {
	return collect(ctx, tx, `select `+columns+` from role r where r.lifecycle <> 'retired' order by r.key`, nil)
}

// ByKey are the roles with these keys, locked against other changes.
func ByKey(ctx context.Context, tx *pg.Tx, keys []string) (map[string]Role, error) {
	found, err := collect(
		ctx,
		tx,
		`select `+columns+` from role r where r.key = any(@keys) order by r.id for update of r`,
		pgx.NamedArgs{"keys": keys},
	)
	byKey := map[string]Role{}
	for _, r := range found {
		byKey[r.Key] = r
	}
	return byKey, err
}

func collect(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) ([]Role, error) {
	return pg.All[Role](ctx, tx, "read roles", sql, args)
}

func find(ctx context.Context, tx *pg.Tx, condition, id, locking string) (Role, error) {
	missing := fault.New(fault.NotFound, "Role %s was not found.", id)
	if !listing.IsID(id) {
		return Role{}, missing
	}
	found, err := pg.One[Role](
		ctx,
		tx,
		"find role",
		`select `+columns+` from role r where `+condition+locking,
		pgx.NamedArgs{"id": id},
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Role{}, missing
	case err != nil:
		return Role{}, err
	}
	return found, nil
}

// checkEntitlements is a fault of kind Invalid, pointing at the one, unless everything that is added can be granted.
func checkEntitlements(ctx context.Context, tx *pg.Tx, before, after []string) error {
	const sql = `
		select e.id::text, coalesce(nullif(e.display_name, ''), e.name),
		       case when e.connector_id is null then 'belongs to no system'
		            when e.removed_at is not null then 'is gone from its system'
		            when e.lifecycle <> 'active' then 'is ' || e.lifecycle
		            when not e.grantable then 'cannot be granted from outside its system'
		            else '' end
		  from entitlement e
		 where e.id = any(@ids::text[]::uuid[])`
	known := map[string][2]string{}
	var id, name, trouble string
	if err := pg.Each(
		ctx,
		tx,
		"check entitlements of role",
		[]any{&id, &name, &trouble},
		func() error { known[id] = [2]string{name, trouble}; return nil },
		sql,
		pgx.NamedArgs{"ids": after},
	); err != nil {
		return err
	}
	var wrong []fault.Field
	for i, id := range after {
		at := fmt.Sprintf("#/entitlement_ids/%d", i)
		switch e, there := known[id]; {
		case !there:
			wrong = append(
				wrong,
				fault.Field{Pointer: at, Code: "unknown_entitlement", Detail: "there is no entitlement " + id},
			)
		case e[1] != "" && !slices.Contains(before, id):
			wrong = append(wrong, fault.Field{Pointer: at, Code: "not_grantable", Detail: e[0] + " " + e[1]})
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "the role contains something that cannot be assigned: %s", wrong[0].Detail).
			With(wrong...)
	}
	return nil
}

func insert(ctx context.Context, tx *pg.Tx, id string, n New) error {
	const sql = `
		insert into role (tenant_id, id, key, name, description, role_type, lifecycle, owner_ids, labels, origin,
		                  managed_by, backup_owner_ids, membership_rule, membership_exclusions, requestable, visible_to,
		                  parameters, max_duration, default_duration, approval_rule_id, risk_level, compliance_tags,
		                      duty_tags, rule_needs)
		values (current_tenant(), @id, @key, @name, @description, @role_type, @lifecycle, @owner_ids::text[]::uuid[],
		        @labels, @origin, @managed_by, @backup_owner_ids::text[]::uuid[], @membership_rule,
		        @membership_exclusions, @requestable, @visible_to, @parameters, @max_duration, @default_duration,
		            @approval_rule_id::text::uuid, @risk_level, @compliance_tags, @duty_tags, @rule_needs)`
	args := n.args(id)
	args["key"], args["origin"], args["managed_by"] = n.Key, n.Origin, cmp.Or(n.ManagedBy, ByUI)
	_, err := tx.Exec(ctx, sql, args)
	switch {
	case pg.Violates(err, "role_key_unique"):
		return fault.Coded(fault.Conflict, "duplicate_key", "there is a role with the key %s already", n.Key).
			With(fault.Field{Pointer: "#/key", Code: "duplicate_key",
				Detail: "choose another; retired roles keep theirs"})
	case err != nil:
		return fmt.Errorf("insert role: %w", err)
	}
	return fill(ctx, tx, id, n.RoleFields)
}

func update(ctx context.Context, tx *pg.Tx, id string, f RoleFields) error {
	const sql = `
		update role
		   set name = @name, description = @description, role_type = @role_type, lifecycle = @lifecycle,
		       owner_ids = @owner_ids::text[]::uuid[], labels = @labels,
		       backup_owner_ids = @backup_owner_ids::text[]::uuid[], membership_rule = @membership_rule,
		       membership_exclusions = @membership_exclusions, requestable = @requestable, visible_to = @visible_to,
		       parameters = @parameters, max_duration = @max_duration, default_duration = @default_duration,
		       approval_rule_id = @approval_rule_id::text::uuid, risk_level = @risk_level,
		           compliance_tags = @compliance_tags, duty_tags = @duty_tags, rule_needs = @rule_needs,
		           rule_since = case when membership_rule is distinct from @membership_rule then now()
		           else rule_since end,
		       updated_at = now(), version = version + 1
		 where id = @id`
	if err := pg.Exec(ctx, tx, "write role", sql, f.args(id)); err != nil {
		return err
	}
	return fill(ctx, tx, id, f)
}

func (f RoleFields) args(id string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":                    id,
		"name":                  f.Name,
		"description":           f.Description,
		"role_type":             f.RoleType,
		"lifecycle":             f.Lifecycle,
		"owner_ids":             f.OwnerIDs,
		"labels":                f.Labels,
		"backup_owner_ids":      f.BackupOwnerIDs,
		"membership_rule":       f.MembershipRule.stored(),
		"membership_exclusions": f.MembershipExclusions,
		"requestable":           f.Requestable,
		"visible_to":            f.VisibleTo.stored(),
		"parameters":            f.Parameters,
		"max_duration":          f.MaxDuration,
		"default_duration":      f.DefaultDuration,
		"approval_rule_id":      f.ApprovalRuleID,
		"risk_level":            f.RiskLevel,
		"compliance_tags":       f.ComplianceTags,
		"duty_tags":             f.DutyTags,
		"rule_needs":            f.RuleNeeds,
	}
}

// stored is the condition for the database: null where there is none.
func (c RoleCondition) stored() any {
	if len(c) == 0 {
		return nil
	}
	return map[string]any(c)
}

// fill makes a role hold what it says and nothing else, and keeps what it says now.
func fill(ctx context.Context, tx *pg.Tx, id string, f RoleFields) error {
	const (
		entitlements = `
			with gone as (
			    delete from role_entitlement x
			     where x.role_id = @id
			       and x.entitlement_id <> all(@now::text[]::uuid[])
			)
			insert into role_entitlement (tenant_id, role_id, entitlement_id)
			select distinct current_tenant(), @id::uuid, e
			  from unnest(@now::text[]::uuid[]) e
			    on conflict do nothing`
		children = `
			with gone as (
			    delete from role_child x
			     where x.role_id = @id
			       and x.child_id <> all(@now::text[]::uuid[])
			)
			insert into role_child (tenant_id, role_id, child_id)
			select distinct current_tenant(), @id::uuid, e
			  from unnest(@now::text[]::uuid[]) e
			    on conflict do nothing`
	)
	if err := pg.Exec(
		ctx,
		tx,
		"write entitlements of role",
		entitlements,
		pgx.NamedArgs{"id": id, "now": f.EntitlementIDs},
	); err != nil {
		return err
	}
	if err := pg.Exec(
		ctx,
		tx,
		"write nesting of role",
		children,
		pgx.NamedArgs{"id": id, "now": f.ChildRoleIDs},
	); err != nil {
		return err
	}
	return keepVersion(ctx, tx, id, f)
}

// keepVersion keeps what the role says now.
func keepVersion(ctx context.Context, tx *pg.Tx, id string, f RoleFields) error {
	const sql = `
		insert into role_version (tenant_id, role_id, version, content, changed_by)
		select current_tenant(), r.id, r.version, @content, @by
		  from role r
		 where r.id = @id
		    on conflict do nothing`
	return pg.Exec(ctx, tx, "keep version of role", sql, pgx.NamedArgs{"id": id, "content": f, "by": by(tx)})
}

// orNull is an id for the database, or null where there is none.
func orNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}
