package draft

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/lookup"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// findHeld looks what the people of the drafts have already, or wait for.
func findHeld(ctx context.Context, tx *pg.Tx, drafts []*Draft, now time.Time) error {
	wishes := map[string]*Item{}
	var asked []map[string]any
	for _, d := range drafts {
		if d.In.Kind != accessrequest.Grant || d.lost() {
			continue
		}
		for _, w := range d.Items {
			if w.Resource.ID == "" {
				continue
			}
			wishes[w.ID] = w
			row := map[string]any{
				"wish":       w.ID,
				"person":     d.Person.ID,
				"parameters": json.RawMessage(canonical(w.In.Parameters)),
				"starts_at":  w.Starts,
				"ends_at":    w.Ends,
			}
			if w.Duration > 0 {
				from := now
				if w.Starts != nil {
					from = *w.Starts
				}
				row["ends_at"] = from.Add(w.Duration)
			}
			for name, id := range map[string]string{"role": w.In.RoleID, "entitlement": w.In.EntitlementID,
				"account": w.In.AccountID} {
				if id != "" {
					row[name] = id
				}
			}
			asked = append(asked, row)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	held, err := lookup.Held(ctx, tx, string(text))
	if err != nil {
		return err
	}
	denied, err := lookup.Denials(ctx, tx, string(text))
	if err != nil {
		return err
	}
	duplicates, err := lookup.Duplicates(ctx, tx, string(text))
	if err != nil {
		return err
	}
	for id, w := range wishes {
		w.held, w.denied, w.duplicate = held[id], denied[id], duplicates[id]
	}
	return nil
}

// refuseHeld refuses what is held, or asked for, already. In bulk the same may stand in two drafts of one call: the
// first is taken.
func refuseHeld(drafts []*Draft) {
	first := map[string]*Draft{}
	for _, d := range drafts {
		if d.In.Kind != accessrequest.Grant || d.lost() {
			continue
		}
		for _, w := range d.Items {
			if w.Resource.ID == "" {
				continue
			}
			key := d.Person.ID + "/" + w.key()
			other, twice := first[key]
			switch {
			case w.duplicate != nil:
				d.against(w.asDuplicate(d.Person.Display))
			case w.denied != nil:
				d.against(w.asDenied(d.Person.Display))
			case w.held != nil:
				d.against(w.asHeld(d.Person.Display))
			case twice && other != d:
				d.against(
					fault.Coded(fault.Conflict, "duplicate_request", "%s is asked for by %s of the same call already",
						w.Resource.Display, other.at).
						With(fault.Field{Pointer: w.at, Code: "duplicate_request", Detail: "send it once"}),
				)
			}
			if !twice {
				first[key] = d
			}
		}
	}
}

// asHeld is the conflict for access that the person has already, with its end.
func (w *Item) asHeld(who string) *fault.Fault {
	until := "without an end"
	if w.held.Until != nil {
		until = "until " + w.held.Until.UTC().Format(time.RFC3339) + "; to have it for longer, ask with kind extend"
	}
	return fault.Coded(fault.Conflict, "already_held", "%s has %s already, %s", who, w.Resource.Display, until).
		With(fault.Field{Pointer: w.at, Code: "already_held", Detail: "by " + w.held.By}).Also("until", w.held.Until)
}

// asDenied is the conflict for access that a denial forbids, with its end and reason.
func (w *Item) asDenied(who string) *fault.Fault {
	until := "No end was set."
	if w.denied.Until != nil {
		until = "The denial ends at " + w.denied.Until.UTC().Format(time.RFC3339) + "."
	}
	detail := "ask an administrator to lift the denial"
	if w.denied.Note != "" {
		detail = "reason of the denial: " + w.denied.Note
	}
	return fault.Coded(fault.Conflict, "access_denied",
		"A denial keeps %s from holding %s. %s", who, w.Resource.Display,
		until).
		With(fault.Field{Pointer: w.at, Code: "access_denied", Detail: detail}).
		Also("until", w.denied.Until)
}

// asDuplicate is the conflict for access that another open request asks for, with a link to it.
func (w *Item) asDuplicate(who string) *fault.Fault {
	number := accessrequest.Number(w.duplicate.Serial)
	return fault.Coded(fault.Conflict, "duplicate_request", "%s asks for %s for %s already, and is %s",
		number, w.Resource.Display, who, w.duplicate.Status).
		With(fault.Field{Pointer: w.at, Code: "duplicate_request", Detail: "follow " + number}).
		Also("request_id", w.duplicate.RequestID).
		Also("number", number).
		Also("links", map[string]string{"request": httpapi.Prefix + accessrequest.Path + "/" + w.duplicate.RequestID})
}

// findTargets finds the items that gave what is to be extended or ended. Actions on a request name them; elsewhere it
// is the newest that gave the thing.
func findTargets(ctx context.Context, tx *pg.Tx, drafts []*Draft) error {
	wishes := map[string]*Item{}
	var asked []map[string]any
	for _, d := range drafts {
		if d.In.Kind == accessrequest.Grant || d.lost() {
			continue
		}
		for _, w := range d.Items {
			if w.Resource.ID == "" || w.Target != nil {
				continue
			}
			wishes[w.ID] = w
			row := map[string]any{"wish": w.ID, "person": d.Person.ID}
			for name, id := range map[string]string{"role": w.In.RoleID, "entitlement": w.In.EntitlementID,
				"account": w.In.AccountID} {
				if id != "" {
					row[name] = id
				}
			}
			asked = append(asked, row)
		}
	}
	if len(asked) > 0 {
		targets, err := lookup.Targets(ctx, tx, asked)
		if err != nil {
			return err
		}
		items, err := accessrequest.ReadItems(
			ctx, tx, `i.id = any($1::text[]::uuid[])`, slices.Collect(maps.Values(targets)),
		)
		if err != nil {
			return err
		}
		for i := range items {
			for id, itemID := range targets {
				if itemID == items[i].ID {
					wishes[id].Target = &items[i]
				}
			}
		}
	}
	for _, d := range drafts {
		if d.In.Kind != accessrequest.Grant && !d.lost() {
			d.checkTargets(tx)
		}
	}
	return nil
}
