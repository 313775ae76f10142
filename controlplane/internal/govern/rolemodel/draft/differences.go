package draft

import (
	"reflect"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RoleChange is one member that becomes different.
type RoleChange struct {
	// Name of the field of the role that changes.
	Field string `json:"field" example:"entitlement_ids"`
	// Value of the field before the change. Null if there was none.
	Before any `json:"before"`
	// Value of the field after the change. Null if there is none.
	After any `json:"after"`
	// Of a list: what is new in it.
	Added []any `json:"added,omitempty" nullable:"false"`
	// Of a list: what is no more in it.
	Removed []any `json:"removed,omitempty" nullable:"false"`
}

// Differences are the fields in which two versions of a role differ, with what was added and removed of lists.
func Differences(before, after role.RoleFields) ([]RoleChange, error) {
	diff, err := audit.Diff(before, after)
	if err != nil {
		return nil, err
	}
	changes := []RoleChange{}
	for _, d := range diff {
		c := RoleChange{Field: d.Field, Before: d.From, After: d.To}
		old, _ := d.From.([]any)
		now, isList := d.To.([]any)
		if isList || old != nil {
			c.Added, c.Removed = without(now, old), without(old, now)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// without are the elements of a list that are not in another.
func without(list, other []any) []any {
	var rest []any
	for _, x := range list {
		if !slices.ContainsFunc(other, func(y any) bool { return reflect.DeepEqual(x, y) }) {
			rest = append(rest, x)
		}
	}
	return rest
}
