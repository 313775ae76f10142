package ldap

import (
	"errors"

	goldap "github.com/go-ldap/ldap/v3"

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
	return nil
}

func isKeyless(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == "no_key"
}

// unread tells that the change was made and could not be looked at.
func (w *writer) unread(err error) {
	message := "the directory said that it did what was asked, and does not show the record now"
	if err != nil {
		message = "the directory said that it did what was asked; reading the record again failed: " + err.Error()
	}
	w.warn("not_read_back", message)
}

func asDetail(err error, d **v1.ErrorDetail) bool { return errors.As(err, d) }
