package sapgrc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// policies are the risks of the rule set.
func (b builder) policies(duties []ruleset.Duty) (list []ruleset.Policy) {
	names := map[string]string{}
	for _, d := range duties {
		names[d.Key] = d.Name
	}
	all := map[string]*ruleset.Policy{}
	for _, r := range b.tables[risks] {
		id := r.get("RISKID")
		if all[id] != nil {
			b.report.Add(
				r.Place,
				"RISKID",
				"duplicate_key",
				"The risk %q is already in %s, line %d. Remove one of the two.",
				id,
				all[id].File,
				all[id].Line,
			)
			continue
		}
		p := &ruleset.Policy{
			Place:         r.Place,
			Key:           id,
			Kind:          "pair",
			Enabled:       !b.inactive(r),
			Severity:      b.severity(r),
			LenientOwners: true,
		}
		p.Given = ruleset.Given{
			"severity":    r.get("PRIORITY") != "",
			"enabled":     true,
			"description": len(b.tables[riskTexts]) > 0,
			"owners":      len(b.tables[riskOwners]) > 0,
		}
		all[id] = p
		if !b.separates(r) {
			continue
		}
		for n := 1; n <= 5; n++ {
			b.side(p, r, r.get(fmt.Sprintf("FUNCTID%d", n)), names)
		}
		list = append(list, *p)
	}
	at := map[string]int{}
	for i, p := range list {
		at[p.Key] = i
	}
	of := func(r record) (*ruleset.Policy, bool) {
		id := r.get("RISKID")
		if all[id] == nil {
			b.report.Add(
				r.Place,
				"RISKID",
				"unknown_risk",
				"The risk %q is not in the table of risks. Add it, or remove the "+
					"line.",
				id,
			)
		}
		i, there := at[id]
		if !there {
			return nil, false
		}
		return &list[i], true
	}
	for _, r := range b.tables[riskFuncs] {
		if p, there := of(r); there {
			b.side(p, r, r.get("FUNCTID"), names)
		}
	}
	for _, r := range b.tables[riskOwners] {
		if p, there := of(r); there {
			p.Owners = append(p.Owners, r.get("OWNER"))
		}
	}
	for _, r := range b.tables[riskTexts] {
		of(r)
	}
	chosen := b.chosen(of)
	texts, details := b.texts(riskTexts, "RISKID", "DESCN"), b.texts(riskTexts, "RISKID", "DETAIL")
	for i := range list {
		p := &list[i]
		p.Name, p.Alias, p.Description = titled(p.Key, texts[p.Key]), texts[p.Key], details[p.Key]
		slices.Sort(p.Owners)
		p.Owners = slices.Compact(p.Owners)
		switch n := len(p.Sides); {
		case n < 2:
			b.report.AddOf(
				ruleset.PolicyID(p.Name),
				p.Place,
				"FUNCTID2",
				"required",
				"The risk %q has %d functions, and "+
					"separation of duties needs two. Add the other one, or set the risk type.",
				p.Key,
				n,
			)
		case n > 2:
			p.Kind, p.N = "n_of_m", &n
		}
	}
	return slices.DeleteFunc(list, func(p ruleset.Policy) bool { return !chosen(p.Key) })
}

// chosen reports which risks are in the rule set that was asked for.
func (b builder) chosen(of func(record) (*ruleset.Policy, bool)) func(id string) bool {
	in, known := map[string]bool{}, map[string]bool{}
	for _, r := range b.tables[ruleSets] {
		known[strings.ToUpper(r.get("RULESETID"))] = true
	}
	for _, r := range b.tables[riskRuleSets] {
		set := strings.ToUpper(r.get("RULESETID"))
		if len(b.tables[ruleSets]) > 0 && !known[set] {
			b.report.Add(
				r.Place,
				"RULESETID",
				"unknown_rule_set",
				"The rule set %q is not in the table of rule sets. Add "+
					"it, or correct its ID.",
				r.get("RULESETID"),
			)
		}
		of(r)
		if known[set] = true; set == strings.ToUpper(b.RuleSet) {
			in[r.get("RISKID")] = true
		}
	}
	if b.RuleSet != "" && !known[strings.ToUpper(b.RuleSet)] {
		b.report.Add(
			ruleset.Place{},
			"rule_set",
			"unknown_rule_set",
			"The rule set %q is not in the files. Choose another "+
				"one, or none for all.",
			b.RuleSet,
		)
	}
	return func(id string) bool { return b.RuleSet == "" || in[id] }
}

// side adds a function of a risk.
func (b builder) side(p *ruleset.Policy, r record, id string, names map[string]string) {
	if id == "" {
		return
	}
	name := names[id]
	if name == "" {
		name = id // perhaps one that was imported before
	}
	if slices.ContainsFunc(p.Sides, func(s ruleset.Side) bool { return s.Duties[0].Name == name }) {
		b.report.Add(
			r.Place,
			"FUNCTID",
			"duty_repeated",
			"The risk %q names the function %q twice. Remove one of the two.",
			p.Key,
			id,
		)
		return
	}
	p.Sides = append(p.Sides, ruleset.Side{Duties: []ruleset.Ref{{Place: r.Place, Name: name}}})
}

// separates reads the type of a risk. Only separation of duties becomes a policy.
func (b builder) separates(r record) bool {
	switch kind := strings.ToUpper(r.get("RISKTYPE")); kind {
	case "", "1", "SOD", "S":
		return true
	case "2", "3", "CA", "CP":
		b.report.Note(
			r.Place,
			"RISKTYPE",
			"not_separation_of_duties",
			"The risk %q is a critical action or permission, "+
				"which is no separation of duties. It is omitted.",
			r.get("RISKID"),
		)
	default:
		b.report.Add(
			r.Place,
			"RISKTYPE",
			"invalid",
			"RISKTYPE is %q. Use 1 for separation of duties, 2 for a critical "+
				"action and 3 for a critical permission.",
			kind,
		)
	}
	return false
}

// severity reads the level of a risk.
func (b builder) severity(r record) string {
	switch level := strings.ToLower(r.get("PRIORITY")); level {
	case "", "0", "medium":
		return "medium"
	case "1", "high":
		return "high"
	case "2", "low":
		return "low"
	case "3", "critical":
		return "critical"
	default:
		b.report.Add(
			r.Place,
			"PRIORITY",
			"invalid",
			"PRIORITY is %q. Use 0 for medium, 1 for high, 2 for low and 3 for "+
				"critical.",
			level,
		)
		return ""
	}
}
