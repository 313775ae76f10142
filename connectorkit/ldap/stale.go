package ldap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Directories without referential integrity keep the old DN of an entry that was renamed, moved or deleted in their groups. The
// account loses its memberships then, and the next entry of that name inherits them. So a rename rewrites what groups list, and a
// name is cleared of what an earlier holder left before it is given away.

// called are the values by which groups list an account. An empty one is not looked for.
type called struct {
	dn   string
	user string
}

// listing is a value by which a group lists a member.
type listing struct {
	group     string
	attribute string
	value     string
}

// keepsLinks says that the directory itself keeps members right, whatever is renamed, moved or deleted.
func (w *writer) keepsLinks() bool { return w.flavor.activeDir }

// listings finds what groups list by a name, an attribute at a time: some directories refuse a filter with one they do not know.
func (w *writer) listings(c called) ([]listing, error) {
	var out []listing
	for _, attribute := range w.memberNames() {
		value := c.dn
		if byName(attribute) {
			value = c.user
		}
		if value == "" {
			continue
		}
		for _, base := range w.groupPlaces() {
			req := wire.Request{
				Base: base, Scope: goldap.ScopeWholeSubtree, Filter: "(" + attribute + "=" + escapeFilter(value) + ")",
				Attributes: []string{"1.1"}, TimeLimit: w.timeLimit,
			}
			_, err := w.readAll(w.ctx, "memberships", req, func(e *wire.Entry) error {
				out = append(out, listing{string(e.DN), attribute, value})
				return nil
			}, nil)
			if err != nil && !isUnknownAttribute(err) {
				return nil, err
			}
		}
	}
	return out, nil
}

func isUnknownAttribute(err error) bool {
	codes := []int{goldap.LDAPResultUndefinedAttributeType, goldap.LDAPResultInappropriateMatching, goldap.LDAPResultNoSuchObject}
	return slices.ContainsFunc(codes, func(code int) bool { return isRefused(err, code) })
}

// groupPlaces are where groups may list an account: also outside of where groups are read.
func (w *writer) groupPlaces() []string {
	if w.base == "" || isWithin(w.base, w.groupBase) {
		return []string{w.groupBase}
	}
	if isWithin(w.groupBase, w.base) {
		return []string{w.base}
	}
	return []string{w.groupBase, w.base}
}

// leftovers are the memberships that an earlier holder has left to a name that is about to be given to an account.
func (w *writer) leftovers(c called) ([]step, error) {
	if w.keepsLinks() {
		return nil, nil
	}
	if taken, err := w.userTaken(c.user); err != nil {
		return nil, err
	} else if taken {
		c.user = ""
	}
	list, err := w.listings(c)
	if err != nil {
		return nil, err
	}
	var out []step
	for _, l := range list {
		out = append(out, step{
			op: stepModify, dn: l.group, about: aboutRevoke, note: "remove what an earlier account of this name has left in the group",
			changes: []wire.Change{{Kind: wire.ChangeDelete, Name: l.attribute, Values: rawAll([]string{l.value})}},
		})
	}
	return out, nil
}

// userTaken says whether an entry outside of where accounts are read has a user name, and so is who groups list by it.
func (w *writer) userTaken(name string) (bool, error) {
	if name == "" || w.base == "" || !slices.ContainsFunc(w.memberNames(), byName) {
		return false, nil
	}
	seen := 0
	req := wire.Request{
		Base: w.base, Scope: goldap.ScopeWholeSubtree, Filter: "(uid=" + escapeFilter(name) + ")", Attributes: []string{"1.1"}, TimeLimit: w.timeLimit,
	}
	_, err := w.readAll(w.ctx, "memberships", req, func(*wire.Entry) error { seen++; return nil }, nil)
	if err != nil && !isUnknownAttribute(err) {
		return false, err
	}
	return seen > 0, nil
}

// restore puts back what was cleared for a name that the account did not get: an entry that the login does not see may have it.
func (w *writer) restore(cleared []step, refusal error) error {
	if isUnanswered(refusal) || w.conn.Broken() {
		return refusal
	}
	for _, s := range cleared {
		s.changes = []wire.Change{{Kind: wire.ChangeAdd, Name: s.changes[0].Name, Values: s.changes[0].Values}}
		if err := w.send(s); err != nil && !isCode(err, goldap.LDAPResultAttributeOrValueExists) {
			return &halted{done: 1, of: 2, err: w.refusal(s, err)}
		}
	}
	w.out.Warnings = slices.DeleteFunc(w.out.Warnings, func(x v1.Warning) bool { return x.Code == "stale_membership_removed" })
	return refusal
}

// clear removes leftovers. A name that cannot be cleared is not given away.
func (w *writer) clear(leftovers []step) error {
	for _, s := range leftovers {
		value := string(s.changes[0].Values[0])
		err := w.send(s)
		var refused *wire.ResultError
		switch {
		case err == nil:
			w.warn("stale_membership_removed", fmt.Sprintf("the group %s still listed %s, a membership of an earlier account; it was removed, so that the new account does not inherit it", s.dn, value))
			continue
		case !errors.As(err, &refused), isUnanswered(err):
			return err
		case refused.Code == goldap.LDAPResultNoSuchAttribute, refused.Code == goldap.LDAPResultNoSuchObject:
			continue // somebody else was quicker
		}
		err = w.refusal(s, err)
		d := complaint(v1.ClassConflict, "stale_membership", fmt.Sprintf("the group %s still lists %s, which an earlier account has left, and it cannot be removed: %v", s.dn, value, err),
			"The account would inherit the membership, and so it does not get this name. Remove the value from the group, or choose another name.")
		var of *v1.ErrorDetail
		if errors.As(err, &of) {
			d.Target = of.Target
		}
		return d
	}
	return nil
}

// rewriting is what groups list of an account that gets another name.
type rewriting struct {
	listing
	after string
}

// rewritings finds the memberships of an account by its present names and by those of an earlier attempt whose answer was lost.
func (w *writer) rewritings(e *found, after called) ([]rewriting, error) {
	if w.keepsLinks() {
		return nil, nil
	}
	before := []called{w.calledNow(e)}
	former, err := w.formerly(e)
	if err != nil {
		return nil, err
	}
	before = append(before, former)
	var out []rewriting
	for _, c := range before {
		list, err := w.listings(newNames(after, c))
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			r := rewriting{l, after.dn}
			if byName(l.attribute) {
				r.after = after.user
			}
			out = append(out, r)
		}
	}
	return out, nil
}

func (w *writer) calledNow(e *found) called {
	user, _ := memberValue(e, "memberUid")
	return called{e.dn, user}
}

// formerly are the names that the account had when it was last read, as far as nobody else has them now.
func (w *writer) formerly(e *found) (called, error) {
	var out called
	var err error
	if out.dn, err = w.formerDN(w.req.Target, e.native); err != nil {
		return out, err
	}
	name := w.req.Target.Username
	if name == "" || strings.EqualFold(name, e.username()) {
		return out, nil
	}
	holder, err := w.byUsername(name)
	if holder == nil && err == nil {
		out.user = name
	}
	if hasCode(err, "username_ambiguous") {
		err = nil
	}
	return out, err
}

func (r rewriting) step() step {
	return step{
		op: stepModify, dn: r.group, about: aboutGrant, note: "replace the old name in the group, unless the directory has done so itself",
		changes: []wire.Change{
			{Kind: wire.ChangeDelete, Name: r.attribute, Values: rawAll([]string{r.value})},
			{Kind: wire.ChangeAdd, Name: r.attribute, Values: rawAll([]string{r.after})},
		},
	}
}

// rewrite gives groups the new name of an account. What they refuse is reported: the change itself has been made.
func (w *writer) rewrite(list []rewriting) error {
	for _, r := range list {
		err := w.rewriteOne(r)
		if err != nil && w.conn.Broken() || isUnanswered(err) {
			return err
		}
		if err != nil {
			w.out.Verified = false
			w.warn("membership_not_rewritten", fmt.Sprintf("the group %s lists the account by its old name %s, and could not be changed: %v. Correct the group: the account is not a member as long as that is so", r.group, r.value, err))
		}
	}
	return nil
}

// rewriteOne changes one group. Some directories do the same at that moment, and so a refusal is looked at once.
func (w *writer) rewriteOne(r rewriting) error {
	for try := 0; ; try++ {
		s := r.step()
		old, err := w.lists(&team{dn: r.group}, r.attribute, r.value)
		if err != nil {
			return err
		}
		now, err := w.lists(&team{dn: r.group}, r.attribute, r.after)
		switch {
		case err != nil:
			return err
		case !old:
			return nil // the directory has done it itself, or somebody has taken the membership away
		case now:
			s.changes = s.changes[:1]
		}
		err = w.send(s)
		var refused *wire.ResultError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &refused), isUnanswered(err):
			return err
		case try > 0 || refused.Code != goldap.LDAPResultNoSuchAttribute && refused.Code != goldap.LDAPResultAttributeOrValueExists:
			return w.refusal(s, err)
		}
	}
}

// performMove performs steps that give an account another DN or another user name, with all that depends on its names.
func (w *writer) performMove(e *found, steps []step, after called) error {
	list, err := w.rewritings(e, after)
	if err != nil {
		return err
	}
	if len(steps)+len(list) == 0 {
		return nil
	}
	var cleared []step
	if len(steps) > 0 {
		if cleared, err = w.leftovers(newNames(w.calledNow(e), after)); err != nil {
			return err
		}
	}
	w.plan(cleared)
	w.plan(steps)
	for _, r := range list {
		w.plan([]step{r.step()})
	}
	if w.req.DryRun {
		return errDry
	}
	if err := w.clear(cleared); err != nil {
		return err
	}
	if err := w.sendAll(steps); err != nil {
		return w.restore(cleared, err)
	}
	w.follow = list
	w.out.Outcome = v1.OutcomeApplied
	return nil
}

// confirmMove reads an account again after performMove, and changes the groups that list it by an old name.
func (w *writer) confirmMove(dn, id string, as func(*found) bool) error {
	if err := w.confirm(dn, id, as); err != nil {
		return err
	}
	return w.rewrite(w.follow)
}

// newNames are those of the names after a change that the account did not have before.
func newNames(before, after called) called {
	if NormalizeDN(before.dn) == NormalizeDN(after.dn) {
		after.dn = ""
	}
	if strings.EqualFold(before.user, after.user) {
		after.user = ""
	}
	return after
}
