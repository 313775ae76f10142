package safety

import (
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// check refuses what the guard could not work with.
func (s Safety) check() error {
	var wrong []fault.Field
	seen := map[string]bool{}
	for i, l := range s.Limits {
		at := fmt.Sprintf("#/limits/%d", i)
		if l.Kind != AttributeRewrite && !slices.Contains(Kinds, l.Kind) {
			wrong = append(
				wrong,
				fault.Field{Pointer: at + "/kind", Code: "unknown_kind", Detail: "there is no such kind of change"},
			)
		}
		if seen[l.Kind] {
			wrong = append(wrong, fault.Field{Pointer: at + "/kind", Code: "repeated", Detail: "a kind has one limit"})
		}
		if l.Cap < l.Floor {
			wrong = append(
				wrong,
				fault.Field{Pointer: at + "/cap", Code: "invalid", Detail: "the cap is below the floor"},
			)
		}
		seen[l.Kind] = true
	}
	for _, d := range []struct {
		name, value string
		most        time.Duration
	}{{"window", s.Window, 7 * 24 * time.Hour}, {"hold_ttl", s.HoldTTL, 30 * 24 * time.Hour}} {
		length, err := span.Parse(d.value)
		if err != nil || length < time.Hour || length > d.most {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: "#/" + d.name,
					Code:    "invalid",
					Detail:  fmt.Sprintf("an ISO 8601 duration from PT1H to P%dD", int(d.most.Hours())/24),
				},
			)
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The safety limits are invalid.").With(wrong...)
	}
	return nil
}

// loosened names what lets more pass than before.
func loosened(before, after Safety, now time.Time) ([]string, error) {
	old, err := before.Policy(now)
	if err != nil {
		return nil, err
	}
	next, err := after.Policy(now)
	if err != nil {
		return nil, err
	}
	looser := []string{}
	for _, kind := range Kinds {
		a, b := old.Guard.limitOf(kind), next.Guard.limitOf(kind)
		if b.Floor > a.Floor || b.Pct > a.Pct || b.Cap > a.Cap {
			looser = append(looser, kind)
		}
	}
	for name, less := range map[string]bool{
		"window": next.Window < old.Window, "total_loss": old.Guard.totalLoss && !next.Guard.totalLoss,
		"hold_scope":                     old.HoldRun && !next.HoldRun,
		"deletion.missing_runs_required": next.MissingUntil < old.MissingUntil,
	} {
		if less {
			looser = append(looser, name)
		}
	}
	slices.Sort(looser)
	return looser, nil
}
