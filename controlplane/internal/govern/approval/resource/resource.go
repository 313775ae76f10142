package resource

// Item is a role or entitlement that is requested, as rules look at it.
type Item struct {
	Type, ID, Name, Kind, Risk string
	Privileged                 bool
	// Owners and Backups are IDs of identities.
	Owners, Backups          []string
	InnerOwners              []string // of what a role holds
	Tags, Connectors, Places []string
	// RuleID is the item's own approval rule; empty: the tenant's rules apply.
	RuleID string
	// MaxDuration, Usual and Longer are ISO 8601 durations: the longest access, the default, and
	// the longest extension. Empty: none.
	MaxDuration, Usual, Longer string
}

// Key names the item in maps: a role and an entitlement never have one id, but nothing rests on that.
func (i Item) Key() string { return i.Type + " " + i.ID }

// RiskLevels are the levels of risk, the lowest first.
var RiskLevels = []string{"low", "medium", "high", "critical"}
