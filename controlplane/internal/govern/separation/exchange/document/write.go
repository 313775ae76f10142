package document

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// Write writes a rule set. The same set makes the same text.
func Write(s ruleset.Set) ([]byte, error) {
	f := file{Version: 1}
	for _, d := range s.Duties {
		to := duty{Key: d.Key, Name: d.Name, Description: d.Description, Process: d.Process, Owners: d.Owners}
		for _, g := range d.Groups {
			var list group
			for _, m := range g {
				list.Members = append(list.Members, member{m.Kind, m.Connector, m.ExternalID, m.Role, m.DutyTag})
			}
			to.AllOf = append(to.AllOf, list)
		}
		f.Duties = append(f.Duties, to)
	}
	for _, p := range s.Policies {
		f.Policies = append(f.Policies, written(p))
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(f); err != nil {
		return nil, fmt.Errorf("write rule set: %w", err)
	}
	return b.Bytes(), nil
}

// written is a policy as the document has it.
func written(p ruleset.Policy) policy {
	to := policy{
		Key:            p.Key,
		Name:           p.Name,
		Description:    p.Description,
		Rationale:      p.Rationale,
		RegulationRefs: p.RegulationRefs,
		Owners:         p.Owners,
		Enabled:        &p.Enabled,
		Mode:           p.Mode,
		Severity:       p.Severity,
		Kind:           p.Kind,
		N:              p.N,
		HistoryWindow:  p.HistoryWindow,
		Context:        context{p.SameEnvironment, p.SameLegalEntity, p.SameAttributes, p.ExcludeReadOnly},
		Effects: effects{
			p.OnRequest,
			p.OnAssign,
			p.OnDetect,
		},
		Remediation: p.Remediation, Controls: p.Controls, MaxMitigation: p.MaxMitigation, Exemptions: p.Exemptions,
		ExceptionRule: p.ExceptionRule,

		ValidFrom: p.ValidFrom,
		ValidTo:   p.ValidTo,
	}
	if len(p.Conflicts) > 0 {
		to.Matrix = &matrix{p.Conflicts}
	}
	for _, s := range p.Sides {
		each := side{Label: s.Label}
		for _, d := range s.Duties {
			each.Duties = append(each.Duties, d.Name)
		}
		to.Sides = append(to.Sides, each)
	}
	return to
}
