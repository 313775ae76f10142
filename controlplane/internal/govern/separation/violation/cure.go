package violation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// RevokeCure orders the revocation of a smallest cure of an open violation, and reports whether that was possible. Each
// cure is tried without writing first; what the ordinary revocation refuses, such as access that a rule would grant
// again, is not a cure here. Of several cures, that with the latest access is taken.
func RevokeCure(ctx context.Context, tx *pg.Tx, id, reason string, now time.Time) (bool, error) {
	v, err := Locked(ctx, tx, id)
	if err != nil {
		return false, err
	}
	for _, remove := range v.revocable() {
		in := ViolationRemediation{Remove: remove, Reason: reason}
		_, err := Remediate(ctx, tx, id, httpapi.IfMatch{}, in, true, now)
		if fault.Is(err, fault.Conflict) || fault.Is(err, fault.Invalid) || fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		_, err = Remediate(ctx, tx, id, httpapi.IfMatch{}, in, false, now)
		return err == nil, err
	}
	return false, nil
}

// revocable are the smallest cures that consist of grants, as their IDs. That with the latest grant is the first: IDs
// rise with the time at which a grant was found.
func (v Violation) revocable() [][]string {
	var all [][]string
	for _, cure := range v.Conflict.Cures {
		granted := func(s check.AccessSource) bool { return s.Kind == effective.KindGrant }
		if len(cure.Remove) > 0 &&
			!slices.ContainsFunc(cure.Remove, func(s check.AccessSource) bool { return !granted(s) }) {
			all = append(all, ids(cure.Remove))
		}
	}
	slices.SortStableFunc(all, func(a, b []string) int { return cmp.Compare(slices.Max(b), slices.Max(a)) })
	return all
}
