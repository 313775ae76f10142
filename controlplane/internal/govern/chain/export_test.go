package chain

// Tally counts a group as chains do: pending, agreed or refused.
func Tally(mode string, needed, approved, rejected, open int) string {
	return [...]string{"pending", "agreed", "refused"}[tally{mode, needed, approved, rejected, open}.verdict()]
}

// Together joins groups, each mode, needed, approved, rejected and open.
func Together(groups ...GroupCount) string {
	list := make([]tally, len(groups))
	for i, g := range groups {
		list[i] = tally{g.Mode, g.Needed, g.Approved, g.Rejected, g.Open}
	}
	return [...]string{"pending", "agreed", "refused"}[together(list)]
}

// GroupCount is how the answers in a group stand.
type GroupCount struct {
	Mode                             string
	Needed, Approved, Rejected, Open int
}
