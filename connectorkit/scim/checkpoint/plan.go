package checkpoint

import (
	"time"
)

// How a read goes about it, in Page.Read.
const (
	StrategyFull         = "full"
	StrategyLastModified = "scim_last_modified"
)

// The legs of a read. Each is a list of its own.
const (
	LegUsers         = "users"
	LegGroups        = "groups"         // with members
	LegMemberships   = "memberships"    // users again, for the groups they carry
	LegUsersChanged  = "users_changed"  // by meta.lastModified
	LegUsersPresent  = "users_present"  // ids only
	LegGroupsChanged = "groups_changed" // ids and times of all, whole those that changed
)

// Overlap is read again before the last position: the clocks of a target's parts differ, and what is written may show
// late.
const Overlap = 5 * time.Minute

// Plan is what a sync reads, leg by leg.
type Plan struct {
	Strategy string     `json:"strategy"`
	Reason   string     `json:"reason,omitempty"` // why everything is read though changes were asked for
	Since    *time.Time `json:"since,omitempty"`
	Legs     []string   `json:"legs"`
	Known    int        `json:"known,omitempty"`  // rights known from the last read
	Always   bool       `json:"always,omitempty"` // the target does not report when memberships change
	Cut      int        `json:"cut,omitempty"`    // a group of so many members may have more
}

// Incremental reports whether changes are read.
func (p Plan) Incremental() bool { return p.Strategy == StrategyLastModified }
