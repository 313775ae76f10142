package exchange

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// policy plans a policy.
func (m *maker) policy(p ruleset.Policy) error {
	of := ruleset.PolicyID(p.Name)
	w := separationpolicy.Write{ID: planned(of), Origin: m.origin(p.Key)}
	w.Enabled = true
	i, there, renamed := m.policyAt.find(p.Key, p.Name, p.Alias,
		func(i int) string { return keyOf(m.stored.policies[i].Origin) })
	if there {
		before := m.stored.policies[i]
		w.ID, w.Before, w.Fields = before.ID, &before, before.Fields
	}
	m.once(of, p.Place, w.ID)
	if renamed {
		p.Name = w.Before.Name
	}
	if other, there := m.policyAt.name[strings.ToLower(p.Name)]; there && m.stored.policies[other].ID != w.ID {
		m.report.AddOf(
			of,
			p.Place,
			"name",
			"duplicate_name",
			"Another policy has the name %q already. Rename one of the "+
				"two.",
			p.Name,
		)
	}
	m.fill(&w.Fields, p, of)
	m.mode(&w, p)
	w.Sides = m.sides(of, p)
	if !p.Has("side_label") && w.Before != nil {
		keepLabels(w.Sides, w.Before.Sides)
	}
	m.faults(of, p.Place, w.Complete(), func(text string) string { return m.readable(text, w.Fields) })
	for i, s := range w.Sides {
		if strings.TrimSpace(s.Label) == "" && len(s.DutyIDs) > 0 {
			w.Sides[i].Label = m.names[s.DutyIDs[0]]
		}
	}
	m.policyLengths(of, p.Place, w.Fields)
	changes := []string{}
	if w.Before != nil {
		diff, err := audit.Diff(w.Before.Fields, w.Fields)
		if err != nil {
			return err
		}
		changes = fields(diff)
	}
	item := m.item(of, "policy", p.Name, p.Place, w.ID, w.Before != nil, changes)
	if m.items[item].Action != "unchanged" {
		m.plan.policies = append(m.plan.policies, w)
	}
	return nil
}

// fill sets the fields that the format has.
func (m *maker) fill(f *separationpolicy.Fields, p ruleset.Policy, of string) {
	f.Name, f.Kind, f.N, f.HistoryWindow = p.Name, p.Kind, p.N, p.HistoryWindow
	if f.Matrix = nil; len(p.Conflicts) > 0 {
		f.Matrix = &separationpolicy.Grid{Conflicts: p.Conflicts}
	}
	for _, t := range []struct {
		field, from string
		to          *string
	}{
		{"description", p.Description, &f.Description}, {"rationale", p.Rationale, &f.Rationale},
		{"severity", p.Severity, &f.Severity}, {"remediation", p.Remediation, &f.Remediation},
		{"on_request", p.OnRequest, &f.Effects.OnRequest},
		{"on_assign", p.OnAssign, &f.Effects.OnAssign},
		{"on_detect", p.OnDetect, &f.Effects.OnDetect},
	} {
		if p.Has(t.field) {
			*t.to = t.from
		}
	}
	for _, b := range []struct {
		field string
		from  *bool
		to    **bool
	}{
		{"same_environment", p.SameEnvironment, &f.Context.SameEnvironment},
		{"same_legal_entity", p.SameLegalEntity, &f.Context.SameLegalEntity},
		{"exclude_read_only", p.ExcludeReadOnly, &f.Context.ExcludeReadOnly},
	} {
		if p.Has(b.field) {
			*b.to = b.from
		}
	}
	if p.Has("regulation_refs") {
		f.RegulationRefs = p.RegulationRefs
	}
	if p.Has("same_attributes") {
		f.Context.SameAttributes = p.SameAttributes
	}
	if p.Has("owners") {
		f.OwnerIDs = m.owners(of, p.Place, p.Owners, p.LenientOwners)
	}
	if p.Has("mitigating_controls") {
		f.ControlIDs = m.controlIDs(of, p)
	}
	if p.Has("max_mitigation") {
		f.MaxMitigation = p.MaxMitigation
	}
	if p.Has("exception_rule") {
		f.ExceptionRuleID = m.exceptionRule(of, p)
	}
	if p.Has("exemptions") {
		f.Exemptions = p.Exemptions
	}
	if p.Has("enabled") {
		f.Enabled = p.Enabled
	}
	if p.Has("valid_from") {
		f.ValidFrom = same(f.ValidFrom, p.ValidFrom)
	}
	if p.Has("valid_to") {
		f.ValidTo = same(f.ValidTo, p.ValidTo)
	}
}

// controlIDs are the mitigating controls that a policy names.
func (m *maker) controlIDs(of string, p ruleset.Policy) []string {
	ids := []string{}
	for _, name := range p.Controls {
		id, there := m.controls[strings.ToLower(name)]
		if !there {
			m.report.AddOf(
				of,
				p.Place,
				"mitigating_controls",
				"unknown_control",
				"The mitigating control %q was not found. "+
					"Create it first, or remove its name.",
				name,
			)
			continue
		}
		ids = append(ids, id)
	}
	return ids
}

// exceptionRule is the approval rule that allows exceptions of a policy. Nil: it names none.
func (m *maker) exceptionRule(of string, p ruleset.Policy) *string {
	if p.ExceptionRule == "" {
		return nil
	}
	id, there := m.rules[strings.ToLower(p.ExceptionRule)]
	if !there {
		m.report.AddOf(of, p.Place, "exception_rule", "unknown_rule",
			"The approval rule %q was not found, or is disabled. Create or enable it first, or remove its name.",
			p.ExceptionRule)
		return nil
	}
	return &id
}

// same is the stored time if the other one is the same, perhaps in another zone.
func same(stored, now *time.Time) *time.Time {
	if stored != nil && now != nil && stored.Equal(*now) {
		return stored
	}
	return now
}

// contradictions finds policies that contradict others, as all will be after the import.
func (m *maker) contradictions() {
	after := slices.Clone(m.stored.policies)
	at := map[string]int{}
	for i, p := range after {
		at[p.ID] = i
	}
	for _, w := range m.plan.policies {
		if i, there := at[w.ID]; there {
			after[i].Fields = w.Fields
		}
	}
	for _, w := range m.plan.policies {
		item := m.items[m.at[w.ID]]
		for _, c := range w.Contradictions(w.ID, after) {
			m.report.AddOf(
				ruleset.PolicyID(w.Name),
				ruleset.Place{File: item.File, Line: item.Line},
				"sides",
				c.Code,
				"%s",
				m.readable(c.Detail, w.Fields),
			)
		}
	}
}

// readable has the names of duties instead of their IDs.
func (m *maker) readable(text string, f separationpolicy.Fields) string {
	for _, s := range f.Sides {
		for _, id := range s.DutyIDs {
			text = strings.ReplaceAll(text, id, strconv.Quote(m.names[id]))
		}
	}
	return text
}

// mode keeps the mode of an existing policy, and makes a new one a draft.
func (m *maker) mode(w *separationpolicy.Write, p ruleset.Policy) {
	mode := separationpolicy.Draft
	if w.Before != nil {
		mode = w.Before.Mode
	}
	w.Mode = mode
	switch {
	case p.Mode == "" || p.Mode == mode:
	case !slices.Contains([]string{separationpolicy.Draft, separationpolicy.Shadow, separationpolicy.Enforce}, p.Mode):
		m.report.AddOf(ruleset.PolicyID(p.Name), p.Place, "mode", "invalid",
			"The mode is %q. Use draft, shadow or enforce.", p.Mode)
	case w.Before == nil:
		m.report.Note(
			p.Place,
			"mode",
			"mode_not_imported",
			"The policy %q is imported as a draft. Set the mode %s when "+
				"you have reviewed it.",
			p.Name,
			p.Mode,
		)
	default:
		m.report.Note(
			p.Place,
			"mode",
			"mode_not_imported",
			"The policy %q stays in the mode %s. An import does not change "+
				"modes.",
			p.Name,
			mode,
		)
	}
}

// sides resolves the duties of the sides.
func (m *maker) sides(of string, p ruleset.Policy) []separationpolicy.Side {
	list := []separationpolicy.Side{}
	for i, s := range p.Sides {
		to := separationpolicy.Side{Label: s.Label, DutyIDs: []string{}}
		if len(s.Duties) == 0 {
			m.report.AddOf(
				of,
				p.Place,
				"sides",
				"required",
				"Side %d of the policy %q has no duties. Add one, or number "+
					"the sides without gaps.",
				i+1,
				p.Name,
			)
		}
		for _, d := range s.Duties {
			id, there := m.dutyIDs[strings.ToLower(d.Name)]
			if !there {
				id, there = m.dutyIDs["key "+d.Name]
			}
			if !there {
				m.report.AddOf(
					of,
					d.Place,
					"duty",
					"unknown_duty",
					"The duty %q is neither in the files nor stored. Add it, "+
						"or correct its name.",
					d.Name,
				)
				continue
			}
			to.DutyIDs = append(to.DutyIDs, id)
		}
		list = append(list, to)
	}
	return list
}

// keepLabels keeps the labels of sides that have the same duties as before.
func keepLabels(sides, before []separationpolicy.Side) {
	for i := range sides {
		if i < len(before) && slices.Equal(sides[i].DutyIDs, before[i].DutyIDs) {
			sides[i].Label = before[i].Label
		}
	}
}

// policyLengths adds problems of values that the API would refuse.
func (m *maker) policyLengths(of string, at ruleset.Place, f separationpolicy.Fields) {
	m.lengths(of, at, map[string]lengthOf{
		"name": {f.Name, 200}, "description": {f.Description, 4000}, "rationale": {f.Rationale, 4000},
		"remediation": {f.Remediation, 4000},
	})
	for _, s := range f.Sides {
		m.lengths(of, at, map[string]lengthOf{"side_label": {s.Label, 200}})
		if len(s.DutyIDs) > 100 {
			m.report.AddOf(
				of,
				at,
				"sides",
				"too_many",
				"A side has %d duties, and at most 100 are allowed.",
				len(s.DutyIDs),
			)
		}
	}
	for _, l := range []struct {
		field string
		list  []string
		most  int
		each  int
	}{
		{"regulation_refs", f.RegulationRefs, 50, 200}, {"owners", f.OwnerIDs, 50, 200},
		{"same_attributes", f.Context.SameAttributes, 10, 100},
	} {
		if len(l.list) > l.most {
			m.report.AddOf(
				of,
				at,
				l.field,
				"too_many",
				"%s has %d values, and at most %d are allowed.",
				l.field,
				len(l.list),
				l.most,
			)
		}
		for _, each := range l.list {
			m.lengths(of, at, map[string]lengthOf{l.field: {each, l.each}})
		}
	}
	if len(f.Sides) > 50 {
		m.report.AddOf(
			of,
			at,
			"sides",
			"too_many",
			"The policy has %d sides, and at most 50 are allowed.",
			len(f.Sides),
		)
	}
	for _, c := range []struct {
		field, value string
		known        []string
	}{
		{"severity", f.Severity, []string{"low", "medium", "high", "critical"}},
		{"on_request", f.Effects.OnRequest, []string{"block", "exception", "warn", "record"}},
		{"on_assign", f.Effects.OnAssign, []string{"block", "exception", "record"}},
		{"on_detect", f.Effects.OnDetect, []string{"task", "revoke_lower_risk", "record"}},
	} {
		if !slices.Contains(c.known, c.value) {
			m.report.AddOf(of, at, c.field, "invalid", "%s is %q. Use one of %s.", c.field, c.value,
				strings.Join(c.known, ", "))
		}
	}
}
