package lookup

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// PresenceOf returns what a lookup of a user has proven. Only 404 or 410 for the address of the user proves that the
// user is gone: a list without the name may as well result from a new name, or from users that this login does not
// see.
func PresenceOf(t v1.ProvisionTarget, rec resource.Record) v1.Presence {
	switch {
	case rec != nil:
		return v1.PresencePresent
	case t.RemoteID != "":
		return v1.PresenceGone
	}
	return v1.PresenceUnknown
}

// Accounts reads the named users and which of the named entitlements each of them has. What the target does not report
// is left out.
func Accounts(ctx context.Context, s *provider.Session, known *provider.Cache,
	req v1.ReadRequest) (v1.ReadResponse, error) {
	p, err := known.Declaration(ctx, s, req.AuthConfig)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	out := v1.ReadResponse{Accounts: []v1.ReadAccount{}}
	var there []resource.Record
	for _, t := range req.Accounts {
		rec, err := s.Locate(ctx, p, t)
		if target.Forbidden(err) {
			out.Accounts = append(out.Accounts, v1.ReadAccount{Target: t, Presence: v1.PresenceUnknown})
			continue
		}
		if err != nil {
			return v1.ReadResponse{}, err
		}
		one := v1.ReadAccount{Target: t, Presence: PresenceOf(t, rec)}
		if rec != nil {
			one.Account = resource.FullAccount(rec)
			there = append(there, rec)
		}
		out.Accounts = append(out.Accounts, one)
	}
	for _, e := range req.Entitlements {
		if out.Grants, err = grants(
			ctx,
			out.Grants,
			NewGroup(s, known, p, req.AuthConfig, e.RemoteID),
			there,
		); err != nil {
			return v1.ReadResponse{}, err
		}
	}
	return out, nil
}
