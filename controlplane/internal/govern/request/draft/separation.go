package draft

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// checkSeparation checks the requested access against separation-of-duties policies, together with what the person has
// and what is pending for them. Drafts of one call for the same person count together: the first are taken.
func checkSeparation(ctx context.Context, tx *pg.Tx, drafts []*Draft, now time.Time) error {
	var checked []*Draft
	var candidates []check.Candidate
	for _, d := range drafts {
		if own := d.additions(); !d.lost() && len(own) > 0 {
			checked = append(checked, d)
			candidates = append(candidates, check.Candidate{IdentityID: d.Person.ID, Add: own, Proposed: d.excused()})
		}
	}
	verdicts, err := check.InOrder(ctx, tx, candidates, false, now)
	if err != nil {
		return err
	}
	for i, d := range checked {
		d.Separation = verdicts[i]
	}
	for _, d := range drafts {
		if d.lost() {
			continue
		}
		if err := d.checkMitigations(ctx, tx); err != nil {
			return err
		}
		if f := d.Separation.Refusal(d.Person.Display); f != nil {
			d.against(f.With(fault.Field{Pointer: d.conflicting(), Code: f.Code,
				Detail: "leave this out, or resolve the violation first"}))
		}
	}
	return nil
}

// additions are the requested roles and entitlements, for new access. A source has the ID of what is requested.
func (d *Draft) additions() []effective.Addition {
	if d.In.Kind != accessrequest.Grant {
		return nil
	}
	var all []effective.Addition
	for _, w := range d.Items {
		if w.Resource.ID != "" {
			all = append(all, effective.Addition{
				ID:            w.Resource.ID,
				RoleID:        w.In.RoleID,
				EntitlementID: w.In.EntitlementID,
			})
		}
	}
	return all
}

// conflicting is the pointer to the first requested resource that performs a side of a blocking violation.
func (d *Draft) conflicting() string {
	for _, w := range d.Items {
		if d.Separation.Blocks(w.Resource.ID) {
			return w.at
		}
	}
	return d.at + "/requested_resources"
}

// Warnings are the violations that requester and approvers are shown, in words: those that only warn, and those that
// need an exception.
func (d *Draft) Warnings() []string {
	var texts []string
	for _, c := range d.Separation.Violations {
		if c.Effect == check.Warn || c.Effect == check.Exception {
			texts = append(texts, c.Sentence(d.Person.Display)+d.proposed(c.Policy.ID))
		}
	}
	return texts
}
