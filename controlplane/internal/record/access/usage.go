package access

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// EntitlementUsage says how an entitlement is used by those whom the reader may see.
type EntitlementUsage struct {
	// How long without use counts as unused.
	Unused string `json:"unused" example:"P90D"`
	// Whether its system has reported any use at all. If not, nothing counts as unused.
	Told bool `json:"told"`
	// Last use by any holder, as the target system reports. Null: not reported, or never used.
	LastUsedAt *time.Time `json:"last_used_at"`
	// Number of accounts that hold the entitlement, directly or through nesting, of those you can see.
	HolderCount int64 `json:"holder_count"`
	// Of the grants that are held, those used within that time.
	UsedGrantCount int64 `json:"used_grant_count"`
	// Of the grants that are held, those not used within that time.
	UnusedGrantCount int64 `json:"unused_grant_count"`
	// The unused ones by how long.
	UnusedFor []EntitlementAge `json:"unused_for" nullable:"false"`
	// The unused ones, those unused for longest first, at most 100.
	Grants []grant.Grant `json:"grants" nullable:"false"`
}

// EntitlementAge counts grants that have been unused for at least so many days.
type EntitlementAge struct {
	// Minimum number of days without use: 30, 60, 90, 180 or 365.
	Days int `json:"days"`
	// Number of unused grants that have not been used for at least this number of days.
	Count int64 `json:"count"`
}

type usageIn struct {
	// ID of the entitlement.
	ID string `path:"id"`
	// How long without use counts as unused.
	Unused string `query:"unused" default:"P90D" maxLength:"40"`
}

func (s *Service) usage(ctx context.Context, v viewer.Viewer, in *usageIn) (*answer[EntitlementUsage], error) {
	length, err := entitlement.ParseUnused(in.Unused)
	if err != nil {
		return nil, err
	}
	u := EntitlementUsage{Unused: in.Unused, UnusedFor: []EntitlementAge{}, Grants: []grant.Grant{}}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := entitlement.Lookup(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		return u.fill(ctx, tx, in.ID, length)
	})
	return &answer[EntitlementUsage]{Body: u}, err
}

func (u *EntitlementUsage) fill(ctx context.Context, tx *pg.Tx, id string, unused time.Duration) error {
	grants := listing.Among(tx.Viewer, "access_grant", "g")
	counts := `
		select coalesce(bool_or(g.last_used_at is not null), false),
		    max(g.last_used_at) filter (where ` + nesting.HeldSQL + `), count(*) filter (where ` + nesting.HeldSQL + `),
		       count(*) filter (where ` + nesting.HeldSQL + ` and g.last_used_at >= now() - @unused::interval),
		       	count(*) filter (where ` + entitlement.UnusedSQL + `)
		  from ` + grants + `
		 where g.entitlement_id = @id`
	ages := `
		select d.days, count(*)
		  from ` + grants + `
		  join unnest(array[30, 60, 90, 180, 365]) d (days) on coalesce(g.last_used_at, g.granted_at,
		      g.first_seen_at) < now() - make_interval(days => d.days)
		 where g.entitlement_id = @id
		   and ` + entitlement.UnusedSQL + `
		 group by d.days
		 order by d.days`
	oldest := `
		select g.id::text
		  from ` + grants + `
		 where g.entitlement_id = @id
		   and ` + entitlement.UnusedSQL + `
		 order by coalesce(g.last_used_at, g.granted_at, g.first_seen_at), g.id
		 limit 100`
	args := pgx.NamedArgs{"id": id, "unused": unused}
	var ids []string
	var b pgx.Batch
	b.Queue(counts, args).QueryRow(func(row pgx.Row) error {
		return row.Scan(&u.Told, &u.LastUsedAt, &u.HolderCount, &u.UsedGrantCount, &u.UnusedGrantCount)
	})
	b.Queue(ages, args).Query(func(rows pgx.Rows) (err error) {
		u.UnusedFor, err = pgx.AppendRows(u.UnusedFor, rows, pgx.RowToStructByPos[EntitlementAge])
		return err
	})
	b.Queue(oldest, args).Query(func(rows pgx.Rows) (err error) {
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err := tx.SendBatch(ctx, &b).Close(); err != nil || len(ids) == 0 {
		return err
	}
	found, err := grant.Read(ctx, tx, "g.id = any(@ids::text[]::uuid[])", pgx.NamedArgs{"ids": ids})
	if err != nil {
		return err
	}
	u.Grants = inOrder(found, ids)
	return grant.FillStanding(ctx, tx, u.Grants, false)
}

// inOrder puts grants into the order of these ids.
func inOrder(grants []grant.Grant, ids []string) []grant.Grant {
	at := map[string]grant.Grant{}
	for _, g := range grants {
		at[g.ID] = g
	}
	out := []grant.Grant{}
	for _, id := range ids {
		if g, there := at[id]; there {
			out = append(out, g)
		}
	}
	return out
}
