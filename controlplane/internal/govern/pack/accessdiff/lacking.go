package accessdiff

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Lacking adds to an impact the people who lack something that enforced policies of a pack, by its key, say they must
// have.
func Lacking(ctx context.Context, tx *pg.Tx, pack string, now time.Time, out *impact.Impact) error {
	all, err := accesspolicy.All(ctx, tx)
	if err != nil {
		return err
	}
	policies := slices.DeleteFunc(all, func(p accesspolicy.AccessPolicy) bool {
		return !p.Applies() || p.Effect != accesspolicy.Require || p.Origin["pack_id"] != pack
	})
	if len(policies) == 0 {
		return nil
	}
	b, err := evaluation.Make(ctx, tx, policies, nil, now)
	if err != nil {
		return err
	}
	err = evaluation.EachBatch(ctx, tx, func(people []string) error {
		return b.EachPerson(ctx, tx, people, func(p *evaluation.Person) error {
			if p.Gone() {
				return nil
			}
			for _, missing := range b.Diff(p, nil).Lacks {
				if len(missing) > 0 {
					out.PeopleLacking++
					break
				}
			}
			return nil
		})
	})
	if out.PeopleLacking > 0 {
		out.Notes = append(out.Notes, "People who lack what they must have are counted by what they hold now, without "+
			"what the pack would give them.")
	}
	return err
}
