package reconcile

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Scopes of a hold.
const (
	scopeKind = "kind"
	scopeRun  = "run"
)

// Safety is how carefully a connector's runs are looked at: how much of each kind of change passes unseen, and how
// absence is proven.
type Safety struct {
	Limits    []SafetyLimit `json:"limits" nullable:"false" doc:"own limits; a kind without one keeps the standard"`
	Window    string        `json:"window" doc:"ISO 8601 duration: what was applied within it counts with the run. From PT1H to P7D."`
	TotalLoss bool          `json:"total_loss" doc:"half of a population of 5 or more, or all of 2 or more, is held whatever the limits say"`
	HoldScope string        `json:"hold_scope" enum:"kind,run" doc:"kind: other changes of the run go on. run: nothing of it is applied."`
	HoldTTL   string        `json:"hold_ttl" doc:"ISO 8601 duration after which a hold is discarded. From PT1H to P30D."`
	Deletion  Deletion      `json:"deletion"`
}

// SafetyLimit is the limit of one kind: min(cap, max(floor, pct × population)).
type SafetyLimit struct {
	Kind  string     `json:"kind" enum:"identity_deactivation,account_missing,account_disabled,grant_removed,entitlement_removed,identity_create,attribute_rewrite,attribute_rewrite.department,attribute_rewrite.manager,attribute_rewrite.email,attribute_rewrite.employee_number"`
	Floor int64      `json:"floor" minimum:"0" maximum:"1000000000" doc:"the number that is always allowed"`
	Pct   float64    `json:"pct" minimum:"0" maximum:"100" doc:"share of the population, in percent"`
	Cap   int64      `json:"cap" minimum:"0" maximum:"1000000000" doc:"never more than this"`
	Until *time.Time `json:"until,omitempty" doc:"when the standard comes back; without it the limit stays"`
}

// Deletion is how absence becomes removal.
type Deletion struct {
	MissingRunsRequired int `json:"missing_runs_required" minimum:"1" maximum:"10" doc:"complete syncs in a row without a record until it counts as deleted"`
}

// defaultSafety is that of a connector for which nobody has decided otherwise.
func defaultSafety() Safety {
	return Safety{
		Limits:    []SafetyLimit{},
		Window:    "PT24H",
		TotalLoss: true,
		HoldScope: scopeKind,
		HoldTTL:   "PT72H",
		Deletion:  Deletion{MissingRunsRequired: 2},
	}
}

// policy is a safety ready for use.
type policy struct {
	guard        guard
	window, ttl  time.Duration
	holdRun      bool
	missingUntil int // complete absences that make a record gone
}

// safetyOf reads a connector's safety; what is not decided there is the standard.
func safetyOf(ctx context.Context, tx *pg.Tx, connector string) (Safety, error) {
	s := defaultSafety()
	var own, deletion []byte
	if err := tx.QueryRow(ctx, `select safety, deletion from connector where id = $1`, connector).
		Scan(&own, &deletion); err != nil {
		return s, fmt.Errorf("read safety of connector: %w", err)
	}
	if err := json.Unmarshal(own, &s); err != nil {
		return s, fmt.Errorf("read safety of connector: %w", err)
	}
	if err := json.Unmarshal(deletion, &s.Deletion); err != nil {
		return s, fmt.Errorf("read deletion of connector: %w", err)
	}
	if s.Limits == nil {
		s.Limits = []SafetyLimit{}
	}
	return s, nil
}

func (s Safety) policy(now time.Time) (policy, error) {
	window, err := span.Parse(s.Window)
	if err != nil {
		return policy{}, fmt.Errorf("window: %w", err)
	}
	ttl, err := span.Parse(s.HoldTTL)
	if err != nil {
		return policy{}, fmt.Errorf("hold_ttl: %w", err)
	}
	limits := map[string]limit{}
	for _, l := range s.Limits {
		if l.Until == nil || now.Before(*l.Until) {
			limits[l.Kind] = limit{l.Floor, l.Pct, l.Cap}
		}
	}
	return policy{
		guard:        guard{limits: limits, totalLoss: s.TotalLoss},
		window:       window,
		ttl:          ttl,
		holdRun:      s.HoldScope == scopeRun,
		missingUntil: max(1, s.Deletion.MissingRunsRequired),
	}, nil
}
