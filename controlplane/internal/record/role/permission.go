package role

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// owners are the members that an owner may write who is no administrator. Risk they may only raise.
var owners = []string{"compliance_tags", "description", "duty_tags", "labels", "requestable", "risk_level"}

// mayPatch is a fault of kind Forbidden when an owner writes what only administrators may.
func (r Role) mayPatch(v viewer.Viewer, body []byte) error {
	if v.Kind == viewer.Machine || v.Has(viewer.Admin) {
		return nil
	}
	var given map[string]any
	if err := json.Unmarshal(body, &given); err != nil {
		return fault.New(fault.Invalid, "The body must be a JSON object.")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(owners, name) {
			return fault.New(
				fault.Forbidden,
				"the owner of a role may write %s, and who has it; %s is for administrators",
				strings.Join(owners, ", "),
				name,
			)
		}
	}
	if err := r.keepsTags(given); err != nil {
		return err
	}
	if level, there := given["risk_level"]; there {
		text, _ := level.(string)
		if slices.Index(levels, text) < slices.Index(levels, r.EffectiveRiskLevel) {
			return fault.New(
				fault.Forbidden,
				"the owner of a role may raise its risk above %s; to lower it is for administrators",
				r.EffectiveRiskLevel,
			)
		}
	}
	return nil
}

// keepsTags is a fault where a merge patch removes a tag, or changes a label: approval rules and policies may depend on
// them.
func (r Role) keepsTags(given map[string]any) error {
	only := func(member, tag string) error {
		return fault.Coded(fault.Forbidden, "tags_only_added", "The owner of a role may add %s. Only administrators "+
			"remove or change them, since rules may depend on %s.",
			member, tag).
			With(fault.Field{Pointer: "#/" + member, Code: "tags_only_added", Detail: "keep " + tag})
	}
	for member, before := range map[string][]string{"compliance_tags": r.ComplianceTags, "duty_tags": r.DutyTags} {
		list, there := given[member]
		if !there {
			continue
		}
		after, _ := list.([]any)
		for _, tag := range before {
			if !slices.Contains(after, any(tag)) {
				return only(member, tag)
			}
		}
	}
	labels, there := given["labels"]
	after, isObject := labels.(map[string]any)
	for name, before := range r.Labels {
		value, touched := after[name]
		if there && (!isObject || touched && value != any(before)) {
			return only("labels", name)
		}
	}
	return nil
}

var levels = []string{"low", "medium", "high", "critical"}

// Risky reports whether a level of risk needs the approval of another person.
func Risky(level string) bool { return level == "high" || level == "critical" }

// mayBePatched is a fault of kind Conflict for what has ways of its own.
func (r Role) mayBePatched(after RoleFields) error {
	if after.Lifecycle == r.Lifecycle {
		return nil
	}
	if after.Lifecycle == Proposed || r.Lifecycle == Proposed && after.Lifecycle != Retired {
		allowed := slices.DeleteFunc(
			slices.Clone(next[r.Lifecycle]),
			func(l string) bool { return l == Proposed || r.Lifecycle == Proposed && l != Retired },
		)
		return fault.Coded(fault.Conflict, "invalid_transition", "Use POST …/propose to propose the role, and POST "+
			"…/withdraw to withdraw the proposal.").
			Also("allowed", allowed)
	}
	return nil
}

// release makes a role the tenant's own that an imported file says; unless that is wanted, it is a fault of kind
// Conflict.
func (s *Service) release(ctx context.Context, tx *pg.Tx, r Role, detach bool) error {
	if r.ManagedBy != ByCode {
		return nil
	}
	if !detach {
		return fault.Coded(fault.Conflict, "managed_by_code", "this role comes from an imported file, and the next "+
			"import would undo the change: "+
			"change the file, or detach the role from it by detach=true").
			Also("managed_by", r.ManagedBy)
	}
	if err := pg.Exec(ctx, tx, "detach role", `update role set managed_by = 'ui' where id = $1`, r.ID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "role.detached", Subject: r.subject(),
		Changes: []audit.Change{{Field: "managed_by", From: ByCode, To: ByUI}}})
}
