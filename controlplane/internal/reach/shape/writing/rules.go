package writing

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Modes of writing.
const (
	WriteOff      = "off"
	WriteSimulate = "simulate"
	WriteManual   = "manual"
	WriteAuto     = "auto"
)

// Directions of drift.
const (
	DriftReport = "report"
	DriftPush   = "push"

	DriftRepair = "repair"
	DriftAsk    = "ask"
	DriftAccept = "accept"
)

// Rules are how a connector writes, apart from the template of its accounts.
type Rules struct {
	WriteMode    string
	Deprovision  Deprovision
	NativeGrants string // tolerate, review or revoke: what happens to access that was granted in the target system
	Drift        DriftRule
	Breaker      Breaker
}

// Settings are the rules that a user has set; nil is left to the defaults.
type Settings struct {
	WriteMode    *string
	Deprovision  *DeprovisionSettings
	NativeGrants *string
	Drift        *DriftRule
	Breaker      *Breaker
}

// Defaults are those of a connector without settings. purpose is the connector's: a source of
// people is not written to.
func Defaults(purpose string) Rules {
	mode := WriteAuto
	if purpose == "source" {
		mode = WriteOff
	}
	return Rules{
		WriteMode:    mode,
		Deprovision:  Deprovision{Disable: true},
		NativeGrants: "review",
		Drift:        DriftRule{Check: "on_sync", Direction: DriftReport, Access: DriftRepair},
		Breaker:      Breaker{MaxFailures: 10, MaxChanges: 1000, Window: "PT1H"},
	}
}

// With gives the rules with these settings over them.
func (r Rules) With(s Settings) Rules {
	Override(&r.WriteMode, s.WriteMode)
	Override(&r.NativeGrants, s.NativeGrants)
	if d := s.Deprovision; d != nil {
		Override(&r.Deprovision.KeepGroups, d.KeepGroups)
		r.Deprovision.DeleteAfter = d.DeleteAfter
	}
	if d := s.Drift; d != nil {
		OverrideFilled(&r.Drift.Check, d.Check)
		OverrideFilled(&r.Drift.Direction, d.Direction)
		OverrideFilled(&r.Drift.Access, d.Access)
		r.Drift.Attributes = d.Attributes
	}
	if b := s.Breaker; b != nil {
		OverrideFilled(&r.Breaker.MaxFailures, b.MaxFailures)
		OverrideFilled(&r.Breaker.MaxChanges, b.MaxChanges)
		OverrideFilled(&r.Breaker.Window, b.Window)
	}
	return r
}

// Deprovision says what becomes of an account that is not wanted any more.
type Deprovision struct {
	// Always true: an account is disabled before anything else becomes of it.
	Disable bool `json:"disable"`
	// An ISO 8601 duration of weeks, days and hours after which a disabled account is deleted; null: as the tenant's
	// lifecycle has it.
	DeleteAfter *string `json:"delete_after" example:"P30D"`
	// A disabled account keeps its memberships.
	KeepGroups bool `json:"keep_groups"`
}

// DriftRule says what is done about attributes of managed accounts that are other than their template has them.
type DriftRule struct {
	// When accounts are compared. on_sync: after every sync of the system, and on request.
	Check string `json:"check,omitempty" enum:"on_sync,never"`
	// The targets of the template that are compared; null: all that it always writes.
	Attributes []string `json:"attributes,omitempty" maxItems:"200"`
	// How drift is resolved. report: it is listed. push: the template's value is written again, within the circuit
	// breaker. accept: the target's value stays.
	Direction string `json:"direction,omitempty" enum:"report,push,accept"`
	// What happens if a grant or account with a reason is removed in the target system. repair, the default: it is
	// provisioned again. ask: a failed task asks whether to provision it.
	Access string `json:"access,omitempty" enum:"repair,ask"`
}

// Breaker bounds what is changed without anybody looking.
type Breaker struct {
	// The number of consecutive failures that stops all changes.
	MaxFailures int `json:"max_failures,omitempty" minimum:"1" maximum:"1000"`
	// More changes than these within the window stop all further ones.
	MaxChanges int `json:"max_changes,omitempty" minimum:"1" maximum:"1000000"`
	// An ISO 8601 duration.
	Window string `json:"window,omitempty" maxLength:"20" example:"PT1H"`
}

// Length is the window.
func (b Breaker) Length() time.Duration {
	d, _ := span.Parse(b.Window) // checked when it was saved
	return d
}

// After is when a disabled account is deleted; ok is false where the tenant's lifecycle says it.
func (d Deprovision) After() (length time.Duration, ok bool) {
	if d.DeleteAfter == nil {
		return 0, false
	}
	length, err := span.Parse(*d.DeleteAfter)
	return length, err == nil
}

// DeprovisionSettings are those of what becomes of unwanted accounts.
type DeprovisionSettings struct {
	// Nothing but true.
	Disable *bool `json:"disable,omitempty"`
	// An ISO 8601 duration of weeks, days and hours after which a disabled account is deleted. If it is absent, the
	// tenant's lifecycle settings apply.
	DeleteAfter *string `json:"delete_after,omitempty" maxLength:"20"`
	// A disabled account keeps its memberships.
	KeepGroups *bool `json:"keep_groups,omitempty"`
}

// Override sets a member to what was given, where something was.
func Override[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// OverrideFilled takes what is not empty.
func OverrideFilled[T comparable](to *T, from T) {
	var empty T
	if from != empty {
		*to = from
	}
}

// Bounds of a breaker's window.
const (
	ShortestWindow = time.Minute
	LongestWindow  = 7 * 24 * time.Hour
)
