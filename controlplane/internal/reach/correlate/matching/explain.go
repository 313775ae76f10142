package matching

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/explanation"
)

// document is what is stored with an account: why it stands as it does.
type document struct {
	By          string                             `json:"by"`
	Reason      string                             `json:"reason"`
	Score       float64                            `json:"score"`
	RuleIDs     []string                           `json:"rule_ids"`
	Explanation []string                           `json:"explanation"`
	Candidates  []explanation.CorrelationCandidate `json:"candidates,omitempty"`
	Tried       []explanation.CorrelationTried     `json:"match_explanation"`
	Previous    string                             `json:"previous_owner,omitempty"`
	DecidedAt   string                             `json:"decided_at,omitempty"`
}

// document writes a verdict down, without the time.
func (p *Plan) document(s *subject, v verdict) document {
	d := document{
		By:          byRules,
		Reason:      v.why,
		Score:       v.score,
		RuleIDs:     []string{},
		Explanation: []string{},
		Tried:       []explanation.CorrelationTried{},
	}
	if v.state != linked {
		d.Previous = s.previous()
	}
	if s.Gone != nil && v.why == nobody {
		d.Reason = ownerArchived
	}
	for i, c := range v.candidates {
		rules, names := p.holding(c)
		if i == 0 {
			d.RuleIDs, d.Explanation = rules, names
		}
		if v.state != linked {
			d.Candidates = append(
				d.Candidates,
				explanation.CorrelationCandidate{IdentityID: c.name(), Score: c.score, Explanation: names},
			)
		}
		d.Tried = append(d.Tried, explanation.CorrelationTried{IdentityID: c.name(), Rules: p.tried(c)})
	}
	return d
}

func (c candidate) name() string { return uuid.UUID(c.person.ID).String() }

// holding are the rules that speak for a candidate, those that others imply left out.
func (p *Plan) holding(c candidate) (rules, names []string) {
	rules, names = []string{}, []string{}
	if c.said {
		rules, names = append(rules, sameRecord), append(names, sameRecordName)
	}
	for i, r := range p.rules {
		if c.results[i].outcome == matched {
			rules, names = append(rules, r.ID), append(names, r.Name)
		}
	}
	return rules, names
}

// tried are all rules with what each said about a candidate.
func (p *Plan) tried(c candidate) []explanation.CorrelationRuleResult {
	list := make([]explanation.CorrelationRuleResult, 0, len(p.rules)+2)
	if c.said {
		list = append(list, explanation.CorrelationRuleResult{Rule: sameRecord, Weight: 1, Outcome: matched})
	}
	if c.rejected {
		list = append(list, explanation.CorrelationRuleResult{Rule: "taken_by_user", Outcome: vetoed})
	}
	for i, r := range p.rules {
		e := explanation.CorrelationRuleResult{
			Rule:     r.ID,
			Weight:   r.Weight,
			Outcome:  c.results[i].outcome,
			Compared: make([]explanation.CorrelationComparison, len(r.Conditions)),
		}
		for k, cond := range r.Conditions {
			is := c.results[i].compared[k]
			e.Compared[k] = explanation.CorrelationComparison{
				Source:   cond.Source,
				Identity: cond.Identity,
				Match:    cond.Match,
				Account:  explanation.Short(is.account),
				Person:   explanation.Short(is.person),
				Holds:    is.holds,
			}
		}
		list = append(list, e)
	}
	return list
}

// says reports whether a document is what is stored already, the time left out.
func (d document) says(stored []byte) bool {
	d.DecidedAt = ""
	b, err := json.Marshal(d)
	if err != nil {
		return false
	}
	var x, y any
	return json.Unmarshal(b, &x) == nil && json.Unmarshal(stored, &y) == nil && reflect.DeepEqual(x, y)
}

// sameCandidates reports whether a document names those who are named already.
func (d document) sameCandidates(stored []byte) bool {
	var was document
	return json.Unmarshal(stored, &was) == nil && slices.Equal(d.who(), was.who())
}

func (d document) who() []string {
	list := make([]string, len(d.Candidates))
	for i, c := range d.Candidates {
		list[i] = c.IdentityID
	}
	slices.Sort(list)
	return list
}

// previous is the owner who was archived, now or at an earlier run.
func (s *subject) previous() string {
	if s.Gone != nil {
		return uuid.UUID(*s.Gone).String()
	}
	var d document
	if json.Unmarshal(s.stored, &d) != nil {
		return ""
	}
	return d.Previous
}

// decidedByUser reports whether what is stored about an account is a user's decision.
func (s *subject) decidedByUser() bool {
	var d document
	return json.Unmarshal(s.stored, &d) == nil && d.By == ByUser
}

// byRules and byUser are who may have decided.
const (
	byRules = "rules"
	ByUser  = "user"
)
