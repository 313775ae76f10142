package request

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// checkTargets refuses to extend or end what cannot be, and what the viewer may not.
func (d *draft) checkTargets(tx *pg.Tx) {
	v := tx.Viewer
	mayAsk := d.person.Report || v.Has(viewer.Admin) || v.Kind == viewer.Service ||
		v.Identity != "" && v.Identity == d.person.ID
	for _, w := range d.wishes {
		if w.thing.ID == "" {
			continue
		}
		switch {
		case d.in.Kind == Revoke && !mayAsk && !w.thing.Owned:
			d.against(
				fault.Coded(
					fault.Forbidden,
					"not_allowed_to_ask_for",
					"you do not own %s: its owners, the managers of %s and administrators have it ended",
					w.thing.Display,
					d.person.Display,
				),
			)
		case w.target == nil:
			d.against(
				fault.Coded(
					fault.Conflict,
					"not_held_by_request",
					"%s has no %s by a request that could be %s; what a rule or an administrator gave ends where it "+
						"was given",
					d.person.Display,
					w.thing.Display,
					past[d.in.Kind],
				).With(fault.Field{Pointer: w.at, Code: "not_held_by_request", Detail: "see why they have it: " +
					"access-explain of the identity"}),
			)
		case !w.target.live():
			d.against(
				cannot(
					w.thing.Display+" is "+w.target.Status+", and cannot be "+past[d.in.Kind],
					w.target.allowed(Normal),
				),
			)
		case d.in.Kind == Extend && !w.target.bounded():
			d.against(cannot(w.thing.Display+" has no end: there is nothing to extend", w.target.allowed(Normal)))
		case d.in.Kind == Extend && w.target.Review != nil:
			d.against(
				fault.Coded(
					fault.Conflict,
					"extension_not_allowed",
					"%s was given in an emergency and is not extended: ask for it in the usual way",
					w.thing.Display,
				),
			)
		}
	}
}

// past is what became of access by a request of a kind.
var past = map[string]string{Extend: "extended", Return: "given back", Revoke: "ended"}
