package user

import (
	"errors"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func code(err error) string {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

func fields(change func(*Fields)) Fields {
	f := Fields{Email: "a@acme.example", Roles: []string{"admin"}, Locale: "en", Enabled: true}
	change(&f)
	return f
}

func TestWhoMayChangeWhatAboutAUser(t *testing.T) {
	admin := viewer.Viewer{Kind: viewer.User, ID: "me", Roles: []viewer.Role{viewer.Admin}}
	operator := admin
	operator.ControlPlaneAdmin = true
	service := viewer.Viewer{Kind: viewer.Service, ID: "token", Roles: []viewer.Role{viewer.Admin}}
	same := func(*Fields) {}
	roles := func(r ...string) func(*Fields) { return func(f *Fields) { f.Roles = r } }
	off := func(f *Fields) { f.Enabled = false }
	operates := func(f *Fields) { f.ControlPlaneAdmin = true }
	name := func(f *Fields) { f.DisplayName = "New" }
	linked := func(f *Fields) { id := "someone"; f.IdentityID = &id }
	for _, tt := range []struct {
		name          string
		v             viewer.Viewer
		id            string
		before, after func(*Fields)
		want          string
	}{
		{"an admin gives a role", admin, "other", same, roles("admin", "auditor"), ""},
		{"an admin makes an operator", admin, "other", same, operates, "forbidden"},
		{"an admin unmakes an operator", admin, "other", operates, same, "forbidden"},
		{"an admin renames an operator", admin, "other", operates, func(f *Fields) { operates(f); name(f) },
			"forbidden"},
		{"an operator makes an operator", operator, "other", same, operates, ""},
		{"an operator stops being one", operator, "me", operates, same, "own_user"},
		{"a role for oneself", admin, "me", same, roles("admin", "manager"), "own_roles"},
		{"a role exchanged for oneself", admin, "me", same, roles("manager"), "own_roles"},
		{"a role of one's own given up", admin, "me", roles("admin", "manager"), roles("admin"), ""},
		{"oneself disabled", admin, "me", same, off, "own_user"},
		{"oneself renamed", admin, "me", same, name, ""},
		{"oneself linked to an identity", admin, "me", same, linked, "own_identity"},
		{"oneself unlinked from the identity", admin, "me", linked, same, "own_identity"},
		{"another user linked to an identity", admin, "other", same, linked, ""},
		{"a token renames", service, "other", same, name, ""},
		{"a token disables", service, "other", same, off, ""},
		{"a token enables", service, "other", off, same, "forbidden"},
		{"a token takes a role", service, "other", same, roles(), "forbidden"},
		{"a token gives a role", service, "other", same, roles("admin", "manager"), "forbidden"},
		{"a token changes an address", service, "other", same, func(f *Fields) { f.Email = "x@acme.example" },
			"forbidden"},
		{"a token changes who somebody is", service, "other", same,
			func(f *Fields) { id := "someone"; f.IdentityID = &id }, "forbidden"},
	} {
		if got := code(mayChange(tt.v, tt.id, fields(tt.before), fields(tt.after))); got != tt.want {
			t.Errorf("%s: %q; want %q", tt.name, got, tt.want)
		}
	}
}

func TestNobodyMakesAWayInForWhomTheyMayNot(t *testing.T) {
	admin := viewer.Viewer{Kind: viewer.User, ID: "me", Roles: []viewer.Role{viewer.Admin}}
	plain, operator := fields(func(*Fields) {}), fields(func(f *Fields) { f.ControlPlaneAdmin = true })
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"for another":     {mayHandOver(admin, "other", plain), ""},
		"for oneself":     {mayHandOver(admin, "me", plain), "own_user"},
		"for an operator": {mayHandOver(admin, "other", operator), "forbidden"},
		"by a token": {mayHandOver(viewer.Viewer{Kind: viewer.Service, ControlPlaneAdmin: true}, "other",
			plain), "forbidden"},
		"a user by a token":     {mayCreate(viewer.Viewer{Kind: viewer.Service}, plain), "forbidden"},
		"an operator by nobody": {mayCreate(admin, operator), "forbidden"},
	} {
		if got := code(tt.err); got != tt.want {
			t.Errorf("%s: %q; want %q", name, got, tt.want)
		}
	}
}

func TestAnAddressIsKeptAsSignInLooksForIt(t *testing.T) {
	for given, want := range map[string]string{
		" Ada@Acme.example ": "Ada@Acme.example", "ａｄａ@acme.example": "ada@acme.example",
		"Ada <ada@acme.example>": "", "ada": "", "ada@": "", "ada@acme.example, bob@acme.example": "",
	} {
		f := Fields{Email: given}
		if err := f.complete(); (err == nil) != (want != "") || (want != "" && f.Email != want) {
			t.Errorf("%q is kept as %q, %v; want %q", given, f.Email, err, want)
		}
	}
}
