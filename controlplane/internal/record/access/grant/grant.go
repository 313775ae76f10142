package grant

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Grant is the fact that an account holds an entitlement.
type Grant struct {
	// ID of the grant.
	ID string `json:"id" db:"id"`
	// ID of the account that holds the entitlement.
	AccountID string `json:"account_id" db:"account_id"`
	// The account's owner; null when there is none.
	IdentityID *string `json:"identity_id" db:"identity_id"`
	// ID of the entitlement.
	EntitlementID string `json:"entitlement_id" db:"entitlement_id"`
	// ID of the connector.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// The system, for people.
	ConnectorName string `json:"connector_name" db:"connector_name"`
	// Account that holds the entitlement, with its name.
	Account identity.Reference `json:"account" db:"account"`
	// Owner of the account, with name. Null: the account has no owner.
	Identity *identity.Reference `json:"identity" db:"identity"`
	// Entitlement of the grant, with its name.
	Entitlement identity.Reference `json:"entitlement" db:"entitlement"`
	// ID of the grant in the target system. Null: not reported.
	ExternalID *string `json:"external_id" db:"external_id"`
	// How the account holds the entitlement. direct: the account itself was assigned it. inherited: through nesting
	// only.
	Directness string `json:"directness" db:"directness" enum:"direct,inherited"`
	// Status of the grant. disconnected: its connector was deleted.
	Status string `json:"status" db:"status" enum:"requested,pending,active,ending,revoking,revoked,failed,missing,disconnected"`
	// True if the target system does not allow the grant to be revoked, as in dynamic groups.
	Immutable bool `json:"immutable" db:"immutable"`
	// Who assigned the entitlement, as the target system reports. Null: not reported.
	AssignedBy *string `json:"assigned_by" db:"assigned_by"`
	// Start of the grant, as the target system reports. Null: not reported.
	StartsAt *time.Time `json:"starts_at" db:"starts_at"`
	// By the target, or by the last of its reasons, whichever is sooner.
	EndsAt *time.Time `json:"ends_at" db:"ends_at"`
	// Time of the assignment, as the target system reports or provisioning recorded it. Null: unknown.
	GrantedAt *time.Time `json:"granted_at" db:"granted_at"`
	// Last use of the grant, as the target system reports. Null: not reported, or never used.
	LastUsedAt *time.Time `json:"last_used_at" db:"last_used_at"`
	// Time the grant was first recorded in Grantwright.
	FirstSeenAt time.Time `json:"first_seen_at" db:"first_seen_at"`
	// Time since which sync runs have not found the grant in the target system. Null: it is not missing.
	MissingSince *time.Time `json:"missing_since" db:"missing_since"`
	// Time the grant was recorded as revoked. Null: it is not revoked.
	RevokedAt *time.Time `json:"revoked_at" db:"revoked_at"`
	// Further attributes of the grant from the connector and its mappings, by name.
	Attributes map[string]any `json:"attributes" db:"attributes"`
	// Labels of the grant, as pairs of key and value.
	Labels map[string]string `json:"labels" db:"labels"`
	// Time the record of the grant was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the record of the grant last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the grant. Each change increases it.
	Version int `json:"version" db:"version"`

	// Whether it should be: a reason allows it and none denies it.
	Desired bool `json:"desired" db:"-"`
	// Whether the target has it, as far as is known.
	Observed bool `json:"observed" db:"-"`
	// The basis: a decision, a rule, a role, nesting, only the target system, or an account without an owner. It can
	// also be that the grant should have ended, or ends within a week. Null: it neither exists nor is wanted.
	ComplianceStatus *string `json:"compliance_status" db:"-" enum:"approved,implied,native,orphaned,ending"`
	// Those that have not ended. The single read has the last ones that have, too.
	Reasons []GrantReason `json:"reasons" db:"-" nullable:"false"`
	// It came back in the target after we had revoked it.
	Reappeared bool `json:"reappeared" db:"reappeared"`
	// Only for access that was granted in the target system: it existed at the first import, appeared later, was
	// revoked and came back, or was accepted as found. Null: it has a reason.
	ReviewState *string `json:"review_state" db:"-" enum:"found_at_first_import,unmanaged,returned,accepted"`
	// After our revocation: until then, a sync that still finds it is treated as a delayed result.
	SuppressReimportUntil *time.Time `json:"suppress_reimport_until" db:"suppress_reimport_until"`

	// On the single read: who accepted it, and why.
	AcceptedAsFound *GrantAcceptedAsFound `json:"accepted_as_found,omitempty" db:"-"`

	// With as_of: since when it was held in this way, directly or by nesting.
	HeldSince *time.Time `json:"held_since,omitempty" db:"-"`
	// With as_of: until when; absent when it still is.
	HeldUntil *time.Time `json:"held_until,omitempty" db:"-"`

	// The ways by which nesting brings it, at most 20; none if it is only held directly. On the single read, and with
	// expand=paths.
	Paths *[]NestingPath `json:"paths,omitempty" db:"-" nullable:"false"`
	// Ways that pass entitlements which the reader may not see.
	HiddenPaths int `json:"hidden_paths,omitempty" db:"-"`
}

// Around joins the account a, its owner i and the entitlement e to the grants g.
func Around(grants string) string {
	return grants + `
	left join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
	left join entitlement e on e.tenant_id = g.tenant_id and e.id = g.entitlement_id
	left join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id`
}

// columns are the columns of Grant.
var columns = `g.id, g.account_id, a.identity_id, g.entitlement_id, g.connector_id,
	` + listing.ConnectorName("g.connector_id") + ` as connector_name,
	jsonb_build_object('id', a.id, 'display', ` + account.Display + `) as account,
	case when i.id is not null then jsonb_build_object('id', i.id, 'display', i.display_name) end as identity,
	jsonb_build_object('id', e.id, 'display', coalesce(nullif(e.display_name, ''), e.name)) as entitlement,
	g.external_id, g.directness, g.status, g.immutable, g.assigned_by, g.starts_at, g.ends_at, g.granted_at,
	g.last_used_at, g.first_seen_at, g.missing_since, g.revoked_at, g.reappeared, g.suppress_reimport_until,
	    g.attributes, g.labels, g.created_at, g.updated_at, g.version`

// Filters narrow a list of grants; each one given must hold.
type Filters struct {
	// Grants of the accounts of this identity.
	IdentityID string `query:"identity_id" format:"uuid"`
	// Grants of this account.
	AccountID string `query:"account_id" format:"uuid"`
	// Grants of this entitlement.
	EntitlementID string `query:"entitlement_id" format:"uuid"`
	// Grants of this connector's system.
	ConnectorID string `query:"connector_id" format:"uuid"`
	// Direct grants, or those inherited through nested groups alone.
	Directness string `query:"directness" enum:"direct,inherited"`
	// Several values, separated by commas. Revoked and disconnected ones are shown only when asked for.
	Status []string `query:"status" enum:"requested,pending,active,ending,revoking,revoked,failed,missing,disconnected"`

	// Several values, separated by commas.
	ComplianceStatus []string `query:"compliance_status" enum:"approved,implied,native,orphaned,ending"`
	// Several values, separated by commas: those with such a reason that has not ended.
	ReasonKind []string `query:"reason_kind" enum:"birthright,policy,role,request,emergency,native,certified,exception,imported,manual"`
	// Several values, separated by commas.
	ReviewState []string `query:"review_state" enum:"found_at_first_import,unmanaged,returned,accepted"`
	// Those that end before this instant.
	EndsBefore time.Time `query:"ends_before"`

	// Also returns the paths of nested groups through which a grant is inherited.
	Expand []string `query:"expand" enum:"paths"`
}

// Query is the list of the grants that are found by one sight and shown by the other.
func (f Filters) Query(found, shown string) *listing.Query {
	// By id, which rises with time: an index on the time as well would cost every sync of a large directory.
	q := &listing.Query{
		Columns: columns,
		From:    Around(shown),
		Counted: found,
		ID:      "g.id",
		Order:   listing.Order{Column: "g.id", Type: "uuid"},
	}
	if f.asksLedger() {
		q.From, q.Counted = Around(shown)+StandingSQL, Around(found)+StandingSQL
		f.askLedger(q)
	} else if f.IdentityID != "" {
		q.Counted = found + " join account a on a.tenant_id = g.tenant_id and a.id = g.account_id"
	}
	if len(f.Status) > 0 {
		q.Where("g.status = any(@status)", pgx.NamedArgs{"status": f.Status})
	} else {
		q.Where("g.status not in ('revoked', 'disconnected')", nil)
	}
	q.Equal("a.identity_id", "identity_id", f.IdentityID)
	q.Equal("g.account_id", "account_id", f.AccountID)
	q.Equal("g.entitlement_id", "entitlement_id", f.EntitlementID)
	q.Equal("g.connector_id", "connector_id", f.ConnectorID)
	q.Equal("g.directness", "directness", f.Directness)
	return q
}

// asksLedger says whether a filter asks what the ledger says.
func (f Filters) asksLedger() bool {
	return len(f.ComplianceStatus) > 0 || len(f.ReasonKind) > 0 || len(f.ReviewState) > 0 || !f.EndsBefore.IsZero()
}

// askLedger adds the filters that need the reasons of a grant, which only then are joined.
func (f Filters) askLedger(q *listing.Query) {
	if len(f.ComplianceStatus) > 0 {
		q.Where("("+complianceSQL+") = any(@compliance_status)", pgx.NamedArgs{"compliance_status": f.ComplianceStatus})
	}
	if len(f.ReviewState) > 0 {
		q.Where(ReviewStateSQL+" = any(@review_state)", pgx.NamedArgs{"review_state": f.ReviewState})
	}
	if len(f.ReasonKind) > 0 {
		q.Where(`(exists (select from access_reason r
		           where r.identity_id = a.identity_id
		             and r.entitlement_id = g.entitlement_id
		             and r.kind = any(@reason_kind)
		             and r.effect = 'allow'
		             and r.state <> 'ended'
		             and (r.account_id = a.id or r.account_id is null and main.is))
		          or 'native' = any(@reason_kind) and `+NativeSQL+`)`, pgx.NamedArgs{"reason_kind": f.ReasonKind})
	}
	if !f.EndsBefore.IsZero() {
		q.Where(
			"least(g.ends_at, case when s.desired and not s.lasting then s.until end) < @ends_before",
			pgx.NamedArgs{"ends_before": f.EndsBefore},
		)
	}
}

// After is the position of a grant in the list's order.
func (g Grant) After() []string { return []string{g.ID, g.ID} }

// Find reads the grant with its paths if the transaction's viewer may see it; else, and when there is none, it is
// a fault of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (Grant, error) {
	missing := fault.New(fault.NotFound, "Grant %s was not found.", id)
	if !listing.IsID(id) {
		return Grant{}, missing
	}
	found, err := Read(ctx, tx, "g.id = @id", pgx.NamedArgs{"id": id})
	if err != nil {
		return Grant{}, err
	}
	if len(found) == 0 {
		return Grant{}, missing
	}
	one := found[:1]
	if err := FillStanding(ctx, tx, one, true); err != nil {
		return Grant{}, err
	}
	if err := fillAcceptance(ctx, tx, &one[0]); err != nil {
		return Grant{}, err
	}
	err = FillPaths(ctx, tx, one)
	return one[0], err
}

// Read reads the grants that the viewer may see and that meet a condition, by id.
func Read(ctx context.Context, tx *pg.Tx, condition string, args pgx.NamedArgs) ([]Grant, error) {
	sql := `select ` + columns + ` from ` + Around(
		listing.Readable(tx.Viewer, "access_grant", "g"),
	) + ` where ` + condition + ` order by g.id`
	return pg.All[Grant](ctx, tx, "read grants", sql, args)
}

// FillPaths finds the paths of a page of grants with as many statements as for one.
func FillPaths(ctx context.Context, tx *pg.Tx, grants []Grant) error {
	n, direct, err := surroundings(ctx, tx, grants)
	if err != nil {
		return err
	}
	for i := range grants {
		paths := n.paths(direct[grants[i].AccountID], grants[i].EntitlementID)
		grants[i].Paths = &paths
	}
	if err := hidePaths(ctx, tx, grants); err != nil {
		return err
	}
	return namePaths(ctx, tx, grants)
}

// surroundings reads what is nested beneath the entitlements of the grants, and what their accounts hold directly.
func surroundings(
	ctx context.Context,
	tx *pg.Tx,
	grants []Grant,
) (n graph, direct map[string]map[string]bool, err error) {
	const beneath = `
		with recursive beneath (member_id, parent_id) as (
			select n.member_id, n.parent_id from entitlement_edge n where n.parent_id = any($1::text[]::uuid[])
			 union
			select n.member_id, n.parent_id from beneath b join entitlement_edge n on n.parent_id = b.member_id
		)
		select member_id::text, parent_id::text from beneath order by 1, 2`
	const holding = `
		select g.account_id::text, g.entitlement_id::text
		  from access_grant g
		 where g.account_id = any($1::text[]::uuid[]) and g.directness = 'direct' and ` + nesting.HeldSQL
	var entitlements, accounts []string
	for _, g := range grants {
		entitlements, accounts = append(entitlements, g.EntitlementID), append(accounts, g.AccountID)
	}
	n, direct = graph{}, map[string]map[string]bool{}
	var b pgx.Batch
	b.Queue(beneath, entitlements).
		Query(eachPair(func(member, parent string) { n[parent] = append(n[parent], member) }))
	b.Queue(holding, accounts).Query(eachPair(func(account, entitlement string) {
		if direct[account] == nil {
			direct[account] = map[string]bool{}
		}
		direct[account][entitlement] = true
	}))
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, nil, fmt.Errorf("read nesting of grants: %w", err)
	}
	return n, direct, nil
}

// eachPair calls fn for each row of two texts.
func eachPair(fn func(a, b string)) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var x, y string
		_, err := pgx.ForEachRow(rows, []any{&x, &y}, func() error { fn(x, y); return nil })
		return err
	}
}

// hidePaths takes away the paths that name entitlements which the viewer may not see, and says how many.
func hidePaths(ctx context.Context, tx *pg.Tx, grants []Grant) error {
	if tx.Viewer.SeesAll() {
		return nil
	}
	seen := map[string]bool{}
	var ids []string
	for _, g := range grants {
		for _, p := range *g.Paths {
			ids = append(ids, p.EntitlementIDs...)
		}
	}
	sql := `select e.id::text from ` + listing.Readable(
		tx.Viewer,
		"entitlement",
		"e",
	) + ` where e.id = any($1::text[]::uuid[])`
	shown, err := pg.All[string](ctx, tx, "hide paths", sql, ids)
	if err != nil {
		return err
	}
	for _, id := range shown {
		seen[id] = true
	}
	for i := range grants {
		all := *grants[i].Paths
		open := slices.DeleteFunc(slices.Clone(all), func(p NestingPath) bool {
			return slices.ContainsFunc(p.EntitlementIDs, func(id string) bool { return !seen[id] })
		})
		grants[i].Paths, grants[i].HiddenPaths = &open, len(all)-len(open)
	}
	return nil
}
