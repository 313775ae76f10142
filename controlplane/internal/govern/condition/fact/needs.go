package fact

import (
	"slices"
)

// Needs are the facts that a condition asks for beyond the fields of the person.
type Needs struct {
	Managers     []string // whose trees it names
	Roles        []string
	Entitlements []string
	Clock        bool // its answer may change with the day alone
}

// AddMissing appends to into the values of more that it lacks.
func AddMissing(into, more []string) []string {
	for _, m := range more {
		if !slices.Contains(into, m) {
			into = append(into, m)
		}
	}
	return into
}

// And joins what two conditions need.
func (n Needs) And(o Needs) Needs {
	return Needs{
		Managers: AddMissing(slices.Clone(n.Managers), o.Managers), Roles: AddMissing(slices.Clone(n.Roles), o.Roles),
		Entitlements: AddMissing(slices.Clone(n.Entitlements), o.Entitlements), Clock: n.Clock || o.Clock,
	}
}
