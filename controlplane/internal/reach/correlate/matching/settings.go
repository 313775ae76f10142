package matching

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
)

// Settings say how a connector's accounts find their owners.
type Settings struct {
	// Rules that add to, or veto, the score of a person. The default is the default rules. With an empty list, only the
	// owner that the source reports applies.
	Rules []CorrelationRule `json:"rules" nullable:"false" maxItems:"50"`
	// A single candidate with at least this score is linked.
	AutoLink float64 `json:"auto_link" minimum:"0" maximum:"1"`
	// A candidate with at least this score is suggested for a decision. A lower score is ignored.
	Propose float64 `json:"propose" minimum:"0" maximum:"1"`
}

// CorrelationRule is something that account and person have in common when all its conditions hold.
type CorrelationRule struct {
	// Lower-case letters, digits and _ between them; unique among the rules.
	ID string `json:"id" minLength:"1" maxLength:"64"`
	// The explanation if the rule matches. The default is the id.
	Name string `json:"name,omitempty" maxLength:"200"`
	// Comparisons that must all hold for the rule to match.
	Conditions []CorrelationCondition `json:"conditions" minItems:"1" maxItems:"8"`
	// How much it speaks for the person. Several rules add up to 1 − Π(1 − weight).
	Weight float64 `json:"weight,omitempty" minimum:"0" maximum:"1"`
	// It forbids the pair when both sides have all values and they differ, and is ignored otherwise.
	Veto bool `json:"veto,omitempty"`
}

// CorrelationCondition holds when a value of the account and one of the person agree.
type CorrelationCondition struct {
	// A field of the account, such as employee_number, or attributes.<path>. Quote a name that contains dots.
	Source string `json:"source" maxLength:"200"`
	// A field of the identity, such as email, or attributes.<path>.
	Identity string `json:"identity" maxLength:"200"`
	// exact, ci_exact, normalized (no case, accents, spaces, punctuation), digits, prefix_<n>, trigram>=<x> or
	// levenshtein<=<n>.
	Match string `json:"match" maxLength:"40"`
}

// The bands of iga-domain 3.2, where settings leave them out.
const (
	defaultAutoLink = 0.90
	defaultPropose  = 0.50
	// margin is how far the best candidate must be ahead of the next to be the only one.
	margin = 0.10
)

// sameRecord is the rule that every connector has: the source itself says whose account it is. Nothing outweighs it.
const sameRecord = "same_record"

// SourceOwner is the rule by which a sync run links a service account to the owner that its target system names. The
// rules of connectors do not judge such an account while that owner applies.
const SourceOwner = "source_owner"

const sameRecordName = "the source names this person as the owner of the account"

// Default are the settings of a connector that has none of its own.
func Default() Settings {
	return Settings{AutoLink: defaultAutoLink, Propose: defaultPropose, Rules: []CorrelationRule{
		{ID: "employee_number", Name: "account and person have the same employee number", Weight: 0.98,
			Conditions: []CorrelationCondition{{"employee_number", "employee_number", match.Exact}}},
		{ID: "email", Name: "account and person have the same e-mail address", Weight: 0.95,
			Conditions: []CorrelationCondition{{"email", "email", match.CiExact}}},
		{ID: "username_is_email", Name: "the account's user name is the person's e-mail address", Weight: 0.90,
			Conditions: []CorrelationCondition{{"username", "email", match.CiExact}}},
	}}
}

// NewCorrelation are settings as a client writes them: what is left out takes its default.
type NewCorrelation struct {
	// The default is the default rules. With an empty list, only the owner that the source reports applies.
	Rules *[]CorrelationRule `json:"rules,omitempty" maxItems:"50"`
	// The default is 0.90.
	AutoLink *float64 `json:"auto_link,omitempty" minimum:"0" maximum:"1"`
	// The default is 0.50.
	Propose *float64 `json:"propose,omitempty" minimum:"0" maximum:"1"`
}

// Settings are the given settings, with the defaults for what is missing.
func (g NewCorrelation) Settings() Settings {
	s := Default()
	if g.Rules != nil {
		s.Rules = append([]CorrelationRule{}, *g.Rules...)
	}
	if g.AutoLink != nil {
		s.AutoLink = *g.AutoLink
	}
	if g.Propose != nil {
		s.Propose = *g.Propose
	}
	for i := range s.Rules {
		if s.Rules[i].Name == "" {
			s.Rules[i].Name = s.Rules[i].ID
		}
	}
	return s
}

// digest identifies settings that may decide differently; names decide nothing. It is kept with what they decided.
func (s Settings) digest() int64 {
	s.Rules = slices.Clone(s.Rules)
	for i := range s.Rules {
		s.Rules[i].Name = ""
	}
	// A struct of texts and numbers always encodes.
	b, _ := json.Marshal(s)
	sum := sha256.Sum256(b)
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// Canonical checks settings and writes them in their one way.
func (g NewCorrelation) Canonical() (NewCorrelation, error) {
	p, err := Compile(g.Settings())
	if err != nil {
		return g, err
	}
	if g.Rules != nil {
		g.Rules = &p.Rules
	}
	return g, nil
}
