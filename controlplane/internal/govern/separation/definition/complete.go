package definition

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// kinds are the kinds of policies with their number of sides: exactly two, or at least two.
var kinds = []string{"pair", "n_of_m", "matrix", "companion", "history"}

// longest is the longest window of a history policy.
const longest = 10 * 365 * span.Day

// longestMitigation is the longest mitigation that any control allows.
const longestMitigation = 730 * span.Day

// Problems collect what is wrong with a policy.
type Problems []fault.Field

// Add adds a problem at a JSON pointer.
func (p *Problems) Add(pointer, code, format string, args ...any) {
	*p = append(*p, fault.Field{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
}

// Fault is nil if nothing is wrong.
func (p Problems) Fault() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The policy is invalid: %s", p[0].Detail).With(p...)
}

// Complete adds the defaults, drops what does not belong to the kind, and checks all that needs no database.
func (f *Fields) Complete() error {
	f.fill()
	var wrong Problems
	if strings.TrimSpace(f.Name) == "" {
		wrong.Add("#/name", "required", "The policy has no name.")
	}
	f.checkKind(&wrong)
	f.checkSides(&wrong)
	f.checkExemptions(&wrong)
	f.checkException(&wrong)
	for i, a := range f.Context.SameAttributes {
		if strings.TrimSpace(a) == "" || a == Environment || a == LegalEntity {
			wrong.Add(fmt.Sprintf("#/context/same_attributes/%d", i), "invalid",
				"%q is not the name of an attribute. Use same_environment or same_legal_entity for those.", a)
		}
	}
	if f.Kind == "companion" && len(f.Context.Traits()) > 0 {
		wrong.Add("#/context", "invalid", "A companion policy compares no context. Leave out same_environment, "+
			"same_legal_entity and same_attributes.")
	}
	if f.MaxMitigation != nil {
		if d, err := span.Parse(*f.MaxMitigation); err != nil || d < span.Day || d > longestMitigation {
			wrong.Add("#/max_mitigation", "invalid", "%q is not an ISO 8601 duration from P1D to P730D.",
				*f.MaxMitigation)
		}
	}
	if f.ValidFrom != nil && f.ValidTo != nil && !f.ValidFrom.Before(*f.ValidTo) {
		wrong.Add("#/valid_to", "invalid", "The policy ends before it begins. Set valid_to to a later time than %s.",
			f.ValidFrom.Format(time.RFC3339))
	}
	return wrong.Fault()
}

// fill adds the defaults: a draft of medium severity that blocks requests, in the same environment, without
// entitlements that only allow reading.
func (f *Fields) fill() {
	if f.Mode == "" {
		f.Mode = Draft
	}
	if f.Severity == "" {
		f.Severity = "medium"
	}
	f.Effects = f.Effects.Complete()
	for _, d := range []struct {
		of      **bool
		initial bool
	}{{&f.Context.SameEnvironment, f.Kind != "companion"}, {&f.Context.SameLegalEntity, false},
		{&f.Context.ExcludeReadOnly, true}} {
		if *d.of == nil {
			*d.of = &d.initial
		}
	}
	f.OwnerIDs, f.Context.SameAttributes = distinct(lower(f.OwnerIDs)), distinct(f.Context.SameAttributes)
	f.ControlIDs = distinct(lower(f.ControlIDs))
	if f.ExceptionRuleID != nil {
		id := strings.ToLower(*f.ExceptionRuleID)
		f.ExceptionRuleID = &id
	}
	f.RegulationRefs = append([]string{}, f.RegulationRefs...)
	f.Sides = slices.Clone(f.Sides)
	for i := range f.Sides {
		f.Sides[i].DutyIDs = lower(f.Sides[i].DutyIDs)
	}
	if f.Sides == nil {
		f.Sides = []Side{}
	}
	if f.Matrix != nil {
		f.Matrix = f.Matrix.normal()
	}
}

// distinct sorts texts, each once. It is never nil, which JSON would write as null.
func distinct(texts []string) []string {
	sorted := append([]string{}, texts...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// lower returns IDs in lower case, in their order.
func lower(ids []string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strings.ToLower(id)
	}
	return list
}

// normal returns the conflicts with the lower side first, sorted, each once.
func (g Grid) normal() *Grid {
	list := make([][]int, 0, len(g.Conflicts))
	for _, c := range g.Conflicts {
		pair := slices.Clone(c)
		slices.Sort(pair)
		list = append(list, pair)
	}
	slices.SortFunc(list, slices.Compare)
	return &Grid{Conflicts: slices.CompactFunc(list, slices.Equal)}
}

// checkKind checks the fields that belong to one kind only.
func (f *Fields) checkKind(wrong *Problems) {
	if !slices.Contains(kinds, f.Kind) {
		wrong.Add("#/kind", "invalid", "The kind is %q. Use one of %s.", f.Kind, strings.Join(kinds, ", "))
		return
	}
	switch {
	case f.Kind == "n_of_m" && (f.N == nil || *f.N < 2 || *f.N > len(f.Sides)):
		wrong.Add("#/n", "invalid", "A policy of the kind n_of_m needs n, from 2 to its number of sides (%d).",
			len(f.Sides))
	case f.Kind != "n_of_m" && f.N != nil:
		wrong.Add("#/n", "invalid", "n is for the kind n_of_m only. Set it to null.")
	}
	switch {
	case f.Kind == "matrix":
		f.checkMatrix(wrong)
	case f.Matrix != nil:
		wrong.Add("#/matrix", "invalid", "matrix is for the kind matrix only. Set it to null.")
	}
	if f.Kind != "history" {
		if f.HistoryWindow != nil {
			wrong.Add("#/history_window", "invalid", "history_window is for the kind history only. Set it to null.")
		}
		return
	}
	if f.HistoryWindow == nil {
		wrong.Add("#/history_window", "required", "A policy of the kind history needs a history_window, such as P90D.")
	} else if d, err := span.Parse(*f.HistoryWindow); err != nil || d < span.Day || d > longest {
		wrong.Add("#/history_window", "invalid", "%q is not an ISO 8601 duration from P1D to P3650D.",
			*f.HistoryWindow)
	}
}

// checkException checks that somebody can allow an exception. Assignments need an exception only if requests do:
// otherwise a request would be the easier way, or none.
func (f *Fields) checkException(wrong *Problems) {
	if f.Effects.OnAssign == Exception && f.Effects.OnRequest != Exception {
		wrong.Add("#/effects/on_assign", "invalid", "on_assign is exception, and on_request is %s. Set on_request to "+
			"exception, because exceptions are requested.", f.Effects.OnRequest)
	}
	if f.Effects.OnRequest == Exception && f.ExceptionRuleID == nil {
		wrong.Add("#/exception_rule_id", "required", "The effect exception needs exception_rule_id. Choose one of "+
			"GET /approval-rules.")
	}
}

// checkMatrix checks that each conflict names two sides of the policy.
func (f *Fields) checkMatrix(wrong *Problems) {
	if f.Matrix == nil || len(f.Matrix.Conflicts) == 0 {
		wrong.Add("#/matrix/conflicts", "required", "A policy of the kind matrix needs conflicts between its sides.")
		return
	}
	for i, c := range f.Matrix.Conflicts {
		if len(c) != 2 || c[0] == c[1] || c[0] < 0 || c[1] >= len(f.Sides) {
			wrong.Add(fmt.Sprintf("#/matrix/conflicts/%d", i), "invalid",
				"A conflict is between two different sides, by their positions from 0 to %d.", len(f.Sides)-1)
		}
	}
}

// checkSides checks the number of sides, and that each has duties that no other side has.
func (f *Fields) checkSides(wrong *Problems) {
	switch two := f.Kind == "pair" || f.Kind == "companion" || f.Kind == "history"; {
	case two && len(f.Sides) != 2:
		wrong.Add("#/sides", "invalid", "A policy of the kind %s has two sides, and this one has %d. Add or remove "+
			"sides.", f.Kind, len(f.Sides))
	case len(f.Sides) < 2:
		wrong.Add(
			"#/sides",
			"invalid",
			"A policy has at least two sides, and this one has %d. Add sides.",
			len(f.Sides),
		)
	}
	at := map[string]int{}
	for s, side := range f.Sides {
		if len(side.DutyIDs) == 0 {
			wrong.Add(
				fmt.Sprintf("#/sides/%d/duty_ids", s),
				"required",
				"Side %d has no duties. Add at least one.",
				s+1,
			)
		}
		for i, id := range side.DutyIDs {
			if first, twice := at[id]; twice {
				wrong.Add(fmt.Sprintf("#/sides/%d/duty_ids/%d", s, i), "duty_repeated",
					"Duty %s is already on side %d. A duty can be on a policy once.", id, first+1)
			}
			at[id] = s
		}
	}
}

// DutyIDs are all duties of all sides, each once, sorted.
func (f Fields) DutyIDs() []string {
	var ids []string
	for _, s := range f.Sides {
		ids = append(ids, s.DutyIDs...)
	}
	return distinct(ids)
}

// SidesWithin returns the positions of the sides that have only these duties.
func (f Fields) SidesWithin(duties map[string]bool) []int {
	within := []int{}
	for s, side := range f.Sides {
		if !slices.ContainsFunc(side.DutyIDs, func(id string) bool { return !duties[id] }) {
			within = append(within, s)
		}
	}
	return within
}
