package desired

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
)

// State is what a pack wants of an object, and which selectors of it have found nothing yet.
type State struct {
	Fields  merge.Fields
	Pending []installation.PendingBinding
}

// Role is what a pack wants of a role.
func (b *Resolver) Role(r format.Role) (State, error) {
	w := State{Pending: []installation.PendingBinding{}}
	ids := []string{}
	for _, g := range r.Entitlements {
		found, waits := b.Entitlements(g.Select)
		if waits != nil {
			w.Pending = append(w.Pending, *waits)
		}
		ids = append(ids, found...)
	}
	kind := r.Type
	if kind == "" {
		kind = "business"
	}
	var err error
	w.Fields, err = merge.Fields{
		"name":            r.Name,
		"description":     r.Description,
		"role_type":       kind,
		"entitlement_ids": merge.Distinct(ids),
		"duty_tags":       merge.Distinct(r.DutyTags),
	}.Normal()
	return w, err
}

// Policy is what a pack wants of an access policy. roles are the ids of the pack's roles by their keys; a role without
// an id is pending with the reason role_conflict.
func (b *Resolver) Policy(p format.Policy, birthright bool, roles map[string]string) (State, error) {
	w := State{Pending: []installation.PendingBinding{}}
	parsed, problems := condition.Parse(p.Subject)
	if len(problems) > 0 {
		return w, fmt.Errorf("the condition of %s cannot be read: %s", p.Key, problems[0].Detail)
	}
	f := merge.Fields{
		"name":        cmp.Or(p.Name, p.Key),
		"description": p.Description,
		"mode":        cmp.Or(p.Mode, defaultMode(birthright)),
		"effect":      cmp.Or(p.Effect, "assign"),
		"birthright":  birthright,
		"priority":    100,
		"subject":     parsed,
		"when":        p.Lifecycle.When,
		"lead_time":   null(p.Lifecycle.LeadTime),
		"on_no_match": cmp.Or(p.Lifecycle.OnNoMatch, "end_now"),
		"grace":       null(p.Lifecycle.Grace),
	}
	b.access(p, roles, f, &w)
	if err := terms(p, f); err != nil {
		return w, err
	}
	if p.Priority != nil {
		f["priority"] = *p.Priority
	}
	if len(p.Lifecycle.When) == 0 {
		f["when"] = []string{"pre_hire", "active", "on_leave", "notice"}
	}
	var err error
	w.Fields, err = f.Normal()
	return w, err
}

// terms adds constraints and schedule in the form in which they are stored.
func terms(p format.Policy, f merge.Fields) error {
	required, times := p.Required(), p.Times()
	required.Complete(true, true) // what is wrong was found when the pack was checked
	times.Complete()
	raw, err := json.Marshal(required)
	if err != nil {
		return fmt.Errorf("write constraints of %s: %w", p.Key, err)
	}
	f["schedule"] = times
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("read constraints of %s: %w", p.Key, err)
	}
	return nil
}

// defaultMode: the birthrights of an installed pack are enforced at once; what else it gives is first looked at.
func defaultMode(birthright bool) string {
	if birthright {
		return "enforce"
	}
	return "shadow"
}

// null is nil for an empty text, as fields of an object have it.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}
