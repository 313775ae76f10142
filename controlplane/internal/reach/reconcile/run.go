package reconcile

import (
	"time"
)

// Run is what the engine knows about the run that is weighed or applied.
type Run struct {
	ID, Connector   string
	FirstLoad       bool // nothing of this connector was known before: there is nothing to compare with
	Preview         bool // shows what would change, and changes nothing
	SettingsChanged bool // the connection is not the one that the last good run used
	Incremental     bool // read changes only
	// every record that was read could be used, and nothing kept the run from reading on
	Clean bool
	// kinds of the protocol (identities, accounts, …) that were read to their proven end
	Complete map[string]bool
}

// Verdict is what the guard says about a run.
type Verdict struct {
	Holds     []Hold
	HoldRun   bool             // nothing of the run may be applied, not only the kinds that are held
	HeldUntil *time.Time       // when the holds expire to discard; nil without holds
	Changes   map[string]int64 // by object and change, such as "account.missing"
}

// Counts says what ApplyRemovals did to one kind of object. Skipped are changes whose object was no longer as it was
// weighed; Returned are those of the reappeared that we had revoked.
type Counts struct {
	// Objects that were absent from a complete reading for the first time.
	Missing int64 `json:"missing"`
	// Objects that were absent again, or reported as deleted.
	Removed int64 `json:"removed"`
	// Objects that were seen again after having been missing or removed.
	Reappeared int64 `json:"reappeared"`
	// Reappeared objects that Grantwright had revoked.
	Returned int64 `json:"returned,omitempty"`
	// Changes that were not made because their object had changed since the evaluation.
	Skipped int64 `json:"skipped"`
}
