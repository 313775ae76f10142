package role

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

const columns = `r.id, r.key, r.name, r.description, r.role_type, r.lifecycle, r.owner_ids, r.labels, r.origin, r.created_at, r.updated_at, r.version,
	array(select e.entitlement_id from role_entitlement e where e.role_id = r.id order by e.entitlement_id) as entitlement_ids, 0::bigint as holder_count`

// Filters narrow a list of roles; each one given must hold.
type Filters struct {
	Lifecycle     []string `query:"lifecycle" enum:"draft,active,deprecated,retired" doc:"Several by comma. Retired ones are shown only when asked for."`
	RoleType      string   `query:"role_type" enum:"birthright,business,application,emergency,technical"`
	EntitlementID string   `query:"entitlement_id" format:"uuid" doc:"Roles that hold it."`
	OwnerID       string   `query:"owner_id" format:"uuid"`
	Q             string   `query:"q" maxLength:"200" doc:"Part of a key, name or description."`
	Sort          string   `query:"sort" default:"name" enum:"created_at,key,name,-created_at,-key,-name" doc:"A leading - is descending."`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "r.id", Type: "uuid"}, // ids rise with the time of creation
	"key":        {Column: "r.key", Type: "text"},
	"name":       {Column: "r.name", Type: "text"},
}

func (f Filters) query() (*listing.Query, error) {
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
	if f.OwnerID != "" {
		q.Where("@owner_id::uuid = any(r.owner_ids)", pgx.NamedArgs{"owner_id": f.OwnerID})
	}
	if f.Q != "" {
		q.Where(`position(lower(@q) in lower(concat_ws(E'\n', r.key, r.name, r.description))) > 0`, pgx.NamedArgs{"q": f.Q})
	}
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
	err = countHolders(ctx, tx, one)
	return one[0], err
}

func find(ctx context.Context, tx *pg.Tx, condition, id, locking string) (Role, error) {
	missing := fault.New(fault.NotFound, "there is no role %s", id)
	if !listing.IsID(id) {
		return Role{}, missing
	}
	rows, err := tx.Query(ctx, `select `+columns+` from role r where `+condition+locking, pgx.NamedArgs{"id": id})
	if err != nil {
		return Role{}, fmt.Errorf("find role: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Role])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Role{}, missing
	case err != nil:
		return Role{}, fmt.Errorf("find role: %w", err)
	}
	return found, nil
}

// countHolders fills in how many people hold something through each role.
func countHolders(ctx context.Context, tx *pg.Tx, of []Role) error {
	const sql = `
		select x.role_id::text, count(distinct x.identity_id)
		  from access_reason x
		 where x.role_id = any(@ids::text[]::uuid[])
		   and x.state <> 'ended'
		 group by x.role_id`
	index := make(map[string]*Role, len(of))
	ids := make([]string, len(of))
	for i := range of {
		index[of[i].ID], ids[i] = &of[i], of[i].ID
	}
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return fmt.Errorf("count holders of roles: %w", err)
	}
	var id string
	var n int64
	if _, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error { index[id].HolderCount = n; return nil }); err != nil {
		return fmt.Errorf("count holders of roles: %w", err)
	}
	return nil
}

// checkEntitlements is a fault of kind Invalid, pointing at the one, unless all that is added can be given to somebody.
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
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": after})
	if err != nil {
		return fmt.Errorf("check entitlements of role: %w", err)
	}
	known := map[string][2]string{}
	var id, name, trouble string
	if _, err := pgx.ForEachRow(rows, []any{&id, &name, &trouble}, func() error { known[id] = [2]string{name, trouble}; return nil }); err != nil {
		return fmt.Errorf("check entitlements of role: %w", err)
	}
	var wrong []fault.Field
	for i, id := range after {
		at := fmt.Sprintf("#/entitlement_ids/%d", i)
		switch e, there := known[id]; {
		case !there:
			wrong = append(wrong, fault.Field{Pointer: at, Code: "unknown_entitlement", Detail: "there is no entitlement " + id})
		case e[1] != "" && !slices.Contains(before, id):
			wrong = append(wrong, fault.Field{Pointer: at, Code: "not_grantable", Detail: e[0] + " " + e[1]})
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "the role names what nobody can be given: %s", wrong[0].Detail).With(wrong...)
	}
	return nil
}

func insert(ctx context.Context, tx *pg.Tx, id string, n New) error {
	const sql = `
		insert into role (tenant_id, id, key, name, description, role_type, lifecycle, owner_ids, labels, origin)
		values (current_tenant(), @id, @key, @name, @description, @role_type, @lifecycle, @owner_ids::text[]::uuid[], @labels, @origin)`
	args := n.args(id)
	args["key"], args["origin"] = n.Key, n.Origin
	_, err := tx.Exec(ctx, sql, args)
	switch {
	case pg.Violates(err, "role_key_unique"):
		return fault.Coded(fault.Conflict, "duplicate_key", "there is a role with the key %s already", n.Key).
			With(fault.Field{Pointer: "#/key", Code: "duplicate_key", Detail: "choose another; retired roles keep theirs"})
	case err != nil:
		return fmt.Errorf("insert role: %w", err)
	}
	return fill(ctx, tx, id, n.EntitlementIDs)
}

func update(ctx context.Context, tx *pg.Tx, id string, f RoleFields) error {
	const sql = `
		update role
		   set name = @name, description = @description, role_type = @role_type, lifecycle = @lifecycle, owner_ids = @owner_ids::text[]::uuid[],
		       labels = @labels, updated_at = now(), version = version + 1
		 where id = @id`
	if _, err := tx.Exec(ctx, sql, f.args(id)); err != nil {
		return fmt.Errorf("write role: %w", err)
	}
	return fill(ctx, tx, id, f.EntitlementIDs)
}

func (f RoleFields) args(id string) pgx.NamedArgs {
	return pgx.NamedArgs{"id": id, "name": f.Name, "description": f.Description, "role_type": f.RoleType, "lifecycle": f.Lifecycle,
		"owner_ids": f.OwnerIDs, "labels": f.Labels}
}

// fill makes a role hold these entitlements and no others.
func fill(ctx context.Context, tx *pg.Tx, id string, entitlements []string) error {
	const sql = `
		with gone as (
		    delete from role_entitlement x
		     where x.role_id = @id
		       and x.entitlement_id <> all(@entitlements::text[]::uuid[])
		)
		insert into role_entitlement (tenant_id, role_id, entitlement_id)
		select distinct current_tenant(), @id::uuid, e
		  from unnest(@entitlements::text[]::uuid[]) e
		    on conflict do nothing`
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id, "entitlements": entitlements}); err != nil {
		return fmt.Errorf("write entitlements of role: %w", err)
	}
	return nil
}
