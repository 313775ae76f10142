package request

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/catalogue"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// thing is a role or an entitlement that can be asked for.
type thing struct {
	Type            string      `db:"type"`
	ID              string      `db:"id"`
	Display         string      `db:"display"`
	Description     string      `db:"description"`
	Connector       string      `db:"connector"`
	Trouble         string      `db:"trouble"` // why it is given to nobody
	RiskLevel       *string     `db:"risk_level"`
	Privileged      bool        `db:"privileged"`
	MaxDuration     string      `db:"max_duration"`
	DefaultDuration string      `db:"default_duration"`
	ExtensionMax    string      `db:"extension_max"`
	Parameters      []parameter `db:"parameters"`
	Owned           bool        `db:"owned"` // by the viewer, as a resource owner
}

// parameter is one that a role takes.
type parameter struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	Allowed  []any  `json:"allowed_values"`
}

func (t thing) ref() decision.Ref { return decision.Ref{Type: t.Type, ID: t.ID, Display: t.Display} }

// findThings finds what the drafts ask for, and refuses what their people cannot ask for.
func findThings(ctx context.Context, tx *pg.Tx, drafts []*draft) error {
	var roles, entitlements []string
	for _, d := range drafts {
		for _, w := range d.wishes {
			if w.in.RoleID != "" {
				roles = append(roles, w.in.RoleID)
			}
			if w.in.EntitlementID != "" {
				entitlements = append(entitlements, w.in.EntitlementID)
			}
		}
	}
	known, err := readThings(ctx, tx, roles, entitlements)
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
		for _, w := range d.wishes {
			if t, there := known[w.in.RoleID+w.in.EntitlementID]; there {
				w.thing = t
			}
			d.checkThing(w, offered[d.person.ID], tx.Viewer)
		}
	}
	return nil
}

const readThing = `
	select 'role' as type, r.id::text, r.name as display, coalesce(r.description, '') as description, '' as connector,
	       case when r.lifecycle <> 'active' then 'it is ' || r.lifecycle else '' end as trouble,
	       coalesce(r.risk_level, made.risk) as risk_level, coalesce(made.privileged, false) as privileged,
	       coalesce(r.max_duration, '') as max_duration, coalesce(r.default_duration, '') as default_duration,
	       '' as extension_max, r.parameters, viewer_has_role('resource_owner')
	           and coalesce((select viewer_identity()) = any (r.owner_ids), false) as owned
	  from role r
	  left join lateral (
	      select (array['low', 'medium', 'high',
	             'critical'])[max(array_position(array['low', 'medium', 'high', 'critical'], e.risk_level))] as risk,
	                 bool_or(e.privileged) as privileged
	        from roles_within(array[r.id]) w
	        join role_entitlement x on x.role_id = w.part_id
	        join entitlement e on e.id = x.entitlement_id
	  ) made on true
	 where r.id = any(@roles::text[]::uuid[])
	 union all
	select 'entitlement', e.id::text, coalesce(nullif(e.display_name, ''), e.name),
	       coalesce(e.business_description, e.description, ''), coalesce(e.connector_id::text, ''),
	       case when e.connector_id is null then 'it belongs to no system'
	            when e.removed_at is not null or e.missing_since is not null then 'its system no longer shows it'
	            when e.lifecycle <> 'active' then 'it is ' || e.lifecycle
	            when not e.grantable then 'its system does not let it be granted from outside'
	            else '' end,
	       e.risk_level, e.privileged, coalesce(e.max_duration, ''), coalesce(e.default_duration, ''),
	       coalesce(e.extension_max, ''), '[]'::jsonb, viewer_has_role('resource_owner')
	           and coalesce((select viewer_identity()) = any (e.owner_ids), false)
	  from entitlement e
	 where e.id = any(@entitlements::text[]::uuid[])`

func readThings(ctx context.Context, tx *pg.Tx, roles, entitlements []string) (map[string]thing, error) {
	rows, err := tx.Query(ctx, readThing, pgx.NamedArgs{"roles": roles, "entitlements": entitlements})
	if err != nil {
		return nil, fmt.Errorf("find requested resources: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[thing])
	if err != nil {
		return nil, fmt.Errorf("find requested resources: %w", err)
	}
	known := map[string]thing{}
	for _, t := range found {
		known[t.ID] = t
	}
	return known, nil
}

// offers are the things that the catalogue offers, by the person of the drafts. Only what is new to somebody has to be
// offered.
func offers(ctx context.Context, tx *pg.Tx, drafts []*draft) (map[string]map[string]string, error) {
	type asked struct{ roles, entitlements []string }
	of := map[string]*asked{}
	for _, d := range drafts {
		if d.lost() || d.in.Kind != Grant {
			continue
		}
		a := of[d.person.ID]
		if a == nil {
			a = &asked{}
			of[d.person.ID] = a
		}
		for _, w := range d.wishes {
			if w.in.RoleID != "" {
				a.roles = append(a.roles, w.in.RoleID)
			} else if w.in.EntitlementID != "" {
				a.entitlements = append(a.entitlements, w.in.EntitlementID)
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

// checkThing refuses what the person of a draft cannot ask for. Whoever does not see everything is not told whether it
// exists.
func (d *draft) checkThing(w *wish, offered map[string]string, v viewer.Viewer) {
	member, id := "/role_id", w.in.RoleID
	if id == "" {
		member, id = "/entitlement_id", w.in.EntitlementID
	}
	if id == "" {
		return
	}
	no := func(why string) {
		d.wrong(fault.Field{Pointer: w.at + member, Code: "not_requestable", Detail: why})
	}
	if d.in.Kind != Grant {
		if w.thing.ID == "" {
			no("there is nothing of this id that " + d.person.Display + " has by a request")
		}
		return
	}
	if _, is := offered[id]; !is {
		switch {
		case w.thing.ID == "" || !v.SeesAll():
			no("there is nothing of this id that " + d.person.Display + " can ask for")
		case w.thing.Trouble != "":
			no(w.thing.Display + " cannot be assigned: " + w.thing.Trouble)
		default:
			no(
				w.thing.Display + " is not in the catalogue of " + d.person.Display +
					": it is not requestable, or for others",
			)
		}
		w.thing = thing{}
		return
	}
	if w.in.RoleID != "" {
		d.wrong(w.checkParameters()...)
	}
}

// checkParameters holds what was given against what a role takes.
func (w *wish) checkParameters() []fault.Field {
	var wrong []fault.Field
	bad := func(name, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: w.at + "/parameters/" + name, Code: code, Detail: detail})
	}
	takes := map[string]bool{}
	for _, p := range w.thing.Parameters {
		takes[p.Name] = true
		value, given := w.in.Parameters[p.Name]
		switch {
		case !given || value == nil:
			if p.Required {
				bad(p.Name, "required", w.thing.Display+" needs "+p.Name)
			}
		case !p.fits(value):
			bad(p.Name, "invalid", p.Name+" must be a "+p.Type)
		case len(p.Allowed) > 0 && !p.allows(value):
			text, err := json.Marshal(p.Allowed)
			if err == nil {
				bad(p.Name, "invalid", p.Name+" must be one of "+string(text))
			}
		}
	}
	for name := range w.in.Parameters {
		if !takes[name] {
			bad(name, "unknown", w.thing.Display+" takes no parameter "+name)
		}
	}
	return wrong
}

// fits says whether a value is of the parameter's type. A type that is not known here takes any.
func (p parameter) fits(value any) bool {
	switch p.Type {
	case "string":
		_, is := value.(string)
		return is
	case "number", "integer":
		n, is := value.(float64)
		return is && (p.Type == "number" || n == math.Trunc(n))
	case "boolean":
		_, is := value.(bool)
		return is
	case "date":
		text, is := value.(string)
		_, err := time.Parse(time.DateOnly, text)
		return is && err == nil
	}
	return true
}

func (p parameter) allows(value any) bool {
	asked, err := json.Marshal(value)
	return err == nil && slices.ContainsFunc(p.Allowed, func(a any) bool {
		text, err := json.Marshal(a)
		return err == nil && string(text) == string(asked)
	})
}

// findAccounts refuses accounts that are not the person's, or of another system.
func findAccounts(ctx context.Context, tx *pg.Tx, drafts []*draft) error {
	var ids []string
	for _, d := range drafts {
		for _, w := range d.wishes {
			if w.in.AccountID != "" {
				ids = append(ids, w.in.AccountID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	const sql = `
		select a.id::text, coalesce(a.identity_id::text, ''), a.connector_id::text, a.status
		  from account a
		 where a.id = any($1::text[]::uuid[])`
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return fmt.Errorf("find accounts: %w", err)
	}
	type account struct{ owner, system, status string }
	known := map[string]account{}
	var id string
	var a account
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&id, &a.owner, &a.system, &a.status},
		func() error { known[id] = a; return nil },
	); err != nil {
		return fmt.Errorf("find accounts: %w", err)
	}
	for _, d := range drafts {
		for _, w := range d.wishes {
			if w.in.AccountID == "" || w.thing.ID == "" || d.lost() {
				continue
			}
			a, at := known[w.in.AccountID], w.at+"/account_id"
			switch {
			case a.owner != d.person.ID || a.status == "deleted":
				d.wrong(
					fault.Field{
						Pointer: at,
						Code:    "unknown_account",
						Detail:  d.person.Display + " has no such account",
					},
				)
			case a.system != w.thing.Connector:
				d.wrong(
					fault.Field{
						Pointer: at,
						Code:    "wrong_system",
						Detail:  "the account is one of another system than " + w.thing.Display,
					},
				)
			}
		}
	}
	return nil
}
