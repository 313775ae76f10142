package reconcile

import (
	"encoding/json"
	"time"
)

// Hold is a kind of change that was too large to apply unseen.
type Hold struct {
	// ID of the hold.
	ID string `json:"id" db:"id"`
	// Kind of change that exceeded its safety limit, such as account_missing or attribute_rewrite.department.
	Kind string `json:"kind" db:"kind"`
	// Why the changes are held: more than the limit allows, the loss of all objects, or changed connector settings.
	Rule string `json:"rule" db:"rule" enum:"limit,total_loss,settings_changed"`
	// Number of changes of this kind that are applied without review in the window.
	Allowed int64 `json:"allowed" db:"allowed"`
	// Number of changes of this kind in the run.
	Observed int64 `json:"observed" db:"observed"`
	// Number of other objects that such a change was applied to within the window.
	Recent int64 `json:"recent" db:"recent"`
	// Number of objects that such a change could apply to.
	Population int64 `json:"population" db:"population"`
	// Cause that the data suggests; empty when there is none.
	Cause string `json:"cause" db:"cause"`
	// Status of the hold: open, released in part or in full, discarded, expired without a decision, superseded, or only
	// previewed.
	State string `json:"state" db:"state" enum:"open,partly_released,released,discarded,expired,superseded,previewed"`
	// Number of changes that still await a decision, with those that depend on others.
	Held int64 `json:"held" db:"held"`
	// Digest of the changes that were held at first.
	Digest string `json:"digest" db:"digest"`
	// Time the hold is discarded without a decision.
	ExpiresAt time.Time `json:"expires_at" db:"expires_at"`
	// Time of the decision; null while there is none.
	DecidedAt *time.Time `json:"decided_at" db:"decided_at"`
	// User or token that made the decision; null while there is none.
	DecidedBy json.RawMessage `json:"decided_by" db:"decided_by"`
	// Comment given with the decision; null when there is none.
	Comment *string `json:"comment" db:"comment"`
}
