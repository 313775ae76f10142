package membership

import (
	"errors"
	"fmt"
	"slices"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// StaleMemberships are the memberships that an earlier holder has left to a name that is about to be given to
// an account.
func (w *Writer) StaleMemberships(c Names) ([]change.Request, error) {
	if w.maintainsLinks() {
		return nil, nil
	}
	if taken, err := w.userTaken(c.Username); err != nil {
		return nil, err
	} else if taken {
		c.Username = ""
	}
	list, err := w.listings(c)
	if err != nil {
		return nil, err
	}
	var out []change.Request
	for _, l := range list {
		out = append(out, change.Request{
			Op: wire.OpModify, DN: l.group, Purpose: change.PurposeRevoke,
			Note: "remove what an earlier account of this name has left in the group",
			Changes: []wire.Change{
				{Kind: wire.ChangeDelete, Name: l.attribute, Values: wire.Values([]string{l.value})},
			},
		})
	}
	return out, nil
}

// userTaken says whether an entry outside of where accounts are read has a user name, and so is who groups list by it.
func (w *Writer) userTaken(name string) (bool, error) {
	if name == "" || w.BaseDN == "" || !slices.ContainsFunc(w.memberNames(), byName) {
		return false, nil
	}
	seen := 0
	req := wire.Request{
		Base: w.BaseDN, Scope: goldap.ScopeWholeSubtree, Filter: "(uid=" + goldap.EscapeFilter(name) + ")",
		Attributes: []string{"1.1"}, TimeLimit: w.TimeLimit,
	}
	_, err := w.SearchAll(w.Ctx, "memberships", req, func(*wire.Entry) error { seen++; return nil }, nil)
	if err != nil && !isUnknownAttribute(err) {
		return false, err
	}
	return seen > 0, nil
}

// RestoreStale puts back what was cleared for a name that the account did not get: an entry that the login
// does not see may have it.
func (w *Writer) RestoreStale(cleared []change.Request, refusal error) error {
	if ldaperr.IsUnanswered(refusal) || w.Conn.Broken() {
		return refusal
	}
	for _, s := range cleared {
		s.Changes = []wire.Change{{Kind: wire.ChangeAdd, Name: s.Changes[0].Name, Values: s.Changes[0].Values}}
		if err := w.Send(s); err != nil && !ldaperr.IsResult(err, goldap.LDAPResultAttributeOrValueExists) {
			return &change.PartialError{Done: 1, Of: 2, Err: w.Refusal(s, err)}
		}
	}
	w.Out.Warnings = slices.DeleteFunc(w.Out.Warnings, func(x v1.Warning) bool {
		return x.Code == "stale_membership_removed"
	})
	return refusal
}

// RemoveStale removes leftovers. A name that cannot be cleared is not given away.
func (w *Writer) RemoveStale(leftovers []change.Request) error {
	for _, s := range leftovers {
		value := string(s.Changes[0].Values[0])
		err := w.Send(s)
		var refused *wire.ResultError
		switch {
		case err == nil:
			w.Warn(
				"stale_membership_removed",
				fmt.Sprintf(
					"the group %s still listed %s, a membership of an earlier account; it was removed, so that the "+
						"new account does not inherit it",
					s.DN, value,
				),
			)
			continue
		case !errors.As(err, &refused), ldaperr.IsUnanswered(err):
			return err
		case refused.Code == goldap.LDAPResultNoSuchAttribute, refused.Code == goldap.LDAPResultNoSuchObject:
			continue // another change was made first
		}
		err = w.Refusal(s, err)
		d := ldaperr.NotSent(v1.ClassConflict, "stale_membership",
			fmt.Sprintf(
				"the group %s still lists %s, which an earlier account has left, and it cannot be removed: %v", s.DN,
				value, err,
			),
			"The account would inherit the membership, and so it does not get this name. Remove the value from the "+
				"group, or choose another name.")
		var of *v1.ErrorDetail
		if errors.As(err, &of) {
			d.Target = of.Target
		}
		return d
	}
	return nil
}
