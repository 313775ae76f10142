package table

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// mostSides bounds the number of a side.
const mostSides = 50

// policies adds the policies of a table.
func (h header) policies(s *ruleset.Set, rows []row, r *ruleset.Report) {
	given := ruleset.Given{"kind": true, "sides": true, "n": true, "matrix": true, "history_window": true}
	for _, c := range policyColumns {
		if h.has(c) {
			given[c] = true
		}
	}
	at, firsts := map[string]int{}, map[string]row{}
	for _, w := range rows {
		name := strings.TrimSpace(w.get("policy"))
		id := ruleset.PolicyID(name)
		i, there := at[id]
		if !there {
			i = len(s.Policies)
			at[id], firsts[id] = i, w
			s.Policies = append(s.Policies, ruleset.Policy{Place: w.Place, Given: given, Name: name, Enabled: true})
		}
		p := &s.Policies[i]
		w.fields(p, repeated{w, id, r}, firsts[id], !there)
		w.side(p, id, r)
	}
}

// onceColumns are read from the first row of a policy. Its other rows repeat them or leave them empty.
var onceColumns = []string{
	"enabled", "same_environment", "same_legal_entity", "exclude_read_only", "valid_from", "valid_to", "history_window",
	"max_mitigation", "n", "conflicts",
}

// fields reads the columns that all rows of the policy repeat. isFirst is true for the first row of the policy.
func (w row) fields(p *ruleset.Policy, same repeated, first row, isFirst bool) {
	same.text(&p.Key, "key")
	same.text(&p.Description, "description")
	same.text(&p.Rationale, "rationale")
	same.list(&p.RegulationRefs, "regulation_refs")
	same.list(&p.Owners, "owners")
	same.text(&p.Remediation, "remediation")
	for column, into := range map[string]*string{
		"mode": &p.Mode, "severity": &p.Severity, "kind": &p.Kind, "on_request": &p.OnRequest,
		"on_assign": &p.OnAssign, "on_detect": &p.OnDetect, "exception_rule": &p.ExceptionRule,
	} {
		same.text(into, column)
	}
	same.list(&p.SameAttributes, "same_attributes")
	same.list(&p.Controls, "mitigating_controls")
	same.condition(&p.Exemptions, "exemptions")
	if !isFirst {
		for _, column := range onceColumns {
			cell := strings.TrimSpace(w.get(column))
			if cell != "" && !strings.EqualFold(cell, strings.TrimSpace(first.get(column))) {
				same.differs(column)
			}
		}
		return
	}
	if b := same.flag("enabled"); b != nil {
		p.Enabled = *b
	}
	p.SameEnvironment, p.SameLegalEntity = same.flag("same_environment"), same.flag("same_legal_entity")
	p.ExcludeReadOnly = same.flag("exclude_read_only")
	p.ValidFrom, p.ValidTo = same.moment("valid_from"), same.moment("valid_to")
	if cell := strings.TrimSpace(w.get("history_window")); cell != "" {
		p.HistoryWindow = &cell
	}
	if cell := strings.TrimSpace(w.get("max_mitigation")); cell != "" {
		p.MaxMitigation = &cell
	}
	if cell := strings.TrimSpace(w.get("n")); cell != "" {
		n, err := strconv.Atoi(cell)
		if err != nil || n < 2 || n > mostSides {
			same.r.AddOf(same.of, w.Place, "n", "invalid", "n is %q. Use a number from 2 to %d.", cell, mostSides)
		}
		p.N = &n
	}
	p.Conflicts = same.conflicts()
}

// flag reads a cell that is true, false or empty.
func (p repeated) flag(column string) *bool {
	var b bool
	switch cell := strings.ToLower(strings.TrimSpace(p.get(column))); cell {
	case "":
		return nil
	case "true", "yes", "1":
		b = true
	case "false", "no", "0":
	default:
		p.r.AddOf(p.of, p.Place, column, "invalid", "The column %s has %q. Use true or false.", column, cell)
	}
	return &b
}

// condition reads a condition on people, which is JSON as in the API. What it may say is checked with the policy.
func (p repeated) condition(into *map[string]any, column string) {
	cell := strings.TrimSpace(p.get(column))
	if cell == "" {
		return
	}
	var c map[string]any
	if err := json.Unmarshal([]byte(cell), &c); err != nil || len(c) == 0 {
		p.r.AddOf(p.of, p.Place, column, "invalid", "The column %s is no condition in JSON, such as "+
			`{"field": "department", "op": "eq", "value": "Internal audit"}.`, column)
		return
	}
	switch {
	case *into == nil:
		*into = c
	case !reflect.DeepEqual(*into, c):
		p.differs(column)
	}
}

// moment reads a time.
func (p repeated) moment(column string) *time.Time {
	cell := strings.TrimSpace(p.get(column))
	if cell == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, cell)
	if err != nil {
		p.r.AddOf(p.of, p.Place, column, "invalid", "The column %s has %q. Use a time such as 2026-12-31T00:00:00Z.",
			column, cell)
		return nil
	}
	return &t
}

// conflicts reads pairs of sides such as 1-2|1-3.
func (p repeated) conflicts() (pairs [][]int) {
	for _, each := range split(p.get("conflicts")) {
		a, b, _ := strings.Cut(each, "-")
		x, err := strconv.Atoi(strings.TrimSpace(a))
		y, err2 := strconv.Atoi(strings.TrimSpace(b))
		if err != nil || err2 != nil || min(x, y) < 1 || max(x, y) > mostSides {
			p.r.AddOf(
				p.of,
				p.Place,
				"conflicts",
				"invalid",
				"The column conflicts has %q. Use pairs of sides, such as "+
					"1-2|1-3.",
				each,
			)
			return nil
		}
		pairs = append(pairs, []int{x - 1, y - 1})
	}
	return pairs
}

// side adds the duty of a row to its side.
func (w row) side(p *ruleset.Policy, of string, r *ruleset.Report) {
	cell, duty := strings.TrimSpace(w.get("side")), strings.TrimSpace(w.get("duty"))
	n, err := strconv.Atoi(cell)
	if err != nil || n < 1 || n > mostSides {
		r.AddOf(of, w.Place, "side", "invalid", "The side is %q. Use a number from 1 to %d.", cell, mostSides)
		return
	}
	if duty == "" {
		r.AddOf(
			of,
			w.Place,
			"duty",
			"required",
			"The row names no duty. Each row of a policy names one duty of a side.",
		)
		return
	}
	for len(p.Sides) < n {
		p.Sides = append(p.Sides, ruleset.Side{})
	}
	side := &p.Sides[n-1]
	repeated{w, of, r}.text(&side.Label, "side_label")
	side.Duties = append(side.Duties, ruleset.Ref{Place: w.Place, Name: duty})
}
