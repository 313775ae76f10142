package format

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
)

// PolicyTable assigns access by rows that compare fields of a person.
type PolicyTable struct {
	// Rows that assign access to a person who matches several: all, or the first one. Empty: all.
	HitPolicy string `json:"hitPolicy,omitempty"`
	// Fields of the person that the cells are compared with.
	Columns []string `json:"columns"`
	// Rows in their order.
	Rows []PolicyTableRow `json:"rows"`
}

// PolicyTableRow is a row of a decision table.
type PolicyTableRow struct {
	// A cell for each column.
	Cells []PolicyCell `json:"cells"`
	// Roles of the pack and entitlements that the row assigns. Empty only if the first row that matches counts.
	Grant []PolicyGrant `json:"grant,omitempty"`
	// Comment for editors.
	Comment string `json:"comment,omitempty"`
}

// PolicyCell is a cell as the service has it. A pack may write a list of values instead, in which * and | mean
// themselves.
type PolicyCell string

// UnmarshalJSON reads a cell, or the values of one.
func (c *PolicyCell) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*c = PolicyCell(text)
		return nil
	}
	var values []string
	if err := json.Unmarshal(raw, &values); err != nil {
		return fmt.Errorf("read cell: %w", err)
	}
	for i, v := range values {
		values[i] = table.Quote(v)
	}
	*c = PolicyCell(strings.Join(values, "|"))
	return nil
}

// Decisions is the decision table in the form of the service, with what find returns for each row, counted from 1. The
// second result is what is wrong with it; the table is then not complete.
func (p Policy) Decisions(
	find func(row int, r PolicyTableRow) (roles, entitlements []string),
) (*table.DecisionTable, []table.Wrong) {
	t := &table.DecisionTable{HitPolicy: p.Table.HitPolicy, Columns: slices.Clone(p.Table.Columns)}
	for i, r := range p.Table.Rows {
		row := table.DecisionTableRow{Comment: r.Comment}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, string(c))
		}
		row.RoleIDs, row.EntitlementIDs = find(i+1, r)
		t.Rows = append(t.Rows, row)
	}
	return t, t.Complete()
}

// named is a row with the keys of its roles, and a text in place of the entitlements that its selectors find.
func named(_ int, r PolicyTableRow) (roles, entitlements []string) {
	for i, g := range r.Grant {
		if g.Role != "" {
			roles = append(roles, g.Role)
		} else {
			entitlements = append(entitlements, fmt.Sprint(i))
		}
	}
	return roles, entitlements
}

// GrantsTo is what the policy grants, denies or lets a person request who meets its condition: all of grant, or that of
// the rows that match. matched is false if no row does.
func (p Policy) GrantsTo(fields map[string]any) (grants []PolicyGrant, matched bool) {
	if p.Table == nil {
		return p.Grant, true
	}
	t, wrong := p.Decisions(named)
	if len(wrong) > 0 {
		return nil, false
	}
	m, _ := table.NewMatcher(t)
	rows := m.Match(fields)
	for _, i := range rows {
		grants = append(grants, p.Table.Rows[i].Grant...)
	}
	return grants, len(rows) > 0
}

// Same reports whether two grants name the same.
func (g PolicyGrant) Same(o PolicyGrant) bool {
	switch {
	case g.Select != nil && o.Select != nil:
		return *g.Select == *o.Select
	case g.Account != nil && o.Account != nil:
		return *g.Account == *o.Account
	}
	return g.Role+g.Tag != "" && g.Role == o.Role && g.Tag == o.Tag
}

// Grants is everything that the policy names: what it assigns, in rows or not, and what it requires.
func (p Policy) Grants() []PolicyGrant {
	all := slices.Concat(p.Grant, p.Require)
	if p.Table != nil {
		for _, r := range p.Table.Rows {
			all = append(all, r.Grant...)
		}
	}
	return all
}
