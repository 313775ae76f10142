package fulfil

import (
	"time"
)

// row is a fulfilment as it is stored.
type row struct {
	ItemID     string `db:"item_id"`
	IdentityID string `db:"identity_id"`
	// AssignmentID is the role assignment that the fulfillment made. Nil: an entitlement.
	AssignmentID *string    `db:"assignment_id"`
	State        string     `db:"state"`
	StartsAt     *time.Time `db:"starts_at"`
	Lasts        *float64   `db:"lasts"` // seconds
	EndsAt       *time.Time `db:"ends_at"`
	VerifiedAt   *time.Time `db:"verified_at"`
	// Told is the progress that was last reported, as JSON.
	Told        []byte    `db:"told"`
	EndedReason *string   `db:"ended_reason"`
	CreatedAt   time.Time `db:"created_at"`
}

// columns are the columns of row.
const columns = `f.item_id::text, f.identity_id::text, f.assignment_id::text, f.state, f.starts_at,
	extract(epoch from f.lasts)::float8 as lasts, f.ends_at, f.verified_at, f.told, f.ended_reason, f.created_at`

// sight is what was seen of a fulfilment: of its reasons, and of the targets.
type sight struct {
	Live   int `json:"live"`   // reasons that have not ended
	Begun  int `json:"begun"`  // of these, those that have begun
	Active int `json:"active"` // of these, those whose grant the target was seen to have
	Failed int `json:"failed"` // of these, those whose change failed
	Denied int `json:"denied"` // of these, those that a denial keeps away
	// of all reasons, those whose grant is still in the target and which nothing else asks for
	Held int `json:"held"`
	// Grants of the live reasons.
	GrantIDs []string `json:"grants"`
	// Provisioning tasks of these grants.
	TaskIDs   []string   `json:"tasks"`
	SeenAt    *time.Time `json:"seen_at"`    // when the last of the grants was seen to be there
	EndReason *string    `json:"end_reason"` // of the reason that ended last
	EndsAt    *time.Time `json:"ends_at"`    // when the last of the live reasons ends; nil: never
	// Error of a failed change, as its target reported it.
	Error map[string]any `json:"error"`
}

// next is the state that follows from what was seen.
func (f row) next(s sight, now time.Time) string {
	switch {
	case f.State == Closed:
		return Closed
	case f.State == Ending || s.Live == 0 && f.AssignmentID == nil || s.Live == 0 && s.EndReason != nil:
		if s.Held > 0 {
			return Ending
		}
		return Closed
	case s.Live > s.Begun && s.Begun == 0:
		return Scheduled
	case s.Active >= s.Begun:
		return Fulfilled
	case f.VerifiedAt != nil:
		return Fulfilled // a part that the role got later, or that is away for a moment, does not undo it
	case s.Active+s.Failed+s.Denied >= s.Begun:
		return Failed
	}
	return Provisioning
}

// waits is how long until it is looked at again in a state. What ends, or fails, elsewhere gives it a turn.
func (f row) waits(state string, now time.Time) (time.Duration, bool) {
	switch state {
	case Closed:
		return 0, false
	case Scheduled:
		if f.StartsAt != nil && f.StartsAt.After(now) {
			return f.StartsAt.Sub(now), true
		}
		return time.Second, true
	case Fulfilled:
		return 12 * time.Hour, true
	}
	// A tenth of the time since it began: at once what is quick, and seldom what waits for days.
	age := now.Sub(f.CreatedAt)
	return min(max(age/10, time.Second), 10*time.Minute), true
}
