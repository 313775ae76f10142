package staging

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// maxOwners bounds the owners that a record names, as the API bounds those that a person sets.
const maxOwners = 50

// noOwners is the JSON of an empty list, made once.
var noOwners = raw("[]")

// owners are a record's references to owners as they are staged. The owners of an entitlement have no order, so that
// another order is no change; of the owners of an account the first that is known counts. What could not be stored is
// left out and reported.
func (o *Batch) owners(table int, id string, refs []v1.Ref) raw {
	var kept []v1.Ref
	for _, r := range refs {
		switch {
		case r.Value == "" || slices.Contains(kept, r):
		case len(r.Value) > maxKey || !Storable(r.Value) || !Storable(string(r.Kind)):
			o.reportOwner(
				table,
				id,
				"invalid_owner",
				"an owner is named by a value that is too long, holds the character NUL or is not UTF-8",
			)
		case len(kept) == maxOwners:
			o.reportOwner(
				table,
				id,
				"too_many_owners",
				fmt.Sprintf("the record names more than %d owners; the first %[1]d are used", maxOwners),
			)
			return encodedOwners(table, kept)
		default:
			kept = append(kept, r)
		}
	}
	return encodedOwners(table, kept)
}

// reportOwner reports an owner that cannot be used. The object itself is used.
func (o *Batch) reportOwner(table int, id, code, message string) {
	o.Rejected = append(
		o.Rejected,
		Rejected{Object: objectNames[table], ExternalID: id, Code: code, Message: message, Field: "owner_refs"},
	)
}

// encodedOwners is the JSON of the references. Those of entitlements are sorted, since directories
// give them in any order and an equal set must have an equal hash.
func encodedOwners(table int, refs []v1.Ref) raw {
	if len(refs) == 0 {
		return noOwners
	}
	if table == Entitlements {
		slices.SortFunc(refs, func(a, b v1.Ref) int {
			return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Value, b.Value))
		})
	}
	b, err := json.Marshal(refs)
	if err != nil {
		return noOwners // texts alone: it cannot fail
	}
	return b
}
