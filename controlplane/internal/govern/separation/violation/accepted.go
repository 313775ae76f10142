package violation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Acceptances are the violations of people that need no decision although the access is there: false positives, and
// those that a mitigation or an exception covers.
type Acceptances struct {
	marked  map[key]stored
	covers  check.Covers
	allowed check.AllAllowed
}

// ReadAcceptances reads the accepted violations of people.
func ReadAcceptances(ctx context.Context, tx *pg.Tx, people []string) (a Acceptances, err error) {
	all, err := pg.AllBy(ctx, tx, "read false positives", pgx.RowToStructByPos[stored],
		readSQL+` and v.state = 'false_positive'`, pgx.NamedArgs{"people": people})
	if err != nil {
		return a, err
	}
	a.marked = map[key]stored{}
	for _, s := range all {
		a.marked[key{s.IdentityID, s.PolicyID, s.Sides}] = s
	}
	if a.covers, err = check.ReadCovers(ctx, tx, people); err != nil {
		return a, err
	}
	a.allowed, err = check.ReadAllowed(ctx, tx, people)
	return a, err
}

// Cover reports whether a violation that was found is accepted, with the access and the version of the policy now.
func (a Acceptances) Cover(f check.Found, b *rulebook.Book) bool {
	k, policy := keyOf(f), b.Policies[f.Violation.Policy.ID]
	if a.covers.Of(k.identity, k.policy, k.sides, policy.Severity).Mitigates() ||
		a.allowed.Of(k.identity, f.Violation, policy.Severity) != nil {
		return true
	}
	s, marked := a.marked[k]
	return marked && s.covers(change{PolicyVersion: policy.Version, EntitlementIDs: entitlements(f.Violation)})
}
