package draft

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/eligibility"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/lookup"
	"github.com/grantwright/grantwright/controlplane/internal/govern/requestcatalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// findResources finds what the drafts ask for, and refuses what their people cannot ask for.
func findResources(ctx context.Context, tx *pg.Tx, drafts []*Draft, now time.Time) error {
	var roles, entitlements []string
	for _, d := range drafts {
		for _, w := range d.Items {
			if w.In.RoleID != "" {
				roles = append(roles, w.In.RoleID)
			}
			if w.In.EntitlementID != "" {
				entitlements = append(entitlements, w.In.EntitlementID)
			}
		}
	}
	known, err := lookup.Resources(ctx, tx, roles, entitlements)
	if err != nil {
		return err
	}
	offered, err := offers(ctx, tx, drafts)
	if err != nil {
		return err
	}
	standings, err := standings(ctx, tx, drafts, now)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		if d.lost() {
			continue
		}
		for _, w := range d.Items {
			if t, there := known[w.In.RoleID+w.In.EntitlementID]; there {
				w.Resource = t
				w.ruling = standings[d.Person.ID].Of(t.ID, t.Connector)
			}
			d.checkResource(w, offered[d.Person.ID], tx.Viewer)
		}
	}
	return nil
}

// standings are what the policies that define who can request something say of the people of the drafts. Only new
// access is asked about.
func standings(
	ctx context.Context,
	tx *pg.Tx,
	drafts []*Draft,
	now time.Time,
) (map[string]*eligibility.Standing, error) {
	var ids []string
	for _, d := range drafts {
		if !d.lost() && d.In.Kind == accessrequest.Grant {
			ids = append(ids, d.Person.ID)
		}
	}
	book, err := eligibility.Load(ctx, tx, now)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	return book.Of(ctx, tx, slices.Compact(ids))
}

// offers are the things that the catalog offers, by the person of the drafts. Only what is new to somebody has to be
// offered.
func offers(ctx context.Context, tx *pg.Tx, drafts []*Draft) (map[string]map[string]string, error) {
	type asked struct{ roles, entitlements []string }
	of := map[string]*asked{}
	for _, d := range drafts {
		if d.lost() || d.In.Kind != accessrequest.Grant {
			continue
		}
		a := of[d.Person.ID]
		if a == nil {
			a = &asked{}
			of[d.Person.ID] = a
		}
		for _, w := range d.Items {
			if w.In.RoleID != "" {
				a.roles = append(a.roles, w.In.RoleID)
			} else if w.In.EntitlementID != "" {
				a.entitlements = append(a.entitlements, w.In.EntitlementID)
			}
		}
	}
	offered := map[string]map[string]string{}
	for id, a := range of {
		why, err := requestcatalog.Visible(ctx, tx, id, a.roles, a.entitlements)
		if err != nil {
			return nil, err
		}
		offered[id] = why
	}
	return offered, nil
}

// checkResource refuses what the person of a draft cannot ask for. Whoever does not see everything is not told whether
// it exists.
func (d *Draft) checkResource(w *Item, offered map[string]string, v viewer.Viewer) {
	member, id := "/role_id", w.In.RoleID
	if id == "" {
		member, id = "/entitlement_id", w.In.EntitlementID
	}
	if id == "" {
		return
	}
	no := func(why string) {
		d.wrong(fault.Field{Pointer: w.at + member, Code: "not_requestable", Detail: why})
	}
	if d.In.Kind != accessrequest.Grant {
		if w.Resource.ID == "" {
			no("there is nothing of this id that " + d.Person.Display + " has by a request")
		}
		return
	}
	if _, is := offered[id]; !is || w.Resource.ID != "" && !w.ruling.Offered {
		switch {
		case w.Resource.ID == "" || !v.SeesAll():
			no("there is nothing of this id that " + d.Person.Display + " can ask for")
		case w.Resource.Trouble != "":
			no(w.Resource.Display + " cannot be assigned: " + w.Resource.Trouble)
		case is:
			no(d.Person.Display + " cannot request " + w.Resource.Display + ": " + w.ruling.WhyNot[0])
		default:
			no(
				w.Resource.Display + " is not in the catalog of " + d.Person.Display +
					": it is not requestable, or for others",
			)
		}
		w.Resource = lookup.Resource{}
		return
	}
	if len(w.ruling.WhyNot) > 0 {
		d.against(w.asIneligible(d.Person.Display, w.at+member))
	}
	if w.In.RoleID != "" {
		d.wrong(w.Resource.CheckParameters(w.In.Parameters, w.at)...)
	}
}

// asIneligible is the conflict for access that the person may see and cannot request now.
func (w *Item) asIneligible(who, at string) *fault.Fault {
	return fault.Coded(fault.Conflict, "not_eligible", "%s cannot request %s now. The policy %s demands: %s.",
		who, w.Resource.Display, w.ruling.Policy, strings.Join(w.ruling.WhyNot, "; ")).
		With(fault.Field{Pointer: at, Code: "not_eligible", Detail: strings.Join(w.ruling.WhyNot, "; ")}).
		Also("policy", w.ruling.Policy).
		Also("why_not", w.ruling.WhyNot)
}

// findAccounts refuses accounts that are not the person's, or of another system.
func findAccounts(ctx context.Context, tx *pg.Tx, drafts []*Draft) error {
	var ids []string
	for _, d := range drafts {
		for _, w := range d.Items {
			if w.In.AccountID != "" {
				ids = append(ids, w.In.AccountID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	known, err := lookup.Accounts(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, d := range drafts {
		for _, w := range d.Items {
			if w.In.AccountID == "" || w.Resource.ID == "" || d.lost() {
				continue
			}
			a, at := known[w.In.AccountID], w.at+"/account_id"
			switch {
			case a.Owner != d.Person.ID || a.Status == "deleted":
				d.wrong(
					fault.Field{
						Pointer: at,
						Code:    "unknown_account",
						Detail:  d.Person.Display + " has no such account",
					},
				)
			case a.Connector != w.Resource.Connector:
				d.wrong(
					fault.Field{
						Pointer: at,
						Code:    "wrong_system",
						Detail:  "the account is one of another system than " + w.Resource.Display,
					},
				)
			}
		}
	}
	return nil
}
