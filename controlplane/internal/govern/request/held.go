package request

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// findHeld looks what the people of the drafts have already, or wait for.
func findHeld(ctx context.Context, tx *pg.Tx, drafts []*draft, now time.Time) error {
	wishes := map[string]*wish{}
	var asked []map[string]any
	for _, d := range drafts {
		if d.in.Kind != Grant || d.lost() {
			continue
		}
		for _, w := range d.wishes {
			if w.thing.ID == "" {
				continue
			}
			wishes[w.id] = w
			row := map[string]any{
				"wish":       w.id,
				"person":     d.person.ID,
				"parameters": json.RawMessage(canonical(w.in.Parameters)),
				"starts_at":  w.starts,
				"ends_at":    w.ends,
			}
			if w.duration > 0 {
				from := now
				if w.starts != nil {
					from = *w.starts
				}
				row["ends_at"] = from.Add(w.duration)
			}
			for name, id := range map[string]string{"role": w.in.RoleID, "entitlement": w.in.EntitlementID,
				"account": w.in.AccountID} {
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
	if err := readHeld(ctx, tx, string(text), wishes); err != nil {
		return err
	}
	if err := readDenied(ctx, tx, string(text), wishes); err != nil {
		return err
	}
	return readDuplicates(ctx, tx, string(text), wishes)
}

// readDenied finds denials of what is asked for. A denial beats every reason, so that what is denied is not held,
// whatever asks for it.
func readDenied(ctx context.Context, tx *pg.Tx, asked string, wishes map[string]*wish) error {
	const sql = `
		select distinct on (a.wish) a.wish::text, d.ends_at, coalesce(d.note, '')
		  from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, entitlement uuid, account uuid)
		  join entitlement e on e.id = a.entitlement
		  join access_reason d
		    on d.identity_id = a.person
		   and d.connector_id = e.connector_id
		   and d.effect = 'deny'
		   and d.state = 'active'
		   and (d.entitlement_id is null or d.entitlement_id = e.id)
		   and (d.account_id is null or d.account_id = a.account)
		 order by a.wish, coalesce(d.ends_at, 'infinity') desc`
	rows, err := tx.Query(ctx, sql, asked)
	if err != nil {
		return fmt.Errorf("find denials: %w", err)
	}
	var id string
	var d denial
	_, err = pgx.ForEachRow(rows, []any{&id, &d.Until, &d.Note}, func() error {
		found := d
		wishes[id].denied, d = &found, denial{}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find denials: %w", err)
	}
	return nil
}

// heldAlready finds what is held for some of the time that it is asked for: by a reason, by an assignment, or because
// the target shows it though nobody here gave it. What we have ended may be asked for again while it is still on its
// way out.
const heldAlready = `
	with asked as materialized (
	    select a.wish, a.person, a.role, a.entitlement, a.account, a.parameters,
	        coalesce(a.starts_at, now()) as starts_at, coalesce(a.ends_at, 'infinity') as ends_at
	      from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, role uuid, entitlement uuid, account uuid,
	           parameters jsonb, starts_at timestamptz, ends_at timestamptz)
	), held as (
	    select a.wish, coalesce(r.ends_at, 'infinity') as until,
	        coalesce(nullif(r.details ->> 'source', ''), r.kind) as by
	      from asked a
	      join access_reason r
	        on r.identity_id = a.person
	       and r.entitlement_id = a.entitlement
	       and r.effect = 'allow'
	       and r.state <> 'ended'
	       and r.account_id is not distinct from a.account
	       and r.starts_at < a.ends_at
	       and coalesce(r.ends_at, 'infinity') > a.starts_at
	     union all
	    select a.wish, coalesce(r.ends_at, 'infinity'), coalesce(nullif(r.details ->> 'source', ''), r.kind)
	      from asked a
	      join access_reason r
	        on r.identity_id = a.person
	       and r.role_id = a.role
	       and r.effect = 'allow'
	       and r.state <> 'ended'
	       and r.source_type <> 'role_assignment'
	       and r.starts_at < a.ends_at
	       and coalesce(r.ends_at, 'infinity') > a.starts_at
	     union all
	    select a.wish, coalesce(s.ends_at, 'infinity'), coalesce(nullif(s.details ->> 'source', ''), s.kind)
	      from asked a
	      join role_assignment s
	        on s.identity_id = a.person
	       and s.role_id = a.role
	       and s.state <> 'ended'
	       and s.parameters = a.parameters
	       and s.starts_at < a.ends_at
	       and coalesce(s.ends_at, 'infinity') > a.starts_at
	     union all
	    select a.wish, 'infinity', case when g.directness = 'inherited' then 'another group'
	        else 'the system itself' end
	      from asked a
	      join account c
	        on c.identity_id = a.person
	       and (a.account is null or c.id = a.account)
	      join access_grant g
	        on g.account_id = c.id
	       and g.entitlement_id = a.entitlement
	       and g.status = 'active'
	     where not exists (select from access_reason r where r.identity_id = a.person
	         and r.entitlement_id = a.entitlement)
	)
	select distinct on (h.wish) h.wish::text, nullif(h.until, 'infinity'), h.by
	  from held h
	 order by h.wish, h.until desc, h.by`

// readHeld notes at the wishes what is held.
func readHeld(ctx context.Context, tx *pg.Tx, asked string, wishes map[string]*wish) error {
	rows, err := tx.Query(ctx, heldAlready, asked)
	if err != nil {
		return fmt.Errorf("find existing access: %w", err)
	}
	var id string
	var h holding
	_, err = pgx.ForEachRow(rows, []any{&id, &h.Until, &h.By}, func() error {
		found := h
		wishes[id].held, h = &found, holding{}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find existing access: %w", err)
	}
	return nil
}

// readDuplicates finds requests for the same that are open, or whose access is on its way.
func readDuplicates(ctx context.Context, tx *pg.Tx, asked string, wishes map[string]*wish) error {
	const sql = `
		select distinct on (a.wish) a.wish::text, q.id::text, q.number, q.status
		  from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, role uuid, entitlement uuid, account uuid,
		      parameters jsonb)
		  join access_request_item i
		    on i.beneficiary_id = a.person
		   and i.kind = 'grant'
		   and i.status in ('submitted', 'pending_approval', 'blocked', 'approved', 'provisioning', 'failed')
		   and coalesce(i.fulfilment ->> 'state', '') not in ('ending', 'closed')
		   and i.role_id is not distinct from a.role
		   and i.entitlement_id is not distinct from a.entitlement
		   and i.account_id is not distinct from a.account
		   and i.parameters = a.parameters
		  join access_request q on q.id = i.request_id
		 order by a.wish, q.number`
	rows, err := tx.Query(ctx, sql, asked)
	if err != nil {
		return fmt.Errorf("find requests for the same: %w", err)
	}
	var id string
	var serial int64
	var d duplicate
	_, err = pgx.ForEachRow(rows, []any{&id, &d.RequestID, &serial, &d.Status}, func() error {
		found := d
		found.Number = numberOf(serial)
		wishes[id].duplicate = &found
		return nil
	})
	if err != nil {
		return fmt.Errorf("find requests for the same: %w", err)
	}
	return nil
}

// refuseHeld refuses what is held, or asked for, already. In bulk the same may stand in two drafts of one call: the
// first is taken.
func refuseHeld(drafts []*draft) {
	first := map[string]*draft{}
	for _, d := range drafts {
		if d.in.Kind != Grant || d.lost() {
			continue
		}
		for _, w := range d.wishes {
			if w.thing.ID == "" {
				continue
			}
			key := d.person.ID + "/" + w.key()
			other, twice := first[key]
			switch {
			case w.duplicate != nil:
				d.against(w.asDuplicate(d.person.Display))
			case w.denied != nil:
				d.against(w.asDenied(d.person.Display))
			case w.held != nil:
				d.against(w.asHeld(d.person.Display))
			case twice && other != d:
				d.against(
					fault.Coded(fault.Conflict, "duplicate_request", "%s is asked for by %s of the same call already",
						w.thing.Display, other.at).
						With(fault.Field{Pointer: w.at, Code: "duplicate_request", Detail: "send it once"}),
				)
			}
			if !twice {
				first[key] = d
			}
		}
	}
}

func (w *wish) asHeld(who string) *fault.Fault {
	until := "without an end"
	if w.held.Until != nil {
		until = "until " + w.held.Until.UTC().Format(time.RFC3339) + "; to have it for longer, ask with kind extend"
	}
	return fault.Coded(fault.Conflict, "already_held", "%s has %s already, %s", who, w.thing.Display, until).
		With(fault.Field{Pointer: w.at, Code: "already_held", Detail: "by " + w.held.By}).Also("until", w.held.Until)
}

func (w *wish) asDenied(who string) *fault.Fault {
	until := "No end was set."
	if w.denied.Until != nil {
		until = "The denial ends at " + w.denied.Until.UTC().Format(time.RFC3339) + "."
	}
	detail := "ask an administrator to lift the denial"
	if w.denied.Note != "" {
		detail = "the denial says: " + w.denied.Note
	}
	return fault.Coded(fault.Conflict, "access_denied", "A denial keeps %s from holding %s. %s", who, w.thing.Display,
		until).
		With(fault.Field{Pointer: w.at, Code: "access_denied", Detail: detail}).
		Also("until", w.denied.Until)
}

func (w *wish) asDuplicate(who string) *fault.Fault {
	return fault.Coded(fault.Conflict, "duplicate_request", "%s asks for %s for %s already, and is %s",
		w.duplicate.Number, w.thing.Display, who, w.duplicate.Status).
		With(fault.Field{Pointer: w.at, Code: "duplicate_request", Detail: "follow " + w.duplicate.Number}).
		Also("request_id", w.duplicate.RequestID).
		Also("number", w.duplicate.Number).
		Also("links", map[string]string{"request": httpapi.Prefix + base + "/" + w.duplicate.RequestID})
}

// findTargets finds the items that gave what is to be extended or ended. Actions on a request name them; elsewhere it
// is the newest that gave the thing.
func findTargets(ctx context.Context, tx *pg.Tx, drafts []*draft) error {
	wishes := map[string]*wish{}
	var asked []map[string]any
	for _, d := range drafts {
		if d.in.Kind == Grant || d.lost() {
			continue
		}
		for _, w := range d.wishes {
			if w.thing.ID == "" || w.target != nil {
				continue
			}
			wishes[w.id] = w
			row := map[string]any{"wish": w.id, "person": d.person.ID}
			for name, id := range map[string]string{"role": w.in.RoleID, "entitlement": w.in.EntitlementID,
				"account": w.in.AccountID} {
				if id != "" {
					row[name] = id
				}
			}
			asked = append(asked, row)
		}
	}
	if len(asked) > 0 {
		if err := readTargets(ctx, tx, asked, wishes); err != nil {
			return err
		}
	}
	for _, d := range drafts {
		if d.in.Kind != Grant && !d.lost() {
			d.checkTargets(tx)
		}
	}
	return nil
}

func readTargets(ctx context.Context, tx *pg.Tx, asked []map[string]any, wishes map[string]*wish) error {
	const sql = `
		select distinct on (a.wish) a.wish::text, i.id::text
		  from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, role uuid, entitlement uuid, account uuid)
		  join access_request_item i
		    on i.beneficiary_id = a.person
		   and i.kind = 'grant'
		   and i.given
		   and i.status in ('approved', 'scheduled', 'provisioning', 'fulfilled', 'failed')
		   and i.role_id is not distinct from a.role
		   and i.entitlement_id is not distinct from a.entitlement
		   and (a.account is null or i.account_id = a.account)
		 order by a.wish, i.id desc`
	text, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, sql, string(text))
	if err != nil {
		return fmt.Errorf("find what gave access: %w", err)
	}
	of := map[string]string{}
	var ids []string
	var wish, item string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&wish, &item},
		func() error { of[wish] = item; ids = append(ids, item); return nil },
	); err != nil {
		return fmt.Errorf("find what gave access: %w", err)
	}
	items, err := readItems(ctx, tx, `i.id = any($1::text[]::uuid[])`, ids)
	if err != nil {
		return err
	}
	for i := range items {
		for id, w := range wishes {
			if of[id] == items[i].ID {
				w.target = &items[i]
			}
		}
	}
	return nil
}
