package resolution

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Excepted is a subject that needs an exception.
type Excepted struct {
	Subject approval.Subject
	RuleID  string    // of the exception rule, whatever its scope
	From    time.Time // when its first stage opens at the earliest
}

// Exceptions resolves subjects by their exception rules, in their order. The outcome of a rule that does not exist is
// auto_reject. A stage that names the requester or the recipient asks others.
func Exceptions(ctx context.Context, tx *pg.Tx, all []Excepted, at time.Time) ([]approval.Plan, error) {
	b, err := rule.LoadBook(ctx, tx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	subjects := make([]approval.Subject, len(all))
	for i, e := range all {
		subjects[i] = e.Subject
	}
	cases, o, err := begin(ctx, tx, b, subjects, at)
	if err != nil {
		return nil, err
	}
	for i, c := range cases {
		r := b.ByID[all[i].RuleID]
		if r == nil || all[i].RuleID == "" {
			c.Plan = approval.Plan{Outcome: approval.AutoReject, Reason: "the exception rule was not found"}
			continue
		}
		decide(b, c, r)
		c.excepts, c.Plan.SelfApproval = true, false
	}
	if err := o.gather(ctx, tx, cases, at); err != nil {
		return nil, err
	}
	for i, c := range cases {
		o.complete(c, all[i].From)
	}
	return PlansOf(cases), nil
}
