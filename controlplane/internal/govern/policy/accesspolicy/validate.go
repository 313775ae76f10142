package accesspolicy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
)

// Check completes the fields, and compares what they name with what there is. What before named may stay although it
// can no longer be given. parsed is the condition; a fault is of kind Invalid.
func (f *Fields) Check(ctx context.Context, tx *pg.Tx, before Fields) (condition.Condition, error) {
	parsed, err := f.Complete()
	if err != nil {
		return parsed, err
	}
	if err := reference.CheckExist(ctx, tx, "owner_ids", f.OwnerIDs...); err != nil {
		return parsed, err
	}
	return parsed, f.checkResources(ctx, tx, before)
}

// Troubles says of the resources why they cannot be given, by the list and the ID; empty: they can. What does not exist
// is not in it.
func (f *Fields) Troubles(ctx context.Context, tx *pg.Tx) (map[[2]string]string, error) {
	const sql = `
		select 'role_ids', r.id::text, case when r.lifecycle in ('retired',
		    'deprecated') then 'the role ' || r.name || ' is ' || r.lifecycle else '' end
		  from role r
		 where r.id = any(@roles::text[]::uuid[])
		 union all
		select 'entitlement_ids', e.id::text,
		       case when e.connector_id is null then 'it belongs to no system'
		            when e.removed_at is not null then 'it is gone from its system'
		            when e.lifecycle <> 'active' then 'it is ' || e.lifecycle
		            when not e.grantable and @effect in ('assign', 'eligible')
		                then 'it cannot be granted from outside its system'
		            else '' end
		  from entitlement e
		 where e.id = any(@entitlements::text[]::uuid[])
		 union all
		select 'connector_ids', c.id::text, ''
		  from connector c
		 where c.id = any(@connectors::text[]::uuid[])
		   and c.deleted_at is null`
	known := map[[2]string]string{}
	companion := f.Companion.orEmpty()
	var list, id, trouble string
	if err := pg.Each(
		ctx,
		tx,
		"check resources of policy",
		[]any{&list, &id, &trouble},
		func() error { known[[2]string{list, id}] = trouble; return nil },
		sql,
		pgx.NamedArgs{"roles": slices.Concat(f.Resources.RoleIDs, companion.RoleIDs),
			"entitlements": slices.Concat(f.Resources.EntitlementIDs, companion.EntitlementIDs),
			"connectors":   f.Resources.ConnectorIDs, "effect": f.Effect},
	); err != nil {
		return nil, err
	}
	return known, nil
}

// checkResources is a fault of kind Invalid, pointing at the one, unless all that is added can be given.
func (f *Fields) checkResources(ctx context.Context, tx *pg.Tx, before Fields) error {
	known, err := f.Troubles(ctx, tx)
	if err != nil {
		return err
	}
	companion, companions := f.Companion.orEmpty(), before.Companion.orEmpty()
	var wrong []fault.Field
	for _, of := range []struct {
		in, list      string
		ids, standing []string
	}{{"resources", "role_ids", f.Resources.RoleIDs, before.Resources.RoleIDs},
		{"resources", "entitlement_ids", f.Resources.EntitlementIDs, before.Resources.EntitlementIDs},
		{"resources", "connector_ids", f.Resources.ConnectorIDs, before.Resources.ConnectorIDs},
		{"companion", "role_ids", companion.RoleIDs, companions.RoleIDs},
		{"companion", "entitlement_ids", companion.EntitlementIDs, companions.EntitlementIDs}} {
		for i, id := range of.ids {
			at := fmt.Sprintf("#/%s/%s/%d", of.in, of.list, i)
			if f.Table != nil {
				at = f.resourcePointer(of.list, i, id)
			}
			trouble, there := known[[2]string{of.list, id}]
			switch {
			case !there && !slices.Contains(of.standing, id):
				wrong = append(
					wrong,
					fault.Field{Pointer: at, Code: "unknown_resource", Detail: "there is nothing with the id " + id},
				)
			case trouble != "" && !slices.Contains(of.standing, id):
				wrong = append(wrong, fault.Field{Pointer: at, Code: "not_grantable", Detail: trouble})
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "the policy contains something that cannot be assigned: %s", wrong[0].Detail).
			With(wrong...)
	}
	return nil
}

// States are the states of a person who can hold anything.
var States = []string{"pre_hire", "active", "on_leave", "notice"}

// Complete adds the defaults and checks what can be checked without the database. parsed is the condition.
func (f *Fields) Complete() (parsed condition.Condition, err error) {
	f.fill()
	var wrong []fault.Field
	refuse := func(pointer, code, format string, args ...any) {
		wrong = append(wrong, fault.Field{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
	}
	if strings.TrimSpace(f.Name) == "" {
		refuse("#/name", "required", "describe its purpose")
	}
	if !slices.Contains([]string{Shadow, Enforce}, f.Mode) {
		refuse("#/mode", "invalid", "shadow or enforce")
	}
	if !slices.Contains([]string{Assign, Deny, Eligible, Require}, f.Effect) {
		refuse("#/effect", "invalid", "assign, deny, eligible or require")
	}
	if f.Birthright && f.Effect != Assign {
		refuse("#/birthright", "invalid", "a birthright needs the effect assign")
	}
	if f.CircuitBreaker != nil && (f.Effect == Eligible || f.Effect == Require) {
		refuse("#/circuit_breaker", "invalid", "a policy with the effect %s changes no access and has no breaker",
			f.Effect)
	}
	for _, w := range f.Constraints.Complete(f.Effect == Eligible, f.Effect != Deny) {
		refuse("#/constraints"+w.Pointer, w.Code, "%s", w.Detail)
	}
	for _, w := range f.completeCompanion() {
		refuse(w.Pointer, w.Code, "%s", w.Detail)
	}
	for _, w := range f.Schedule.Complete() {
		refuse("#/schedule"+w.Pointer, w.Code, "%s", w.Detail)
	}
	f.completeTable(refuse)
	if f.Table == nil && f.Effect != Require &&
		f.Resources.empty() {
		refuse("#/resources", "required", "name roles, entitlements, connectors or tags")
	}
	for i, tag := range f.Resources.Tags {
		if tag == "" || len(tag) > longestTag {
			refuse(fmt.Sprintf("#/resources/tags/%d", i), "invalid", "a tag of 1 to %d bytes", longestTag)
		}
	}
	for _, w := range f.Lifecycle.When {
		if !slices.Contains(States, w) {
			refuse("#/lifecycle/when", "invalid", "%s", strings.Join(States, ", "))
		}
	}
	if !slices.Contains([]string{EndNow, Grace, Review}, f.Lifecycle.OnNoMatch) {
		refuse("#/lifecycle/on_no_match", "invalid", "end_now, grace or review")
	}
	if f.Lifecycle.OnNoMatch == Review && f.Effect != Assign {
		refuse("#/lifecycle/on_no_match", "invalid", "review needs the effect assign")
	}
	for pointer, text := range map[string]*string{"#/lifecycle/lead_time": f.Lifecycle.LeadTime,
		"#/lifecycle/grace": f.Lifecycle.Grace} {
		if text == nil {
			continue
		}
		if _, err := span.Parse(*text); err != nil {
			refuse(pointer, "invalid", "%s", err)
		}
	}
	if b := f.CircuitBreaker; b != nil {
		if window, err := span.Parse(b.Window); err != nil || window < time.Minute || window > 30*span.Day {
			refuse("#/circuit_breaker/window", "invalid", "an ISO 8601 duration from PT1M to P30D")
		}
		if b.MaxChanges < 1 {
			refuse("#/circuit_breaker/max_changes", "invalid", "at least 1")
		}
	}
	parsed, problems := f.Subject.Parse()
	for _, p := range problems {
		refuse("#/subject"+strings.TrimPrefix(p.Pointer, "#"), p.Code, "%s", Explain(p))
	}
	if len(wrong) > 0 {
		return parsed, fault.New(fault.Invalid, "The policy is invalid: %s", wrong[0].Detail).With(wrong...)
	}
	f.Subject, err = Normal(parsed)
	return parsed, err
}

// fill fills in the defaults: shadow mode, effect assign, priority 100, a grace on no match, and
// all statuses. Repeated IDs are dropped.
func (f *Fields) fill() {
	if f.Mode == "" {
		f.Mode = Shadow
	}
	if f.Effect == "" {
		f.Effect = Assign
	}
	if f.Priority == 0 {
		f.Priority = 100
	}
	if f.Lifecycle.OnNoMatch == "" {
		f.Lifecycle.OnNoMatch = Grace
	}
	f.OwnerIDs = Distinct(f.OwnerIDs)
	f.Resources.RoleIDs, f.Resources.EntitlementIDs, f.Resources.ConnectorIDs = Distinct(f.Resources.RoleIDs), Distinct(
		f.Resources.EntitlementIDs,
	), Distinct(f.Resources.ConnectorIDs)
	tags := make([]string, len(f.Resources.Tags))
	for i, tag := range f.Resources.Tags {
		tags[i] = strings.TrimSpace(tag)
	}
	f.Resources.Tags = Distinct(tags)
	if len(f.Lifecycle.When) == 0 {
		f.Lifecycle.When = slices.Clone(States)
	}
}

// Distinct sorts ids, each once. It is never nil, which JSON would write as null.
func Distinct(ids []string) []string {
	sorted := append([]string{}, ids...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// Parse reads the condition. An empty one is a problem: everybody is meant by a condition without rules.
func (s Subject) Parse() (condition.Condition, []condition.Problem) {
	if len(s) == 0 {
		return condition.Condition{}, []condition.Problem{
			{
				Pointer:     "#",
				Code:        "required",
				Detail:      `a condition is required; {"match": "all", "rules": []} matches all people`,
				Suggestions: []string{},
			},
		}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return condition.Condition{}, []condition.Problem{
			{Pointer: "#", Code: "malformed", Detail: "it is not valid JSON", Suggestions: []string{}},
		}
	}
	return condition.Parse(raw)
}

// Normal is a condition in the form in which it is stored.
func Normal(c condition.Condition) (Subject, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write condition: %w", err)
	}
	var s Subject
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("write condition: %w", err)
	}
	return s, nil
}

// needsOf are what the triggers must watch for a condition.
func needsOf(c condition.Condition) []string {
	needs, asked := []string{}, c.Needs()
	if len(asked.Managers) > 0 {
		needs = append(needs, "managers")
	}
	if len(asked.Roles)+len(asked.Entitlements) > 0 {
		needs = append(needs, "access")
	}
	if asked.Clock {
		needs = append(needs, "clock")
	}
	return needs
}
