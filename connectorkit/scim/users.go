package scim

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// users reads /Users.
func (r *reading) users(ctx context.Context) error {
	l := r.listing(r.usersPath, phaseUsers, r.userFilter)
	var page []record
	l.read = r.usersPage(&page)
	l.done = func(ctx context.Context, first func(string) bool) error {
		r.stats.Pages++
		r.expect(l.total, v1.Identities, v1.Accounts)
		for _, rec := range page {
			if err := r.user(ctx, rec, first); err != nil {
				return err
			}
		}
		page = nil
		return nil
	}
	if err := l.run(ctx); err != nil {
		return err
	}
	if why := l.doubt(); why != "" {
		r.warn("users_incomplete", why+"; nothing is taken for gone", "")
		r.doubtful(allKinds...)
	}
	return nil
}

func (r *reading) expect(total int, kinds ...v1.ObjectKind) {
	if total < 0 {
		return
	}
	if r.estimate == nil {
		r.estimate = &v1.Estimate{}
	}
	for _, kind := range kinds {
		switch n := total; {
		case !r.want[kind]:
		case kind == v1.Identities:
			r.estimate.Identities = &n
		case kind == v1.Accounts:
			r.estimate.Accounts = &n
		case kind == v1.Entitlements:
			r.estimate.Entitlements = &n
		}
	}
}

// user tells one User as whatever is wanted.
func (r *reading) user(ctx context.Context, rec record, first func(string) bool) error {
	id := rec.text("id")
	if why := badID(id); why != "" {
		r.skip("a user "+why, rec.text("userName"), allKinds...)
		return nil
	}
	if !first(id) {
		r.warn("duplicate", "the target listed this user more than once", id)
		return nil
	}
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
	if r.want[v1.Entitlements] || r.want[v1.Grants] {
		r.rightsOf(rec, id)
	}
	return r.hand(ctx)
}

// rightsOf tells the roles and entitlements that a User carries, each right once.
func (r *reading) rightsOf(rec record, id string) {
	rights, skipped := rightsOf(rec)
	if skipped > 0 {
		r.skip(fmt.Sprintf("%d role(s) or entitlement(s) of the user have no value", skipped), id, v1.Entitlements, v1.Grants)
	}
	held := map[string]bool{}
	for _, right := range rights {
		if held[right.ExternalID] {
			continue
		}
		held[right.ExternalID] = true
		if r.want[v1.Entitlements] && !r.rights[right.ExternalID] {
			r.rights[right.ExternalID] = true
			r.out.Entitlements = append(r.out.Entitlements, right)
		}
		if r.want[v1.Grants] {
			account := id
			r.out.Grants = append(r.out.Grants, v1.RemoteGrant{AccountExternalID: &account, EntitlementExternalID: right.ExternalID})
		}
	}
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

// usersPage gives the reader of a page of users. A page is held whole until it was read to its end.
func (r *reading) usersPage(page *[]record) func(*target.Response) (listHead, []string, error) {
	return func(resp *target.Response) (listHead, []string, error) {
		*page = nil
		var ids []string
		head, err := readList(resp, func(dec decoder) error {
			rec, err := decodeRecord(dec)
			if err != nil {
				return err
			}
			ids = append(ids, rec.text("id"))
			*page = append(*page, rec)
			return nil
		})
		return head, ids, err
	}
}
