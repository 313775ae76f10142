package accessrequest

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Parties returns the ids that never decide about the item: of the recipient and of the requester.
func (r *AccessRequest) Parties(item *AccessRequestItem) []string {
	out := append([]string{item.BeneficiaryID}, r.RequestedBy.Parties()...)
	for _, id := range []*string{r.RequesterID, r.ActorID} {
		if id != nil {
			out = append(out, *id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CheckWithdraw returns a fault unless the viewer is the requester, the recipient or an administrator.
func (r *AccessRequest) CheckWithdraw(v viewer.Viewer) error {
	if r.IsParty(v) || v.Has(viewer.Admin) {
		return nil
	}
	return fault.Coded(
		fault.Forbidden,
		"not_your_request",
		"%s can be withdrawn by its requester, its recipient or an administrator; approvers can reject it",
		r.Number,
	)
}

// Item returns the item of this id; a fault of kind NotFound if there is none.
func (r *AccessRequest) Item(id string) (*AccessRequestItem, error) {
	i := slices.IndexFunc(r.Items, func(i AccessRequestItem) bool { return i.ID == id })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "%s has no item %s", r.Number, id)
	}
	return &r.Items[i], nil
}

// Choose returns the ids of the named items, or of all that allow the action if none is named. An item that does not
// allow it is a fault.
func (r *AccessRequest) Choose(items []string, what string) ([]string, error) {
	var ids []string
	if len(items) == 0 {
		for _, i := range r.Items {
			if slices.Contains(i.Allowed, what) {
				ids = append(ids, i.ID)
			}
		}
		if len(ids) == 0 {
			return nil, InvalidTransition(r.Number+" is "+r.Status+": there is nothing to "+what, r.Allowed)
		}
		return ids, nil
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(items))) {
		item, err := r.Item(id)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s", err).
				With(fault.Field{Pointer: "#/items", Code: "unknown_item", Detail: "name items of " + r.Number})
		}
		if !slices.Contains(item.Allowed, what) {
			return nil, InvalidTransition(item.Display+" is "+item.Status+": there is nothing to "+what, item.Allowed)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
