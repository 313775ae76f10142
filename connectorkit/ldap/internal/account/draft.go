package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/desired"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// draft is an account to be made.
type draft struct {
	username  string
	container string
	dn        string
	rdn       string
	rdnValue  string
	desired   []desired.Value            // by the request, without the naming attribute
	values    map[string][]desired.Value // what else the entry gets; by lower-case name, one each
	enabled   bool                       // as far as that can be
	password  string                     // empty: none
}

// draft works out what the new entry is to be.
func (w *Writer) draft() (*draft, error) {
	a := w.Req.Account
	if a == nil || a.Username == nil || *a.Username == "" {
		return nil, ldaperr.NotSent(
			v1.ClassData, "username_missing", "a new account needs a user name", "Give account.username.",
		)
	}
	if err := checkName("user name", *a.Username); err != nil {
		return nil, err
	}
	asked, err := w.Values(a)
	if err != nil {
		return nil, err
	}
	d := &draft{username: *a.Username, desired: asked}
	if d.password, err = w.newPassword(); err != nil {
		return nil, err
	}
	w.decideEnabled(d)
	if d.container, err = w.containerOf(d); err != nil {
		return nil, err
	}
	if err := w.name(d); err != nil {
		return nil, err
	}
	if w.Disabling().AccountControl { // its bit for disabled is not the template's
		d.desired = slices.DeleteFunc(d.desired, func(x desired.Value) bool {
			return strings.EqualFold(x.Attribute, "userAccountControl")
		})
	}
	return d, nil
}

// checkName refuses what is no name. Directories take such characters for something else or leave them out,
// each in its way, and spaces around a name do not count in a comparison (RFC 4518).
func checkName(what, name string) error {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.TrimSpace(name) != name {
		return ldaperr.NotSent(
			v1.ClassData, "invalid_name", fmt.Sprintf("%q cannot be a %s", name, what),
			"Names are text without control characters, and neither begin nor end with a space.",
		)
	}
	return nil
}

// decideEnabled decides whether the new account can be open from the start, and says why not.
func (w *Writer) decideEnabled(d *draft) {
	d.enabled = w.Req.Account.Enabled == nil || *w.Req.Account.Enabled
	if !w.Flavor.ActiveDirectory {
		return
	}
	smartcard := false
	for _, x := range d.desired {
		if n, err := strconv.ParseInt(desired.Text(x), 10, 64); err == nil &&
			strings.EqualFold(x.Attribute, "userAccountControl") {
			smartcard = n&syntax.UACSmartcard != 0
		}
	}
	wanted := d.password != "" || d.enabled && !smartcard
	switch {
	case d.password != "" && w.Security == settings.SecurityNone:
		d.password, d.enabled = "", d.enabled && smartcard
		w.Warn(
			"password_needs_tls",
			"Active Directory takes passwords over TLS only: the account gets none and stays disabled. Set "+
				"security to ldaps or starttls, reset its password, and enable it",
		)
	case d.password == "" && wanted:
		d.enabled = false
		w.Warn(
			"left_disabled",
			"the account has no password and stays disabled, because Active Directory would accept a sign-in "+
				"without one. Reset its password, then enable it",
		)
	}
}

// containerOf is the place of a new account.
func (w *Writer) containerOf(d *draft) (string, error) {
	place, by := w.enabledContainer(), v1.ClassConfig
	if c := w.Req.Account.Container; c != nil && *c != "" {
		place, by = *c, v1.ClassData
	}
	if closed := w.Disabling().Container; closed != "" && !d.enabled {
		place, by = closed, v1.ClassConfig
	}
	return place, w.checkContainer(place, by)
}

// enabledContainer is where accounts that are not disabled are created, unless the settings name another container.
func (w *Writer) enabledContainer() string {
	switch {
	case w.Write.CreateContainer != "":
		return w.Write.CreateContainer
	case ldapdn.Normalize(w.UserBaseDN) != ldapdn.Normalize(w.BaseDN), !w.isNamingContext():
		return w.UserBaseDN
	case w.Flavor.Name == settings.FlavorAD:
		return "CN=Users," + w.BaseDN
	}
	return "ou=people," + w.BaseDN
}

// isNamingContext reports whether the base DN is a whole naming context, in which no account is directly below the top,
// and not a place in one.
func (w *Writer) isNamingContext() bool {
	contexts := w.Root["namingcontexts"]
	return len(contexts) == 0 || slices.ContainsFunc(contexts, func(dn string) bool {
		return ldapdn.Normalize(dn) == ldapdn.Normalize(w.BaseDN)
	})
}

// checkContainer keeps accounts where a sync sees them: one that is moved out of its sight would pass for
// deleted. Directories answer in many ways when the place does not exist, so it is looked for. The class of the error
// reports what named the container: the settings of the connector, which are wrong for every account (config), or the
// change, which is wrong for its own account (data).
func (w *Writer) checkContainer(dn string, by v1.ErrorClass) error {
	if _, err := goldap.ParseDN(dn); err != nil {
		return ldaperr.NotSent(
			v1.ClassData, "invalid_container", fmt.Sprintf("the container %q is not a DN: %v", dn, err),
			"It looks like ou=people,dc=example,dc=com.",
		)
	}
	if !ldapdn.IsWithin(dn, w.UserBaseDN) {
		return ldaperr.NotSent(
			by, "container_outside",
			fmt.Sprintf("the container %s does not lie below %s, where people are read", dn, w.UserBaseDN),
			"Choose one below it, or widen user_base_dn: what a sync cannot see would pass for deleted.",
		)
	}
	if w.Scope == goldap.ScopeSingleLevel && ldapdn.Normalize(dn) != ldapdn.Normalize(w.UserBaseDN) {
		return ldaperr.NotSent(
			by, "container_outside",
			fmt.Sprintf("the container %s is not %s, and people are read directly below that alone", dn, w.UserBaseDN),
			"Set scope to sub, or use that container.",
		)
	}
	there, err := w.Exists(w.Ctx, dn)
	if err == nil && !there {
		err = ldaperr.NotSent(
			by, "container_not_found",
			fmt.Sprintf("the container %s does not exist, or the login cannot see it", dn),
			"Create it, or name one that exists: create_container, disabled_container, or the container of the "+
				"account's template.",
		)
	}
	return err
}
