package draft

import (
	"cmp"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// checkTerms holds the draft against what its rules demand.
func (d *Draft) checkTerms(now time.Time) {
	justify, refer := "", ""
	for _, w := range d.Items {
		if w.Resource.ID == "" || d.In.Kind != accessrequest.Grant && w.Target == nil {
			continue
		}
		if w.Plan.RequireJustification || w.ruling.Terms.RequiresJustification {
			justify = cmp.Or(justify, w.Resource.Display)
		}
		if w.Plan.RequireExternalReference || w.ruling.Terms.RequiresExternalReference {
			refer = cmp.Or(refer, w.Resource.Display)
		}
		d.checkWay(w)
		var wrong *fault.Field
		switch {
		case d.In.Kind == accessrequest.Grant:
			wrong = w.settleDuration(d.In.Urgency, now)
		case d.In.Kind == accessrequest.Extend && w.Target.HasEnd() && w.Target.Review == nil:
			wrong = w.settleExtension(now)
		}
		if wrong != nil {
			d.wrong(*wrong)
		}
	}
	if justify != "" && d.In.Justification == "" && d.In.Urgency == accessrequest.Normal {
		d.wrong(
			fault.Field{
				Pointer: d.at + "/justification",
				Code:    "justification_required",
				Detail:  "say what " + justify + " is needed for: its rule or policy demands it",
			},
		)
	}
	if refer != "" && d.In.ExternalReference == nil {
		d.wrong(
			fault.Field{
				Pointer: d.at + "/external_reference",
				Code:    "external_reference_required",
				Detail:  "name the ticket for " + refer + ": its rule or policy demands it",
			},
		)
	}
}

// checkWay refuses ways that the rule does not open.
func (d *Draft) checkWay(w *Item) {
	if d.In.Urgency == accessrequest.Emergency && !w.Plan.Emergency.Allowed {
		d.against(
			fault.Coded(fault.Conflict, "emergency_not_allowed", "%s cannot be had in an emergency: %s does not "+
				"allow it", w.Resource.Display, called(w.Plan.Rule)).
				With(fault.Field{Pointer: d.at + "/urgency", Code: "emergency_not_allowed",
					Detail: "ask in the usual way, with urgency normal"}),
		)
	}
	if d.In.Kind == accessrequest.Extend && w.Target.Review == nil && !w.Plan.Terms.Extension {
		d.against(
			fault.Coded(
				fault.Conflict,
				"extension_not_allowed",
				"%s cannot be extended: %s does not allow it; request it again when it has ended",
				w.Resource.Display,
				called(w.Plan.Rule),
			),
		)
	}
}
