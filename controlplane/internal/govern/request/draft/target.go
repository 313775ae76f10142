package draft

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// checkTargets refuses to extend or end what cannot be, and what the viewer may not.
func (d *Draft) checkTargets(tx *pg.Tx) {
	v := tx.Viewer
	mayAsk := d.Person.Report || v.Has(viewer.Admin) || v.Kind == viewer.Service ||
		v.Identity != "" && v.Identity == d.Person.ID
	for _, w := range d.Items {
		if w.Resource.ID == "" {
			continue
		}
		switch {
		case d.In.Kind == accessrequest.Revoke && !mayAsk && !w.Resource.Owned:
			d.against(
				fault.Coded(
					fault.Forbidden,
					"not_allowed_to_ask_for",
					"you do not own %s: its owners, the managers of %s and administrators have it ended",
					w.Resource.Display,
					d.Person.Display,
				),
			)
		case w.Target == nil:
			d.against(
				fault.Coded(
					fault.Conflict,
					"not_held_by_request",
					"%s has no %s by a request that could be %s; what a rule or an administrator gave ends where it "+
						"was given",
					d.Person.Display,
					w.Resource.Display,
					pastTense[d.In.Kind],
				).With(fault.Field{Pointer: w.at, Code: "not_held_by_request", Detail: "see why they have it: " +
					"access-explain of the identity"}),
			)
		case !w.Target.IsLive():
			d.against(
				accessrequest.InvalidTransition(
					w.Resource.Display+" is "+w.Target.Status+", and cannot be "+pastTense[d.In.Kind],
					w.Target.Actions(accessrequest.Normal),
				),
			)
		case d.In.Kind == accessrequest.Extend && !w.Target.HasEnd():
			d.against(
				accessrequest.InvalidTransition(
					w.Resource.Display+" has no end: there is nothing to extend",
					w.Target.Actions(accessrequest.Normal),
				),
			)
		case d.In.Kind == accessrequest.Extend && w.Target.Review != nil:
			d.against(
				fault.Coded(
					fault.Conflict,
					"extension_not_allowed",
					"%s was given in an emergency and is not extended: ask for it in the usual way",
					w.Resource.Display,
				),
			)
		}
	}
}

// pastTense is what became of access by a request of a kind.
var pastTense = map[string]string{
	accessrequest.Extend: "extended",
	accessrequest.Return: "given back",
	accessrequest.Revoke: "ended",
}
