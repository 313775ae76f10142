package change

import (
	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
)

// Confirm reads an account again, on the same connection and so from the same server, and reports whether it is as
// asked.
func (w *Change) Confirm(dn, id string, as func(*lookup.Account) bool) error {
	list, err := w.Search(dn, goldap.ScopeBaseObject, "(objectClass=*)")
	if isKeyMissing(err) && !w.keyConfigured && w.Flavor.KeyAttribute == "" {
		// The first entry of a directory that did not show before what keys it has.
		w.IdAttribute = ""
		if err = w.ResolveKeys(w.Ctx); err == nil {
			w.Dictionary = entry.NewDictionary(w.Session, nil)
			list, err = w.Search(dn, goldap.ScopeBaseObject, "(objectClass=*)")
		}
	}
	e := lookup.First(list)
	if err != nil || e == nil || id != "" && e.Record.ExternalID != id {
		w.Out.Account = nil
		w.WarnNotReadBack(err)
		return nil
	}
	w.Out.Account = &e.Record
	w.Out.Verified = as(e)
	w.warnOutsideFilter(e)
	return nil
}

// warnOutsideFilter warns when a sync will not see the account as it is now.
func (w *Change) warnOutsideFilter(e *lookup.Account) {
	if w.UserFilter == "" {
		return
	}
	whole, _ := settings.Filters(w.Settings, w.Flavor)
	seen := 0
	req := wire.Request{
		Base: e.DN, Scope: goldap.ScopeBaseObject, Filter: whole, Attributes: []string{"1.1"}, TimeLimit: w.TimeLimit,
	}
	if _, err := w.Conn.Search(req, func(*wire.Entry) error { seen++; return nil }); err == nil && seen == 0 {
		w.Warn(
			"outside_filter",
			"the account does not match user_filter as it is now: the next full sync will treat it as deleted. Widen "+
				"the filter",
		)
	}
}

// isKeyMissing says whether an entry was found that does not show its key to the login.
func isKeyMissing(err error) bool { return ldaperr.HasCode(err, "no_key") }

// WarnNotReadBack warns that the change was made and could not be read back.
func (w *Change) WarnNotReadBack(err error) {
	message := "the directory reported success and does not return the record now"
	if err != nil {
		message = "the directory reported success; reading the record again failed: " + err.Error()
	}
	w.Warn("not_read_back", message)
}
