package order

import (
	"context"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
)

// Routes are the orders: to assign, revoke and extend access, and to accept it as found.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/entitlements/grants", "Assign an entitlement", s.give).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Errors(409).
			Describe(aboutGive),
		httpapi.Handle("POST", "/entitlements/grants/{id}/revoke", "Revoke a grant", s.revoke).
			For(viewer.Admin).
			Status(http.StatusAccepted).
			Errors(409).
			Describe(aboutRevoke),
		httpapi.Handle("POST", "/entitlements/grants/{id}/extend", "Extend a grant", s.extendOne).
			For(viewer.Admin).
			Errors(409).
			Describe(aboutExtend),
		httpapi.Handle("POST", "/entitlements/grants/bulk-revoke", "Revoke grants in bulk", s.bulkRevoke).
			For(viewer.Admin).
			Describe(aboutBulk),
		httpapi.Handle("POST", "/entitlements/grants/accept-as-found", "Accept grants as found", s.acceptAsFound).
			For(viewer.Admin).
			Describe(aboutAccept),
	}
}

const (
	aboutGive = "A direct assignment is a reason like any other: the access lasts while at least one reason does. " +
		"409 not_grantable, account_without_owner, identity_inactive and access_denied name the obstacle. The target " +
		"system follows; links.explain shows the progress."
	aboutRevoke = "Ends all reasons of a grant, or one of them. The access ends with the last reason. If a policy " +
		"would grant it again, give exclude_until: " +
		"the access is denied until then. Unmanaged grants are revoked too. With dry_run nothing is written."
	aboutExtend = "Moves the end date of access that was assigned for a limited time. Access from a policy ends with " +
		"the policy: 409 not_extendable."
	aboutBulk = "Revokes at most 500 grants completely, like the single operation, in one transaction. Grants that " +
		"cannot be revoked are returned with the reason."
	aboutAccept = "Accepts unmanaged grants as they were found: by ids, or all of a system. They need no further " +
		"decision, " +
		"count as accepted in lists and figures, and explain names the person who accepted them. Your own access is " +
		"omitted. 422 names each connector, entitlement and grant that does not exist, and nothing is accepted. " +
		"With dry_run nothing is written."
)

// giveIn is the input of give.
type giveIn struct {
	Body GrantOrder
}

// answer is a response without headers.
type answer[T any] struct {
	Body T
}

// give is POST /entitlements/grants: an administrator assigns an entitlement.
func (s *Service) give(ctx context.Context, v viewer.Viewer, in *giveIn) (*answer[GrantOrdered], error) {
	out, err := s.Give(ctx, v, in.Body)
	return &answer[GrantOrdered]{Body: out}, err
}

type revokeIn struct {
	// ID of the grant.
	ID string `path:"id"`
	// Say what it would do, and write nothing.
	DryRun bool `query:"dry_run"`
	Body   GrantRevocation
}

// revoke is POST …/revoke.
func (s *Service) revoke(ctx context.Context, v viewer.Viewer, in *revokeIn) (*answer[RevocationImpact], error) {
	out, err := s.Revoke(ctx, v, in.ID, in.Body, in.DryRun)
	return &answer[RevocationImpact]{Body: out}, err
}

type extendIn struct {
	// ID of the grant.
	ID   string `path:"id"`
	Body struct {
		// New end of the access. It must be later than the current end, by at most the entitlement's extension_max.
		EndsAt time.Time `json:"ends_at"`
	}
}

// extendOne is POST …/extend.
func (s *Service) extendOne(ctx context.Context, v viewer.Viewer, in *extendIn) (*httpapi.One[grant.Grant], error) {
	g, err := s.Extend(ctx, v, in.ID, in.Body.EndsAt)
	return &httpapi.One[grant.Grant]{ETag: httpapi.ETag(g.Version), Body: g}, err
}

// bulkRevokeIn is the input of bulkRevoke.
type bulkRevokeIn struct {
	// Say what it would do, and write nothing.
	DryRun bool `query:"dry_run"`
	Body   BulkGrantRevocation
}

// bulkRevoke is POST …/bulk-revoke.
func (s *Service) bulkRevoke(
	ctx context.Context,
	v viewer.Viewer,
	in *bulkRevokeIn,
) (*answer[BulkGrantsRevoked], error) {
	out, err := s.BulkRevoke(ctx, v, in.Body, in.DryRun)
	return &answer[BulkGrantsRevoked]{Body: out}, err
}

// acceptIn is the input of acceptAsFound.
type acceptIn struct {
	// Count the grants, and write nothing.
	DryRun bool `query:"dry_run"`
	Body   GrantAcceptance
}

// acceptAsFound is POST …/accept-as-found: native grants are kept as they were found.
func (s *Service) acceptAsFound(ctx context.Context, v viewer.Viewer, in *acceptIn) (*answer[GrantsAccepted], error) {
	out, err := s.AcceptAsFound(ctx, v, in.Body, in.DryRun)
	return &answer[GrantsAccepted]{Body: out}, err
}
