package request

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/draft"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// AccessRequestExtension asks for more time for what a request gave.
type AccessRequestExtension struct {
	// The items to extend. The default is all that can be extended.
	Items []string `json:"items,omitempty" nullable:"false" maxItems:"50" format:"uuid"`
	// The new end. Either this or duration.
	Until *time.Time `json:"until,omitempty"`
	// How much longer than now, as an ISO 8601 duration: counted from the present end.
	Duration string `json:"duration,omitempty" maxLength:"40" example:"P7D"`
	// The justification. The default is that of the original request.
	Justification string `json:"justification,omitempty" maxLength:"4000"`
}

// Extend asks for more time: it makes a request of its own, which the rule may let pass at once.
func (s *Service) Extend(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	e AccessRequestExtension,
) (made accessrequest.AccessRequest, err error) {
	if (e.Until == nil) == (e.Duration == "") {
		return made, fault.New(fault.Invalid, "set the new end, or the additional time").
			With(fault.Field{Pointer: "#/until", Code: "required", Detail: "exactly one of until and duration"})
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := accessrequest.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(r.Version); err != nil {
			return err
		}
		if r.Urgency == accessrequest.Emergency &&
			slices.ContainsFunc(r.Items, accessrequest.AccessRequestItem.IsLive) {
			return emergencyEnds(r.Number)
		}
		chosen, err := r.Choose(e.Items, "extend")
		if err != nil {
			return err
		}
		in := accessrequest.NewAccessRequest{
			RequestedForIdentityID: r.RequestedForIdentityID,
			Justification:          cmp.Or(e.Justification, r.Justification),
			Kind:                   accessrequest.Extend,
			ExternalReference:      r.ExternalReference,
		}
		targets := make([]*accessrequest.AccessRequestItem, len(chosen))
		for i, itemID := range chosen {
			if targets[i], err = r.Item(itemID); err != nil {
				return err
			}
			in.RequestedResources = append(in.RequestedResources, extensionOf(targets[i], e))
		}
		d := draft.New(tx, in, "#")
		for i, w := range d.Items {
			w.Target = targets[i]
		}
		made, err = s.submit(ctx, tx, d)
		return extensionFault(err)
	})
	return made, err
}

// emergencyEnds refuses to extend what was given without approval.
func emergencyEnds(what string) *fault.Fault {
	return fault.Coded(fault.Conflict, "extension_not_allowed",
		"%s gave access in an emergency, which cannot be extended. Submit a new request with urgency normal.", what)
}

// again is the item as it is asked for with an extension.
func extensionOf(i *accessrequest.AccessRequestItem, e AccessRequestExtension) accessrequest.RequestedResource {
	out := accessrequest.RequestedResource{Duration: e.Duration, EndsAt: e.Until}
	if i.RoleID != nil {
		out.RoleID = *i.RoleID
	} else {
		out.EntitlementID = *i.EntitlementID
	}
	if i.AccountID != nil {
		out.AccountID = *i.AccountID
	}
	return out
}

// extensionFault points to the members that the caller has sent, not to those of the request that was made of them.
func extensionFault(err error) error {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return err
	}
	members := map[string]string{"ends_at": "#/until", "duration": "#/duration"}
	for i, field := range f.Fields {
		if to, known := members[lastOf(field.Pointer)]; known {
			f.Fields[i].Pointer = to
		}
	}
	return err
}
