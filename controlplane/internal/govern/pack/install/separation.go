package install

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/simulation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PackSeparation is what a plan means for separation of duties.
type PackSeparation struct {
	simulation.SeparationImpact
	// Roles that the sector pack adds or changes, and roles that contain them, whose contents would violate an enforced
	// policy that blocks assignments. The installation is refused while there are any.
	RoleConflicts []check.RoleConflict `json:"role_conflicts" nullable:"false"`
}

// separation is what separation-of-duties policies said before a change of a pack.
type separation struct {
	book  *rulebook.Book
	roles []check.RoleConflict
}

// separationBefore reads what policies say now. id is the installation, or empty.
func (s *Service) separationBefore(ctx context.Context, tx *pg.Tx, id string) (was separation, err error) {
	if was.book, err = rulebook.For(ctx, tx); err != nil {
		return was, err
	}
	ids, err := rolesOf(ctx, tx, id)
	if err != nil {
		return was, err
	}
	was.roles, err = check.RoleConflicts(ctx, tx, ids, s.Now())
	return was, err
}

// rolesOf are the IDs of the roles of an installation.
func rolesOf(ctx context.Context, tx *pg.Tx, id string) (ids []string, err error) {
	if id == "" {
		return nil, nil
	}
	all, err := installation.Objects(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	for _, o := range ofKind(all, format.KindRole) {
		if o.ID != nil {
			ids = append(ids, *o.ID)
		}
	}
	return ids, nil
}

// separationAfter compares what policies say after a change with what they said before. violations says whether the
// violations of all people are compared, too. gains are the entitlements that people gain; ends: some lose access.
func (s *Service) separationAfter(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	was separation,
	gains simulation.Gains,
	violations, ends bool,
) (out PackSeparation, err error) {
	ids, err := rolesOf(ctx, tx, id)
	if err != nil {
		return out, err
	}
	is, err := check.RoleConflicts(ctx, tx, ids, s.Now())
	if err != nil {
		return out, err
	}
	if violations {
		book, err := rulebook.For(ctx, tx)
		if err != nil {
			return out, err
		}
		if out.SeparationImpact, err = simulation.Between(ctx, tx, was.book, book, gains, s.Now()); err != nil {
			return out, err
		}
		out.ByPolicy = concerned(out.ByPolicy, was.book, book)
		out.Notes = []string{}
		if ends {
			out.Notes = append(out.Notes, "Access that the change would end is counted as if it stayed.")
		}
	}
	out.RoleConflicts = check.Fresh(was.roles, is)
	return out, nil
}

// concerned are the figures of policies that are new, changed or gone, or have other violations after the change.
func concerned(
	all []simulation.SeparationPolicyImpact,
	before, after *rulebook.Book,
) []simulation.SeparationPolicyImpact {
	return slices.DeleteFunc(all, func(p simulation.SeparationPolicyImpact) bool {
		was, is := before.Policies[*p.PolicyID], after.Policies[*p.PolicyID]
		return p.Before == p.After && was.Version == is.Version
	})
}
