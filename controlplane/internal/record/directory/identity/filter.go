package identity

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// inCycle are the people of the tenant who are above themselves. It walks up from managers alone, and ends in every
// cycle since union keeps no pair twice.
const inCycle = `
	with recursive boss (id) as (
		select distinct i.manager_id from identity i where i.tenant_id = current_tenant() and i.manager_id is not null
	), up (start, id) as (
		select b.id, i.manager_id
		  from boss b
		  join identity i on i.tenant_id = current_tenant() and i.id = b.id
		 where i.manager_id is not null
		 union
		select u.start, i.manager_id
		  from up u
		  join identity i on i.tenant_id = current_tenant() and i.id = u.id
		 where i.manager_id is not null and u.id <> u.start
	)
	select start from up where start = id`

// Filters narrow a list of identities; each one given must hold.
type Filters struct {
	// These people, of those that the caller may see. Several values, separated by commas.
	IDs []string `query:"ids" format:"uuid" maxItems:"100"`
	// Several values, separated by commas. Archived ones are shown only when asked for.
	Status []string `query:"status" enum:"pre_hire,active,on_leave,notice,deactivated,archived"`
	// Identities of this department, spelled exactly so.
	Department string `query:"department"`
	// Words, each of which is part of the department's name, without regard to case, accents and order.
	DepartmentLike string `query:"department_like" maxLength:"200"`
	// Direct reports of this manager.
	ManagerID string `query:"manager_id" format:"uuid"`
	// Human or non-human identities.
	Kind string `query:"kind" enum:"human,non_human"`
	// Identities whose source is this connector.
	SourceConnectorID string `query:"source_connector_id" format:"uuid"`
	// Without regard to case.
	Email string `query:"email"`
	// The identity with this key in its source.
	ExternalID string `query:"external_id"`
	// Identities with this employee number.
	EmployeeNumber string `query:"employee_number"`
	// Whether the person is part of a cycle in the line of managers that the source reports.
	ManagerCycle string `query:"manager_cycle" enum:"true,false"`
	// Whether the person is a manager or an owner of access, and cannot sign in. They count as absent when they are
	// asked for a decision.
	ApproverWithoutSignIn string `query:"approver_without_sign_in" enum:"true,false"`
	// Words, each of which is part of a name, e-mail address, username, external_id or employee_number, without regard
	// to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// Changed at or after this instant.
	UpdatedSince time.Time `query:"updated_since"`
	// A leading - is descending.
	Sort string `query:"sort" default:"created_at" enum:"created_at,display_name,last_name,email,department,-created_at,-display_name,-last_name,-email,-department"`
}

var identityOrders = map[string]listing.Order{
	"created_at":   {Column: "i.id", Type: "uuid"}, // ids rise with the time of creation
	"display_name": {Column: "i.display_name", Type: "text"},
	"last_name":    {Column: "coalesce(i.last_name, '')", Type: "text"},
	"email":        {Column: "coalesce(i.email, '')", Type: "text"},
	"department":   {Column: "coalesce(i.department, '')", Type: "text"},
}

// Query is the list of the identities that match and that the viewer may list.
func (f Filters) Query(v viewer.Viewer) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, identityOrders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{
		Columns: Columns,
		From:    listing.Among(v, "identity", "i"),
		Counted: listing.Listed(v, "identity", "i"),
		ID:      "i.id",
		Order:   order,
	}
	if len(f.Status) > 0 {
		q.Where("i.status = any(@status)", pgx.NamedArgs{"status": f.Status})
	} else {
		q.Where("i.status <> 'archived'", nil)
	}
	if len(f.IDs) > 0 {
		// The format uuid admits spellings such as urn:uuid:…, which no record has as its ID.
		ids := slices.DeleteFunc(slices.Clone(f.IDs), func(id string) bool { return !listing.IsID(id) })
		q.Where("i.id = any(@ids)", pgx.NamedArgs{"ids": ids})
	}
	q.Equal("i.department", "department", f.Department)
	if f.DepartmentLike != "" {
		q.Where(`search_text(i.department) like all ((select search_patterns(@department_like))::text[])`,
			pgx.NamedArgs{"department_like": f.DepartmentLike})
	}
	q.Equal("i.manager_id", "manager_id", f.ManagerID)
	q.Equal("i.kind", "kind", f.Kind)
	q.Equal("i.source_connector_id", "source_connector_id", f.SourceConnectorID)
	q.Equal("i.external_id", "external_id", f.ExternalID)
	q.Equal("i.employee_number", "employee_number", f.EmployeeNumber)
	q.Is("i.id in ("+inCycle+")", f.ManagerCycle)
	q.Is("i.id in (select a.id from approvers_without_sign_in() a)", f.ApproverWithoutSignIn)
	if f.Email != "" {
		q.Where("i.email_lc = lower(@email)", pgx.NamedArgs{"email": f.Email})
	}
	q.Search(
		f.Q,
		"i.display_name",
		"i.first_name",
		"i.last_name",
		"i.preferred_name",
		"i.email",
		"i.username",
		"i.external_id",
		"i.employee_number",
	)
	if !f.UpdatedSince.IsZero() {
		q.Where("i.updated_at >= @updated_since", pgx.NamedArgs{"updated_since": f.UpdatedSince})
	}
	return q, nil
}

// After is the position of an identity in the list's order.
func (f Filters) After(i Identity) []string {
	switch f.Sort {
	case "display_name", "-display_name":
		return []string{i.DisplayName, i.ID}
	case "last_name", "-last_name":
		return []string{Text(i.LastName), i.ID}
	case "email", "-email":
		return []string{Text(i.Email), i.ID}
	case "department", "-department":
		return []string{Text(i.Department), i.ID}
	}
	return []string{i.ID, i.ID}
}

// Reports are the direct reports of an identity, or all below it, as far as the viewer may see the line between: an
// identity below a hidden one is not listed. union ends a cycle of managers; the manager is not their own report. "is
// true" keeps the planner from a nested-loop join of all reports with all visible identities.
func Reports(v viewer.Viewer, of string, indirect bool, f Filters) (*listing.Query, error) {
	q, err := f.Query(v)
	if err != nil {
		return nil, err
	}
	args := pgx.NamedArgs{"of": of}
	switch {
	case !indirect:
		q.Where("i.manager_id = @of and i.id <> @of", args)
	case v.SeesAll():
		q.Where("i.id in (select r.id from reports_of(@of) r)", args)
	case of == v.Identity && v.Has(viewer.Manager):
		q.Where("(i.id in (select m.id from managed_identity() m)) is true", nil)
	default:
		q.Where("i.id <> @of and (i.id in ("+visibleReports+")) is true", args)
	}
	return q, nil
}

// visibleReports are all people below a manager, of those whom the viewer sees. The visible
// identities are materialized first, so that visibility is computed once and not in each step of
// the recursion.
const visibleReports = `
	with recursive seen as materialized (
		select d.id, d.manager_id from visible_identity() d
	), report (id) as (
		select s.id from seen s where s.manager_id = @of
		 union
		select s.id from report r join seen s on s.manager_id = r.id
	)
	select report.id from report`

// Fetch reads a page of a query of identities, and how many it has in all.
func Fetch(ctx context.Context, tx *pg.Tx, q *listing.Query, page pg.Page) ([]Identity, int64, error) {
	return listing.Fetch[Identity](ctx, tx, q, page)
}
