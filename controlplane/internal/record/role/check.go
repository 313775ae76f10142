package role

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// ReadCondition is a condition that has been read.
type ReadCondition struct {
	Normal   RoleCondition // what is stored
	Sentence string
	Needs    []string      // what it asks beyond the fields of the person
	Wrong    []fault.Field // what it cannot be kept with, by pointers into it
}

// Reader reads conditions, whose language lies above this room.
type Reader func(RoleCondition) ReadCondition

// Prepare checks the conditions of a role and puts them into their normal form. A caller that writes one prepares it
// first.
func (read Reader) Prepare(f *RoleFields) error {
	var wrong []fault.Field
	f.RuleNeeds = []string{}
	for _, c := range []struct {
		member string
		into   *RoleCondition
	}{{"membership_rule", &f.MembershipRule}, {"visible_to", &f.VisibleTo}} {
		if len(*c.into) == 0 {
			*c.into = nil
			continue
		}
		if read == nil {
			return fault.New(fault.Invalid, "Conditions are not available in this installation.").
				With(fault.Field{Pointer: "#/" + c.member, Code: "invalid", Detail: "leave it out"})
		}
		done := read(*c.into)
		for _, w := range done.Wrong {
			w.Pointer = "#/" + c.member + strings.TrimPrefix(w.Pointer, "#")
			wrong = append(wrong, w)
		}
		if *c.into = done.Normal; c.member == "membership_rule" {
			f.RuleNeeds = done.Needs
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "a condition of this role cannot be used: %s", wrong[0].Detail).With(wrong...)
	}
	return nil
}

// check holds what a role names against what there is. What before named may stay.
func (f RoleFields) check(ctx context.Context, tx *pg.Tx, id string, before RoleFields) error {
	if err := reference.CheckExist(ctx, tx, "owner_ids", f.OwnerIDs...); err != nil {
		return err
	}
	if err := reference.CheckExist(ctx, tx, "backup_owner_ids", f.BackupOwnerIDs...); err != nil {
		return err
	}
	var excluded []string
	for _, x := range f.MembershipExclusions {
		excluded = append(excluded, x.IdentityID)
	}
	if err := reference.CheckExist(ctx, tx, "membership_exclusions", excluded...); err != nil {
		return err
	}
	if err := checkEntitlements(ctx, tx, before.EntitlementIDs, f.EntitlementIDs); err != nil {
		return err
	}
	if err := f.checkApprovalRule(ctx, tx, before); err != nil {
		return err
	}
	return f.checkNesting(ctx, tx, id, before)
}

func (f RoleFields) checkApprovalRule(ctx context.Context, tx *pg.Tx, before RoleFields) error {
	if f.ApprovalRuleID == nil || before.ApprovalRuleID != nil && *before.ApprovalRuleID == *f.ApprovalRuleID {
		return nil
	}
	const sql = `select exists (select from approval_rule where id = $1)`
	there := false
	if listing.IsID(*f.ApprovalRuleID) {
		if err := tx.QueryRow(ctx, sql, *f.ApprovalRuleID).Scan(&there); err != nil {
			return fmt.Errorf("look for approval rule: %w", err)
		}
	}
	if !there {
		return fault.New(fault.Invalid, "Approval rule %s was not found.", *f.ApprovalRuleID).
			With(fault.Field{Pointer: "#/approval_rule_id", Code: "unknown_approval_rule",
				Detail: "choose one of GET /approval-rules"})
	}
	return nil
}

// deepest is how many roles may be nested one in another, the outermost included.
const deepest = 5

// nesting is how all roles of the tenant are nested, with their names.
type nesting struct {
	within map[string][]string
	around map[string][]string
	name   map[string]string
	state  map[string]string
}

// checkNesting is a fault of kind Invalid that names the way, when nesting these roles makes a circle or goes too deep.
func (f RoleFields) checkNesting(ctx context.Context, tx *pg.Tx, id string, before RoleFields) error {
	if len(f.ChildRoleIDs) == 0 || slices.Equal(f.ChildRoleIDs, before.ChildRoleIDs) {
		return nil
	}
	// Two that nest at the same time could make a circle together.
	if err := pg.Exec(
		ctx,
		tx,
		"lock nesting of roles",
		`select pg_advisory_xact_lock(2801, hashtext(current_tenant()::text))`,
	); err != nil {
		return err
	}
	n, err := readNesting(ctx, tx, append([]string{id}, f.ChildRoleIDs...))
	if err != nil {
		return err
	}
	n.put(id, f.Name, f.ChildRoleIDs)
	var wrong []fault.Field
	for i, child := range f.ChildRoleIDs {
		at := fmt.Sprintf("#/child_role_ids/%d", i)
		switch state, there := n.state[child]; {
		case child == id:
			wrong = append(
				wrong,
				fault.Field{Pointer: at, Code: "role_cycle", Detail: "a role cannot be nested in itself"},
			)
		case !there:
			wrong = append(wrong, fault.Field{Pointer: at, Code: "unknown_role", Detail: "there is no role " + child})
		case state == Retired && !slices.Contains(before.ChildRoleIDs, child):
			wrong = append(
				wrong,
				fault.Field{
					Pointer: at,
					Code:    "role_retired",
					Detail:  "the role " + n.name[child] + " is retired, and gives nothing",
				},
			)
		default:
			if way := n.way(child, id, map[string]bool{}); way != nil {
				wrong = append(
					wrong,
					fault.Field{
						Pointer: at,
						Code:    "role_cycle",
						Detail:  "the roles would form a cycle: " + n.names(append([]string{id}, way...)),
					},
				)
			}
		}
	}
	if len(wrong) == 0 {
		if chain := append(n.longest(id, n.around, true), n.longest(id, n.within, false)[1:]...); len(chain) > deepest {
			wrong = append(wrong, fault.Field{Pointer: "#/child_role_ids", Code: "nested_too_deep",
				Detail: fmt.Sprintf("at most %d roles are nested one in another: %s", deepest, n.names(chain))})
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The roles cannot be nested: %s", wrong[0].Detail).With(wrong...)
	}
	return nil
}

func readNesting(ctx context.Context, tx *pg.Tx, more []string) (nesting, error) {
	const (
		edges = `select role_id::text, child_id::text from role_child order by 1, 2`
		roles = `
			select r.id::text, r.name, r.lifecycle
			  from role r
			 where r.id = any(@more::text[]::uuid[])
			    or exists (select from role_child c where r.id in (c.role_id, c.child_id))`
	)
	n := nesting{map[string][]string{}, map[string][]string{}, map[string]string{}, map[string]string{}}
	var a, b, c string
	if err := pg.Each(ctx, tx, "read nesting of roles", []any{&a, &b}, func() error {
		n.within[a], n.around[b] = append(n.within[a], b), append(n.around[b], a)
		return nil
	}, edges); err != nil {
		return n, err
	}
	err := pg.Each(ctx, tx, "read nesting of roles", []any{&a, &b, &c}, func() error {
		n.name[a], n.state[a] = b, c
		return nil
	}, roles, pgx.NamedArgs{"more": more})
	return n, err
}

// put makes a role hold these roles and no others.
func (n nesting) put(id, name string, children []string) {
	for _, child := range n.within[id] {
		n.around[child] = slices.DeleteFunc(n.around[child], func(x string) bool { return x == id })
	}
	n.name[id], n.within[id] = name, children
	for _, child := range children {
		n.around[child] = append(n.around[child], id)
	}
}

// way finds how one role leads to another by nesting; nil: it does not.
func (n nesting) way(from, to string, seen map[string]bool) []string {
	if from == to {
		return []string{to}
	}
	seen[from] = true
	for _, child := range n.within[from] {
		if seen[child] {
			continue
		}
		if rest := n.way(child, to, seen); rest != nil {
			return append([]string{from}, rest...)
		}
	}
	return nil
}

// longest is the longest chain from a role, in the direction of next; upwards it starts at the outermost role.
func (n nesting) longest(id string, next map[string][]string, upwards bool) []string {
	known := map[string][]string{}
	var from func(id string) []string
	from = func(id string) []string {
		if chain, done := known[id]; done {
			return chain
		}
		var best []string
		for _, to := range next[id] {
			if chain := from(to); len(chain) > len(best) {
				best = chain
			}
		}
		known[id] = append([]string{id}, best...)
		return known[id]
	}
	chain := slices.Clone(from(id))
	if upwards {
		slices.Reverse(chain)
	}
	return chain
}

func (n nesting) names(ids []string) string {
	var names []string
	for _, id := range ids {
		names = append(names, n.name[id])
	}
	return strings.Join(names, " > ")
}
