package scan

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/taskcheck"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// batch is how many people are evaluated exactly at once.
const batch = 500

// evaluate evaluates people exactly, records what it finds, and holds and resumes their provisioning tasks.
func evaluate(
	ctx context.Context,
	tx *pg.Tx,
	b *rulebook.Book,
	people []string,
	by string,
	now time.Time,
) (sum violation.Recorded, err error) {
	for some := range slices.Chunk(people, batch) {
		found, err := check.People(ctx, tx, b, some, now)
		if err != nil {
			return sum, err
		}
		n, err := violation.Record(ctx, tx, b, some, found, by, now)
		if err != nil {
			return sum, err
		}
		sum.Add(n)
		if err := taskcheck.Review(ctx, tx, b, some, now); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// suspects returns the people of a piece who may be in violation, and those with violations that are not settled.
func (p piece) suspects(ctx context.Context, tx *pg.Tx, b *rulebook.Book, now time.Time) ([]string, error) {
	const unsettled = `
		select distinct v.identity_id::text
		  from violation v
		 where v.state <> 'remediated'
		   and v.identity_id > $1::uuid
		   and v.identity_id <= $2::uuid`
	people, err := pg.All[string](ctx, tx, "find people with violations", unsettled, p.after, p.last)
	if err != nil {
		return nil, err
	}
	pass := b.Rules.NewPass()
	err = effective.Stream(ctx, tx, effective.Range{After: p.after, Last: p.last}, b.Rules.Entitlements(),
		check.Past(b), now, func(id string, entitlements []string) error {
			if len(pass.Suspects(entitlements)) > 0 {
				people = append(people, id)
			}
			return nil
		})
	slices.Sort(people)
	return slices.Compact(people), err
}
