package account

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// newPassword is the password that the request asks for; empty: none.
func (w *Writer) newPassword() (string, error) {
	c := w.Req.Credential
	switch {
	case c == nil, c.Mode == "", c.Mode == "none":
		return "", nil
	case c.Mode == "random":
		password, err := randomPassword()
		w.Scrub = change.NewScrubber(w.Req, password)
		return password, err
	case c.Mode == "password" && c.Password != "":
		return c.Password, nil
	case c.Mode == "password":
		return "", ldaperr.NotSent(
			v1.ClassConfig, "password_missing", "credential.password is empty", "Give one, or use the mode random.",
		)
	}
	return "", ldaperr.NotSent(
		v1.ClassConfig, "unknown_credential_mode", fmt.Sprintf("the credential mode %q is not supported", c.Mode),
		"Use none, random or password.",
	)
}

// extendedPassword reports whether passwords are set by RFC 3062. OpenLDAP stores a userPassword as it comes,
// and a password that is set so as a hash; others hash either, and some refuse the operation without TLS, or
// for an account that has no password yet.
func (w *Writer) extendedPassword() bool {
	switch {
	case w.Flavor.ActiveDirectory:
		return false
	case w.Write.PasswordMethod != settings.Auto:
		return w.Write.PasswordMethod == settings.PasswordExtended
	}
	return w.Flavor.Name == settings.FlavorOpenLDAP && w.Offers(wire.PasswordModifyOID)
}

// passwordRequest sets a password.
func (w *Writer) passwordRequest(dn, password string) change.Request {
	s := change.Request{Op: wire.OpModify, DN: dn, Purpose: change.PurposePassword, Note: "set the password"}
	if w.Flavor.ActiveDirectory {
		s.Changes = []wire.Change{wire.Replace("unicodePwd", syntax.QuotePassword(password))}
		return s
	}
	s.Changes = []wire.Change{wire.Replace("userPassword", password)}
	if w.extendedPassword() {
		s.Extended, s.Note = true, "set the password; sent as a password modify request (RFC 3062)"
	}
	return s
}

// forceChangeRequests lists what makes the owner change a password at the next sign-in, where that is asked for.
func (w *Writer) forceChangeRequests(dn string) []change.Request {
	if w.Req.Credential == nil || !w.Req.Credential.ForceChange {
		return nil
	}
	s := change.Request{
		Op: wire.OpModify, DN: dn, Note: "the owner has to change the password at the next sign-in",
		WarningIfRefused: "force_change_refused",
	}
	switch {
	case w.Flavor.ActiveDirectory:
		s.Changes = []wire.Change{wire.Replace("pwdLastSet", "0")}
	case w.Flavor.Name == settings.Flavor389DS || w.Flavor.Name == settings.FlavorFreeIPA:
		w.Warn(
			"force_change_unavailable",
			"this directory makes people change passwords that an administrator has set by its own policy alone: "+
				"switch passwordMustChange on there",
		)
		return nil
	default:
		s.Changes = []wire.Change{wire.Replace("pwdReset", "TRUE")}
	}
	return []change.Request{s}
}

// ResetPassword gives an account a new password.
func (w *Writer) ResetPassword(e *lookup.Account) error {
	password, err := w.newPassword()
	switch {
	case err != nil:
		return err
	case password == "":
		return ldaperr.NotSent(
			v1.ClassConfig, "password_missing", "the change is to set a password and brings none",
			"Use the credential mode random, or password with one.",
		)
	case w.Flavor.ActiveDirectory && w.Security == settings.SecurityNone:
		return ldaperr.NotSent(
			v1.ClassPolicy, "password_needs_tls",
			"Active Directory takes passwords over TLS only, and this connection has none",
			"Set security to ldaps (port 636) or to starttls.",
		)
	}
	before := e.Status.PasswordSetAt
	steps := append([]change.Request{w.passwordRequest(e.DN, password)}, w.forceChangeRequests(e.DN)...)
	w.Out.Changes = append(w.Out.Changes, v1.ChangedField{Field: steps[0].Changes[0].Name})
	if err := w.Perform(steps); err != nil {
		return err
	}
	return w.Confirm(e.DN, e.Record.ExternalID, func(now *lookup.Account) bool {
		// A password cannot be read. That it was set shows by the time of it, where the directory keeps one.
		at := now.Status.PasswordSetAt
		forced := w.Flavor.ActiveDirectory && now.FirstValue("pwdLastSet") == "0" && len(steps) > 1
		return forced || at != nil && (before == nil || at.After(*before))
	})
}
