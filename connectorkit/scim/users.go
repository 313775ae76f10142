package scim

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// users reads /Users.
func (r *reading) users(ctx context.Context) error {
	if r.at.List != nil && r.at.Vague {
		r.at.List, r.at.Rights, r.at.Vague = nil, nil, false // the roles told so far are not all known any more
		clear(r.rights)
	}
	l := r.listing(r.usersPath, phaseUsers, r.userFilter)
	if err := r.readUsers(ctx, l); err != nil {
		return err
	}
	if why := l.doubt(); why != "" {
		r.warn("users_incomplete", why+"; nothing is taken for gone", "")
		r.doubtful(allKinds...)
		r.at.Missed = "the last read did not see all users"
	}
	return nil
}

// usersChanged reads the users that changed since the last read.
func (r *reading) usersChanged(ctx context.Context) error {
	since := r.at.Plan.Since.Add(-overlap).UTC().Format(time.RFC3339)
	l := r.listing(r.usersPath, phaseUsers, both(r.userFilter, changedAfter(since)))
	if err := r.readUsers(ctx, l); err != nil {
		return err
	}
	if err := r.flush(ctx, nil); err != nil {
		return err
	}
	for _, kind := range []v1.ObjectKind{v1.Identities, v1.Accounts} {
		i := r.kindIndex(kind)
		r.at.Counts[i] = r.at.Before[i] // who is there is counted by usersPresent
	}
	if why := l.doubt(); why != "" {
		r.warn("users_incomplete", why+"; the next read will be a full one", "")
		r.at.Missed = "the last read did not see all changed users"
	}
	return nil
}

// readHeld reads a page and holds its records, which may be told once the whole page was read.
func readHeld(resp *target.Response) (p onePage, held []resource, err error) {
	p, err = readIDs(resp, func(in *raw) (string, error) {
		res, err := in.resource()
		held = append(held, res)
		return res.key(), err
	})
	return p, held, err
}

// readUsers tells every user of a list with all that is in the record. A page is held whole until it was read to its
// end.
func (r *reading) readUsers(ctx context.Context, l *listing) error {
	l.ahead = true
	l.read = func(resp *target.Response) (onePage, error) {
		p, held, err := readHeld(resp)
		p.done = func(ctx context.Context, first func(string) bool) error {
			r.at.Stats.Pages++
			if !r.at.Plan.incremental() {
				r.expect(l.at.Total, v1.Identities, v1.Accounts)
			}
			for _, res := range held {
				if err := r.user(ctx, res, l.quiet, first); err != nil {
					return err
				}
			}
			return nil
		}
		return p, err
	}
	return l.run(ctx)
}

// readIDs reads a list and gathers what each returns, the ids.
func readIDs(resp *target.Response, each func(*raw) (string, error)) (p onePage, err error) {
	unfit := 0
	p.head, err = readList(resp, func(in *raw) error {
		id, err := each(in)
		if err != nil {
			return err
		}
		if badID(id) != "" {
			unfit++
		}
		if unfit > maxUnfit {
			return resp.Fault(v1.ClassTargetFault, "too_many_bad_records",
				fmt.Sprintf("more than %d resources of one answer of %s have no usable id", maxUnfit, resp.URL),
				"The target does not answer as RFC 7644 says. Its own log may say why.")
		}
		p.ids = append(p.ids, id)
		return nil
	})
	return p, err
}

func (res resource) key() string {
	if res.bad != "" {
		return res.id
	}
	return res.rec.text("id")
}

// usersPresent names all users by their ids.
func (r *reading) usersPresent(ctx context.Context) error {
	l := r.listing(r.usersPath, phaseUsers, r.userFilter)
	l.query.Set("attributes", "id")
	l.size = r.sweepSize(l.size)
	l.ahead = true
	l.read = func(resp *target.Response) (onePage, error) {
		p, err := readIDs(resp, func(in *raw) (string, error) {
			res, err := in.resource()
			return res.key(), err
		})
		p.done = func(_ context.Context, first func(string) bool) error {
			r.at.Stats.Pages++
			r.expect(l.at.Total, v1.Identities, v1.Accounts)
			var found []string
			for _, id := range p.ids {
				if why := badID(id); why != "" {
					r.skip("a user "+why, "", v1.Identities, v1.Accounts)
				} else if first(id) {
					found = append(found, id)
				}
			}
			r.there(v1.Identities, found...)
			r.there(v1.Accounts, found...)
			return nil
		}
		return p, err
	}
	if err := l.run(ctx); err != nil {
		return err
	}
	if why := l.doubt(); why != "" {
		r.warn("users_incomplete", why+"; nothing is taken for gone", "")
		r.doubtful(v1.Identities, v1.Accounts)
	}
	return nil
}

func (r *reading) expect(total int, kinds ...v1.ObjectKind) {
	if total < 0 {
		return
	}
	estimate := v1.Estimate{}
	if r.at.Estimate != nil {
		estimate = *r.at.Estimate // pages that went out keep theirs
	}
	for _, kind := range kinds {
		switch n := total; {
		case !r.want[kind]:
		case kind == v1.Identities:
			estimate.Identities = &n
		case kind == v1.Accounts:
			estimate.Accounts = &n
		case kind == v1.Entitlements:
			estimate.Entitlements = &n
		}
	}
	r.at.Estimate = &estimate
}

// user tells one User as whatever is wanted.
func (r *reading) user(ctx context.Context, res resource, quiet bool, first func(string) bool) error {
	rec, id := res.rec, res.key()
	if why := badID(id); why != "" {
		if res.bad != "" {
			why = res.bad
		}
		r.skip("a user "+why, rec.text("userName"), allKinds...)
		return nil
	}
	if !first(id) {
		if !quiet {
			r.warn("duplicate", "the target listed this user more than once", id)
		}
		return nil
	}
	if res.bad != "" {
		r.unreadable("the record of this user "+res.bad+"; it is left as it was", id, v1.Identities, v1.Accounts)
		return nil
	}
	r.settle("user", rec, id)
	attributes, shortened := flatten(rec)
	if len(shortened) > 0 {
		r.warn("truncated", shortenedMessage(shortened), id)
	}
	attributes = allowed(attributes, r.allow)
	r.seen(rec.sub("meta").moment("lastModified"))
	if r.want[v1.Identities] {
		r.out.Identities = append(r.out.Identities, identityOf(rec, attributes))
	}
	if r.want[v1.Accounts] {
		r.out.Accounts = append(r.out.Accounts, accountOf(rec, attributes, r.want[v1.Identities]))
	}
	if r.wantsGroups() {
		r.rightsOf(rec, id)
	}
	return r.hand(ctx)
}

// unreadable notes a record that is there but cannot be used. What it was before stays; what it holds is not known.
func (r *reading) unreadable(message, id string, kinds ...v1.ObjectKind) {
	r.skip(message, id, v1.Grants)
	if !r.at.Plan.incremental() { // else its id is told with all others
		for _, kind := range kinds {
			r.there(kind, id)
		}
	}
}

// rightsOf tells the roles and entitlements that a User carries, each right once. Of changes, a right that the user no
// longer carries is told as gone: nothing else would tell it.
func (r *reading) rightsOf(rec record, id string) {
	rights, skipped := rightsOf(rec)
	if skipped > 0 {
		r.skip(
			fmt.Sprintf("%d role(s) or entitlement(s) of the user have no value", skipped),
			id,
			v1.Entitlements,
			v1.Grants,
		)
	}
	held := map[string]bool{}
	for _, right := range rights {
		if held[right.ExternalID] {
			continue
		}
		held[right.ExternalID] = true
		if !r.rights[right.ExternalID] {
			r.rights[right.ExternalID] = true
			r.at.Rights = append(r.at.Rights, right.ExternalID)
			if r.want[v1.Entitlements] {
				r.out.Entitlements = append(r.out.Entitlements, right)
			}
		}
		r.grant(v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: right.ExternalID})
	}
	if size(r.at.Rights) > maxRights {
		r.at.Vague = true
	}
	groups := r.groupsOf(rec, id)
	switch {
	case !r.at.Plan.incremental():
	case groups >= 0 && skipped == 0:
		r.scopes = append(
			r.scopes,
			v1.Scope{Kind: v1.Grants, Key: "account:" + id, Complete: true, Count: len(held) + groups},
		)
	default:
		for _, right := range r.at.Rights[:min(r.at.Plan.Known, len(r.at.Rights))] {
			if !held[right] {
				r.grant(v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: right, Deleted: true})
			}
		}
	}
}

func (r *reading) grant(g v1.RemoteGrant) {
	if r.want[v1.Grants] {
		r.out.Grants = append(r.out.Grants, g)
	}
}

// groupsOf tells the groups that a User carries where memberships are read that way, and how many; -1: they are not.
func (r *reading) groupsOf(rec record, id string) int {
	groups := rec.items("groups")
	r.at.ByUser = r.at.ByUser || len(groups) > 0
	if r.strategy() != membersByUser {
		return -1
	}
	held := map[string]bool{}
	for _, g := range groups {
		group := g.text("value")
		if group == "" {
			group = lastSegment(g.text("$ref"))
		}
		if badID(group) != "" {
			r.skip("a group of the user has no value", id, v1.Grants)
			continue
		}
		if held[group] {
			continue
		}
		held[group] = true
		grant := v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: group}
		if strings.EqualFold(g.text("type"), "indirect") {
			grant.Directness = "inherited"
		}
		r.grant(grant)
	}
	return len(held)
}

// memberships reads users once more for the groups they carry, where it turned out that groups do not tell their
// members.
func (r *reading) memberships(ctx context.Context) error {
	l := r.listing(r.usersPath, phaseUsers, r.userFilter)
	l.query = url.Values{"attributes": {"id,groups"}}
	if r.attributes == quirks.No {
		l.query.Del("attributes")
	}
	if r.userFilter != "" {
		l.query.Set("filter", r.userFilter)
	}
	l.ahead = true
	l.read = func(resp *target.Response) (onePage, error) {
		p, held, err := readHeld(resp)
		p.done = func(ctx context.Context, first func(string) bool) error {
			r.at.Stats.Pages++
			for _, res := range held {
				if err := r.membershipsOf(ctx, res, first); err != nil {
					return err
				}
			}
			return nil
		}
		return p, err
	}
	if err := l.run(ctx); err != nil {
		return err
	}
	if why := l.doubt(); why != "" {
		r.warn("users_incomplete", why+"; no membership is taken for gone", "")
		r.doubtful(v1.Grants)
	}
	return nil
}

func (r *reading) membershipsOf(ctx context.Context, res resource, first func(string) bool) error {
	id := res.key()
	switch {
	case badID(id) != "" || res.bad != "":
		r.skip("the groups of a user cannot be read", id, v1.Grants)
	case first(id):
		r.groupsOf(res.rec, id)
	}
	return r.hand(ctx)
}

// badID says why an id cannot be a key, or nothing.
func badID(id string) string {
	switch {
	case id == "":
		return "has no id"
	case len(id) > 1024:
		return "has an id of more than 1024 bytes"
	case slices.Contains([]byte(id), 0):
		return "has an id with a NUL character"
	}
	return ""
}
