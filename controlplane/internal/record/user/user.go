package user

import (
	"slices"
	"time"
)

// Status of a user.
type Status string

// Statuses. A user who was invited becomes active by signing in for the first time; one who is disabled cannot sign in.
const (
	Invited  Status = "invited"
	Active   Status = "active"
	Disabled Status = "disabled"
)

// User is a person who signs in.
type User struct {
	// ID of the user.
	ID string `json:"id"`
	Fields
	// Status of the user. A disabled user cannot sign in.
	Status Status `json:"status" enum:"invited,active,disabled"`
	// The identity that the user is linked to.
	Identity *LinkedIdentity `json:"identity"`
	// Second factor of the user.
	MFA SecondFactor `json:"mfa"`
	// Who the user is at an outside provider; null without one.
	SSOSubject *string `json:"sso_subject"`
	// What an administrator should look at: toxic_role_pair (admin and auditor in one hand), identity_inactive,
	// identity_missing.
	Findings []string `json:"findings" nullable:"false" example:"[\"toxic_role_pair\"]"`
	// Time of the last sign-in. Null before the first one.
	LastLoginAt *time.Time `json:"last_login_at"`
	// When a sign-in link was last made for the user.
	InvitedAt *time.Time `json:"invited_at"`
	// Time the user was created.
	CreatedAt time.Time `json:"created_at"`
	// Time the user was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version"`
}

// Fields are what an administrator decides about a user.
type Fields struct {
	// E-mail address of the user, unique in the tenant.
	Email string `json:"email" example:"ada@acme.example"`
	// Display name of the user.
	DisplayName string `json:"display_name" example:"Ada Lovelace"`
	// manager, resource_owner, admin, auditor; they add up. Without any, a user sees the own record, requests and
	// tasks.
	Roles []string `json:"roles" nullable:"false" example:"[\"manager\"]"`
	// The user's own identity record, which what a manager or resource owner sees depends on.
	IdentityID *string `json:"identity_id"`
	// Language tag of the user (BCP 47).
	Locale string `json:"locale" example:"en"`
	// May act in every tenant of the deployment.
	ControlPlaneAdmin bool `json:"control_plane_admin"`
	// False: cannot sign in.
	Enabled bool `json:"enabled"`
}

// LinkedIdentity is what a user's linked record says.
type LinkedIdentity struct {
	// Display name of the identity.
	DisplayName string `json:"display_name"`
	// pre_hire, active, on_leave, notice, deactivated, archived
	Status string `json:"status"`
}

// SecondFactor is a user's second factor.
type SecondFactor struct {
	// True if the user has a second factor: an authenticator app or a passkey.
	Enrolled bool `json:"enrolled"`
	// totp, passkey
	Methods []string `json:"methods" nullable:"false" example:"[\"totp\",\"passkey\"]"`
}

// NewUser is the body of POST /settings/users.
type NewUser struct {
	// Unique in the tenant. Case is ignored.
	Email string `json:"email" minLength:"3" maxLength:"254" example:"ada@acme.example"`
	// Display name of the user.
	DisplayName string `json:"display_name,omitempty" maxLength:"256" example:"Ada Lovelace"`
	// Roles of the user. They add up.
	Roles []string `json:"roles,omitempty" nullable:"false" maxItems:"4" enum:"manager,resource_owner,admin,auditor" example:"[\"manager\"]"`
	// An identity of the tenant that no other user is linked to.
	IdentityID *string `json:"identity_id,omitempty" nullable:"true" format:"uuid"`
	// A language tag (BCP 47); en otherwise.
	Locale string `json:"locale,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$" example:"en"`
	// Only a control-plane administrator may set it.
	ControlPlaneAdmin bool `json:"control_plane_admin,omitempty"`
}

// UserPatch is the body of PATCH /settings/users/{id}, a JSON merge patch (RFC 7396).
type UserPatch struct {
	// E-mail address of the user, unique in the tenant.
	Email *string `json:"email,omitempty" minLength:"3" maxLength:"254"`
	// Display name of the user.
	DisplayName *string `json:"display_name,omitempty" maxLength:"256" example:"Ada King"`
	// Roles of the user. They replace the previous ones.
	Roles []string `json:"roles,omitempty" nullable:"false" maxItems:"4" enum:"manager,resource_owner,admin,auditor" example:"[\"manager\",\"resource_owner\"]"`
	// Null: linked to none.
	IdentityID *string `json:"identity_id,omitempty" nullable:"true" format:"uuid"`
	// Language tag of the user (BCP 47).
	Locale *string `json:"locale,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"`
	// Only a control-plane administrator may set it.
	ControlPlaneAdmin *bool `json:"control_plane_admin,omitempty"`
	// False disables the user and ends all sessions; true lets the user sign in again.
	Enabled *bool `json:"enabled,omitempty"`
}

// UserInvitation is a way to sign in once, by POST /auth/sign-in-link.
type UserInvitation struct {
	// The token of a one-time link by which the user sets a password and signs in. It is shown once.
	Token string `json:"token" example:"4QZ6T4MSAB2KQXH7VJ5NWD3YRE"`
	// Time the one-time link expires.
	ExpiresAt time.Time `json:"expires_at"`
}

// InvitedUser is a user with the way in.
type InvitedUser struct {
	User
	// One-time link by which the user signs in.
	Invitation UserInvitation `json:"invitation"`
}

// row is a user as it is stored, with what is shown beside it.
type row struct {
	ID                string   `db:"id"`
	Email             string   `db:"email"`
	DisplayName       string   `db:"display_name"`
	Roles             []string `db:"roles"`
	IdentityID        *string  `db:"identity_id"`
	Locale            string   `db:"locale"`
	ControlPlaneAdmin bool     `db:"control_plane_admin"`
	Status            Status   `db:"status"`
	IdentityName      *string  `db:"identity_name"`
	IdentityStatus    *string  `db:"identity_status"`
	// SecondFactor says that one is set up and confirmed.
	SecondFactor bool       `db:"second_factor"`
	Passkey      bool       `db:"passkey"` // at least one is registered
	SSOSubject   *string    `db:"sso_subject"`
	LastLoginAt  *time.Time `db:"last_login_at"`
	InvitedAt    *time.Time `db:"invited_at"`
	CreatedAt    time.Time  `db:"created_at"`
	UpdatedAt    time.Time  `db:"updated_at"`
	Version      int        `db:"version"`
}

// shown is the user as the API shows it.
func (r row) shown() User {
	u := User{
		ID:          r.ID,
		Status:      r.Status,
		SSOSubject:  r.SSOSubject,
		MFA:         SecondFactor{Methods: []string{}},
		LastLoginAt: r.LastLoginAt,
		InvitedAt:   r.InvitedAt,
		CreatedAt:   r.CreatedAt,
		UpdatedAt:   r.UpdatedAt,
		Version:     r.Version,
		Fields: Fields{
			Email:             r.Email,
			DisplayName:       r.DisplayName,
			Roles:             tidyRoles(r.Roles),
			IdentityID:        r.IdentityID,
			Locale:            r.Locale,
			ControlPlaneAdmin: r.ControlPlaneAdmin,
			Enabled:           r.Status != Disabled,
		},
	}
	if r.SecondFactor {
		u.MFA.Methods = append(u.MFA.Methods, "totp")
	}
	if r.Passkey {
		u.MFA.Methods = append(u.MFA.Methods, "passkey")
	}
	u.MFA.Enrolled = len(u.MFA.Methods) > 0
	if r.IdentityStatus != nil {
		u.Identity = &LinkedIdentity{DisplayName: *r.IdentityName, Status: *r.IdentityStatus}
	}
	u.Findings = findings(u)
	return u
}

// findings are what an administrator should look at.
func findings(u User) []string {
	found := []string{}
	if slices.Contains(u.Roles, "admin") && slices.Contains(u.Roles, "auditor") {
		found = append(found, "toxic_role_pair") // whoever is looked over looks over themselves
	}
	switch {
	case u.IdentityID == nil:
	case u.Identity == nil:
		found = append(found, "identity_missing")
	case u.Identity.Status == "deactivated" || u.Identity.Status == "archived":
		found = append(found, "identity_inactive")
	}
	return found
}

// tidyRoles gives roles in one order, each once.
func tidyRoles(roles []string) []string {
	tidy := slices.Clone(roles)
	slices.Sort(tidy)
	if tidy = slices.Compact(tidy); tidy == nil {
		return []string{}
	}
	return tidy
}
