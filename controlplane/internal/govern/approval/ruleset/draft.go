package ruleset

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// UnnamedDraft is the name of a draft that has none.
const UnnamedDraft = "The draft"

// Draft is a rule that is not saved, to resolve by. With an ID it takes the place of that rule.
type Draft struct {
	ID string
	rule.ApprovalRuleFields
}

// ResolveWith is Resolve as it would be were the draft among the rules.
func ResolveWith(
	ctx context.Context,
	tx *pg.Tx,
	d Draft,
	subjects []approval.Subject,
	at time.Time,
) ([]approval.Plan, error) {
	b, _, err := d.book(ctx, tx)
	if err != nil {
		return nil, err
	}
	cases, err := resolution.Cases(ctx, tx, b, subjects, nil, at)
	return resolution.PlansOf(cases), err
}

// book is that of the tenant with the draft in it, and the draft, checked.
func (d Draft) book(ctx context.Context, tx *pg.Tx) (*rule.Book, *rule.Rule, error) {
	if d.ID != "" {
		if _, err := find(ctx, tx, d.ID, ""); err != nil {
			return nil, nil, err
		}
	}
	if d.Name == "" {
		d.Name = UnnamedDraft
	}
	if err := d.Check(ctx, tx, d.ID); err != nil {
		return nil, nil, err
	}
	b, err := rule.LoadBook(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	list, id := []*rule.Rule{}, d.ID
	if id == "" {
		id = rule.DraftID
	}
	drafted := d.Ready(id, 0)
	for _, r := range b.Rules {
		if r.ID != id && r.ID != "" {
			list = append(list, r)
		}
	}
	return rule.NewBook(append(list, drafted)), drafted, nil
}
