package document

import (
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// file is a rule set as the document has it.
type file struct {
	Version  int      `yaml:"version"`
	Duties   []duty   `yaml:"duties,omitempty"`
	Policies []policy `yaml:"policies,omitempty"`
}

type duty struct {
	Key         string   `yaml:"key,omitempty"`
	Name        string   `yaml:"name"`
	Description string   `yaml:"description,omitempty"`
	Process     string   `yaml:"process,omitempty"`
	Owners      []string `yaml:"owners,omitempty"`
	AllOf       []group  `yaml:"all_of"`
}

type group struct {
	Members []member `yaml:"members"`
}

type member struct {
	Kind       string `yaml:"kind"`
	Connector  string `yaml:"connector,omitempty"`
	ExternalID string `yaml:"external_id,omitempty"`
	Role       string `yaml:"role,omitempty"`
	DutyTag    string `yaml:"duty_tag,omitempty"`
}

type policy struct {
	Key            string         `yaml:"key,omitempty"`
	Name           string         `yaml:"name"`
	Description    string         `yaml:"description,omitempty"`
	Rationale      string         `yaml:"rationale,omitempty"`
	RegulationRefs []string       `yaml:"regulation_refs,omitempty"`
	Owners         []string       `yaml:"owners,omitempty"`
	Enabled        *bool          `yaml:"enabled,omitempty"`
	Mode           string         `yaml:"mode,omitempty"`
	Severity       string         `yaml:"severity,omitempty"`
	Kind           string         `yaml:"kind"`
	Sides          []side         `yaml:"sides"`
	N              *int           `yaml:"n,omitempty"`
	Matrix         *matrix        `yaml:"matrix,omitempty"`
	HistoryWindow  *string        `yaml:"history_window,omitempty"`
	Context        context        `yaml:"context,omitempty"`
	Effects        effects        `yaml:"effects,omitempty"`
	Remediation    string         `yaml:"remediation,omitempty"`
	Controls       []string       `yaml:"mitigating_controls,omitempty"`
	MaxMitigation  *string        `yaml:"max_mitigation,omitempty"`
	ExceptionRule  string         `yaml:"exception_rule,omitempty"`
	Exemptions     map[string]any `yaml:"exemptions,omitempty"`
	ValidFrom      *time.Time     `yaml:"valid_from,omitempty"`
	ValidTo        *time.Time     `yaml:"valid_to,omitempty"`
}

type side struct {
	Label  string   `yaml:"label,omitempty"`
	Duties []string `yaml:"duties"`
}

type matrix struct {
	Conflicts [][]int `yaml:"conflicts"`
}

type context struct {
	SameEnvironment *bool    `yaml:"same_environment,omitempty"`
	SameLegalEntity *bool    `yaml:"same_legal_entity,omitempty"`
	SameAttributes  []string `yaml:"same_attributes,omitempty"`
	ExcludeReadOnly *bool    `yaml:"exclude_read_only,omitempty"`
}

type effects struct {
	OnRequest string `yaml:"on_request,omitempty"`
	OnAssign  string `yaml:"on_assign,omitempty"`
	OnDetect  string `yaml:"on_detect,omitempty"`
}

// set is the content of the document. root has the lines.
func (f file) set(name string, root *yaml.Node) (s ruleset.Set) {
	at := func(n *yaml.Node) ruleset.Place { return ruleset.Place{File: name, Line: n.Line} }
	nodes := child(root, "duties")
	for i, d := range f.Duties {
		n := element(nodes, i)
		s.Duties = append(s.Duties, ruleset.Duty{
			Place: at(n), Key: d.Key, Name: d.Name, Description: d.Description, Process: d.Process, Owners: d.Owners,
			Groups: d.groups(child(n, "all_of"), at),
		})
	}
	nodes = child(root, "policies")
	for i, p := range f.Policies {
		n := element(nodes, i)
		made := p.plain()
		made.Place = at(n)
		sides := child(n, "sides")
		for k, each := range p.Sides {
			refs := child(element(sides, k), "duties")
			to := ruleset.Side{Label: each.Label}
			for j, name := range each.Duties {
				to.Duties = append(to.Duties, ruleset.Ref{Place: at(element(refs, j)), Name: name})
			}
			made.Sides = append(made.Sides, to)
		}
		s.Policies = append(s.Policies, made)
	}
	return s
}

// groups are the groups of a duty.
func (d duty) groups(nodes *yaml.Node, at func(*yaml.Node) ruleset.Place) (groups [][]ruleset.Member) {
	for g, group := range d.AllOf {
		members := child(element(nodes, g), "members")
		list := []ruleset.Member{}
		for i, m := range group.Members {
			list = append(list, ruleset.Member{
				Place: at(element(members, i)), Kind: m.Kind, Connector: m.Connector, ExternalID: m.ExternalID,
				Role: m.Role, DutyTag: m.DutyTag,
			})
		}
		groups = append(groups, list)
	}
	return groups
}

// plain is the policy without its sides.
func (p policy) plain() ruleset.Policy {
	made := ruleset.Policy{
		Key:             p.Key,
		Name:            p.Name,
		Description:     p.Description,
		Rationale:       p.Rationale,
		RegulationRefs:  p.RegulationRefs,
		Owners:          p.Owners,
		Enabled:         p.Enabled == nil || *p.Enabled,
		Mode:            p.Mode,
		Severity:        p.Severity,
		Kind:            p.Kind,
		N:               p.N,
		HistoryWindow:   p.HistoryWindow,
		SameEnvironment: p.Context.SameEnvironment,
		SameLegalEntity: p.Context.SameLegalEntity,
		SameAttributes:  p.Context.SameAttributes,
		ExcludeReadOnly: p.Context.ExcludeReadOnly,
		OnRequest:       p.Effects.OnRequest,
		OnAssign:        p.Effects.OnAssign,
		OnDetect:        p.Effects.OnDetect,
		Remediation:     p.Remediation, Controls: p.Controls, MaxMitigation: p.MaxMitigation, Exemptions: p.Exemptions,
		ExceptionRule: p.ExceptionRule,
		ValidFrom:     p.ValidFrom,
		ValidTo:       p.ValidTo,
	}
	if p.Matrix != nil {
		made.Conflicts = p.Matrix.Conflicts
	}
	return made
}
