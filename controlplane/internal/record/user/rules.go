package user

import (
	"net/mail"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// mayCreate reports whether v may invite such a user.
func mayCreate(v viewer.Viewer, after Fields) error {
	if v.Kind == viewer.Service {
		return onlyPeople("invite somebody")
	}
	if after.ControlPlaneAdmin && !v.ControlPlaneAdmin {
		return onlyOperators()
	}
	return nil
}

// mayChange says whether v may turn the user with this id from one into the other.
func mayChange(v viewer.Viewer, id string, before, after Fields) error {
	if err := mayTouch(v, id, before); err != nil {
		return err
	}
	if v.Kind == viewer.Service && exceedsService(before, after) {
		return onlyPeople("change a user's roles, address, identity or right to sign in")
	}
	if before.ControlPlaneAdmin != after.ControlPlaneAdmin && !v.ControlPlaneAdmin {
		return onlyOperators()
	}
	if isSelf(v, id) {
		return ofOneself(before, after)
	}
	return nil
}

// mayTouch says whether v may do anything at all about a user: who acts in every tenant is not to be taken over, by a
// new password for example, by an administrator of one.
func mayTouch(v viewer.Viewer, id string, target Fields) error {
	if target.ControlPlaneAdmin && !v.ControlPlaneAdmin && !isSelf(v, id) {
		return onlyOperators()
	}
	return nil
}

// mayHandOver says whether v may make a new way in for a user, or take away what guards the one there is.
func mayHandOver(v viewer.Viewer, id string, target Fields) error {
	switch {
	case v.Kind == viewer.Service:
		return onlyPeople("make a way to sign in")
	case isSelf(v, id):
		return ownUser(
			"this is for others; your own password and second factor are changed where you proved who you are",
		)
	}
	return mayTouch(v, id, target)
}

// ofOneself refuses changes of one's own user: to gain a right, or to lock oneself out.
func ofOneself(before, after Fields) error {
	gained := slices.ContainsFunc(after.Roles, func(r string) bool { return !slices.Contains(before.Roles, r) })
	switch {
	case gained:
		return fault.Coded(fault.Forbidden, "own_roles", "you cannot give yourself a role; another administrator can").
			With(fault.Field{Pointer: "#/roles", Code: "own_roles", Detail: "leave out the roles that you do not have"})
	case text(before.IdentityID) != text(after.IdentityID):
		return fault.Coded(fault.Forbidden, "own_identity", "You cannot change the identity that your own user is "+
			"linked to; another administrator can.").
			With(fault.Field{Pointer: "#/identity_id", Code: "own_identity", Detail: "leave it out"})
	case before.ControlPlaneAdmin != after.ControlPlaneAdmin:
		return ownUser("another control-plane administrator decides whether you are one")
	case before.Enabled && !after.Enabled:
		return ownUser("you cannot disable yourself; another administrator can")
	}
	return nil
}

// exceedsService reports whether a change is more than a service token may make: it may correct a name and take the
// right to sign in away. With any of the rest it could make itself a person.
func exceedsService(before, after Fields) bool {
	allowed := before
	allowed.DisplayName, allowed.Locale = after.DisplayName, after.Locale
	allowed.Enabled = before.Enabled && after.Enabled
	return !same(allowed, after)
}

// same says whether two sets of fields are equal.
func same(a, b Fields) bool {
	return a.Email == b.Email && a.DisplayName == b.DisplayName && slices.Equal(a.Roles, b.Roles) &&
		text(a.IdentityID) == text(b.IdentityID) &&
		a.Locale == b.Locale && a.ControlPlaneAdmin == b.ControlPlaneAdmin &&
		a.Enabled == b.Enabled
}

// isSelf says whether the viewer is the user themselves.
func isSelf(v viewer.Viewer, id string) bool { return v.Kind == viewer.User && v.ID == id }

// onlyPeople is the fault for a service token that tries what only a person may.
func onlyPeople(what string) error {
	return fault.New(fault.Forbidden, "a service token cannot %s; an administrator who has signed in can", what)
}

// onlyOperators is the fault for a change of control_plane_admin by someone who is none.
func onlyOperators() error {
	return fault.New(fault.Forbidden, "only a control-plane administrator decides about control-plane administrators").
		With(fault.Field{Pointer: "#/control_plane_admin", Code: "forbidden", Detail: "leave it out"})
}

// ownUser is the conflict of administrators who would lock themselves out.
func ownUser(words string) error { return fault.Coded(fault.Conflict, "own_user", "%s", words) }

// complete tidies and checks what is to be stored.
func (f *Fields) complete() error {
	f.Email = norm.NFKC.String(strings.TrimSpace(f.Email)) // the form by which sign-in looks for it
	f.DisplayName = strings.TrimSpace(f.DisplayName)
	f.Roles = tidyRoles(f.Roles)
	if f.Locale == "" {
		f.Locale = "en"
	}
	address, err := mail.ParseAddress(f.Email)
	if err != nil || address.Address != f.Email || address.Name != "" {
		return fault.New(fault.Invalid, "a user needs an e-mail address").
			With(fault.Field{Pointer: "#/email", Code: "invalid", Detail: "an e-mail address such as ada@acme.example"})
	}
	return nil
}

// isAdmin reports whether a user with these fields and status is an administrator who can sign in.
func isAdmin(status Status, f Fields) bool {
	return status == Active && f.Enabled && slices.Contains(f.Roles, string(viewer.Admin))
}

// text is the text behind a pointer, empty for nil.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// mayDelete says whether v may delete a user.
func mayDelete(v viewer.Viewer, u User) error {
	switch {
	case v.Kind == viewer.Service:
		return onlyPeople("delete a user")
	case isSelf(v, u.ID):
		return ownUser("you cannot delete yourself; another administrator can")
	}
	return mayTouch(v, u.ID, u.Fields)
}

// disabled is the conflict of an action on a disabled user.
func disabled() error {
	return fault.Coded(fault.Conflict, "user_disabled", "the user is disabled; enable them first")
}
