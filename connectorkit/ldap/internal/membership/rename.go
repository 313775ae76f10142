package membership

import (
	"errors"
	"fmt"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// memberRename is what groups list of an account that gets another name.
type memberRename struct {
	listing
	// after is the value that the group is to have instead.
	after string
}

// renamesOf finds the memberships of an account by its present names and by those of an earlier attempt whose
// answer was lost.
func (w *Writer) renamesOf(e *lookup.Account, after Names) ([]memberRename, error) {
	if w.maintainsLinks() {
		return nil, nil
	}
	before := []Names{w.NamesNow(e)}
	former, err := w.formerNames(e)
	if err != nil {
		return nil, err
	}
	before = append(before, former)
	var out []memberRename
	for _, c := range before {
		list, err := w.listings(newNamesOf(after, c))
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			r := memberRename{l, after.DN}
			if byName(l.attribute) {
				r.after = after.Username
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// NamesNow are the values by which groups list an account at present.
func (w *Writer) NamesNow(e *lookup.Account) Names {
	user, _ := memberValue(e, "memberUid")
	return Names{DN: e.DN, Username: user}
}

// formerNames are the names that the account had when it was last read, as far as no other account has them now.
func (w *Writer) formerNames(e *lookup.Account) (Names, error) {
	var out Names
	var err error
	if out.DN, err = w.FormerDN(w.Req.Target, e.NormalDN); err != nil {
		return out, err
	}
	name := w.Req.Target.Username
	if name == "" || strings.EqualFold(name, e.Username()) {
		return out, nil
	}
	holder, err := w.ByUsername(name)
	if holder == nil && err == nil {
		out.Username = name
	}
	if ldaperr.HasCode(err, "username_ambiguous") {
		err = nil
	}
	return out, err
}

// request exchanges the value in one modification, so that the account is a member at every moment.
func (r memberRename) request() change.Request {
	return change.Request{
		Op: wire.OpModify, DN: r.group, Purpose: change.PurposeGrant,
		Note: "replace the old name in the group, unless the directory has done so itself",
		Changes: []wire.Change{
			{Kind: wire.ChangeDelete, Name: r.attribute, Values: wire.Values([]string{r.value})},
			{Kind: wire.ChangeAdd, Name: r.attribute, Values: wire.Values([]string{r.after})},
		},
	}
}

// RewriteMembers gives groups the new name of an account. What they refuse is reported: the change itself has
// been made.
func (w *Writer) RewriteMembers(list []memberRename) error {
	for _, r := range list {
		err := w.rewriteGroup(r)
		if err != nil && w.Conn.Broken() || ldaperr.IsUnanswered(err) {
			return err
		}
		if err != nil {
			w.Out.Verified = false
			w.Warn(
				"membership_not_rewritten",
				fmt.Sprintf(
					"the group %s lists the account by its old name %s, and could not be changed: %v. Correct the "+
						"group: the account is not a member as long as that is so",
					r.group, r.value, err,
				),
			)
		}
	}
	return nil
}

// rewriteGroup changes one group. Some directories do the same at that moment, and so a refusal is looked at once.
func (w *Writer) rewriteGroup(r memberRename) error {
	for try := 0; ; try++ {
		s := r.request()
		old, err := w.lists(&lookup.Group{DN: r.group}, r.attribute, r.value)
		if err != nil {
			return err
		}
		now, err := w.lists(&lookup.Group{DN: r.group}, r.attribute, r.after)
		switch {
		case err != nil:
			return err
		case !old:
			return nil // the directory has done it itself, or the membership was removed meanwhile
		case now:
			s.Changes = s.Changes[:1]
		}
		err = w.Send(s)
		var refused *wire.ResultError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &refused), ldaperr.IsUnanswered(err):
			return err
		case try > 0 || refused.Code != goldap.LDAPResultNoSuchAttribute &&
			refused.Code != goldap.LDAPResultAttributeOrValueExists:
			return w.Refusal(s, err)
		}
	}
}

// PerformRename performs steps that give an account another DN or another user name, with all that depends on
// its names.
func (w *Writer) PerformRename(e *lookup.Account, steps []change.Request, after Names) error {
	list, err := w.renamesOf(e, after)
	if err != nil {
		return err
	}
	if len(steps)+len(list) == 0 {
		return nil
	}
	var cleared []change.Request
	if len(steps) > 0 {
		if cleared, err = w.StaleMemberships(newNamesOf(w.NamesNow(e), after)); err != nil {
			return err
		}
	}
	w.Plan(cleared)
	w.Plan(steps)
	for _, r := range list {
		w.Plan([]change.Request{r.request()})
	}
	if w.Req.DryRun {
		return change.ErrDryRun
	}
	if err := w.RemoveStale(cleared); err != nil {
		return err
	}
	if err := w.SendAll(steps); err != nil {
		return w.RestoreStale(cleared, err)
	}
	w.Renames = list
	w.Out.Outcome = v1.OutcomeApplied
	return nil
}

// ConfirmRename reads an account again after performMove, and changes the groups that list it by an old name.
func (w *Writer) ConfirmRename(dn, id string, as func(*lookup.Account) bool) error {
	if err := w.Confirm(dn, id, as); err != nil {
		return err
	}
	return w.RewriteMembers(w.Renames)
}

// newNamesOf are those of the names after a change that the account did not have before.
func newNamesOf(before, after Names) Names {
	if ldapdn.Normalize(before.DN) == ldapdn.Normalize(after.DN) {
		after.DN = ""
	}
	if strings.EqualFold(before.Username, after.Username) {
		after.Username = ""
	}
	return after
}
