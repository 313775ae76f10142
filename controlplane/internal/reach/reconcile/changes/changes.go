package changes

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Change is one thing that a run makes different.
type Change struct {
	// Number of the change in the run.
	N int64 `json:"n" db:"n"`
	// Kind of the object that changes; a nesting is an entitlement held by another entitlement.
	Object string `json:"object" db:"object" enum:"identity,account,entitlement,grant,nesting"`
	// Kind of change; missing means absent from a complete reading, and reappear means seen again afterwards.
	Change string `json:"change" db:"change" enum:"create,update,disable,missing,remove,reappear"`
	// ID of the object, or of a nesting's inner entitlement; null for a new object until it is created.
	ObjectID *string `json:"object_id" db:"object_id"`
	// ID of the object in its system.
	ExternalID string `json:"external_id" db:"external_id"`
	// Display name of the object.
	Display string `json:"display" db:"display"`
	// Kind of safety limit that the change counts toward; null when it counts toward none.
	Guard *string `json:"guard" db:"guard"`
	// Names of the fields that differ.
	Fields []string `json:"fields" db:"fields" nullable:"false"`
	// Values of a few named fields before the change; never raw attributes.
	Before json.RawMessage `json:"before" db:"before"`
	// Values of the same fields after the change.
	After json.RawMessage `json:"after" db:"after"`
	// Department of the person or of the account's owner.
	Department *string `json:"department" db:"department"`
	// Branch of the directory tree that contains the object.
	Container *string `json:"container" db:"container"`
	// Manager of the person or of the account's owner; null when none is known.
	Manager *string `json:"manager" db:"manager"`
	// Whether the change is pending, applied, held for a decision, only previewed, skipped or discarded.
	State string `json:"state" db:"state" enum:"pending,applied,held,previewed,skipped,discarded"`
	// Why the change has its state; null when no reason was recorded.
	Reason *string `json:"reason" db:"reason"`
	// Time the change was recorded or last changed its state.
	At time.Time `json:"at" db:"at"`
}

// changeColumns are the columns of Change, for queries with sync_change as c.
const changeColumns = `c.n, c.object, c.change, c.object_id, c.external_id, c.display, c.guard, c.fields, c.before,
	c.after, c.department, c.container, c.manager, c.state, c.reason, c.at`

// ChangeFilters narrow the changes of a run; each one given must hold.
type ChangeFilters struct {
	// Several values, separated by commas.
	Object []string `query:"object" enum:"identity,account,entitlement,grant,nesting"`
	// Several values, separated by commas.
	Change []string `query:"change" enum:"create,update,disable,missing,remove,reappear"`
	// A kind of hold, such as account_missing.
	Guard string `query:"guard" maxLength:"64"`
	// Several values, separated by commas.
	State []string `query:"state" enum:"pending,applied,held,previewed,skipped,discarded"`
	// Words, each of which is part of a name or external_id, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
}

// args are the filters as named arguments of matching.
func (f ChangeFilters) args(run string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"run":    run,
		"object": f.Object,
		"change": f.Change,
		"guard":  f.Guard,
		"state":  f.State,
		"q":      f.Q,
	}
}

// matching is the condition of the filters. Empty filters match everything.
var matching = `
	 where (cardinality(@object::text[]) is null or cardinality(@object::text[]) = 0 or c.object = any(@object))
	   and (cardinality(@change::text[]) is null or cardinality(@change::text[]) = 0 or c.change = any(@change))
	   and (@guard = '' or c.guard = @guard)
	   and (cardinality(@state::text[]) is null or cardinality(@state::text[]) = 0 or c.state = any(@state))
	   and (@q = '' or ` + listing.Matches("c.display", "c.external_id") + `)`

// listChanges reads a page of a run's changes, and one more if there is one.
func listChanges(
	ctx context.Context,
	tx *pg.Tx,
	from, run string,
	f ChangeFilters,
	page pg.Page,
) (found []Change, err error) {
	args := f.args(run)
	args["limit"], args["offset"], args["after"] = page.Limit+1, page.Offset, int64(0)
	if len(page.After) > 0 {
		if args["after"], err = strconv.ParseInt(page.After[0], 10, 64); err != nil {
			return nil, fault.Coded(fault.Malformed, "invalid_cursor", "this cursor does not belong to this list")
		}
	}
	sql := `select ` + changeColumns + ` from ` + from + matching + ` and c.n > @after order by c.n
		limit @limit offset @offset`
	if found, err = pg.All[Change](ctx, tx, "list changes", sql, args); err != nil {
		return nil, err
	}
	return found, nil
}

// countMatching counts the changes of a run that match. from is the table or the subquery that
// lists them.
func countMatching(ctx context.Context, tx *pg.Tx, from, run string, f ChangeFilters) (n int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from `+from+matching, f.args(run)).Scan(&n); err != nil {
		return 0, fmt.Errorf("count changes: %w", err)
	}
	return n, nil
}
