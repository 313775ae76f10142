// Package viewer says on whose behalf something is done. A viewer is passed as a parameter, never hidden in a context:
// a function without one plainly acts for no one.
package viewer

import (
	"slices"
	"time"
)

// Role is what a user may do and see in a tenant. A user may have several; they add up.
type Role string

// The roles of the specification.
const (
	Manager       Role = "manager"        // sees direct and indirect reports
	ResourceOwner Role = "resource_owner" // sees who holds what they own
	Admin         Role = "admin"          // sees and does everything in the tenant
	Auditor       Role = "auditor"        // sees everything in the tenant, changes nothing
)

// Kind is the kind of token, or the system itself.
type Kind string

// Kinds of viewer.
const (
	User    Kind = "user"
	Service Kind = "service"
	Agent   Kind = "agent"
	Machine Kind = "system"
)

// Viewer is who acts.
type Viewer struct {
	Tenant   string // UUID; empty only for the deployment itself
	Kind     Kind
	ID       string // user, service token or agent id
	Display  string // e-mail or name, for the audit log
	Identity string // the user's own identity, where linked; of a service token, the one that it is bound to
	// of a service token: the user on whose rights it was made, also where another token made it
	Maker             string
	MakerIdentity     string // of a service token: the identity of that user, where linked
	Roles             []Role
	Session           string    // id of the sign-in, or of the service token: what stays when a token is refreshed
	Scopes            []string  // of a service token: family:read and family:write; scopes bind only service tokens
	Expires           time.Time // of a service token: when it ends; zero: not worth telling
	Rate              Rate      // what an administrator has raised the token's rate to; zero: the usual one
	ControlPlaneAdmin bool
	// of a control-plane administrator who acts in another tenant: the own one; otherwise empty
	Home      string
	Reason    string // why the viewer acts in another tenant, in their words
	RequestID string
	IP        string
	UserAgent string
}

// Rate is how many requests a token may make.
type Rate struct {
	PerSecond int
	Burst     int
}

// System acts for the product itself within a tenant.
func System(tenant string) Viewer { return Viewer{Tenant: tenant, Kind: Machine, Display: "system"} }

// Has reports whether the viewer has the role.
func (v Viewer) Has(r Role) bool { return slices.Contains(v.Roles, r) }

// HasAny reports whether the viewer has one of the roles.
func (v Viewer) HasAny(roles ...Role) bool { return slices.ContainsFunc(roles, v.Has) }

// Actor is the viewer as records name who made them: type, id and display.
func (v Viewer) Actor() map[string]any {
	return map[string]any{"type": string(v.Kind), "id": v.ID, "display": v.Display}
}

// SeesAll reports whether the whole tenant is visible.
func (v Viewer) SeesAll() bool { return v.Kind == Machine || v.HasAny(Admin, Auditor) }

// MayUse reports whether a scope allows what is asked. Whoever signs in has all of them; a service token has those it
// was made with, and one to write does not include the one to read. Every token may ask who it is.
func (v Viewer) MayUse(scope string) bool {
	return v.Kind != Service || scope == "auth:read" || slices.Contains(v.Scopes, scope)
}

// OnlyReads reports whether the viewer may change nothing: an auditor without another role.
func (v Viewer) OnlyReads() bool {
	return v.Has(Auditor) && !v.HasAny(Admin, Manager, ResourceOwner)
}
