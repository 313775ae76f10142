package change

import (
	"errors"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Refusal explains why a request was refused, in the light of what it was for. The result's own code stays.
func (w *Change) Refusal(s Request, err error) error {
	code := goldap.LDAPResultSuccess
	var refused *wire.ResultError
	if errors.As(err, &refused) {
		code = refused.Code
	}
	err = w.Explain(w.Ctx, s.phase(), err)
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		return err
	}
	groups := s.Purpose == PurposeGrant || s.Purpose == PurposeRevoke
	switch {
	case s.Purpose == PurposePassword && code == goldap.LDAPResultConstraintViolation,
		s.setsPassword() && isPasswordPolicy(d):
		d.Phase, d.Class, d.Hint = phasePassword, v1.ClassPolicy, "The directory's password policy refuses this "+
			"password: its length, its characters, or that it was used before. Choose another, or a random one."
	case s.Purpose == PurposePassword && code == goldap.LDAPResultUnwillingToPerform:
		d.Phase, d.Class, d.Hint = phasePassword, v1.ClassPolicy, "The directory refuses to set this password. "+
			"Common reasons: its password policy, or that the connection has no TLS (set security to ldaps or "+
			"starttls)."
	case s.Purpose == PurposePassword && code == goldap.LDAPResultInsufficientAccessRights:
		d.Hint = "The login is not allowed to set passwords. Grant it that right; " +
			"on Active Directory it is called Reset password."
	case s.Purpose == PurposeRevoke && code == goldap.LDAPResultObjectClassViolation:
		d.Class, d.Hint = v1.ClassConflict, "This is the last member of the group, and groups of this class need "+
			"at least one. Add another member first, or delete the group."
	case s.Purpose == PurposeGrant && code == goldap.LDAPResultObjectClassViolation:
		d.Hint = "The group's object class does not allow " + s.Changes[0].Name +
			". Set member_attribute to the one that it has."
	case groups && code == goldap.LDAPResultNoSuchObject:
		d.Hint = "The group, or on Active Directory the account, was deleted or renamed in the meantime. Try again."
	case groups && code == goldap.LDAPResultInsufficientAccessRights:
		d.Hint = "The login is not allowed to change the members of this group. Grant it the right to write " +
			s.Changes[0].Name + "."
	case s.Op == wire.OpAdd && code == goldap.LDAPResultNoSuchObject:
		d.Class, d.Hint = v1.ClassConfig, "The place of new accounts does not exist. Set create_container to one "+
			"that does."
		if refused.MatchedDN != "" {
			d.Hint += " What exists of it is " + refused.MatchedDN + "."
		}
	case s.Op == wire.OpModifyDN && s.NewSuperior != "" && code == goldap.LDAPResultNoSuchObject:
		d.Class, d.Hint = v1.ClassConfig, "The place to move to does not exist, or the account vanished meanwhile. "+
			"Correct the container."
	}
	return err
}

// phasePassword is the phase of a refusal that is about the password alone.
const phasePassword = "password"

// setsPassword says whether a password goes with the request, be it among other attributes.
func (s Request) setsPassword() bool {
	return s.Purpose == PurposePassword || slices.ContainsFunc(s.Changes, func(c wire.Change) bool {
		return entry.IsSecret(strings.ToLower(c.Name))
	})
}

// phase is the name of the request in errors: the operation, or password_modify for the extended
// one.
func (s Request) phase() string {
	if s.Extended {
		return "password_modify"
	}
	return s.Op
}

// isPasswordPolicy knows Active Directory's ERROR_PASSWORD_RESTRICTION and the words of others.
func isPasswordPolicy(d *v1.ErrorDetail) bool {
	if d.Target == nil || d.Target.LDAP == nil {
		return false
	}
	text := strings.ToLower(d.Target.LDAP.Diagnostic)
	return d.Target.LDAP.ADSubcode == "0000052D" || slices.ContainsFunc([]string{
		"password quality", "password history", "in history", "too short", "too young", "password fails",
	}, func(w string) bool {
		return strings.Contains(text, w)
	})
}
