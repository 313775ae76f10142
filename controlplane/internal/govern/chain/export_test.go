package chain

import "github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"

// Tally counts a group as chains do: pending, agreed or refused.
func Tally(mode string, needed, approved, rejected, open int) string {
	tally := state.GroupCount{Mode: mode, Needed: needed, Approved: approved, Rejected: rejected, Open: open}
	return [...]string{"pending", "agreed", "refused"}[tally.Verdict()]
}

// Together joins groups, each mode, needed, approved, rejected and open.
func Together(groups ...GroupCount) string {
	list := make([]state.GroupCount, len(groups))
	for i, g := range groups {
		list[i] = state.GroupCount(g)
	}
	return [...]string{"pending", "agreed", "refused"}[state.Together(list)]
}

// GroupCount is how the answers in a group stand.
type GroupCount struct {
	Mode                             string
	Needed, Approved, Rejected, Open int
}
