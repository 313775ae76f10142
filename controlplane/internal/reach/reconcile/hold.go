package reconcile

import (
	"encoding/json"
	"time"
)

// Hold is a kind of change that was too large to apply unseen.
type Hold struct {
	ID         string          `json:"id" db:"id"`
	Kind       string          `json:"kind" db:"kind" doc:"the guard that tripped, such as account_missing or attribute_rewrite.department"`
	Rule       string          `json:"rule" db:"rule" enum:"limit,total_loss,settings_changed"`
	Allowed    int64           `json:"allowed" db:"allowed" doc:"changes of this kind that pass unseen in the window"`
	Observed   int64           `json:"observed" db:"observed" doc:"changes of this kind in the run"`
	Recent     int64           `json:"recent" db:"recent" doc:"other objects that such a change was applied to within the window"`
	Population int64           `json:"population" db:"population" doc:"how many there are that it could happen to"`
	Cause      string          `json:"cause" db:"cause" doc:"what the data suggests; empty where nothing stands out"`
	State      string          `json:"state" db:"state" enum:"open,partly_released,released,discarded,expired,superseded,previewed"`
	Held       int64           `json:"held" db:"held" doc:"changes that still wait, with those that go along with others"`
	Digest     string          `json:"digest" db:"digest" doc:"of what was held at first"`
	ExpiresAt  time.Time       `json:"expires_at" db:"expires_at" doc:"when it is discarded without a decision"`
	DecidedAt  *time.Time      `json:"decided_at" db:"decided_at"`
	DecidedBy  json.RawMessage `json:"decided_by" db:"decided_by"`
	Comment    *string         `json:"comment" db:"comment"`
}
