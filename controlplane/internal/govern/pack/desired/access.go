package desired

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
)

// found is what a list of a policy means: IDs of roles, entitlements and connectors, and tags.
type found struct{ roles, entitlements, accounts, tags []string }

// resolve finds what a list of a policy means. What is not found is added to pending, marked as of says.
func (b *Resolver) resolve(
	list []format.PolicyGrant,
	roles map[string]string,
	of installation.PendingBinding,
	pending *[]installation.PendingBinding,
) (all found) {
	for _, g := range list {
		var waits *installation.PendingBinding
		var ids []string
		switch {
		case g.Role != "":
			if id, ok := roles[g.Role]; ok {
				all.roles = append(all.roles, id)
			} else {
				waits = &installation.PendingBinding{Role: g.Role, Reason: "role_conflict"}
			}
		case g.Select != nil:
			ids, waits = b.Entitlements(*g.Select)
			all.entitlements = append(all.entitlements, ids...)
		case g.Tag != "":
			all.tags = append(all.tags, g.Tag)
		case g.Account != nil:
			ids, waits = b.Accounts(*g.Account)
			all.accounts = append(all.accounts, ids...)
		}
		if waits != nil {
			waits.Required, waits.Row = of.Required, of.Row
			*pending = append(*pending, *waits)
		}
	}
	return all
}

// access adds to the fields what the policy assigns or denies, in rows or not, and what it requires.
func (b *Resolver) access(p format.Policy, roles map[string]string, f merge.Fields, w *State) {
	if p.Table == nil {
		all := b.resolve(p.Grant, roles, installation.PendingBinding{}, &w.Pending)
		f["role_ids"], f["entitlement_ids"] = merge.Distinct(all.roles), merge.Distinct(all.entitlements)
		f["connector_ids"], f["tags"] = merge.Distinct(all.accounts), merge.Distinct(all.tags)
	} else {
		rows := map[int]Row{}
		for i, r := range p.Table.Rows {
			all := b.resolve(r.Grant, roles, installation.PendingBinding{Row: i + 1}, &w.Pending)
			rows[i+1] = Row{all.roles, all.entitlements}
		}
		f[merge.TableField], w.Pending = Table(p, rows, w.Pending)
	}
	if p.Effect == "require" {
		all := b.resolve(p.Require, roles, installation.PendingBinding{Required: true}, &w.Pending)
		f["companion_role_ids"] = merge.Distinct(all.roles)
		f["companion_entitlement_ids"] = merge.Distinct(all.entitlements)
	}
}

// Row is what a row of a decision table assigns, by ID.
type Row struct{ Roles, Entitlements []string }

// mostOfRow is how many roles and how many entitlements a row can assign.
const mostOfRow = 50

// Table is the decision table of a policy with what its rows, counted from 1, have found. A row that has found nothing
// is left out, except where the first row that matches counts: it then assigns nothing. A row that would assign more
// than a row can waits instead, with the reason too_many.
func Table(
	p format.Policy,
	rows map[int]Row,
	pending []installation.PendingBinding,
) (*table.DecisionTable, []installation.PendingBinding) {
	for i, r := range p.Table.Rows {
		if len(merge.Distinct(rows[i+1].Entitlements)) <= mostOfRow {
			continue
		}
		rows[i+1] = Row{Roles: rows[i+1].Roles}
		for _, g := range r.Grant {
			if g.Select != nil {
				pending = append(slices.DeleteFunc(pending, func(w installation.PendingBinding) bool {
					return w.Row == i+1 && w.Select != nil && *w.Select == *shownSelector(*g.Select)
				}), installation.PendingBinding{Select: shownSelector(*g.Select), Row: i + 1, Reason: "too_many"})
			}
		}
	}
	t, _ := p.Decisions(func(n int, _ format.PolicyTableRow) (roles, entitlements []string) {
		return rows[n].Roles, rows[n].Entitlements
	}) // what is wrong with it was found when the pack was checked
	if t.HitPolicy != table.First {
		t.Rows = slices.DeleteFunc(t.Rows, func(r table.DecisionTableRow) bool {
			return len(r.RoleIDs)+len(r.EntitlementIDs) == 0
		})
	}
	return t, pending
}

// TableAgain is the decision table of a policy with what its rows have found so far, and with more.
func TableAgain(
	p format.Policy,
	applied any,
	more map[int]Row,
	pending []installation.PendingBinding,
) (*table.DecisionTable, []installation.PendingBinding) {
	rows := map[int]Row{}
	cells, _ := p.Decisions(func(int, format.PolicyTableRow) (roles, entitlements []string) { return nil, nil })
	for i, r := range cells.Rows {
		roles, entitlements := merge.Row(applied, r.Cells)
		rows[i+1] = Row{append(roles, more[i+1].Roles...), append(entitlements, more[i+1].Entitlements...)}
	}
	return Table(p, rows, pending)
}

// Complete reports whether the fields of a policy say enough for it to be created: it has something to assign, deny or
// let people request; or something to require, of the holders of something if the pack names what they hold.
func Complete(p format.Policy, f merge.Fields) bool {
	resources := len(f.IDs("role_ids")) + len(f.IDs("entitlement_ids")) + len(f.IDs("connector_ids")) +
		len(f.IDs("tags"))
	switch {
	case p.Table != nil:
		return merge.HasRows(f[merge.TableField])
	case p.Effect == "require":
		return (len(p.Grant) == 0 || resources > 0) && (f["needs_training"] != nil || f["needs_manager"] == true ||
			len(f.IDs("companion_role_ids"))+len(f.IDs("companion_entitlement_ids")) > 0)
	}
	return resources > 0
}
