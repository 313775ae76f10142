package accesspolicy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// refuse takes something that is wrong with a policy.
type refuse func(pointer, code, format string, args ...any)

// completeTable completes the decision table, if there is one, and what follows from it: the resources are those of its
// rows, and without a condition it is about everyone.
func (f *Fields) completeTable(refuse refuse) {
	if f.Table == nil {
		return
	}
	if f.Subject == nil {
		f.Subject = Subject{"match": "all", "rules": []any{}}
	}
	if f.Effect != Assign {
		refuse("#/effect", "invalid", "a decision table needs the effect assign")
	}
	for _, w := range f.Table.Complete() {
		refuse("#/table"+w.Pointer, w.Code, "%s", w.Detail)
	}
	roles, entitlements := f.Table.Results()
	f.Resources = Resources{RoleIDs: roles, EntitlementIDs: entitlements, ConnectorIDs: []string{}, Tags: []string{}}
}

// resourcePointer is where an id stands in what was sent: in the resources, or in the first row that names it.
func (f *Fields) resourcePointer(list string, i int, id string) string {
	if f.Table == nil {
		return fmt.Sprintf("#/resources/%s/%d", list, i)
	}
	for row, r := range f.Table.Rows {
		ids := r.RoleIDs
		if list == "entitlement_ids" {
			ids = r.EntitlementIDs
		}
		if at := slices.Index(ids, id); at >= 0 {
			return fmt.Sprintf("#/table/rows/%d/%s/%d", row, list, at)
		}
	}
	return "#/table"
}

// sameKind is a fault unless both have a decision table, or neither: what a policy is does not change.
func sameKind(before, after Fields) error {
	if (before.Table == nil) == (after.Table == nil) {
		return nil
	}
	return fault.New(fault.Invalid, "A policy cannot get a decision table later, or lose it. Create another policy.").
		With(fault.Field{Pointer: "#/table", Code: "fixed", Detail: "Whether a policy has a table does not change."})
}

// briefTable says of a decision table in the audit log only what a change has done to it: a table may have thousands of
// rows.
func briefTable(changes []audit.Change, before, after Fields) {
	for i := range changes {
		if changes[i].Field == "table" {
			changes[i].From, changes[i].To = table.Difference(before.Table, after.Table)
		}
	}
}

// TableOfVersion reads the decision table of a version of a policy. Its fault is of kind NotFound.
func TableOfVersion(ctx context.Context, tx *pg.Tx, id string, version int) (*DecisionTable, error) {
	const sql = `
		select v.content -> 'table'
		  from access_policy_version v
		 where v.policy_id = $1
		   and v.version = $2
		   and jsonb_typeof(v.content -> 'table') = 'object'`
	var t DecisionTable
	err := tx.QueryRow(ctx, sql, id, version).Scan(&t)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "Version %d of access grant policy %s was not found.", version, id)
	}
	if err != nil {
		return nil, fmt.Errorf("read version of decision table: %w", err)
	}
	return &t, nil
}
