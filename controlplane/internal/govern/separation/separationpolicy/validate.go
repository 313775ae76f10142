package separationpolicy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Check completes the fields, and compares what they name with what is stored. The duties are locked, so that none is
// deleted before the policy is written. A fault is of kind Invalid or, if another policy has the name, Conflict. id is
// that of the policy, or empty.
func Check(ctx context.Context, tx *pg.Tx, f *Fields, id string) error {
	if err := f.Complete(); err != nil {
		return err
	}
	if err := reference.CheckExist(ctx, tx, "owner_ids", f.OwnerIDs...); err != nil {
		return err
	}
	if err := checkDuties(ctx, tx, f); err != nil {
		return err
	}
	if err := checkControls(ctx, tx, f); err != nil {
		return err
	}
	if err := checkExceptionRule(ctx, tx, f); err != nil {
		return err
	}
	if err := checkName(ctx, tx, f, id); err != nil {
		return err
	}
	return checkContradictions(ctx, tx, f, id)
}

// checkContradictions is a fault of kind Invalid if the policy and another evaluated one contradict each other: one
// requires a duty that the other forbids beside it, so that no person could perform the first at all. A policy that is
// not evaluated contradicts none.
func checkContradictions(ctx context.Context, tx *pg.Tx, f *Fields, id string) error {
	if !f.IsEvaluated() {
		return nil
	}
	others, err := Using(ctx, tx, f.DutyIDs()...)
	if err != nil {
		return err
	}
	return definition.Problems(f.Contradictions(id, others)).Fault()
}

// checkDuties locks the duties of all sides, and fills in the labels of sides that have none with the name of their
// first duty.
func checkDuties(ctx context.Context, tx *pg.Tx, f *Fields) error {
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
	var wrong definition.Problems
	for s := range f.Sides {
		side := &f.Sides[s]
		for i, id := range side.DutyIDs {
			if _, there := names[id]; !there {
				wrong.Add(fmt.Sprintf("#/sides/%d/duty_ids/%d", s, i), "unknown_duty",
					"Duty %s was not found. Choose one of GET /policies/duties.", id)
			}
		}
		if strings.TrimSpace(side.Label) == "" && len(side.DutyIDs) > 0 {
			side.Label = names[side.DutyIDs[0]]
		}
	}
	return wrong.Fault()
}

// checkControls locks the mitigating controls that the policy names.
func checkControls(ctx context.Context, tx *pg.Tx, f *Fields) error {
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
	var wrong definition.Problems
	for i, id := range f.ControlIDs {
		if !slices.Contains(known, id) {
			wrong.Add(fmt.Sprintf("#/mitigation_policy_ids/%d", i), "unknown_control",
				"Mitigating control %s was not found. Choose one of GET /policies/mitigation.", id)
		}
	}
	return wrong.Fault()
}

// checkExceptionRule locks the approval rule that allows exceptions, so that it is neither deleted nor disabled before
// the policy is written.
func checkExceptionRule(ctx context.Context, tx *pg.Tx, f *Fields) error {
	if f.ExceptionRuleID == nil {
		return nil
	}
	const sql = `select r.enabled from approval_rule r where r.id = $1 for share of r`
	var wrong definition.Problems
	known := []bool{}
	if listing.IsID(*f.ExceptionRuleID) {
		var err error
		if known, err = pg.All[bool](ctx, tx, "lock approval rule of policy", sql, *f.ExceptionRuleID); err != nil {
			return err
		}
	}
	switch {
	case len(known) == 0:
		wrong.Add("#/exception_rule_id", "unknown_rule",
			"Approval rule %s was not found. Choose one of GET /approval-rules.", *f.ExceptionRuleID)
	case !known[0]:
		wrong.Add("#/exception_rule_id", "rule_disabled",
			"Approval rule %s is disabled. Enable it, or choose another one.", *f.ExceptionRuleID)
	}
	return wrong.Fault()
}

// checkName is a fault if another policy has the name, in whatever case.
func checkName(ctx context.Context, tx *pg.Tx, f *Fields, id string) error {
	taken, err := pg.NameTaken(ctx, tx, "separation_policy", f.Name, id)
	if err == nil && taken {
		err = nameTaken(f.Name)
	}
	return err
}

func nameTaken(name string) error {
	return fault.Coded(fault.Conflict, "duplicate_name", "A separation-of-duties policy with the name %q exists.",
		name).With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "Choose another name."})
}

// written is the error of writing the fields. Another call may have taken the name since it was checked.
func written(err error, name string) error {
	if pg.Violates(err, "separation_policy_name_unique") {
		return nameTaken(name)
	}
	return err
}
