package directory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// PeopleFigures counts identities by their state.
type PeopleFigures struct {
	Total       int64 `json:"total" db:"total" doc:"As the list counts: archived ones do not."`
	PreHire     int64 `json:"pre_hire" db:"pre_hire"`
	Active      int64 `json:"active" db:"active"`
	OnLeave     int64 `json:"on_leave" db:"on_leave"`
	Notice      int64 `json:"notice" db:"notice"`
	Deactivated int64 `json:"deactivated" db:"deactivated"`
	Archived    int64 `json:"archived" db:"archived"`
	Connected   int64 `json:"connected" db:"connected" doc:"Those of the total who have an account, of those that the viewer may list, that is linked to them."`
}

// AccountFigures counts accounts by what is to be settled about them.
type AccountFigures struct {
	Total        int64 `json:"total" db:"total" doc:"As the list counts: deleted ones do not."`
	Uncorrelated int64 `json:"uncorrelated" db:"uncorrelated"`
	Disputed     int64 `json:"disputed" db:"disputed"`
	Orphaned     int64 `json:"orphaned" db:"orphaned"`
}

// CountPeople counts the identities that the transaction's viewer may list.
func CountPeople(ctx context.Context, tx *pg.Tx) (f PeopleFigures, err error) {
	// is true keeps the accounts from being joined, see reports.
	sql := `
		with counted as (
			select i.status, count(*) as n,
			       count(*) filter (where (i.id in (select a.identity_id
			                                          from ` + listing.Listed(tx.Viewer, "account", "a") + `
			                                         where a.identity_id is not null and a.status not in ('deleted', 'disconnected'))) is true) as connected
			  from ` + listing.Listed(tx.Viewer, "identity", "i") + `
			 group by i.status)
		select coalesce(sum(n) filter (where status <> 'archived'), 0)::bigint as total,
		       coalesce(sum(n) filter (where status = 'pre_hire'), 0)::bigint as pre_hire,
		       coalesce(sum(n) filter (where status = 'active'), 0)::bigint as active,
		       coalesce(sum(n) filter (where status = 'on_leave'), 0)::bigint as on_leave,
		       coalesce(sum(n) filter (where status = 'notice'), 0)::bigint as notice,
		       coalesce(sum(n) filter (where status = 'deactivated'), 0)::bigint as deactivated,
		       coalesce(sum(n) filter (where status = 'archived'), 0)::bigint as archived,
		       coalesce(sum(connected) filter (where status <> 'archived'), 0)::bigint as connected
		  from counted`
	return counted[PeopleFigures](ctx, tx, "people", sql)
}

// CountAccounts counts the accounts that the transaction's viewer may list.
func CountAccounts(ctx context.Context, tx *pg.Tx) (AccountFigures, error) {
	sql := `
		select count(*) as total,
		       count(*) filter (where a.correlation_state = 'uncorrelated') as uncorrelated,
		       count(*) filter (where a.correlation_state = 'disputed') as disputed,
		       count(*) filter (where ` + orphaned + `) as orphaned
		  from ` + withOwner(listing.Listed(tx.Viewer, "account", "a")) + `
		 where a.status not in ('deleted', 'disconnected')`
	return counted[AccountFigures](ctx, tx, "accounts", sql)
}

// leavers is the condition that an account a with the owner o belongs to somebody who has left and still works.
const leavers = orphaned + ` and (` + orphanReason + `) in ('owner_deactivated', 'owner_archived')`

// CountLeaverAccounts is the SQL that counts the accounts of people who have left and that still work, of those a viewer may list.
func CountLeaverAccounts(v viewer.Viewer) string {
	return `select count(*) from ` + withOwner(listing.Listed(v, "account", "a")) + ` where ` + leavers
}

// CountOwnerlessAccounts is the SQL that counts the orphaned accounts that never had an owner here, of those a viewer may list.
func CountOwnerlessAccounts(v viewer.Viewer) string {
	return `select count(*) from ` + withOwner(listing.Listed(v, "account", "a")) + ` where ` + orphaned + ` and not (` + leavers + `)`
}

func counted[T any](ctx context.Context, tx *pg.Tx, what, sql string) (figures T, err error) {
	rows, err := tx.Query(ctx, sql)
	if err == nil {
		figures, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	}
	if err != nil {
		return figures, fmt.Errorf("count %s: %w", what, err)
	}
	return figures, nil
}
