package safety

import (
	"fmt"
	"time"

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
	// Limits of this connector. A kind without one keeps the standard limit.
	Limits []SafetyLimit `json:"limits" nullable:"false"`
	// ISO 8601 duration: what was applied within it counts with the run. From PT1H to P7D.
	Window string `json:"window"`
	// Whether the loss of half of a population of 5 or more, or of all of 2 or more, is held whatever the limits are.
	TotalLoss bool `json:"total_loss"`
	// Whether other changes of the run are applied (kind), or none of it is (run).
	HoldScope string `json:"hold_scope" enum:"kind,run"`
	// ISO 8601 duration after which a hold is discarded. From PT1H to P30D.
	HoldTTL string `json:"hold_ttl"`
	// How absence in a full sync becomes a deletion.
	Deletion Deletion `json:"deletion"`
}

// SafetyLimit is the limit of one kind: min(cap, max(floor, pct × population)).
type SafetyLimit struct {
	// Kind of change that the limit applies to.
	Kind string `json:"kind" enum:"identity_deactivation,account_missing,account_disabled,grant_removed,entitlement_removed,identity_create,attribute_rewrite,attribute_rewrite.department,attribute_rewrite.manager,attribute_rewrite.email,attribute_rewrite.employee_number"`
	// Number of changes that is always allowed.
	Floor int64 `json:"floor" minimum:"0" maximum:"1000000000"`
	// Allowed share of the population, in percent.
	Pct float64 `json:"pct" minimum:"0" maximum:"100"`
	// Highest number of changes that is allowed.
	Cap int64 `json:"cap" minimum:"0" maximum:"1000000000"`
	// Time the standard limit returns; without it, this limit stays.
	Until *time.Time `json:"until,omitempty"`
}

// Deletion is how absence becomes removal.
type Deletion struct {
	// Number of complete syncs in a row without a record until the record counts as deleted.
	MissingRunsRequired int `json:"missing_runs_required" minimum:"1" maximum:"10"`
}

// defaultSafety is that of a connector without settings.
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

// Policy is a Safety ready for use.
type Policy struct {
	Guard Guard
	// Window is how far back changes count with the run's; Ttl is after how long a hold is
	// discarded.
	Window, Ttl time.Duration
	// HoldRun holds all of a run, instead of the kinds that tripped.
	HoldRun      bool
	MissingUntil int // complete absences that make a record gone
}

// Policy parses the durations, and leaves out limits that no longer hold at now.
func (s Safety) Policy(now time.Time) (Policy, error) {
	window, err := span.Parse(s.Window)
	if err != nil {
		return Policy{}, fmt.Errorf("window: %w", err)
	}
	ttl, err := span.Parse(s.HoldTTL)
	if err != nil {
		return Policy{}, fmt.Errorf("hold_ttl: %w", err)
	}
	limits := map[string]limit{}
	for _, l := range s.Limits {
		if l.Until == nil || now.Before(*l.Until) {
			limits[l.Kind] = limit{l.Floor, l.Pct, l.Cap}
		}
	}
	return Policy{
		Guard:        Guard{limits: limits, totalLoss: s.TotalLoss},
		Window:       window,
		Ttl:          ttl,
		HoldRun:      s.HoldScope == scopeRun,
		MissingUntil: max(1, s.Deletion.MissingRunsRequired),
	}, nil
}
