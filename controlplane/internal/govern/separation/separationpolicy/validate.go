package separationpolicy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// kinds are the kinds of policies with their number of sides: exactly two, or at least two.
var kinds = []string{"pair", "n_of_m", "matrix", "companion", "history"}

// longest is the longest window of a history policy.
const longest = 10 * 365 * span.Day

// longestMitigation is the longest mitigation that any control allows.
const longestMitigation = 730 * span.Day

// Check completes the fields, and compares what they name with what is stored. The duties are locked, so that none is
// deleted before the policy is written. A fault is of kind Invalid or, if another policy has the name, Conflict. id is
// that of the policy, or empty.
func (f *Fields) Check(ctx context.Context, tx *pg.Tx, id string) error {
	if err := f.Complete(); err != nil {
		return err
	}
	if err := reference.CheckExist(ctx, tx, "owner_ids", f.OwnerIDs...); err != nil {
		return err
	}
	if err := f.checkDuties(ctx, tx); err != nil {
		return err
	}
	if err := f.checkControls(ctx, tx); err != nil {
		return err
	}
	if err := f.checkName(ctx, tx, id); err != nil {
		return err
	}
	return f.checkContradictions(ctx, tx, id)
}

// problems collect what is wrong with a policy.
type problems []fault.Field

func (p *problems) add(pointer, code, format string, args ...any) {
	*p = append(*p, fault.Field{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
}

// fault is nil if nothing is wrong.
func (p problems) fault() error {
	if len(p) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The policy is invalid: %s", p[0].Detail).With(p...)
}

// Complete adds the defaults, drops what does not belong to the kind, and checks all that needs no database.
func (f *Fields) Complete() error {
	f.fill()
	var wrong problems
	if strings.TrimSpace(f.Name) == "" {
		wrong.add("#/name", "required", "The policy has no name.")
	}
	f.checkKind(&wrong)
	f.checkSides(&wrong)
	for i, a := range f.Context.SameAttributes {
		if strings.TrimSpace(a) == "" || a == Environment || a == LegalEntity {
			wrong.add(fmt.Sprintf("#/context/same_attributes/%d", i), "invalid",
				"%q is not the name of an attribute. Use same_environment or same_legal_entity for those.", a)
		}
	}
	if f.Kind == "companion" && len(f.Context.Traits()) > 0 {
		wrong.add("#/context", "invalid", "A companion policy compares no context. Leave out same_environment, "+
			"same_legal_entity and same_attributes.")
	}
	if f.MaxMitigation != nil {
		if d, err := span.Parse(*f.MaxMitigation); err != nil || d < span.Day || d > longestMitigation {
			wrong.add("#/max_mitigation", "invalid", "%q is not an ISO 8601 duration from P1D to P730D.",
				*f.MaxMitigation)
		}
	}
	if f.ValidFrom != nil && f.ValidTo != nil && !f.ValidFrom.Before(*f.ValidTo) {
		wrong.add("#/valid_to", "invalid", "The policy ends before it begins. Set valid_to to a later time than %s.",
			f.ValidFrom.Format(time.RFC3339))
	}
	return wrong.fault()
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
func (f *Fields) checkKind(wrong *problems) {
	if !slices.Contains(kinds, f.Kind) {
		wrong.add("#/kind", "invalid", "The kind is %q. Use one of %s.", f.Kind, strings.Join(kinds, ", "))
		return
	}
	switch {
	case f.Kind == "n_of_m" && (f.N == nil || *f.N < 2 || *f.N > len(f.Sides)):
		wrong.add("#/n", "invalid", "A policy of the kind n_of_m needs n, from 2 to its number of sides (%d).",
			len(f.Sides))
	case f.Kind != "n_of_m" && f.N != nil:
		wrong.add("#/n", "invalid", "n is for the kind n_of_m only. Set it to null.")
	}
	switch {
	case f.Kind == "matrix":
		f.checkMatrix(wrong)
	case f.Matrix != nil:
		wrong.add("#/matrix", "invalid", "matrix is for the kind matrix only. Set it to null.")
	}
	if f.Kind != "history" {
		if f.HistoryWindow != nil {
			wrong.add("#/history_window", "invalid", "history_window is for the kind history only. Set it to null.")
		}
		return
	}
	if f.HistoryWindow == nil {
		wrong.add("#/history_window", "required", "A policy of the kind history needs a history_window, such as P90D.")
	} else if d, err := span.Parse(*f.HistoryWindow); err != nil || d < span.Day || d > longest {
		wrong.add("#/history_window", "invalid", "%q is not an ISO 8601 duration from P1D to P3650D.",
			*f.HistoryWindow)
	}
}

// checkMatrix checks that each conflict names two sides of the policy.
func (f *Fields) checkMatrix(wrong *problems) {
	if f.Matrix == nil || len(f.Matrix.Conflicts) == 0 {
		wrong.add("#/matrix/conflicts", "required", "A policy of the kind matrix needs conflicts between its sides.")
		return
	}
	for i, c := range f.Matrix.Conflicts {
		if len(c) != 2 || c[0] == c[1] || c[0] < 0 || c[1] >= len(f.Sides) {
			wrong.add(fmt.Sprintf("#/matrix/conflicts/%d", i), "invalid",
				"A conflict is between two different sides, by their positions from 0 to %d.", len(f.Sides)-1)
		}
	}
}

// checkSides checks the number of sides, and that each has duties that no other side has.
func (f *Fields) checkSides(wrong *problems) {
	switch two := f.Kind == "pair" || f.Kind == "companion" || f.Kind == "history"; {
	case two && len(f.Sides) != 2:
		wrong.add("#/sides", "invalid", "A policy of the kind %s has two sides, and this one has %d. Add or remove "+
			"sides.", f.Kind, len(f.Sides))
	case len(f.Sides) < 2:
		wrong.add(
			"#/sides",
			"invalid",
			"A policy has at least two sides, and this one has %d. Add sides.",
			len(f.Sides),
		)
	}
	at := map[string]int{}
	for s, side := range f.Sides {
		if len(side.DutyIDs) == 0 {
			wrong.add(
				fmt.Sprintf("#/sides/%d/duty_ids", s),
				"required",
				"Side %d has no duties. Add at least one.",
				s+1,
			)
		}
		for i, id := range side.DutyIDs {
			if first, twice := at[id]; twice {
				wrong.add(fmt.Sprintf("#/sides/%d/duty_ids/%d", s, i), "duty_repeated",
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

// checkDuties locks the duties of all sides, and fills in the labels of sides that have none with the name of their
// first duty.
func (f *Fields) checkDuties(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select d.id::text, d.name
		  from duty d
		 where d.id = any($1::text[]::uuid[])
		   and d.deleted_at is null
		 order by d.id
		   for key share of d`
	names := map[string]string{}
	var id, name string
	ids := slices.DeleteFunc(f.DutyIDs(), func(id string) bool { return !listing.IsID(id) })
	if err := pg.Each(ctx, tx, "lock duties of policy", []any{&id, &name},
		func() error { names[id] = name; return nil }, sql, ids); err != nil {
		return err
	}
	var wrong problems
	for s := range f.Sides {
		side := &f.Sides[s]
		for i, id := range side.DutyIDs {
			if _, there := names[id]; !there {
				wrong.add(fmt.Sprintf("#/sides/%d/duty_ids/%d", s, i), "unknown_duty",
					"Duty %s was not found. Choose one of GET /policies/duties.", id)
			}
		}
		if strings.TrimSpace(side.Label) == "" && len(side.DutyIDs) > 0 {
			side.Label = names[side.DutyIDs[0]]
		}
	}
	return wrong.fault()
}

// checkControls locks the mitigating controls that the policy names.
func (f *Fields) checkControls(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select c.id::text
		  from mitigating_control c
		 where c.id = any($1::text[]::uuid[])
		   and c.deleted_at is null
		   for key share of c`
	if len(f.ControlIDs) == 0 {
		return nil
	}
	ids := slices.DeleteFunc(slices.Clone(f.ControlIDs), func(id string) bool { return !listing.IsID(id) })
	known, err := pg.All[string](ctx, tx, "lock controls of policy", sql, ids)
	if err != nil {
		return err
	}
	var wrong problems
	for i, id := range f.ControlIDs {
		if !slices.Contains(known, id) {
			wrong.add(fmt.Sprintf("#/mitigation_policy_ids/%d", i), "unknown_control",
				"Mitigating control %s was not found. Choose one of GET /policies/mitigation.", id)
		}
	}
	return wrong.fault()
}

// checkName is a fault if another policy has the name, in whatever case.
func (f *Fields) checkName(ctx context.Context, tx *pg.Tx, id string) error {
	taken, err := pg.NameTaken(ctx, tx, "separation_policy", f.Name, id)
	if err == nil && taken {
		err = f.nameTaken()
	}
	return err
}

func (f *Fields) nameTaken() error {
	return fault.Coded(fault.Conflict, "duplicate_name", "A separation-of-duties policy with the name %q exists.",
		f.Name).With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "Choose another name."})
}

// written is the error of writing the fields. Another call may have taken the name since it was checked.
func (f *Fields) written(err error) error {
	if pg.Violates(err, "separation_policy_name_unique") {
		return f.nameTaken()
	}
	return err
}
