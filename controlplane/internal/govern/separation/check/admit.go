package check

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Admit refuses access that an administrator or the owner of a role gives to a person directly, if it would violate an
// enforced policy that blocks. The person is locked until the transaction ends, so that nothing else is given
// meanwhile. Who does not see the whole tenant learns the policy, and not what else the person has.
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
	why := v.Refusal(who)
	switch {
	case why == nil:
		return nil
	case tx.Viewer.SeesAll():
		return why
	}
	return fault.Coded(why.Kind, why.Code,
		"%s would violate a separation-of-duties policy with this access. Ask an administrator.", who)
}
