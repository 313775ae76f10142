package evaluation

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// fillRows finds what each row of a decision table gives.
func (r *Rule) fillRows(held map[string][]content.Entitlement, systems map[string]string) {
	if r.table == nil {
		return
	}
	r.rows = make([][]target, len(r.Policy.Table.Rows))
	for i, row := range r.Policy.Table.Rows {
		for _, id := range row.EntitlementIDs {
			if system, usable := systems[id]; usable {
				r.rows[i] = append(r.rows[i], target{system, id, ""})
			}
		}
		for _, id := range row.RoleIDs {
			for _, e := range held[id] {
				r.rows[i] = append(r.rows[i], target{e.ConnectorID, e.ID, id})
			}
		}
	}
}

// Rows are the rows of the rule's decision table that apply to a person, counted from 0; nil if it has none.
func (r *Rule) Rows(p *Person) []int {
	if r.table == nil {
		return nil
	}
	if rows, known := p.hit[r]; known {
		return rows
	}
	if p.hit == nil {
		p.hit = map[*Rule][]int{}
	}
	p.hit[r] = r.table.Match(p.Identity)
	return p.hit[r]
}

// hits reports whether a row of the decision table applies to a person. A rule without a table has no rows to ask.
func (r *Rule) hits(p *Person) bool { return r.table == nil || len(r.Rows(p)) > 0 }

// targetsOf are what the rule gives a person who meets it: all of it, or what the rows that match give, each thing
// once.
func (r *Rule) targetsOf(p *Person) []target {
	if r.table == nil {
		return r.targets
	}
	rows := r.Rows(p)
	if len(rows) == 1 {
		return r.rows[rows[0]]
	}
	var all []target
	seen := map[target]bool{}
	for _, i := range rows {
		for _, t := range r.rows[i] {
			if !seen[t] {
				seen[t], all = true, append(all, t)
			}
		}
	}
	return slices.Clip(all)
}
