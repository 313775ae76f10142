package desired

import (
	"cmp"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
)

// DutyOfTag is what a pack wants of the duty of a duty tag: everything with the tag performs it.
func DutyOfTag(t format.DutyTag) (State, error) {
	return dutyOf(t.Name, t.Description, map[string]any{"kind": "duty_tag", "duty_tag": t.Key})
}

// DutyOfRole is what a pack wants of the duty of a role that a side of a policy names.
func DutyOfRole(r format.Role, id string) (State, error) {
	return dutyOf("Role: "+r.Name, "", map[string]any{"kind": "role", "role_id": id})
}

func dutyOf(name, description string, member map[string]any) (State, error) {
	f, err := merge.Fields{
		"name":        name,
		"description": description,
		"all_of":      []any{map[string]any{"members": []any{member}}},
	}.Normal()
	return State{Fields: f, Pending: []installation.PendingBinding{}}, err
}

// Named are the IDs of the objects that separation-of-duties policies name, by the keys of the pack.
type Named struct {
	Tags     map[string]string // duties of duty tags
	Roles    map[string]string // duties of roles
	Controls map[string]string
}

// SodPolicy is what a pack wants of a separation-of-duties policy. complete says that each side has a duty. A
// mitigating control without an ID is pending with the reason no_control. What a pack can say of effects and the
// service cannot do is the next strictest effect.
func SodPolicy(p format.SodPolicy, named Named) (w State, complete bool, err error) {
	complete = true
	w.Pending = []installation.PendingBinding{}
	controls := []string{}
	for _, key := range p.AllowedMitigations {
		if id := named.Controls[key]; id != "" {
			controls = append(controls, id)
		} else {
			w.Pending = append(w.Pending, installation.PendingBinding{Mitigation: key, Reason: "no_control"})
		}
	}
	sides := []any{}
	for _, s := range p.Sides {
		ids := []string{}
		for _, of := range []struct {
			keys []string
			ids  map[string]string
		}{{s.DutyTags, named.Tags}, {s.Roles, named.Roles}} {
			for _, key := range of.keys {
				if id := of.ids[key]; id != "" {
					ids = append(ids, id)
				}
			}
		}
		complete = complete && len(ids) > 0
		sides = append(sides, map[string]any{"label": s.Label, "duty_ids": merge.Distinct(ids)})
	}
	f := merge.Fields{
		"name":              p.Name,
		"description":       p.Description,
		"rationale":         p.Rationale,
		"regulation_refs":   append([]string{}, p.Regulations...),
		"severity":          p.Severity,
		"mode":              cmp.Or(p.Mode, "shadow"),
		"kind":              cmp.Or(p.Kind, "pair"),
		"n":                 nil,
		"sides":             sides,
		"same_environment":  p.Context.SameEnvironment == nil || *p.Context.SameEnvironment,
		"exclude_read_only": p.Context.ExcludeReadOnly == nil || *p.Context.ExcludeReadOnly,
		"on_request":        effect(p.Effects.OnRequest, "block"),
		"on_assign":         effect(p.Effects.OnAssign, "record"),
		"on_detect":         effect(p.Effects.OnDetect, "task"),

		"mitigation_policy_ids": merge.Distinct(controls),
	}
	if p.Kind == "n_of_m" {
		f["n"] = p.N
	}
	w.Fields, err = f.Normal()
	return w, complete, err
}

// effect is an effect of the file format as the service has it.
func effect(word, usual string) string {
	switch word {
	case "exception":
		return "block"
	case "micro_certification":
		return "task"
	}
	return cmp.Or(word, usual)
}
