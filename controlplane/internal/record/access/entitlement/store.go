package entitlement

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns of an Entitlement, from entitlement e. The counts follow for a whole page at once.
var columns = `e.id, e.connector_id, ` + listing.ConnectorName(
	"e.connector_id",
) + ` as connector_name, e.external_id, e.native_identity, e.kind, e.name, e.display_name, e.description, e.resource,
	e.business_description, e.permission_summary, e.owner_ids, e.source_owner_ids, e.backup_owner_ids, e.privileged,
	e.privileged_source, e.risk_level, e.compliance_tags, e.duty_tags, e.data_classes, e.requestable, e.visible_to,
	e.max_duration, e.default_duration, e.extension_max, e.approval_rule_id, e.lifecycle, e.replacement_id, e.grantable,
	e.revocable, e.exclusion_group, e.max_members, 0::bigint as direct_member_count,
	0::bigint as effective_member_count, e.first_seen_at, e.missing_since, e.attributes, e.labels, e.created_at,
	    e.updated_at, e.version`

// Find reads the entitlement if the transaction's viewer may see it; else, and when there is none, it is a fault of
// kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Entitlement, error) {
	e, err := Lookup(ctx, tx, id, "")
	if err != nil {
		return e, err
	}
	one := []Entitlement{e}
	err = countMembers(ctx, tx, one)
	return one[0], err
}

// Lookup is Find without the counts of members. locking is appended to the query, such as "for update of e"; it may be
// empty.
func Lookup(ctx context.Context, tx *pg.Tx, id, locking string) (Entitlement, error) {
	missing := fault.New(fault.NotFound, "Entitlement %s was not found.", id)
	if !listing.IsID(id) {
		return Entitlement{}, missing
	}
	sql := `select ` + columns + ` from ` + listing.Readable(tx.Viewer, "entitlement", "e") + ` where e.id = @id`
	found, err := pg.One[Entitlement](ctx, tx, "find entitlement", sql+locking, pgx.NamedArgs{"id": id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Entitlement{}, missing
	case err != nil:
		return Entitlement{}, err
	}
	return found, nil
}

// ByIDs reads those of these entitlements that the viewer may see, without their counts.
func ByIDs(ctx context.Context, tx *pg.Tx, ids []string) (map[string]Entitlement, error) {
	sql := `select ` + columns + ` from ` + listing.Readable(
		tx.Viewer,
		"entitlement",
		"e",
	) + ` where e.id = any(@ids::text[]::uuid[])`
	list, err := pg.All[Entitlement](ctx, tx, "read entitlements", sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	found := make(map[string]Entitlement, len(list))
	for _, e := range list {
		found[e.ID] = e
	}
	return found, nil
}

// Filters narrow a list of entitlements; each one given must hold.
type Filters struct {
	ConnectorID string `query:"connector_id" format:"uuid"`
	Kind        string `query:"kind"`
	OwnerID     string `query:"owner_id" format:"uuid"`
	// Whether it has an owner.
	Owned       string `query:"owned" enum:"true,false"`
	Privileged  string `query:"privileged" enum:"true,false"`
	Requestable string `query:"requestable" enum:"true,false"`
	// Several values, separated by commas.
	RiskLevel []string `query:"risk_level" enum:"low,medium,high,critical"`
	// Several values, separated by commas. Those that their target no longer has are shown only when retired ones are
	// asked for; those of deleted connectors, when disconnected ones are.
	Lifecycle []string `query:"lifecycle" enum:"active,deprecated,retired,disconnected"`
	// One of its compliance tags, duty tags or classes of data.
	Tag string `query:"tag" maxLength:"100"`
	// A duration such as P90D: grants that were held for so long without being used, as their system reports.
	Unused string `query:"unused" maxLength:"40"`
	// Words, each of which is part of a name, description, native identity or external_id, without regard to case,
	// accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending.
	Sort string `query:"sort" default:"created_at" enum:"created_at,name,-created_at,-name"`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "e.id", Type: "uuid"}, // ids rise with the time of creation
	"name":       {Column: "e.name", Type: "text"},
}

func (f Filters) query(v viewer.Viewer) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: columns,
		From:    listing.Found(v, "entitlement", "e"),
		Counted: listing.Listed(v, "entitlement", "e"),
		ID:      "e.id",
		Order:   order,
	}
	q.Equal("e.connector_id", "connector_id", f.ConnectorID)
	q.Equal("e.kind", "kind", f.Kind)
	if f.OwnerID != "" {
		q.Where("@owner_id::uuid = any(e.owner_ids)", pgx.NamedArgs{"owner_id": f.OwnerID})
	}
	q.Is("e.owner_ids <> '{}'", f.Owned)
	q.Is("e.privileged", f.Privileged)
	q.Is("e.requestable", f.Requestable)
	if len(f.RiskLevel) > 0 {
		q.Where("e.risk_level = any(@risk_level)", pgx.NamedArgs{"risk_level": f.RiskLevel})
	}
	if len(f.Lifecycle) > 0 {
		q.Where("e.lifecycle = any(@lifecycle)", pgx.NamedArgs{"lifecycle": f.Lifecycle})
	} else {
		q.Where("e.removed_at is null", nil)
	}
	if f.Tag != "" {
		q.Where(
			"(@tag = any(e.compliance_tags) or @tag = any(e.duty_tags) or @tag = any(e.data_classes))",
			pgx.NamedArgs{"tag": f.Tag},
		)
	}
	if f.Unused != "" {
		if err := f.askUnused(v, q); err != nil {
			return nil, err
		}
	}
	q.Search(
		f.Q,
		"e.name",
		"e.display_name",
		"e.description",
		"e.business_description",
		"e.native_identity",
		"e.external_id",
	)
	return q, nil
}

// after is the position of an entitlement in the list's order.
func (f Filters) after(e Entitlement) []string {
	if f.Sort == "name" || f.Sort == "-name" {
		return []string{e.Name, e.ID}
	}
	return []string{e.ID, e.ID}
}

// countMembers fills in how many accounts hold each entitlement, of those that the viewer may see.
func countMembers(ctx context.Context, tx *pg.Tx, of []Entitlement) error {
	sql := `
		select g.entitlement_id::text, count(*) filter (where g.directness = 'direct'), count(*)
		  from ` + listing.Among(tx.Viewer, "access_grant", "g") + `
		 where g.entitlement_id = any(@ids::text[]::uuid[])
		   and ` + nesting.HeldSQL + `
		 group by g.entitlement_id`
	index := make(map[string]*Entitlement, len(of))
	ids := make([]string, len(of))
	for i := range of {
		index[of[i].ID], ids[i] = &of[i], of[i].ID
	}
	var id string
	var direct, effective int64
	return pg.Each(ctx, tx, "count members", []any{&id, &direct, &effective}, func() error {
		index[id].DirectMemberCount, index[id].EffectiveMemberCount = direct, effective
		return nil
	}, sql, pgx.NamedArgs{"ids": ids})
}

// The ids of the entitlements on either side of one in the nesting.
const (
	parentsOf  = `select n.parent_id from entitlement_edge n where n.member_id = @id`
	childrenOf = `select n.member_id from entitlement_edge n where n.parent_id = @id`
)

// nested names those of these entitlements that the viewer may read.
func nested(ctx context.Context, tx *pg.Tx, ids, id string) ([]identity.Reference, error) {
	sql := `select e.id, coalesce(nullif(e.display_name, ''), e.name) from ` + listing.Readable(
		tx.Viewer,
		"entitlement",
		"e",
	) +
		` where e.id = any(array(` + ids + `)) order by 2, 1`
	return pg.AllBy(ctx, tx, "read nesting", pgx.RowToStructByPos[identity.Reference], sql, pgx.NamedArgs{"id": id})
}
