package confirmation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Check returns a fault of kind Conflict unless a change is within its limits, or confirm is the plan_hash of exactly
// this impact. The fault carries the impact.
func Check(effect impact.Impact, confirm string) error {
	switch {
	case confirm == effect.PlanHash || len(effect.LimitsHit) == 0 && confirm == "":
		return nil
	case confirm == "":
		return fault.Coded(fault.Conflict, "confirmation_required", "%s; review the impact and confirm it with its "+
			"plan_hash", effect.LimitsHit[0].Detail).
			Also("impact", effect)
	}
	return fault.Coded(fault.Conflict, "plan_changed", "The impact has changed since you confirmed it. Review it "+
		"again.").
		Also("impact", effect)
}

// HashOf stands for exactly what would be done. What the notes say is no part of it.
func HashOf(parts ...any) string {
	sum := sha256.New()
	for _, p := range parts {
		if effect, is := p.(impact.Impact); is {
			effect.Notes, effect.PlanHash, effect.Sample = nil, "", nil
			effect.GrantsHeld, effect.ReasonsOnly = 0, 0 // a sync changes them, and not what is done
			p = effect
		}
		raw, _ := json.Marshal(p)
		sum.Write(raw)
		sum.Write([]byte{'\n'})
	}
	return hex.EncodeToString(sum.Sum(nil))
}
