package identity

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// PeopleFigures counts identities by their state.
type PeopleFigures struct {
	// As the list counts: archived ones do not.
	Total int64 `json:"total" db:"total"`
	// Number of identities before their first day (status pre_hire).
	PreHire int64 `json:"pre_hire" db:"pre_hire"`
	// Number of identities with status active.
	Active int64 `json:"active" db:"active"`
	// Number of identities on leave (status on_leave).
	OnLeave int64 `json:"on_leave" db:"on_leave"`
	// Number of identities whose last day is near (status notice).
	Notice int64 `json:"notice" db:"notice"`
	// Number of identities that have left (status deactivated).
	Deactivated int64 `json:"deactivated" db:"deactivated"`
	// Number of archived identities. They are not part of total.
	Archived int64 `json:"archived" db:"archived"`
	// Those of the total who have an account, of those that the viewer may list, that is linked to them.
	Connected int64 `json:"connected" db:"connected"`
}

// Count counts the identities that the transaction's viewer may list, by state.
func Count(ctx context.Context, tx *pg.Tx) (f PeopleFigures, err error) {
	// is true keeps the accounts from being joined, see reports.
	sql := `
		with counted as (
			select i.status, count(*) as n,
			       count(*) filter (where (i.id in (select a.identity_id
			                                          from ` + listing.Listed(tx.Viewer, "account", "a") + `
			                                         where a.identity_id is not null and a.status not in ('deleted',
			                                             'disconnected'))) is true) as connected
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
	return listing.Count[PeopleFigures](ctx, tx, "people", sql)
}
