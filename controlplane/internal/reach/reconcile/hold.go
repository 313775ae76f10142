package reconcile

import (
	"encoding/json"
	"time"
)

// Hold is a kind of change that was too large to apply unseen.
type Hold struct {
	ID string `json:"id" db:"id"`
	// the guard that tripped, such as account_missing or attribute_rewrite.department
	Kind string `json:"kind" db:"kind"`
	Rule string `json:"rule" db:"rule" enum:"limit,total_loss,settings_changed"`
	// changes of this kind that pass unseen in the window
	Allowed int64 `json:"allowed" db:"allowed"`
	// changes of this kind in the run
	Observed int64 `json:"observed" db:"observed"`
	// other objects that such a change was applied to within the window
	Recent int64 `json:"recent" db:"recent"`
	// how many there are that it could happen to
	Population int64 `json:"population" db:"population"`
	// what the data suggests; empty where nothing stands out
	Cause string `json:"cause" db:"cause"`
	State string `json:"state" db:"state" enum:"open,partly_released,released,discarded,expired,superseded,previewed"`
	// changes that still wait, with those that go along with others
	Held int64 `json:"held" db:"held"`
	// of what was held at first
	Digest string `json:"digest" db:"digest"`
	// when it is discarded without a decision
	ExpiresAt time.Time       `json:"expires_at" db:"expires_at"`
	DecidedAt *time.Time      `json:"decided_at" db:"decided_at"`
	DecidedBy json.RawMessage `json:"decided_by" db:"decided_by"`
	Comment   *string         `json:"comment" db:"comment"`
}
