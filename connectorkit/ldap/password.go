package ldap

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"unicode/utf16"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Characters of random passwords: four kinds, for policies that ask for as many, and none that a shell or a form makes something of.
var passwordKinds = []string{"abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "-_.:+=!"}

// passwordLength is 24 characters out of 63: 143 bits. Policies with an upper bound allow more.
const passwordLength = 24

// newPassword is the password that the request asks for; empty: none.
func (w *writer) newPassword() (string, error) {
	c := w.req.Credential
	switch {
	case c == nil, c.Mode == "", c.Mode == "none":
		return "", nil
	case c.Mode == "random":
		password, err := randomPassword()
		w.scrub = scrubberFor(w.req, password)
		return password, err
	case c.Mode == "password" && c.Password != "":
		return c.Password, nil
	case c.Mode == "password":
		return "", complaint(v1.ClassConfig, "password_missing", "credential.password is empty", "Give one, or use the mode random.")
	}
	return "", complaint(v1.ClassConfig, "unknown_credential_mode", fmt.Sprintf("the credential mode %q is not supported", c.Mode), "Use none, random or password.")
}

// randomPassword makes a password that nobody is told.
func randomPassword() (string, error) {
	all := ""
	for _, kind := range passwordKinds {
		all += kind
	}
	out := make([]byte, passwordLength)
	for i := range out {
		from := all
		if i < len(passwordKinds) {
			from = passwordKinds[i]
		}
		n, err := numberBelow(len(from))
		if err != nil {
			return "", err
		}
		out[i] = from[n]
	}
	// Of a known kind at a known place would be less than it seems.
	for i := len(out) - 1; i > 0; i-- {
		j, err := numberBelow(i + 1)
		if err != nil {
			return "", err
		}
		out[i], out[j] = out[j], out[i]
	}
	return string(out), nil
}

func numberBelow(n int) (int, error) {
	v, err := rand.Int(rand.Reader, big.NewInt(int64(n)))
	if err != nil {
		return 0, fmt.Errorf("make a password: %w", err)
	}
	return int(v.Int64()), nil
}

// extendedPassword tells whether passwords are set by RFC 3062. OpenLDAP stores a userPassword as it comes, and a password that is set
// so as a hash; others hash either, and some refuse the operation without TLS, or for an account that has no password yet.
func (w *writer) extendedPassword() bool {
	switch {
	case w.flavor.activeDir:
		return false
	case w.writing.password != auto:
		return w.writing.password == passwordExtended
	}
	return w.flavor.name == flavorOpenLDAP && w.offers(wire.PasswordModifyOID)
}

// passwordStep sets a password.
func (w *writer) passwordStep(dn, password string) step {
	s := step{op: stepModify, dn: dn, about: aboutPassword, note: "set the password"}
	if w.flavor.activeDir {
		s.changes = []wire.Change{replace("unicodePwd", quotedUTF16(password))}
		return s
	}
	s.changes = []wire.Change{replace("userPassword", password)}
	if w.extendedPassword() {
		s.extended, s.note = true, "set the password; sent as a password modify request (RFC 3062)"
	}
	return s
}

// quotedUTF16 is a password as Active Directory takes it (MS-ADTS section 3.1.1.3.1.5).
func quotedUTF16(p string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(`"` + p + `"`)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// forcing lists what makes the owner change a password at the next sign-in, where that is asked for.
func (w *writer) forcing(dn string) []step {
	if w.req.Credential == nil || !w.req.Credential.ForceChange {
		return nil
	}
	s := step{op: stepModify, dn: dn, note: "the owner has to change the password at the next sign-in", soft: "force_change_refused"}
	switch {
	case w.flavor.activeDir:
		s.changes = []wire.Change{replace("pwdLastSet", "0")}
	case w.flavor.name == flavor389 || w.flavor.name == flavorFreeIPA:
		w.warn("force_change_unavailable", "this directory makes people change passwords that an administrator has set by its own policy alone: switch passwordMustChange on there")
		return nil
	default:
		s.changes = []wire.Change{replace("pwdReset", "TRUE")}
	}
	return []step{s}
}

// resetPassword gives an account a new password.
func (w *writer) resetPassword(e *found) error {
	password, err := w.newPassword()
	switch {
	case err != nil:
		return err
	case password == "":
		return complaint(v1.ClassConfig, "password_missing", "the change is to set a password and brings none", "Use the credential mode random, or password with one.")
	case w.flavor.activeDir && w.security == securityNone:
		return complaint(v1.ClassPolicy, "password_needs_tls", "Active Directory takes passwords over TLS only, and this connection has none", "Set security to ldaps (port 636) or to starttls.")
	}
	before := e.status.passwordSetAt
	steps := append([]step{w.passwordStep(e.dn, password)}, w.forcing(e.dn)...)
	w.out.Changes = append(w.out.Changes, v1.ChangedField{Field: steps[0].changes[0].Name})
	if err := w.perform(steps); err != nil {
		return err
	}
	return w.confirm(e.dn, e.account.ExternalID, func(now *found) bool {
		// A password cannot be read. That it was set shows by the time of it, where the directory keeps one.
		at := now.status.passwordSetAt
		forced := w.flavor.activeDir && now.first("pwdLastSet") == "0" && len(steps) > 1
		return forced || at != nil && (before == nil || at.After(*before))
	})
}
