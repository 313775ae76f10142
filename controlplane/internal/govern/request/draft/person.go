package draft

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/lookup"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Limits of open requests, against floods: of what waits for one person, and of what one manager has waiting for all
// theirs.
const (
	maxOpenFor = 100
	maxOpenBy  = 500
)

// findPeople finds whom the drafts are for, and refuses those whom the viewer does not see or may not ask for. With
// lock, nothing else is asked for the same people meanwhile.
func findPeople(ctx context.Context, tx *pg.Tx, drafts []*Draft, lock bool) error {
	var ids []string
	for _, d := range drafts {
		if listing.IsID(d.In.RequestedForIdentityID) {
			ids = append(ids, d.In.RequestedForIdentityID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if lock {
		if err := identity.LockAll(ctx, tx, ids); err != nil {
			return err
		}
	}
	known, err := lookup.People(ctx, tx, ids)
	if err != nil {
		return err
	}
	waiting, err := lookup.CountOpen(ctx, tx)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if d.In.RequestedForIdentityID == "" {
			continue // said already
		}
		p, seen := known[d.In.RequestedForIdentityID]
		if !seen {
			d.against(fault.New(fault.NotFound, "identity %s was not found", d.In.RequestedForIdentityID).
				With(fault.Field{Pointer: d.at + "/requested_for_identity_id", Code: "not_found",
					Detail: "give an identity that is visible to you"}),
			)
			continue
		}
		d.Person = *p
		d.checkPerson(tx.Viewer)
		if len(d.Faults) == 0 && d.In.Kind == accessrequest.Grant {
			d.checkFlood(p, &waiting, tx.Viewer)
		}
	}
	return nil
}

// findApprovers refuses people whom the requester chose and who cannot be asked.
func findApprovers(ctx context.Context, tx *pg.Tx, drafts []*Draft) error {
	var chosen []string
	for _, d := range drafts {
		chosen = append(chosen, d.In.Approvers...)
	}
	if len(chosen) == 0 {
		return nil
	}
	there, err := lookup.Approvers(ctx, tx, chosen)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		for i, id := range d.In.Approvers {
			if !slices.Contains(there, strings.ToLower(id)) {
				d.wrong(
					fault.Field{
						Pointer: fmt.Sprintf("%s/approvers/%d", d.at, i),
						Code:    "unknown_approver",
						Detail:  "no active identity has this id",
					},
				)
			}
		}
	}
	return nil
}

// checkPerson looks whether the viewer may ask for the person, and the person can be given anything.
func (d *Draft) checkPerson(v viewer.Viewer) {
	p, self := d.Person, v.Identity != "" && v.Identity == d.Person.ID
	mayAsk := self || p.Report || v.Has(viewer.Admin) || v.Kind == viewer.Service
	switch {
	case d.In.Kind == accessrequest.Revoke && self:
		d.wrong(
			fault.Field{Pointer: d.at + "/kind", Code: "invalid", Detail: "Use kind return for your own access."},
		)
	case d.In.Kind == accessrequest.Revoke && !mayAsk &&
		v.Has(viewer.ResourceOwner): // of what they own: that is looked at with the things
	case d.In.Kind == accessrequest.Return && !self && v.Kind != viewer.Service:
		d.against(
			fault.Coded(
				fault.Forbidden,
				"not_allowed_to_ask_for",
				"only %s can return this access; to end the access of another person, use kind revoke",
				p.Display,
			),
		)
	case !mayAsk:
		d.against(
			fault.Coded(fault.Forbidden, "not_allowed_to_ask_for", "Only %s, their managers and administrators can "+
				"request access for them.", p.Display).
				With(fault.Field{Pointer: d.at + "/requested_for_identity_id", Code: "not_allowed_to_ask_for",
					Detail: "they can ask themselves"}),
		)
	}
	if (p.Status == "deactivated" || p.Status == "archived") &&
		(d.In.Kind == accessrequest.Grant || d.In.Kind == accessrequest.Extend) {
		d.against(
			fault.Coded(fault.Conflict, "identity_inactive", "%s is %s and cannot receive access", p.Display, p.Status),
		)
	}
}

// checkFlood counts the request among those that wait, and refuses it when they are too many.
func (d *Draft) checkFlood(p *lookup.Person, waiting *int, v viewer.Viewer) {
	p.Waiting++
	*waiting++
	switch {
	case p.Waiting > maxOpenFor:
		d.against(
			fault.Coded(fault.Conflict, "too_many_open_requests", "%d requests for %s are pending, and at most %d "+
				"may be. Withdraw some, or wait until they are decided.",
				p.Waiting-1, p.Display, maxOpenFor).
				Also("limit", maxOpenFor),
		)
	case *waiting > maxOpenBy && v.Kind == viewer.User && !v.Has(viewer.Admin):
		d.against(
			fault.Coded(fault.Conflict, "too_many_open_requests", "%d of your requests are pending, and at most %d "+
				"may be.", *waiting-1, maxOpenBy).
				Also("limit", maxOpenBy),
		)
	}
}
