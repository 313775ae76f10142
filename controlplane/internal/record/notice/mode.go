package notice

import "slices"

// Mode is how a person receives the notifications of a group.
type Mode string

// The modes that can be chosen.
const (
	Smart     Mode = "smart"     // at once what is urgent, the rest in the digest
	Immediate Mode = "immediate" // everything at once
	Digest    Mode = "digest"    // everything in the digest
	Off       Mode = "off"       // nothing
)

// Modes are all modes.
var Modes = []Mode{Smart, Immediate, Digest, Off}

// Known reports whether there is such a mode.
func (m Mode) Known() bool { return slices.Contains(Modes, m) }

// Choices are modes by group. A group that is absent has no choice.
type Choices map[Group]Mode

// Rules are what a tenant has set about modes: its defaults, and the groups whose default people cannot change.
type Rules struct {
	Modes  Choices
	Locked []Group
}

// Mode is how a person with these choices receives a group.
func (r Rules) Mode(g Group, own Choices) Mode {
	if g == Account {
		return Immediate
	}
	if m := own[g]; m.Known() && !slices.Contains(r.Locked, g) {
		return m
	}
	if m := r.Modes[g]; m.Known() {
		return m
	}
	return Smart
}

// Decide says how a notification is sent: Immediate, Digest or Off. urgent is true of a notification whose object is
// due today or of high risk.
func Decide(k Kind, mode Mode, urgent bool) Mode {
	switch {
	case k.Group == Account:
		return Immediate
	case mode == Smart && (k.Urgent || urgent):
		return Immediate
	case mode == Smart:
		return Digest
	}
	return mode
}
