package ldap

import (
	"errors"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// confirm reads an account again, on the same connection and so from the same server, and tells whether it is as asked.
func (w *writer) confirm(dn, id string, as func(*found) bool) error {
	list, err := w.look(dn, goldap.ScopeBaseObject, "(objectClass=*)")
	if isKeyless(err) && !w.keyed && w.flavor.id == "" {
		// The first entry of a directory that did not show before what keys it has.
		w.idAttribute = ""
		if err = w.settleKeys(w.ctx); err == nil {
			w.dict = newDictionary(w.session, nil)
			list, err = w.look(dn, goldap.ScopeBaseObject, "(objectClass=*)")
		}
	}
	e := one(list)
	if err != nil || e == nil || id != "" && e.account.ExternalID != id {
		w.out.Account = nil
		w.unread(err)
		return nil
	}
	w.out.Account = &e.account
	w.out.Verified = as(e)
	w.sighted(e)
	return nil
}

// sighted warns when a sync will not see the account as it is now.
func (w *writer) sighted(e *found) {
	if w.userFilter == "" {
		return
	}
	whole, _ := filters(w.settings, w.flavor)
	seen := 0
	req := wire.Request{Base: e.dn, Scope: goldap.ScopeBaseObject, Filter: whole, Attributes: []string{"1.1"}, TimeLimit: w.timeLimit}
	if _, err := w.conn.Search(req, func(*wire.Entry) error { seen++; return nil }); err == nil && seen == 0 {
		w.warn("outside_filter", "the account does not match user_filter as it is now: the next full sync will take it for gone. Widen the filter")
	}
}

func isKeyless(err error) bool { return hasCode(err, "no_key") }

// unread tells that the change was made and could not be looked at.
func (w *writer) unread(err error) {
	message := "the directory said that it did what was asked, and does not show the record now"
	if err != nil {
		message = "the directory said that it did what was asked; reading the record again failed: " + err.Error()
	}
	w.warn("not_read_back", message)
}

func asDetail(err error, d **v1.ErrorDetail) bool { return errors.As(err, d) }
