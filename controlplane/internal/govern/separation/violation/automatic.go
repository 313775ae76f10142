package violation

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
)

// Outcomes of an automatic revocation.
const (
	Revoked      = "revoked"
	OnlyRecorded = "recorded" // the policy is in shadow mode
	Asked        = "asked"    // people decide
)

// Causes for which access is not revoked automatically.
const (
	NotRevocable = "not_revocable" // the ordinary revocation refuses every cure
	Required     = "required"      // another policy requires the access
	AtLimit      = "limit"         // the policy has revoked much lately
	Repeated     = "repeated"      // it was done before, and the access came back
	Accepted     = "accepted"      // people had Accepted the violation
)

// AutomaticRevocation is what a policy did about a violation by itself, with the effect revoke_lower_risk.
type AutomaticRevocation struct {
	// What was done. revoked: access was revoked. recorded: the policy is in shadow mode, and removed says what it
	// would revoke. asked: people decide, because of the cause.
	Outcome string `json:"outcome" enum:"revoked,recorded,asked"`
	// Why access is not revoked. not_revocable: none of the cures can be revoked. required: another policy requires the
	// access. limit: the policy has revoked access for 100 violations within 24 hours. repeated: access was revoked
	// before, and the violation came back. accepted: people had mitigated or marked the violation. Null: it is revoked.
	Cause *string `json:"cause" enum:"not_revocable,required,limit,repeated,accepted"`
	// The cause in words. Empty if there is none.
	Detail string `json:"detail"`
	// Access that was or would be revoked.
	Removed []check.AccessSource `json:"removed" nullable:"false"`
	// Time of the outcome.
	At time.Time `json:"at"`
}

// sentences are the causes in words.
var sentences = map[string]string{
	NotRevocable: "No access can be revoked automatically.",
	Required:     "Other policies require the access.",
	AtLimit:      "The policy has revoked access for 100 violations within 24 hours.",
	Repeated:     "Access was revoked automatically before, and the violation came back.",
	Accepted:     "The violation was Accepted before, so no access is revoked automatically.",
}

// Sentence says why people decide.
func (a AutomaticRevocation) Sentence() string {
	if a.Cause == nil {
		return ""
	}
	text := sentences[*a.Cause]
	if a.Detail != "" {
		text += " " + a.Detail
	}
	return text
}
