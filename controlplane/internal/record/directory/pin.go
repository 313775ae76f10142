package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// SourceFields are the fields of a person that a sync writes.
var SourceFields = []string{"email", "display_name", "username", "first_name", "middle_name", "last_name", "preferred_name", "employee_number",
	"department", "division", "organization", "cost_center", "title", "job_code", "location", "country", "employment_type", "hire_date",
	"start_date", "termination_date", "last_working_at", "leave_from", "leave_to"}

// standingPin is the key of a pin about what is said of somebody apart from their dates.
const standingPin = "status"

// customPin begins the keys of pins about custom attributes.
const customPin = "attributes."

// Pin keeps what a person decided about a field that a source writes.
type Pin struct {
	By          PinnedBy   `json:"pinned_by"`
	Kind        string     `json:"kind"` // manual or import
	At          time.Time  `json:"at"`
	Until       *time.Time `json:"until,omitempty"`
	Soft        bool       `json:"soft,omitempty"` // until the source says something else than SourceValue
	SourceValue any        `json:"source_value"`   // what the source says, when it was last read
}

// PinnedBy is who decided.
type PinnedBy struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Display string `json:"display"`
}

// Pins are the pins of one person by field.
type Pins map[string]Pin

func (p Pins) stored() Pins {
	if p == nil {
		return Pins{}
	}
	return p
}

// set adds a pin. What the source says of a field that is pinned already is known by that pin alone.
func (p *Pins) set(field string, value any, pin Pin) {
	all := maps.Clone(*p)
	if all == nil {
		all = Pins{}
	}
	pin.SourceValue = asTold(field, value)
	if old, pinned := all[field]; pinned {
		pin.SourceValue = old.SourceValue
		pin.Soft = pin.Soft && old.Soft
	}
	all[field] = pin
	*p = all
}

// asTold is a value of a field as records of sources keep it.
func asTold(field string, value any) any {
	if sourceTypes[field] != "timestamptz" {
		return value
	}
	switch at := value.(type) {
	case *time.Time:
		if at == nil {
			return nil
		}
		return at.UTC().Format(time.RFC3339)
	case string:
		if t, err := time.Parse(time.RFC3339, at); err == nil {
			return t.UTC().Format(time.RFC3339)
		}
	}
	return value
}

func pinnedBy(v viewer.Viewer) PinnedBy {
	return PinnedBy{Type: string(v.Kind), ID: v.ID, Display: v.Display}
}

// pinChanges pins the fields of a source that a person has changed.
func pinChanges(before Identity, after *Identity, changes []audit.Change, p Pin) {
	if before.SourceConnectorID == nil {
		return
	}
	for _, c := range changes {
		switch {
		case slices.Contains(SourceFields, c.Field):
			after.Pins.set(c.Field, c.From, p)
		case c.Field == "attributes":
			for name := range differing(before.Attributes, after.Attributes) {
				after.Pins.set(customPin+name, before.Attributes[name], p)
			}
		}
	}
}

// differing are the names of attributes whose values differ.
func differing(a, b map[string]any) map[string]bool {
	names := map[string]bool{}
	for _, each := range []map[string]any{a, b} {
		for name := range each {
			x, _ := json.Marshal(a[name])
			y, _ := json.Marshal(b[name])
			if string(x) != string(y) {
				names[name] = true
			}
		}
	}
	return names
}

// Kept is a table of Records after MergeRecords: what is about to be written of people.
type Kept struct {
	Table  string
	Bare   bool // the table has no attributes
	Forget bool // notes what the sources say now, and drops pins that are over
}

// KeepPinned makes a run write of pinned fields what they are. It costs one look at an index where nobody is pinned.
func KeepPinned(ctx context.Context, tx *pg.Tx, k Kept) error {
	var there bool
	if err := tx.QueryRow(ctx, `select exists (select from identity where tenant_id = current_tenant() and pins <> '{}')`).Scan(&there); err != nil || !there {
		return err
	}
	const judged = `
		create temp table k_pin on commit drop as
		select p.line, p.id, p.key, p.pin, p.came,
		       case when p.key = 'status' then p.came is null or p.came = nullif(p.pin -> 'source_value', 'null')
		            when (p.pin ->> 'soft')::boolean then p.came is not distinct from nullif(p.pin -> 'source_value', 'null')
		            else coalesce((p.pin ->> 'until')::timestamptz > now(), true) end as keep
		  from (select m.ctid as line, i.id, e.key, e.value as pin,
		               case e.key when 'status' then to_jsonb(m.source_status) else m.says -> e.key end as came
		          from %s m
		          join identity i
		            on i.tenant_id = current_tenant()
		           and i.id = m.identity_id
		           and i.pins <> '{}'
		         cross join jsonb_each(i.pins) e
		         where m.says is not null) p`
	if _, err := tx.Exec(ctx, `drop table if exists k_pin`); err != nil {
		return fmt.Errorf("keep what is pinned: %w", err)
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(judged, k.Table)); err != nil {
		return fmt.Errorf("keep what is pinned: %w", err)
	}
	if _, err := tx.Exec(ctx, k.keep()); err != nil {
		return fmt.Errorf("keep what is pinned: %w", err)
	}
	if !k.Forget {
		return nil
	}
	const forget = `
		update identity i
		   set pins = n.pins
		  from (select id, coalesce(jsonb_object_agg(key, case when (pin ->> 'soft')::boolean or key = 'status' then pin
		                   else pin || jsonb_build_object('source_value', came) end) filter (where keep), '{}') as pins
		          from (select distinct on (id, key) * from k_pin order by id, key) k
		         group by id) n
		 where i.tenant_id = current_tenant()
		   and i.id = n.id
		   and i.pins <> n.pins`
	if _, err := tx.Exec(ctx, forget); err != nil {
		return fmt.Errorf("note what sources say: %w", err)
	}
	return nil
}

// keep is the statement that gives rows what their identities have in pinned fields.
func (k Kept) keep() string {
	set := make([]string, len(SourceFields), len(SourceFields)+2)
	for i, f := range SourceFields {
		set[i] = fmt.Sprintf("%[1]s = case when '%[1]s' = any(k.kept) then i.%[1]s else m.%[1]s end", f)
	}
	set = append(set, "source_status = case when 'status' = any(k.kept) then null else m.source_status end")
	if !k.Bare {
		set = append(set, "attributes = m.attributes - array(select substr(a, 12) from unnest(k.kept) a where a like 'attributes.%')")
	}
	return `
		update ` + k.Table + ` m
		   set ` + strings.Join(set, ",\n\t\t       ") + `
		  from (select line, id, array_agg(key) filter (where keep) as kept from k_pin group by line, id having bool_or(keep)) k
		  join identity i
		    on i.tenant_id = current_tenant()
		   and i.id = k.id
		 where m.ctid = k.line`
}

// Unpin gives fields back to their source: they become what it says.
func (s *Service) Unpin(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, fields []string) (after Identity, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := LockVersion(ctx, tx, id, match)
		if err != nil {
			return err
		}
		if before.Status == Archived {
			return archivedFault()
		}
		for i, f := range fields {
			if _, pinned := before.Pins[f]; !pinned {
				return fault.Coded(fault.Invalid, "not_pinned", "%s is not pinned", f).
					With(fault.Field{Pointer: fmt.Sprintf("#/fields/%d", i), Code: "not_pinned", Detail: "attribute_sources says which fields are"})
			}
		}
		after, err = unpin(ctx, tx, before, fields, s.Now())
		return err
	})
	return after, err
}

func unpin(ctx context.Context, tx *pg.Tx, before Identity, fields []string, now time.Time) (Identity, error) {
	after, patch, custom := before, map[string]any{}, map[string]any{}
	after.Pins = maps.Clone(before.Pins)
	for _, f := range fields {
		p := before.Pins[f]
		delete(after.Pins, f)
		switch name, is := strings.CutPrefix(f, customPin); {
		case is:
			custom[name] = p.SourceValue
		case f != standingPin:
			patch[f] = p.SourceValue
		case p.SourceValue != nil:
			after.Standing, _ = p.SourceValue.(string)
		}
	}
	if len(custom) > 0 {
		patch["attributes"] = custom
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return before, fmt.Errorf("unpin: %w", err)
	}
	if after.IdentityFields, err = mergepatch.Apply(before.IdentityFields, body); err != nil {
		return before, err
	}
	after.tidy()
	if after.DisplayName == "" {
		after.DisplayName = after.defaultName(after.ExternalID)
	}
	changes, err := mergepatch.Diff(before.IdentityFields, after.IdentityFields)
	if err != nil {
		return before, err
	}
	l, err := FindLifecycle(ctx, tx)
	if err != nil {
		return before, err
	}
	after.follow(l.Clock(now), "hr")
	if after.Status != before.Status {
		changes = append(changes, statusChange(before, after)...)
	}
	changes = append(changes, audit.Change{Field: "pinned", From: slices.Sorted(maps.Keys(before.Pins)), To: slices.Sorted(maps.Keys(after.Pins))})
	if err := store(ctx, tx, after, now); err != nil {
		return before, err
	}
	stored, err := Find(ctx, tx, before.ID)
	if err != nil {
		return before, err
	}
	return stored, recordIdentity(ctx, tx, actionTo(before.Status, after.Status), stored, changes)
}

// unpinDue ends the pins whose time is over.
func unpinDue(ctx context.Context, tx *pg.Tx, c Clock) error {
	const sql = `
		select i.id::text, array_agg(e.key order by e.key)
		  from identity i
		 cross join jsonb_each(i.pins) e
		 where i.tenant_id = current_tenant()
		   and i.pins <> '{}'
		   and i.status <> 'archived'
		   and (e.value ->> 'until')::timestamptz <= $1
		 group by i.id
		 order by i.id
		 limit 500`
	rows, err := tx.Query(ctx, sql, c.Now)
	if err != nil {
		return fmt.Errorf("find pins that are over: %w", err)
	}
	type over struct {
		ID     string
		Fields []string
	}
	due, err := pgx.CollectRows(rows, pgx.RowToStructByPos[over])
	if err != nil {
		return fmt.Errorf("find pins that are over: %w", err)
	}
	for _, d := range due {
		before, err := lock(ctx, tx, d.ID)
		if err != nil {
			return err
		}
		if _, err := unpin(ctx, tx, before, d.Fields, c.Now); err != nil {
			return err
		}
	}
	return nil
}
