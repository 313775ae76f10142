package draft

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// maxResources are asked for in one request.
const maxResources = 50

// checkShape looks at what can be seen without knowing anything else.
func (d *Draft) checkShape(now time.Time) {
	field := func(member, code, detail string) fault.Field {
		return fault.Field{Pointer: d.at + "/" + member, Code: code, Detail: detail}
	}
	var wrong []fault.Field
	switch n := len(d.Items); {
	case n == 0:
		wrong = append(wrong, field("requested_resources", "required", "give at least one role or entitlement"))
	case n > maxResources:
		wrong = append(
			wrong,
			field(
				"requested_resources",
				"too_many",
				fmt.Sprintf("a request has at most %d; send several", maxResources),
			),
		)
		d.Items = nil // one thing is wrong, and not as many as were sent
	}
	if d.In.RequestedForIdentityID == "" {
		wrong = append(
			wrong,
			field(
				"requested_for_identity_id",
				"required",
				"a recipient is required, because your user is not linked to an identity",
			),
		)
	}
	if d.In.Urgency == accessrequest.Emergency && d.In.Kind != accessrequest.Grant {
		wrong = append(
			wrong,
			field("urgency", "invalid", "only access can be had in an emergency; everything else is quick as it is"),
		)
	}
	if d.In.Urgency == accessrequest.Emergency && d.In.Justification == "" {
		wrong = append(
			wrong,
			field("justification", "justification_required", "describe the emergency: it is reviewed afterwards"),
		)
	}
	seen := map[string]int{}
	for i, w := range d.Items {
		wrong = append(wrong, w.checkShape(d.In.Kind)...)
		wrong = append(wrong, w.checkTimes(now)...)
		if key := w.key(); key == "" {
			continue
		} else if first, twice := seen[key]; twice {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: w.at,
					Code:    "duplicate",
					Detail:  fmt.Sprintf("the same is asked for by requested_resources/%d", first),
				},
			)
		} else {
			seen[key] = i
		}
	}
	d.wrong(wrong...)
}

// checkShape checks the members of an item against each other, before anything is read: one
// resource, valid IDs, no account with a role, no dates with a revocation.
func (w *Item) checkShape(kind string) []fault.Field {
	var wrong []fault.Field
	bad := func(member, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: w.at + member, Code: code, Detail: detail})
	}
	if (w.In.RoleID == "") == (w.In.EntitlementID == "") {
		bad("", "invalid", "name exactly one of role_id and entitlement_id")
	}
	for member, id := range map[string]string{"/role_id": w.In.RoleID, "/entitlement_id": w.In.EntitlementID,
		"/account_id": w.In.AccountID} {
		if id != "" && !listing.IsID(id) {
			bad(member, "invalid", "this is no id")
		}
	}
	if w.In.AccountID != "" && w.In.RoleID != "" {
		bad(
			"/account_id",
			"invalid",
			"a role is held by the person, by their main account of each system: leave account_id out, or ask for "+
				"its entitlements one by one",
		)
	}
	if len(w.In.Parameters) > 0 && w.In.RoleID == "" {
		bad("/parameters", "invalid", "entitlements take no parameters")
	}
	if (kind == accessrequest.Return || kind == accessrequest.Revoke) &&
		(w.In.Duration != "" || w.In.StartsAt != nil || w.In.EndsAt != nil) {
		bad("", "invalid", "access is given back at once: leave duration, starts_at and ends_at out")
	}
	if kind == accessrequest.Extend && w.In.StartsAt != nil {
		bad("/starts_at", "invalid", "what is there is extended, and begins no more: leave it out")
	}
	return wrong
}
