package entry

import (
	"slices"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// WantedKinds says which kinds of record are asked for; none named means all.
func WantedKinds(objects []v1.ObjectKind) map[v1.ObjectKind]bool {
	kinds := []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}
	want := map[v1.ObjectKind]bool{}
	for _, k := range kinds {
		want[k] = len(objects) == 0 || slices.Contains(objects, k)
	}
	return want
}
