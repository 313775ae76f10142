package draft

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/catalogue"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/lookup"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// findResources finds what the drafts ask for, and refuses what their people cannot ask for.
func findResources(ctx context.Context, tx *pg.Tx, drafts []*Draft) error {
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
	for _, d := range drafts {
		if d.lost() {
			continue
		}
		for _, w := range d.Items {
			if t, there := known[w.In.RoleID+w.In.EntitlementID]; there {
				w.Resource = t
			}
			d.checkResource(w, offered[d.Person.ID], tx.Viewer)
		}
	}
	return nil
}

// offers are the things that the catalogue offers, by the person of the drafts. Only what is new to somebody has to be
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
		why, err := catalogue.Visible(ctx, tx, id, a.roles, a.entitlements)
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
	if _, is := offered[id]; !is {
		switch {
		case w.Resource.ID == "" || !v.SeesAll():
			no("there is nothing of this id that " + d.Person.Display + " can ask for")
		case w.Resource.Trouble != "":
			no(w.Resource.Display + " cannot be assigned: " + w.Resource.Trouble)
		default:
			no(
				w.Resource.Display + " is not in the catalogue of " + d.Person.Display +
					": it is not requestable, or for others",
			)
		}
		w.Resource = lookup.Resource{}
		return
	}
	if w.In.RoleID != "" {
		d.wrong(w.Resource.CheckParameters(w.In.Parameters, w.at)...)
	}
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
