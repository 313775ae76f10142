package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Proposal is a mitigation that a request proposes, checked.
type Proposal struct {
	In     mitigation.NewMitigation
	Target mitigation.Target
}

// excused are the policies for whose violations the request proposes a mitigation.
func (d *Draft) excused() []string {
	var ids []string
	for _, m := range d.In.Mitigations {
		ids = append(ids, strings.ToLower(m.PolicyID))
	}
	return ids
}

// proposed says which mitigation the request proposes for violations of a policy, as a sentence after another one.
func (d *Draft) proposed(policyID string) string {
	for _, p := range d.Proposals {
		if p.Target.PolicyID == policyID {
			return fmt.Sprintf(" The request proposes a mitigation for %s. It must be approved before the access is.",
				p.In.Duration)
		}
	}
	return ""
}

// checkMitigations checks the mitigations that the request proposes against the violations that it would cause.
func (d *Draft) checkMitigations(ctx context.Context, tx *pg.Tx) error {
	for i, m := range d.In.Mitigations {
		at := fmt.Sprintf("%s/mitigations/%d", d.at, i)
		policy := strings.ToLower(m.PolicyID)
		k := slices.IndexFunc(d.Separation.Violations, func(c check.SeparationConflict) bool {
			return c.Policy.ID == policy
		})
		if k < 0 || d.Separation.Violations[k].Effect == check.Record || d.proposed(policy) != "" {
			d.wrong(fault.Field{Pointer: at + "/policy_id", Code: "mitigation_not_needed",
				Detail: "the access would not violate this policy, or a mitigation of it is given already"})
			continue
		}
		c := d.Separation.Violations[k]
		if c.Mitigation != nil {
			d.against(fault.Coded(fault.Conflict, "mitigation_proposed",
				"The mitigation %q of this violation is %s. Leave the mitigation out.", c.Mitigation.Control,
				c.Mitigation.State).
				With(fault.Field{Pointer: at, Code: "mitigation_proposed", Detail: "leave this out"}))
			continue
		}
		p := Proposal{
			In: mitigation.NewMitigation{ControlID: m.ControlID, OwnerID: m.OwnerID, Duration: m.Duration,
				Justification: cmp.Or(strings.TrimSpace(m.Justification), d.In.Justification)},
			Target: mitigation.Target{IdentityID: d.Person.ID, PolicyID: policy, Severity: c.Policy.Severity,
				RequestID: d.ID},
		}
		if p.In.Justification == "" {
			d.wrong(fault.Field{Pointer: at + "/justification", Code: "justification_required",
				Detail: "say why the violation is acceptable for the time"})
			continue
		}
		if err := d.accept(p.In.Check(ctx, tx, p.Target), at); err != nil {
			return err
		}
		d.Proposals = append(d.Proposals, p)
	}
	return nil
}

// accept notes a fault of a proposal with its place in the request, and returns any other error.
func (d *Draft) accept(err error, at string) error {
	var f *fault.Fault
	if err == nil || !errors.As(err, &f) {
		return err
	}
	placed := *f
	placed.Fields = slices.Clone(f.Fields)
	for i := range placed.Fields {
		placed.Fields[i].Pointer = at + strings.TrimPrefix(placed.Fields[i].Pointer, "#")
	}
	d.against(&placed)
	return nil
}

// requireApprovers refuses to propose a mitigation for access that no person approves: it would be given before the
// mitigation is approved.
func (d *Draft) requireApprovers() {
	for _, w := range d.Items {
		way := w.Way(d.In)
		if way != approval.AutoApprove && way != accessrequest.Emergency {
			continue
		}
		for _, p := range d.Proposals {
			if d.Separation.Involves(p.Target.PolicyID, w.Resource.ID) {
				d.against(fault.Coded(fault.Conflict, "mitigation_needs_approval",
					"%s would be given without an approver, before the mitigation is approved. Ask an administrator.",
					w.Resource.Display).
					With(fault.Field{Pointer: w.at, Code: "mitigation_needs_approval",
						Detail: "leave this out, or ask an administrator"}))
			}
		}
	}
}
