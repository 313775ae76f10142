package account

import (
	"errors"
	"fmt"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// existing looks whether the account is there: by its user name, and under the name the entry would get. One
// that is as asked is what an earlier try has left; any other belongs to another account.
func (w *Writer) existing(d *draft) (done bool, err error) {
	for _, x := range d.desired {
		w.ExtraAttributes = append(w.ExtraAttributes, x.Attribute)
	}
	e, err := w.ByUsername(d.username)
	if err == nil && e == nil {
		var list []*lookup.Account
		list, err = w.Search(d.dn, goldap.ScopeBaseObject, "(objectClass=*)")
		e = lookup.First(list)
	}
	if e == nil || err != nil {
		return false, err
	}
	return true, w.settleExisting(d, e, nil)
}

// settleExisting compares. refusal is the directory's own word, where it has spoken.
func (w *Writer) settleExisting(d *draft, e *lookup.Account, refusal *v1.ErrorDetail) error {
	differing := w.Differing(e, d.desired)
	if !strings.EqualFold(e.Username(), d.username) {
		differing = append(differing, w.loginAttribute())
	}
	if e.Status.Disabled == d.enabled {
		differing = append(differing, "enabled")
	}
	if e.NormalDN != ldapdn.Normalize(d.dn) {
		differing = append(differing, "dn")
	}
	if len(differing) == 0 {
		w.Out.Plan, w.Out.Changes = nil, nil
		w.Out.Outcome, w.Out.Verified, w.Out.Account = v1.OutcomeAlready, true, &e.Record
		return nil
	}
	if refusal == nil {
		refusal = ldaperr.NotSent(v1.ClassConflict, "account_exists", "", "")
	}
	refusal.Message = fmt.Sprintf(
		"there is already an account %s, and it differs in %s", e.DN, strings.Join(differing, ", "),
	)
	refusal.Hint = "Correlate that account with its person, or choose another user name. It was not touched."
	return refusal
}

// settleCollision looks at what is in the way of a new entry: somebody may have been quicker, or the same
// change may have been made by an earlier try.
func (w *Writer) settleCollision(d *draft, err error) error {
	var detail *v1.ErrorDetail
	if !ldaperr.HasResult(err, goldap.LDAPResultEntryAlreadyExists) || !errors.As(err, &detail) {
		return err
	}
	list, lookErr := w.Search(d.dn, goldap.ScopeBaseObject, "(objectClass=*)")
	if lookErr != nil || len(list) == 0 {
		return err
	}
	return w.settleExisting(d, list[0], detail)
}
