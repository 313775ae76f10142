package entitlement

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// usual is how long access is unused before it is called so by default.
const usual = 90 * span.Day

// UnusedSQL is the condition that a grant g has been held for @unused and not used since. Access without reported use
// is not called unused: a system that reports no use of any grant of an entitlement is taken for one that reports none.
const UnusedSQL = nesting.HeldSQL + `
	and coalesce(g.last_used_at, g.granted_at, g.first_seen_at) < now() - @unused::interval
	and (g.last_used_at is not null
	     or exists (select from access_grant u where u.entitlement_id = g.entitlement_id
	         and u.last_used_at is not null))`

// askUnused narrows a list of entitlements to those with holders, visible to the viewer, who do not use them.
func (f Filters) askUnused(v viewer.Viewer, q *listing.Query) error {
	length, err := ParseUnused(f.Unused)
	if err != nil {
		return err
	}
	q.Where(
		`exists (select from `+listing.Among(
			v,
			"access_grant",
			"g",
		)+` where g.entitlement_id = e.id and `+UnusedSQL+`)`,
		pgx.NamedArgs{"unused": length},
	)
	return nil
}

// ParseUnused reads the parameter unused: an ISO 8601 duration that is longer than nothing, or a fault with the code
// invalid_parameter.
func ParseUnused(text string) (time.Duration, error) {
	length, err := span.Parse(text)
	if err != nil || length <= 0 {
		return 0, fault.Coded(fault.Malformed, "invalid_parameter", "unused is a duration such as P90D").
			With(fault.Field{Parameter: "unused", Code: "invalid", Detail: "an ISO 8601 duration longer than " +
				"nothing, such as P90D"})
	}
	return length, nil
}

// used says when an entitlement was last used by those whom the viewer may see, and how many of them hold it unused.
func used(ctx context.Context, tx *pg.Tx, id string, unused time.Duration) (last *time.Time, idling int64, err error) {
	sql := `
		select max(g.last_used_at) filter (where ` + nesting.HeldSQL + `), count(*) filter (where ` + UnusedSQL + `)
		  from ` + listing.Among(tx.Viewer, "access_grant", "g") + `
		 where g.entitlement_id = @id`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": id, "unused": unused}).Scan(&last, &idling); err != nil {
		return nil, 0, fmt.Errorf("read use of entitlement: %w", err)
	}
	return last, idling, nil
}
