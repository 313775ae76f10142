// Package linkcheck checks links of accounts that people make against enforced separation-of-duties policies. It owns
// no table and writes nothing.
//
// A link gives all access of the account to the new owner. It is refused if that access would be part of a violation of
// an enforced policy whose on_assign is block or exception, unless the violation is accepted: as a false positive, by a
// mitigation or by an exception. Links that rules make are not refused: package scan finds their violations at once.
//
// Example: Ann has VENDOR-EDIT by one account. An administrator links a second account to her that has PAY-RUN. The
// link is 409 separation_of_duties.
package linkcheck

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exemption"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// link is an account with its access and the person whom it is linked to.
type link struct {
	AccountID    string
	IdentityID   string
	Name         string // of the person
	Entitlements []string
}

// Admit returns the faults of those links that must not be made, by their accounts. The links of one person count
// together, in their order. The people are locked until the transaction ends.
func Admit(ctx context.Context, tx *pg.Tx, of []account.Ownership) (map[string]error, error) {
	b, err := rulebook.For(ctx, tx)
	if err != nil || !b.Any(refuses) {
		return nil, err
	}
	links, err := read(ctx, tx, of)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	changes, people := map[string]effective.Changes{}, []string{}
	for _, l := range links {
		c := changes[l.IdentityID]
		for _, id := range l.Entitlements {
			c.Add = append(c.Add, effective.Addition{ID: l.AccountID, EntitlementID: id})
		}
		changes[l.IdentityID], people = c, append(people, l.IdentityID)
	}
	found, refusedLinks, err := violations(ctx, tx, b, links, changes, people)
	if err != nil {
		return nil, err
	}
	described, err := check.Describe(ctx, tx, b, found)
	if err != nil {
		return nil, err
	}
	verdicts := map[string]check.SeparationVerdict{}
	for i, c := range described {
		c.Effect = check.Block
		v := verdicts[refusedLinks[i].AccountID]
		v.Violations, v.Effect = append(v.Violations, c), check.Block
		verdicts[refusedLinks[i].AccountID] = v
	}
	refused := map[string]error{}
	for _, l := range refusedLinks {
		refused[l.AccountID] = refusal(tx, l, verdicts[l.AccountID])
	}
	return refused, nil
}

// refusal is the fault of a link. Who does not see the whole tenant learns the policy, and not what else the person
// has.
func refusal(tx *pg.Tx, l link, v check.SeparationVerdict) error {
	why := v.Refusal(l.Name)
	if tx.Viewer.SeesAll() {
		return why
	}
	return fault.Coded(why.Kind, why.Code,
		"%s would violate the policy %q with the access of this account. Ask an administrator.", l.Name,
		v.Violations[0].Policy.Name)
}

// refuses reports whether a policy could refuse a link.
func refuses(p rulebook.Policy) bool { return definition.Refuses(p.EffectOnAssignment()) }

// read locks the people, and reads the links that change an owner and give access.
func read(ctx context.Context, tx *pg.Tx, of []account.Ownership) ([]link, error) {
	var accounts, owners []string
	for _, o := range of {
		if listing.IsID(o.AccountID) && listing.IsID(o.IdentityID) {
			accounts, owners = append(accounts, o.AccountID), append(owners, strings.ToLower(o.IdentityID))
		}
	}
	if err := identity.LockAll(ctx, tx, owners); err != nil {
		return nil, err
	}
	const sql = `
		select a.id::text, i.id::text, i.display_name,
		       array(select g.entitlement_id::text
		               from access_grant g
		              where g.account_id = a.id
		                and holds_access(g.status)
		              order by 1)
		  from unnest($1::text[]::uuid[], $2::text[]::uuid[]) with ordinality l (account_id, identity_id, position)
		  join account a on a.id = l.account_id
		  join identity i on i.id = l.identity_id
		 where a.identity_id is distinct from i.id
		 order by l.position`
	links, err := pg.AllBy(ctx, tx, "read access of accounts", pgx.RowToStructByPos[link], sql, accounts, owners)
	return slices.DeleteFunc(links, func(l link) bool { return len(l.Entitlements) == 0 }), err
}

// violations returns the violations that refuse links, and the links in the same order.
func violations(
	ctx context.Context,
	tx *pg.Tx,
	b *rulebook.Book,
	links []link,
	changes map[string]effective.Changes,
	people []string,
) (found []check.Found, of []link, err error) {
	now := time.Now()
	all, err := effective.LoadChanged(ctx, tx, changes, false, check.Past(b), now)
	if err != nil {
		return nil, nil, err
	}
	if err := exemption.Apply(ctx, tx, b, all, now); err != nil {
		return nil, nil, err
	}
	accepted, err := violation.ReadAcceptances(ctx, tx, people)
	if err != nil {
		return nil, nil, err
	}
	taken := map[string]bool{} // accounts whose links are not refused, so far
	for _, l := range links {
		p := all[l.IdentityID].Where(func(_ int, s effective.Source) bool {
			return s.Kind != effective.KindAdded || taken[s.ID] || s.ID == l.AccountID
		})
		var own []int
		for i, s := range p.Sources {
			if s.Kind == effective.KindAdded && s.ID == l.AccountID {
				own = append(own, i)
			}
		}
		taken[l.AccountID] = true
		for _, v := range check.Involving(b.Rules.Check(&p.Access), own) {
			f := check.Found{Person: p, Violation: v}
			if refuses(b.Policies[v.Policy.ID]) && !accepted.Cover(f, b) {
				found, of, taken[l.AccountID] = append(found, f), append(of, l), false
			}
		}
	}
	return found, of, nil
}
