package check

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Admit refuses access that an administrator or the owner of a role gives to a person directly, if it would violate an
// enforced policy that blocks, or that needs an exception. The person is locked until the transaction ends, so that
// nothing else is given meanwhile. Who does not see the whole tenant learns the policy, and not what else the person
// has.
func Admit(ctx context.Context, tx *pg.Tx, identityID string, a effective.Addition, now time.Time) error {
	watches, err := Watches(ctx, tx)
	if err != nil || !watches {
		return err
	}
	const sql = `select i.display_name from identity i where i.id = $1 for no key update`
	who, err := pg.One[string](ctx, tx, "lock person", sql, identityID)
	if err != nil {
		return err
	}
	v, err := Person(ctx, tx, identityID, effective.Changes{Add: []effective.Addition{a}}, now)
	if err != nil {
		return err
	}
	if v, err = assigned(ctx, tx, v); err != nil {
		return err
	}
	why := v.Refusal(who)
	if why == nil && v.Effect == Exception {
		why = v.exceptionRequired(who)
	}
	switch {
	case why == nil:
		return nil
	case tx.Viewer.SeesAll():
		return why
	case why.Code == "exception_required":
		return fault.Coded(why.Kind, why.Code, "%s would violate a separation-of-duties policy with this access. "+
			"Submit an access request, which asks for an exception.", who)
	}
	return fault.Coded(why.Kind, why.Code,
		"%s would violate a separation-of-duties policy with this access. Ask an administrator.", who)
}

// exceptionRequired refuses to assign access that needs an exception. An assignment asks nobody, and a request does.
func (v SeparationVerdict) exceptionRequired(who string) *fault.Fault {
	all := v.Exceptions()
	return fault.Coded(fault.Conflict, "exception_required", "%s Submit an access request instead of assigning it.",
		all[0].Sentence(who)).Also("violations", all)
}

// assigned returns a verdict with the effects on access that is assigned without a request.
func assigned(ctx context.Context, tx *pg.Tx, v SeparationVerdict) (SeparationVerdict, error) {
	book, err := rulebook.For(ctx, tx)
	if err != nil {
		return v, err
	}
	for i := range v.Violations {
		c := &v.Violations[i]
		c.Effect = book.Policies[c.Policy.ID].EffectOnAssignment()
		if definition.Refuses(c.Effect) &&
			(c.Exception != nil || c.Mitigation != nil && c.Mitigation.State != proposed) {
			c.Effect = Warn
		}
	}
	v.Effect = worst(v.Violations)
	return v, nil
}

// Role refuses a role whose contents alone violate an enforced policy that blocks. One that needs an exception blocks
// too: exceptions are for people. Policies about access that is
// missing, and about the past, depend on the person and are left out.
func Role(ctx context.Context, tx *pg.Tx, name string, entitlementIDs, roleIDs []string, now time.Time) error {
	watches, err := Watches(ctx, tx)
	if err != nil || !watches {
		return err
	}
	var contents []effective.Addition
	for _, id := range entitlementIDs {
		contents = append(contents, effective.Addition{ID: id, EntitlementID: id})
	}
	for _, id := range roleIDs {
		contents = append(contents, effective.Addition{ID: id, RoleID: id})
	}
	if len(contents) == 0 {
		return nil
	}
	v, err := Person(ctx, tx, uuid.Nil.String(), effective.Changes{Add: contents}, now)
	if err != nil {
		return err
	}
	v.Violations = slices.DeleteFunc(v.Violations, func(c SeparationConflict) bool {
		return c.Policy.Kind == string(conflict.Companion) || c.Policy.Kind == string(conflict.History)
	})
	if v, err = assigned(ctx, tx, v); err != nil {
		return err
	}
	v.block()
	if why := v.Refusal("The role " + name); why != nil {
		return why
	}
	return nil
}

// block makes violations that need an exception block, where none can be asked for.
func (v *SeparationVerdict) block() {
	for i := range v.Violations {
		if v.Violations[i].Effect == Exception {
			v.Violations[i].Effect = Block
		}
	}
	v.Effect = worst(v.Violations)
}
