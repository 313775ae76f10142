package entitlement

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// EntitlementOwners says who owns an entitlement. What is left out stays as it is.
type EntitlementOwners struct {
	// IDs of the identities that own the entitlement. Empty: no owner. Absent: the owners do not change.
	OwnerIDs *[]string `json:"owner_ids,omitempty" maxItems:"50" format:"uuid"`
	// IDs of the backup owners. Empty: no backup owner. Absent: the backup owners do not change.
	BackupOwnerIDs *[]string `json:"backup_owner_ids,omitempty" maxItems:"50" format:"uuid"`
}

type ownersIn struct {
	ID   string `path:"id"`
	Body EntitlementOwners
}

func (s *Service) owners(
	ctx context.Context,
	v viewer.Viewer,
	in *ownersIn,
) (out *answer[EntitlementDetail], err error) {
	if in.Body.OwnerIDs == nil && in.Body.BackupOwnerIDs == nil {
		return nil, fault.New(fault.Invalid, "Set owner_ids, backup_owner_ids, or both.").
			With(fault.Field{Pointer: "#/owner_ids", Code: "required", Detail: "give a list of identities, or an " +
				"empty list for no owner"})
	}
	patch, err := json.Marshal(in.Body)
	if err != nil {
		return nil, err
	}
	d, err := s.Patch(ctx, v, in.ID, httpapi.IfMatch{}, patch)
	return &answer[EntitlementDetail]{Body: d}, err
}
