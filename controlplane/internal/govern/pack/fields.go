package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
)

// fields are an object field by field, as JSON has them: what a pack wants of it, or what the tenant has made of it.
type fields map[string]any

// sets are the fields whose elements stand each for itself: what one side adds and the other takes away is merged.
var sets = []string{"entitlement_ids", "role_ids", "connector_ids"}

// normal brings values into the form that JSON has, and lists of ids and states into their order.
func (f fields) normal() (fields, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("write fields: %w", err)
	}
	var out fields
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("read fields: %w", err)
	}
	out.sort()
	return out, nil
}

func (f fields) sort() {
	for _, name := range append(slices.Clone(sets), "when") {
		if list, ok := f[name].([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
}

// ids are the texts of a list.
func (f fields) ids(name string) []string {
	list, _ := f[name].([]any)
	out := make([]string, 0, len(list))
	for _, e := range list {
		out = append(out, fmt.Sprint(e))
	}
	return out
}

func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// differing are the names of the fields in which two differ, of those that the second has.
func differing(a, b fields) []string {
	names := []string{}
	for name, v := range b {
		if !equal(a[name], v) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// merge merges three ways. conflicts are the fields that both sides have changed, otherwise: mine stays in them.
func merge(base, mine, theirs fields) (merged fields, conflicts []string) {
	merged = fields{}
	for name, v := range mine {
		merged[name] = v
	}
	for name, wanted := range theirs {
		was, is := base[name], mine[name]
		switch {
		case slices.Contains(sets, name):
			merged[name] = mergeSets(base.ids(name), mine.ids(name), theirs.ids(name))
		case equal(is, wanted) || equal(was, wanted): // the same on both sides, or nothing new
		case equal(was, is):
			merged[name] = wanted
		default:
			conflicts = append(conflicts, name)
		}
	}
	merged.sort()
	slices.Sort(conflicts)
	return merged, conflicts
}

func mergeSets(base, mine, theirs []string) []any {
	out := []any{}
	for _, id := range mine {
		if !slices.Contains(base, id) || slices.Contains(theirs, id) {
			out = append(out, id)
		}
	}
	for _, id := range theirs {
		if !slices.Contains(base, id) && !slices.Contains(mine, id) {
			out = append(out, id)
		}
	}
	return out
}

// wanted is what a pack wants of an object, and what of it has found nothing yet.
type wanted struct {
	fields  fields
	pending []PendingBinding
}

// wantRole is what a pack wants of a role.
func (b *binder) wantRole(r format.Role) (wanted, error) {
	w := wanted{pending: []PendingBinding{}}
	ids := []string{}
	for _, g := range r.Entitlements {
		found, waits := b.entitlements(g.Select)
		if waits != nil {
			w.pending = append(w.pending, *waits)
		}
		ids = append(ids, found...)
	}
	kind := r.Type
	if kind == "" {
		kind = "business"
	}
	var err error
	w.fields, err = fields{
		"name":            r.Name,
		"description":     r.Description,
		"role_type":       kind,
		"entitlement_ids": once(ids),
	}.normal()
	return w, err
}

// wantPolicy is what a pack wants of a policy. roles are the ids of the pack's roles by their keys.
func (b *binder) wantPolicy(p format.Policy, birthright bool, roles map[string]string) (wanted, error) {
	w := wanted{pending: []PendingBinding{}}
	roleIDs, entitlements, accounts := []string{}, []string{}, []string{}
	for _, g := range p.Grant {
		var waits *PendingBinding
		var found []string
		switch {
		case g.Role != "":
			if id, ok := roles[g.Role]; ok {
				roleIDs = append(roleIDs, id)
			} else {
				waits = &PendingBinding{Role: g.Role, Reason: "role_conflict"}
			}
		case g.Select != nil:
			found, waits = b.entitlements(*g.Select)
			entitlements = append(entitlements, found...)
		case g.Account != nil:
			found, waits = b.accounts(*g.Account)
			accounts = append(accounts, found...)
		}
		if waits != nil {
			w.pending = append(w.pending, *waits)
		}
	}
	parsed, problems := condition.Parse(p.Subject)
	if len(problems) > 0 {
		return w, fmt.Errorf("the condition of %s cannot be read: %s", p.Key, problems[0].Detail)
	}
	f := fields{
		"name": or(
			p.Name,
			p.Key,
		),
		"description":     p.Description,
		"mode":            or(p.Mode, defaultMode(birthright)),
		"effect":          or(p.Effect, "assign"),
		"birthright":      birthright,
		"priority":        100,
		"subject":         parsed,
		"role_ids":        once(roleIDs),
		"entitlement_ids": once(entitlements),
		"connector_ids":   once(accounts),
		"when":            p.Lifecycle.When,
		"lead_time":       null(p.Lifecycle.LeadTime),
		"on_no_match":     or(p.Lifecycle.OnNoMatch, "end_now"),
		"grace":           null(p.Lifecycle.Grace),
	}
	if p.Priority != nil {
		f["priority"] = *p.Priority
	}
	if len(p.Lifecycle.When) == 0 {
		f["when"] = []string{"pre_hire", "active", "on_leave", "notice"}
	}
	var err error
	w.fields, err = f.normal()
	return w, err
}

// defaultMode: the birthrights of an installed pack are enforced at once; what else it gives is first looked at.
func defaultMode(birthright bool) string {
	if birthright {
		return "enforce"
	}
	return "shadow"
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func once(ids []string) []string {
	out := slices.Sorted(slices.Values(ids))
	return append([]string{}, slices.Compact(out)...)
}

// gives reports whether a policy has anything to give or deny.
func (f fields) gives() bool {
	return len(f.ids("role_ids"))+len(f.ids("entitlement_ids"))+len(f.ids("connector_ids")) > 0
}

// wantLifecycle is what a pack wants of the tenant's lifecycle: what it does not name stays the tenant's.
func wantLifecycle(l format.Lifecycle) wanted {
	f := fields{}
	for name, text := range map[string]string{"pre_hire_lead": l.PreHireLead, "mover_grace": l.MoverGrace,
		"delete_after": l.DeleteAfter, "archive_after": l.ArchiveAfter} {
		if d, err := span.Parse(text); err == nil {
			f[name] = iso(d)
		}
	}
	if l.LeaveAccess != "" {
		f["leave_access"] = l.LeaveAccess
	}
	return wanted{fields: f, pending: []PendingBinding{}}
}

// iso writes a duration of whole seconds.
func iso(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day == 0 {
		return fmt.Sprintf("P%dD", d/day)
	}
	return fmt.Sprintf("PT%dS", d/time.Second)
}

func lifecycleFields(l lifecycle.Lifecycle) fields {
	f := fields{
		"pre_hire_lead": iso(l.PreHireLead),
		"mover_grace":   iso(l.MoverGrace),
		"leave_access":  l.LeaveAccess,
		"delete_after":  nil,
		"archive_after": nil,
	}
	for name, d := range map[string]*time.Duration{"delete_after": l.DeleteAfter, "archive_after": l.ArchiveAfter} {
		if d != nil {
			f[name] = iso(*d)
		}
	}
	return f
}

// current reads what the tenant has made of objects, by id. One that is gone is absent.
func current(ctx context.Context, tx *pg.Tx, kind string, ids []string) (map[string]fields, error) {
	out := map[string]fields{}
	var sql string
	switch kind {
	case format.KindRole:
		sql = `
		select r.id::text,
		       jsonb_build_object('name', r.name, 'description', r.description, 'role_type', r.role_type,
		           'entitlement_ids', (select coalesce(jsonb_agg(x.entitlement_id), '[]') from role_entitlement x
		               where x.tenant_id = r.tenant_id and x.role_id = r.id))
		  from role r
		 where r.tenant_id = current_tenant()
		   and r.id = any ($1::text[]::uuid[])
		   and r.lifecycle <> 'retired'`
	case format.KindBirthright, format.KindAccessGrantPolicy:
		sql = `
		select p.id::text,
		       jsonb_build_object('name', p.name, 'description', p.description, 'mode', p.mode, 'effect', p.effect,
		           'birthright', p.birthright, 'priority', p.priority, 'subject', p.subject, 'role_ids',
		           p.resources -> 'role_ids', 'entitlement_ids', p.resources -> 'entitlement_ids', 'connector_ids',
		           p.resources -> 'connector_ids', 'when', p.lifecycle -> 'when', 'lead_time',
		               p.lifecycle -> 'lead_time', 'on_no_match', p.lifecycle -> 'on_no_match', 'grace',
		               p.lifecycle -> 'grace')
		  from access_policy p
		 where p.tenant_id = current_tenant()
		   and p.id = any ($1::text[]::uuid[])
		   and p.deleted_at is null`
	case format.KindApprovalRule:
		sql = `
		select r.id::text,
		       jsonb_build_object('name', r.name, 'description', r.description, 'role_ids',
		           coalesce(r.applies_to -> 'role_ids', '[]'), 'default', coalesce(r.applies_to -> 'default', 'false'),
		               'branches', r.branches, 'request_ttl', r.terms -> 'request_ttl')
		  from approval_rule r
		 where r.tenant_id = current_tenant()
		   and r.id = any ($1::text[]::uuid[])`
	case format.KindLifecyclePolicy:
		l, err := lifecycle.Find(ctx, tx)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			out[id] = lifecycleFields(l)
		}
		return out, nil
	default:
		return out, nil
	}
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return nil, fmt.Errorf("read objects of pack: %w", err)
	}
	var id string
	var f fields
	_, err = pgx.ForEachRow(rows, []any{&id, &f}, func() error {
		f.sort()
		out[id], f = f, nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read objects of pack: %w", err)
	}
	return out, nil
}
