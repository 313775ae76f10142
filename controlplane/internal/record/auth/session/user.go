package session

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// User is a user at the moment of signing in.
type User struct {
	Tenant, ID string
	Email      string
	Name       string
	Identity   *string
	Roles      []string
	Status     string
	// Epoch is of the password: tokens of an earlier one no longer work.
	Epoch        int64
	Hash         *string // of the password; nil when none was set yet
	TenantStatus string
	ControlPlane bool
	Vouched      Voucher // for whoever signs in by an outside provider
}

// HasPassword reports whether the user can sign in with a password.
func (p User) HasPassword() bool { return p.Status == "active" && p.Hash != nil }

// Voucher is the outside provider by which somebody signs in, as it was when it vouched for them.
type Voucher struct{ Provider, Issuer string }

// Viewer is the person as the doer of a sign-in.
func (p User) Viewer(ctx context.Context, from Browser) viewer.Viewer {
	return viewer.Viewer{
		Tenant: p.Tenant, Kind: viewer.User, ID: p.ID, Display: p.Email,
		IP: httpapi.AddressOf(ctx), UserAgent: from.UserAgent(), RequestID: httpapi.RequestID(ctx),
	}
}

// AtHome is the viewer in their own tenant, where their user, sessions and second factor are.
func AtHome(v viewer.Viewer) viewer.Viewer {
	if v.Home != "" {
		v.Tenant, v.Home = v.Home, ""
	}
	return v
}

// OnlyUsers refuses whoever is no user: service tokens have no password and no sessions.
func OnlyUsers(v viewer.Viewer) (viewer.Viewer, error) {
	if v.Kind != viewer.User {
		return v, fault.New(fault.Forbidden, "Service tokens have no profile. Manage them in the settings.")
	}
	return AtHome(v), nil
}
