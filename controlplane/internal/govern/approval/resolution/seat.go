package resolution

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/organization"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegate"
)

// barred says why somebody may not decide, whatever names them.
func (o *resolver) barred(c *Case, id string) string {
	switch {
	case !c.Plan.SelfApproval && id == c.BeneficiaryID:
		return "is the recipient of the access, and cannot approve it"
	case !c.Plan.SelfApproval && id == c.RequesterID:
		return "is the requester, and cannot approve their own request"
	}
	stage, sure := c.sure[id]
	switch {
	case !c.Plan.Distinct || !sure:
		return ""
	case stage == 0:
		return "has approved before, and counts only once"
	case stage == c.stage:
		return "is already an approver in this stage, and counts only once"
	}
	return fmt.Sprintf("is an approver in stage %d, and counts only once", stage)
}

// seat is the slot of somebody who is named, or of whoever decides for them. why is told when there is none.
func (o *resolver) seat(c *Case, id, via, because string, delegation bool) (s approval.PlanSlot, why string) {
	if why := o.barred(c, id); why != "" {
		return s, why
	}
	away := o.WhyAbsent(id)
	if d := o.delegateOf(c, id); d != "" && delegation && !o.Gone(id) {
		trouble := o.barred(c, d)
		if trouble == "" {
			trouble = o.WhyAbsent(d)
		}
		if trouble == "" {
			c.note("delegate", "%s decides for %s", o.DisplayName(d), o.DisplayName(id))
			return approval.PlanSlot{
				IdentityID: d,
				Display:    o.DisplayName(d),
				Via:        decision.Delegate,
				ActingFor:  id,
				Because:    because,
			}, ""
		}
		c.note("delegate", "%s has delegated to %s, who %s", o.DisplayName(id), o.DisplayName(d), trouble)
	} else if o.People[id].Unable == organization.OnLeave {
		away += ", and has no delegate"
	}
	if away != "" {
		return s, away
	}
	if o.People[id].Joins {
		c.note(
			"first_sign_in",
			"%s has no user yet; the identity provider creates one when they sign in",
			o.DisplayName(id),
		)
	}
	return approval.PlanSlot{IdentityID: id, Display: o.DisplayName(id), Via: via, Because: because}, ""
}

// delegateOf is who decides the case for a person; empty: the person decides.
func (o *resolver) delegateOf(c *Case, id string) string {
	t := delegate.Task{Kind: organization.KindOfTask, Systems: c.Item.Connectors, Risk: c.Item.Risk}
	if c.facts != nil && c.BeneficiaryID != "" {
		t.Person = c.facts
	}
	return o.DelegateOf(id, t, o.at)
}

// roleSeat is the slot of whoever has a role of the tenant, when there is somebody who may decide.
func (o *resolver) roleSeat(c *Case, role, via, because string) (s approval.PlanSlot, why string) {
	users := o.Users[role]
	if len(users) == 0 {
		return s, "there is no one who could"
	}
	if !slices.ContainsFunc(users, func(id string) bool { return id == "" || o.barred(c, id) == "" }) {
		return s, "none of them is allowed to decide this"
	}
	return approval.PlanSlot{Role: role, Display: approval.RoleName(role), Via: via, Because: because}, ""
}
