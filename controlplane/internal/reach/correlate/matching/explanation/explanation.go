package explanation

// CorrelationCandidate is a candidate among several, or one that was not linked.
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
	Rules []CorrelationRuleResult `json:"rules" nullable:"false"`
}

// CorrelationRuleResult is what one rule said about a candidate.
type CorrelationRuleResult struct {
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
