package evaluation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/review"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// Why reasons end by rule. They distinguish them from those that a user has ended, which a rule does not give again.
const (
	whyLeft    = "the person has left"
	whyNoMatch = "the policy is not about them any more"
	whyOff     = "the policy is off"
	whyDeleted = "the policy was deleted"
	whyNothing = "the policy does not give it any more"
	whyNoRow   = "no row of the decision table gives it any more"
	whyClosed  = "the policy's schedule is closed"
	whyOver    = "its time was over" // the ledger's own words

	whyNotMember  = "the role's rule is not about them any more"
	whyExcluded   = "they are excluded from the role's rule"
	whyNoRule     = "the role has no rule any more, or is out of use"
	whyNotInRole  = "the role does not hold it any more"
	whyUnassigned = "the assignment of the role has ended"
)

// endedByRule are the end reasons that the evaluation writes.
var endedByRule = []string{
	whyLeft,
	whyNoMatch,
	whyOff,
	whyDeleted,
	whyNothing,
	whyNoRow,
	whyClosed,
	whyOver,
	whyNotMember,
	whyExcluded,
	whyNoRule,
	whyNotInRole,
	whyUnassigned,
	review.WhyEnded,
	review.WhyKept,
}

// Reason is a reason of a person that has not ended.
type Reason struct {
	ID, identity string
	Source       string // its source_type
	Policy       bool   // the evaluation gives and takes it: it is of a policy, or of a role
	// Key is what the reason is for, by which it is compared with what rules give.
	Key key
	// Account is the account it is for; empty: the person's main one.
	Account string
	State   string
	starts  time.Time
	ends    *time.Time
	why     *string // why it will end
}

// ReadReasons reads the reasons of these people that have not ended, by person: those of policies and roles, or those
// of all sources.
func ReadReasons(ctx context.Context, tx *pg.Tx, ids []string, everything bool) (map[string][]Reason, error) {
	const sql = `
		select r.id::text, r.identity_id::text, r.source_type, r.source_type = any(@evaluated), r.source_id::text,
		       r.connector_id::text, coalesce(r.entitlement_id::text, ''), coalesce(r.role_id::text, ''), r.effect,
		       r.kind, coalesce(r.account_id::text, ''), r.state, r.starts_at, r.ends_at, r.end_reason
		  from access_reason r
		 where r.identity_id = any(@ids::text[]::uuid[])
		   and r.state <> 'ended'
		   and (@everything or r.source_type = any(@evaluated))`
	found := map[string][]Reason{}
	var x Reason
	into := []any{
		&x.ID,
		&x.identity,
		&x.Source,
		&x.Policy,
		&x.Key.Policy,
		&x.Key.Connector,
		&x.Key.Entitlement,
		&x.Key.Role,
		&x.Key.Effect,
		&x.Key.kind,
		&x.Account,
		&x.State,
		&x.starts,
		&x.ends,
		&x.why,
	}
	if err := pg.Each(ctx, tx, "read reasons", into, func() error {
		one := x
		found[x.identity] = append(found[x.identity], one)
		x.ends, x.why = nil, nil
		return nil
	}, sql, pgx.NamedArgs{"ids": ids, "everything": everything, "evaluated": evaluated}); err != nil {
		return nil, err
	}
	return found, nil
}

// SourcePolicy is the source_type of the reasons of policies.
const SourcePolicy = "policy"

// evaluated are the sources whose reasons the evaluation gives and takes: what they give feeds no rule, but for
// assignments, which are decisions.
var evaluated = []string{SourcePolicy, assignment.RuleSource, assignment.ReasonSource}
