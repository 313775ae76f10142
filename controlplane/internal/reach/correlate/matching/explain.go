package matching

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
)

// document is what is stored with an account: why it stands as it does.
type document struct {
	By          string                 `json:"by"`
	Reason      string                 `json:"reason"`
	Score       float64                `json:"score"`
	RuleIDs     []string               `json:"rule_ids"`
	Explanation []string               `json:"explanation"`
	Candidates  []CorrelationCandidate `json:"candidates,omitempty"`
	Tried       []CorrelationTried     `json:"match_explanation"`
	Previous    string                 `json:"previous_owner,omitempty"`
	DecidedAt   string                 `json:"decided_at,omitempty"`
}

// CorrelationCandidate is a candidate among several, or one that nobody was linked to.
type CorrelationCandidate struct {
	// ID of the identity that may own the account.
	IdentityID string `json:"identity_id"`
	// Score of the candidate, from 0 to 1.
	Score float64 `json:"score"`
	// Reasons for the candidate's score.
	Explanation []string `json:"explanation"`
}

// CorrelationTried is what every rule said about one candidate.
type CorrelationTried struct {
	// ID of the identity that the account was compared with.
	IdentityID string `json:"identity_id"`
	// Result of every rule for this identity.
	Rules []CorrelationRuleSaid `json:"rules" nullable:"false"`
}

// CorrelationRuleSaid is what one rule said about a candidate.
type CorrelationRuleSaid struct {
	// ID of the rule in the correlation settings.
	Rule string `json:"rule_id"`
	// Weight of the rule, from 0 to 1.
	Weight float64 `json:"weight,omitempty"`
	// Result of the rule. It is implied when it holds by the same values as another rule and counts once with it;
	// passed and vetoed are results of vetoes.
	Outcome string `json:"outcome" enum:"matched,implied,not_matched,no_value,vetoed,passed"`
	// Values that the conditions of the rule compared.
	Compared []CorrelationComparison `json:"compared,omitempty"`
}

// CorrelationComparison is what a condition compared, in the form in which it did.
type CorrelationComparison struct {
	// Field of the account that the condition names.
	Source string `json:"source"`
	// Field of the identity that the condition names.
	Identity string `json:"identity"`
	// Kind of comparison that the condition names.
	Match string `json:"match"`
	// Value of the account in the compared form; may be shortened.
	Account string `json:"account_value,omitempty"`
	// Value of the identity in the compared form; may be shortened.
	Person string `json:"identity_value,omitempty"`
	// Whether the condition holds.
	Holds bool `json:"holds,omitempty"`
}

// document writes a verdict down, without the time.
func (p *Plan) document(s *subject, v verdict) document {
	d := document{
		By:          byRules,
		Reason:      v.why,
		Score:       v.score,
		RuleIDs:     []string{},
		Explanation: []string{},
		Tried:       []CorrelationTried{},
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
			d.Candidates = append(d.Candidates, CorrelationCandidate{c.name(), c.score, names})
		}
		d.Tried = append(d.Tried, CorrelationTried{c.name(), p.tried(c)})
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
func (p *Plan) tried(c candidate) []CorrelationRuleSaid {
	list := make([]CorrelationRuleSaid, 0, len(p.rules)+2)
	if c.said {
		list = append(list, CorrelationRuleSaid{Rule: sameRecord, Weight: 1, Outcome: matched})
	}
	if c.rejected {
		list = append(list, CorrelationRuleSaid{Rule: "taken_by_user", Outcome: vetoed})
	}
	for i, r := range p.rules {
		e := CorrelationRuleSaid{
			Rule:     r.ID,
			Weight:   r.Weight,
			Outcome:  c.results[i].outcome,
			Compared: make([]CorrelationComparison, len(r.Conditions)),
		}
		for k, cond := range r.Conditions {
			is := c.results[i].compared[k]
			e.Compared[k] = CorrelationComparison{
				cond.Source,
				cond.Identity,
				cond.Match,
				short(is.account),
				short(is.person),
				is.holds,
			}
		}
		list = append(list, e)
	}
	return list
}

// short keeps the beginning of a long value: enough to see why.
func short(s string) string {
	if head := match.FirstRunes(s, 200); head != "" && len(head) < len(s) {
		return head + "…"
	}
	return s
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

// decidedByUser reports whether what is stored about an account is somebody's word.
func (s *subject) decidedByUser() bool {
	var d document
	return json.Unmarshal(s.stored, &d) == nil && d.By == ByUser
}

// byRules and byUser are who may have decided.
const (
	byRules = "rules"
	ByUser  = "user"
)

// Instant is how times are written in documents.
func Instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
