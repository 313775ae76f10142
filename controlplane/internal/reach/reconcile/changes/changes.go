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
	// its number in the run
	N      int64  `json:"n" db:"n"`
	Object string `json:"object" db:"object" enum:"identity,account,entitlement,grant,nesting"`
	Change string `json:"change" db:"change" enum:"create,update,disable,missing,remove,reappear"`
	// null for what is new until it is merged; of a nesting, the inner entitlement
	ObjectID   *string `json:"object_id" db:"object_id"`
	ExternalID string  `json:"external_id" db:"external_id"`
	Display    string  `json:"display" db:"display"`
	// the kind under which it was weighed; null: it is not
	Guard *string `json:"guard" db:"guard"`
	// what differs
	Fields []string `json:"fields" db:"fields" nullable:"false"`
	// values of a few named fields before; never raw attributes
	Before json.RawMessage `json:"before" db:"before"`
	// the same fields after
	After json.RawMessage `json:"after" db:"after"`
	// of the person, or of the account's owner
	Department *string `json:"department" db:"department"`
	// the branch of the tree it lies in
	Container *string   `json:"container" db:"container"`
	Manager   *string   `json:"manager" db:"manager"`
	State     string    `json:"state" db:"state" enum:"pending,applied,held,previewed,skipped,discarded"`
	Reason    *string   `json:"reason" db:"reason"`
	At        time.Time `json:"at" db:"at"`
}

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
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByName[Change]); err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return found, nil
}

func countMatching(ctx context.Context, tx *pg.Tx, from, run string, f ChangeFilters) (n int64, err error) {
	if err := tx.QueryRow(ctx, `select count(*) from `+from+matching, f.args(run)).Scan(&n); err != nil {
		return 0, fmt.Errorf("count changes: %w", err)
	}
	return n, nil
}
